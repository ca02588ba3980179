// Which report of an order counts. `tests/queue/payments.test.ts` shows the same in the numbers of a site.
import { describe, expect, test } from 'vitest';
import { makeEvent, visitedEvent } from '../../../tests/setup/event.ts';
import type { Event, EventId, VisitedEvent } from '../../vocabulary/event.ts';
import { DAY_MS, MINUTE_MS } from '../../vocabulary/time/time.ts';
import { settleOrder } from './settle-order.ts';

const NOON = Date.UTC(2026, 10, 20, 12);
type Given = Partial<Omit<VisitedEvent, 'event_id' | keyof Event>> & Partial<Omit<Event, 'event_id'>>;
const report = (id: string, given: Given): VisitedEvent => ({
  ...visitedEvent(makeEvent({ name: 'purchase', currency: 'EUR', amount: '10', time: NOON })),
  ...given,
  event_id: id as EventId,
});
const claim = (id: string, given: Given = {}) => report(id, { source: 'Google', visit_id: 7n, ...given });
/** A server's report. */
const word = (id: string, given: Given = {}) =>
  report(id, { confirmed: true, source: '', visit_id: 0n, visitor_id: '' as Event['visitor_id'], ...given });

/** The payments that do not count, and whether they do not count as events either. */
const uncounted = (added: VisitedEvent[], stored: VisitedEvent[] = []) =>
  Object.fromEntries(settleOrder({ stored, added }).superseded.map(({ event_id, replaced }) => [event_id, replaced]));
const only = (added: VisitedEvent[], stored: VisitedEvent[] = []): VisitedEvent => {
  const [event, ...others] = settleOrder({ stored, added }).events;
  expect(others).toEqual([]);
  return event as VisitedEvent;
};

describe('of several reports of an order', () => {
  test('the first one counts, and of those at the same time the one with the lower id', () => {
    expect(uncounted([claim('a', { time: NOON + 1 }), claim('b')])).toEqual({ a: true });
    expect(uncounted([claim('b'), claim('a')])).toEqual({ b: true });
    expect(uncounted([claim('a'), claim('b')])).toEqual({ b: true });
  });

  test("a server's counts, even if it is not the first", () => {
    expect(uncounted([claim('a'), word('b', { time: NOON + 1 })])).toEqual({ a: true });
    expect(uncounted([word('b', { time: NOON + 1 })], [claim('a')])).toEqual({ a: true });
  });

  test('one with another name is an event of its own, which carries no payment', () => {
    expect(uncounted([claim('a'), claim('b', { name: 'thanks' })])).toEqual({ b: false });
    expect(uncounted([claim('a'), word('b', { name: 'order_paid' })])).toEqual({ a: false });
    expect(uncounted([word('a'), word('b', { name: 'order_paid' })])).toEqual({ b: false });
  });

  test('one of a browser repeats only those of its own visit', () => {
    expect(uncounted([claim('a'), claim('b', { visit_id: 8n })])).toEqual({ b: false });
    expect(uncounted([claim('a'), claim('b', { visit_id: 8n }), claim('c', { visit_id: 8n })])).toEqual({
      b: false,
      c: true,
    });
  });

  test("one of a server repeats any of a server's, of whatever visit, but none of a browser's", () => {
    const nextDay = { time: NOON + DAY_MS };
    expect(uncounted([word('a'), word('b', nextDay)])).toEqual({ b: true });
    expect(uncounted([claim('a'), word('b'), word('c', nextDay)])).toEqual({ a: true, c: true });
    expect(uncounted([word('a', { name: 'order_paid' }), word('b', nextDay), claim('c')])).toEqual({
      b: false,
      c: false,
    });
  });

  test("one of a browser is not repeated by a server's of another day, which belongs to no visit", () => {
    expect(uncounted([claim('a'), word('b', { time: NOON + DAY_MS })])).toEqual({ a: false });
  });

  test('those in another currency are another order, and refunds and events without an amount are no payments', () => {
    expect(uncounted([claim('a'), claim('b', { currency: 'USD' })])).toEqual({});
    expect(uncounted([claim('a'), claim('b', { currency: '', amount: '' })])).toEqual({});
    expect(uncounted([claim('b', { currency: '', amount: '' }), claim('c', { currency: '', amount: '' })])).toEqual({});
    expect(uncounted([word('a'), word('b', { amount: '-10' }), word('c', { amount: '-10' })])).toEqual({});
  });
});

