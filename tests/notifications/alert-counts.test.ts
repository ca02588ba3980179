// What alerts count is remembered while the rows of their site are the same. Here each remembered answer is compared with a fresh one.
import { expect, test } from 'vitest';
import type { Event, SiteId } from '../../server/vocabulary/event.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { openStats } from '../../server/stats/run.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { hexId, makeEvent, SITE } from '../setup/event.ts';
import { testStore } from '../setup/store.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const OTHER = 'site_OTHEROTHEROTHER' as SiteId;

const GOALS = {
  event: { kind: 'event', event: 'signup', props: {} },
  property: { kind: 'event', event: 'signup', props: { plan: 'pro' } },
  page: { kind: 'page', page: '/blog/*' },
  scroll: { kind: 'scroll', page: '/**', scroll: 50 },
  time: { kind: 'time', page: '/blog/*', seconds: 10 },
} as const;

const countedOn = (siteId: SiteId, from: number) => [
  ...Object.entries(GOALS).map(([name, goal]) => ({ id: `${name} ${siteId}`, siteId, what: { goal }, from })),
  { id: `money ${siteId}`, siteId, what: { maxAmount: 100, currency: 'EUR' }, from },
  { id: `late money ${siteId}`, siteId, what: { maxAmount: 10, currency: 'EUR' }, from: from + 2 * HOUR_MS },
];

test('what alerts count is asked again only for sites whose rows have changed, and is always what a fresh question finds', async () => {
  await using store = await testStore();
  const fresh = () => openStats(store, () => undefined);
  let asked = 0;
  const counting = { query: ((...given) => ((asked += 1), store.query(...given))) as typeof store.query };
  const remembering = openStats(counting, () => undefined);
  const visits = openVisits(store);
  let batch = 0;
  const insert = (...events: Event[]) =>
    store.insert(
      { events: events.flatMap((event) => visits.assign(event, event.time) ?? []), ai_visits: [] },
      `batch ${(batch += 1)}`,
    );
  const counted = [...countedOn(SITE, NOW - DAY_MS), ...countedOn(OTHER, NOW - 3 * HOUR_MS)];
  /** Returns how many statements were needed, and the counts that are not 0. */
  const look = async (now: number) => {
    asked = 0;
    const counts = await remembering.counts(counted, now + 1);
    const needed = asked;
    expect(counts).toEqual(await fresh().counts(counted, now + 1));
    return [needed, Object.fromEntries([...counts].flatMap(([id, { count }]) => (count > 0 ? [[id, count]] : [])))];
  };
  const at = (minutes: number, given: Parameters<typeof makeEvent>[0] = {}) =>
    makeEvent({ site_id: SITE, time: NOW + minutes * MINUTE_MS, ...given });
  const paid = { name: 'purchase', amount: '20', currency: 'EUR', order_id: hexId(77) as Event['order_id'] };
  const payment = at(-22 * 60, { ...paid, visitor: 'payer' });

  expect(await look(NOW)).toEqual([2, {}]);
  expect(await look(NOW + MINUTE_MS)).toEqual([1, {}]);
  await insert(at(1, { name: 'signup', props: { plan: 'pro' } }), at(2, { page: '/blog/a' }));
  const first = { [`event ${SITE}`]: 1, [`property ${SITE}`]: 1, [`page ${SITE}`]: 1 };
  expect(await look(NOW + 3 * MINUTE_MS)).toEqual([2, first]);
  expect(await look(NOW + 4 * MINUTE_MS)).toEqual([1, first]);
  // Late rows, of the other site too, and engagement with a page that was seen before.
  await insert(payment, at(-30, { site_id: OTHER, name: 'signup', visitor: 'other' }));
  await insert(at(5, { name: 'engagement', page: '/blog/a', scroll: 60, engaged_ms: 12_000 }));
  const second = {
    ...first,
    [`money ${SITE}`]: 1,
    [`scroll ${SITE}`]: 1,
    [`time ${SITE}`]: 1,
    [`event ${OTHER}`]: 1,
  };
  expect(await look(NOW + 6 * MINUTE_MS)).toEqual([2, second]);
  expect(await look(NOW + 7 * MINUTE_MS)).toEqual([1, second]);
  // A row from the future counts as soon as its time has come, and no longer if the clock is set back.
  await insert(at(9, { name: 'signup' }));
  expect(await look(NOW + 8 * MINUTE_MS)).toEqual([2, second]);
  const third = { ...second, [`event ${SITE}`]: 2 };
  expect(await look(NOW + 9 * MINUTE_MS)).toEqual([2, third]);
  expect(await look(NOW + 10 * MINUTE_MS)).toEqual([1, third]);
  expect(await look(NOW + 8 * MINUTE_MS)).toEqual([2, second]);
  expect(await look(NOW + 11 * MINUTE_MS)).toEqual([2, third]);
  // A better report of its order takes the payment's place.
  await store.supersede([{ site_id: SITE, event_id: payment.event_id, time: payment.time, replaced: false }]);
  const { [`money ${SITE}`]: _, ...fourth } = third;
  expect(await look(NOW + 12 * MINUTE_MS)).toEqual([2, fourth]);
  expect(await look(NOW + 13 * MINUTE_MS)).toEqual([1, fourth]);
  // Everything of a site is gone.
  await store.deleteSite(SITE);
  expect(await look(NOW + 14 * MINUTE_MS)).toEqual([2, { [`event ${OTHER}`]: 1 }]);
  expect(await look(NOW + 15 * MINUTE_MS)).toEqual([1, { [`event ${OTHER}`]: 1 }]);
});
