// The generated traffic is the same on each run: these tests show the effect of a change to the generator.
import { expect, test } from 'vitest';
import type { Event, Recorded, SiteId } from '../../vocabulary/event.ts';
import { dayOf } from '../../vocabulary/time/time.ts';
import { seedEvents } from './events.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const options = {
  siteId: 'site_0123456789ABCDEF' as SiteId,
  domain: 'demo.example',
  days: 90,
  visitsPerDay: 40,
  now: NOW,
  seed: 1,
};
const entries = [...seedEvents(options)];
const events = entries.filter((entry): entry is Event => entry.kind === 'event');
/** Without the events that the shop's server reports. */
const ofVisitors = events.filter(({ visitor_id }) => visitor_id !== '');
const countBy = <Item>(items: Item[], keyOf: (item: Item) => string) =>
  Object.fromEntries([...Map.groupBy(items, keyOf)].map(([key, group]) => [key, group.length]).sort());

test('is the same to the last digit for the same options, and differs with the seed', () => {
  expect([...seedEvents(options)]).toEqual(entries);
  const others = [...seedEvents({ ...options, seed: 2 })];
  expect(others.map((entry) => entry.event_id)).not.toContain(entries[0]?.event_id);
});

test('has the totals that other tests rely on', () => {
  expect(countBy(entries, (entry) => (entry.kind === 'event' ? entry.name : entry.kind))).toEqual({
    ai_visit: 663,
    demo_started: 175,
    download: 157,
    engagement: 7338,
    feedback: 35,
    outbound_link: 327,
    pageview: 10635,
    payment_received: 15,
    purchase: 19,
    refund: 5,
    search: 95,
    signup: 91,
  });
  expect(new Set(ofVisitors.map((event) => event.visitor_id)).size).toBe(4194);
  expect(ofVisitors.reduce((sum, event) => sum + Number(event.amount), 0)).toBe(877);
});

test('is in order of time, ends now, and has unique ids', () => {
  const times = entries.map((entry) => entry.time);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times.at(-1)).toBeLessThanOrEqual(NOW);
  expect(new Set(entries.map((entry) => entry.event_id)).size).toBe(entries.length);
  expect(entries.every((entry) => /^[0-9a-f]{16}$/.test(entry.event_id))).toBe(true);
});

test('has an order for each purchase, of which the shop’s server confirms most and refunds some', () => {
  const orders = Map.groupBy(
    events.filter(({ amount }) => amount !== ''),
    ({ order_id }) => order_id,
  );
  const kinds = [...orders.values()].map((reports) =>
    reports
      .map(({ name, confirmed, amount }) => `${name}${confirmed ? '!' : ''}${Number(amount) < 0 ? '-' : ''}`)
      .join(),
  );
  expect(countBy(kinds, (kind) => kind)).toEqual({
    purchase: 4,
    'purchase,payment_received!': 10,
    'purchase,payment_received!,refund!-': 5,
  });
  for (const [order, [purchase, ...reports]] of orders) {
    expect(order).toMatch(/^[0-9a-f]{16}$/);
    expect(reports.every(({ amount }) => amount.replace('-', '') === purchase?.amount)).toBe(true);
  }
});

test('gives each visitor id events on one day only', () => {
  for (const [, own] of Map.groupBy(ofVisitors, (event) => event.visitor_id))
    expect(new Set(own.map((event) => dayOf(event.time))).size).toBe(1);
});

test('varies by day: weekends, launches, newsletters, and two days without traffic', () => {
  const views = countBy(
    events.filter(({ name }) => name === 'pageview'),
    (event) => dayOf(event.time),
  );
  const perDay = (day: number) => views[dayOf(NOW - day * 86_400_000)] ?? 0;
  expect(Object.keys(views).length).toBe(88);
  expect([51, 50].map(perDay)).toEqual([0, 0]);
  expect(perDay(58)).toBeGreaterThan(3 * perDay(59)); // Hacker News
  expect(perDay(25)).toBeGreaterThan(2.5 * perDay(26)); // Product Hunt
  expect(perDay(3)).toBeGreaterThan(perDay(2)); // a Tuesday, and the day after it
  expect(perDay(5)).toBeLessThan(perDay(4)); // a Sunday, and the Monday after it
});

test('contains hostile values', () => {
  const pages = events.map((event) => event.page);
  expect(Math.max(...pages.map((page) => page.length))).toBe(1009);
  for (const text of ['/שלום/', '🎉', 'DROP TABLE', '%3Cscript%3E'])
    expect(pages.some((page) => page.includes(text))).toBe(true);
  const values = events.flatMap((event) => Object.values(event.props));
  for (const text of ['<script>', '=HYPERLINK(', 'שלום', '👩'])
    expect(values.some((value) => value.includes(text))).toBe(true);
});

test('generates a hundred thousand events without holding more than a day of them', () => {
  const large: Iterator<Recorded> = seedEvents({ ...options, days: 3650, visitsPerDay: 1000 });
  for (let n = 0; n < 100_000; n++) expect(large.next().done).toBe(false);
});