describe("a server's report", () => {
  const HOME = { visit_id: 7n, source: 'Google', interactive: false };
  const NOWHERE = { visit_id: 0n, source: '' };

  test.each([
    ['the same currency', {}, {}, HOME],
    ['another currency', {}, { currency: 'USD' }, NOWHERE],
    ['no amount', {}, { currency: '', amount: '' }, HOME],
    ['an amount, where the browser reported none', { currency: '', amount: '' }, {}, HOME],
    ['the same day, to its last millisecond', {}, { time: NOON + DAY_MS / 2 - 1 }, HOME],
    ['the day before the browser', { time: NOON + DAY_MS / 2 }, {}, NOWHERE],
    ['the same day of the site', { day: '2026-11-20' }, { day: '2026-11-20', time: NOON + DAY_MS }, HOME],
    ['another day of the site', { day: '2026-11-20' }, { day: '2026-11-21' }, NOWHERE],
  ] as const)('with %s has the visit or not', (_title, ofBrowser, ofServer, expected) => {
    expect(only([word('b', ofServer)], [claim('a', ofBrowser)])).toMatchObject(expected);
  });

  test('has the visit of the first browser that reported the order that day, and the properties that it lacks', () => {
    const stored = [
      claim('a', { visit_id: 8n, time: NOON + MINUTE_MS, props: { plan: 'late' } }),
      claim('b', { props: { plan: 'pro', seats: '2' } }),
      word('c', { time: NOON - MINUTE_MS, visit_id: 9n }),
    ];
    expect(only([word('d', { props: { plan: 'max' } })], stored)).toMatchObject({
      ...HOME,
      props: { plan: 'max', seats: '2' },
    });
  });

  test('is stored again under an id of its own once a browser reports the order, and never twice', () => {
    const [before, after] = [word('b'), claim('a', { time: NOON + 1 })];
    const { events, superseded } = settleOrder({ stored: [before], added: [after] });
    const twin = '952aa5655195270f' as EventId;
    expect(events).toEqual([
      after,
      { ...before, ...HOME, entry_page: '/', visitor_id: after.visitor_id, event_id: twin },
    ]);
    expect(superseded.map(({ event_id, replaced }) => [event_id, replaced])).toEqual([
      ['b', true],
      ['a', true],
    ]);
    const twice = settleOrder({ stored: [before, ...events], added: [] });
    expect(twice).toEqual({ events: [], superseded });
  });

  test('that is known is not stored again', () => {
    expect(settleOrder({ stored: [word('a')], added: [word('a')] })).toEqual({ events: [], superseded: [] });
  });
});

describe('a refund', () => {
  const later = { time: NOON + 2 * DAY_MS };

  test("on another day takes from the origin of the browser's report, else of the first payment, and has no visit", () => {
    const refund = word('z', { ...later, amount: '-10' });
    expect(only([refund], [word('a', { source: 'Bing' }), claim('b', { time: NOON + DAY_MS })])).toMatchObject({
      visit_id: 0n,
      source: 'Google',
      amount: '-10',
    });
    const words = [word('a', { source: 'Bing' }), word('b', { source: 'HN' }), word('c', { source: 'DDG' })];
    expect(only([refund], words)).toMatchObject({ visit_id: 0n, source: 'Bing' });
    expect(only([refund], [claim('b', { currency: 'USD' })])).toEqual(refund);
    expect(only([refund], [claim('b', { amount: '-10' })])).toEqual(refund);
    expect(only([refund])).toEqual(refund);
  });

  test('alone has the origin of another day', () => {
    expect(only([word('z', later)], [claim('a')])).toMatchObject({ visit_id: 0n, source: '' });
  });
});
