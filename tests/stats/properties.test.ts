// The property keys of custom events: counted by hand, filtered, and limited in number.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Refusal } from '../../server/errors.ts';
import type { Event } from '../../server/vocabulary/event.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import type { Dimension } from '../../server/vocabulary/questions/dimensions.ts';
import { type Filter, propertiesQuestion } from '../../server/stats/query.ts';
import { openStats, type Stats } from '../../server/stats/run.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { EURO_SHOP, makeEvent, SITE } from '../setup/event.ts';
import { type TestStore, testStore } from '../setup/store.ts';
import { viewing } from '../setup/accounts/viewing.ts';

const TODAY = Date.UTC(2026, 10, 20);
const NOW = TODAY + DAY_MS / 2;
const MANY = Array.from({ length: 60 }, (_, index) => [`key_${String(index).padStart(2, '0')}`, 'x'] as const);

const pay = (time: number, visitor: string, props: Record<string, string>): Event =>
  makeEvent({ time, visitor, props, name: 'order', amount: '10', currency: 'EUR' });

const EVENTS: Event[] = [
  makeEvent({ time: TODAY - DAY_MS, name: 'wide', props: Object.fromEntries(MANY) }),
  makeEvent({ time: TODAY, props: { author: 'Ada' } }), // properties of a page view are not listed
  makeEvent({ time: TODAY + 1000, name: 'signup', props: { plan: 'pro', "it's": '1' } }),
  makeEvent({ time: TODAY + 2000, name: 'signup', props: { plan: 'free', método: 'x' } }),
  makeEvent({ time: TODAY + 3000, name: 'purchase', props: { plan: 'pro' }, visitor: '2', country: 'FR' }),
  pay(TODAY + 3500, '8', { plan: 'pro', product: 'Lamp' }),
  pay(TODAY + 3600, '9', { plan: 'free' }),
  ...['5', '6', '7'].map((visitor) => pay(TODAY - 3 * DAY_MS, visitor, { size: 'L' })),
  makeEvent({ time: TODAY + 4000, name: 'signup', props: { foreign: 'x' }, site_id: 'site_other' as typeof SITE }),
];

let store: TestStore;
let stats: Stats;

beforeAll(async () => {
  store = await testStore();
  stats = openStats(store, () => undefined);
  const visits = openVisits(store);
  const events = EVENTS.flatMap((event) => visits.assign(event, event.time) ?? []);
  await store.insert({ events, ai_visits: [] }, 'all');
});
afterAll(() => store[Symbol.asyncDispose]());

async function keys(more: object = {}) {
  const question = propertiesQuestion.parse({ site_id: SITE, period: 'today', ...more });
  const found = await stats.properties(question, EURO_SHOP, NOW);
  return found.keys.map(({ name, events }) => [name, events]);
}
const filtered = (...filters: Filter[]) => keys({ filters });
const filter = (dimension: Dimension, value: string, operator: Filter['operator'] = 'is'): Filter => ({
  dimension,
  operator,
  values: [value],
});

test('are listed by how many events carry them, ties by name', async () => {
  expect(await keys()).toEqual([
    ['plan', 5],
    ["it's", 1],
    ['método', 1],
    ['product', 1],
  ]);
  expect(await keys({ site_id: 'site_unknown' })).toEqual([]);
});

test('follow filters on events, visits, exit pages and properties', async () => {
  expect(await filtered(filter('event', 'purchase'))).toEqual([['plan', 1]]);
  expect(await filtered(filter('country', 'FR', 'is_not'), filter('prop:plan', 'free'))).toEqual([
    ['plan', 2],
    ['método', 1],
  ]);
  expect(await filtered(filter("prop:it's", "' OR 1 = 1 --"))).toEqual([]);
  expect(await filtered(filter('exit_page', '/nowhere'))).toEqual([]);
  await expect(filtered(filter('ai_agent', 'GPTBot'))).rejects.toThrow(Refusal);
});

test('of payments are those that payments carry, whichever events carry more', async () => {
  expect(await keys({ of: 'orders', period: 'yesterday' })).toEqual([]);
  expect(await keys({ of: 'orders' })).toEqual([
    ['plan', 2],
    ['product', 1],
  ]);
  const filters = [filter('prop:product', 'Lamp', 'is_not')];
  expect(await keys({ of: 'orders', filters })).toEqual([['plan', 1]]);
});

test('and of payments, viewers of a link see only those that three visitors or more have paid with', async () => {
  const question = propertiesQuestion.parse({ site_id: SITE, period: 'month', of: 'orders' });
  const names = async (shows: Parameters<typeof viewing>[0]) =>
    (await stats.askedBy({}, viewing(shows, NOW)).properties(question, EURO_SHOP, NOW)).keys.map(({ name }) => name);
  expect(await names({ properties: true, few: false })).toEqual(['size']);
  expect(await names({ properties: true, few: true })).toEqual(['size', 'plan', 'product']);
  expect(await names({ properties: false, few: true })).toEqual([]);
});

test('are at most 50', async () => {
  const found = await keys({ period: 'yesterday' });
  expect([found.length, found[0], found.at(-1)]).toEqual([50, ['key_00', 1], ['key_49', 1]]);
});
