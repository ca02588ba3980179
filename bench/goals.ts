// Measures the panel of twenty goals of all kinds, in turns with a bare query of the engine that only counts the same rows by event: from
// the counts of closed days, and when it is first asked, from the events.
// node bench/goals.ts [visits a day] [folder]: see traffic.ts
import { openCountedGoals } from '../server/stats/days/counted-goals.ts';
import type { Goal } from '../server/stats/sql/goals.ts';
import { openStats } from '../server/stats/run.ts';
import type { GoalDefinition } from '../server/vocabulary/questions/goals.ts';
import { lastDays, openTraffic, SITE, sumClosedDays } from './traffic.ts';
import { print } from './server.ts';
import { inTurns, printTurns } from './turns.ts';

const EVENTS = ['signup', 'demo_started', 'purchase', 'outbound_link', 'download', 'search', 'never_sent'];
const PAGES = ['/', '/pricing', '/docs/**', '/blog/*', '/docs/*/:page', '/about', '/sign*', '/:page', '/never/**'];
const DEFINITIONS: GoalDefinition[] = [
  ...EVENTS.map((event) => ({ kind: 'event', event, props: {} }) as const),
  { kind: 'event', event: 'signup', props: { plan: 'pro' } },
  ...PAGES.map((page) => ({ kind: 'page', page }) as const),
  { kind: 'scroll', page: '/blog/*', scroll: 75 },
  { kind: 'scroll', page: '/docs/**', scroll: 50 },
  { kind: 'time', page: '/pricing', seconds: 30 },
];
const GOALS: Goal[] = DEFINITIONS.map((definition, index) => ({ id: `goal_${index}`, ...definition }));
const BARE = `SELECT name, count() AS events, uniqExact(visitor_id) AS visitors FROM events
  WHERE site_id = {site_id:String} AND time >= fromUnixTimestamp64Milli({from:Int64}) AND time < fromUnixTimestamp64Milli({to:Int64})
  GROUP BY name`;

await using traffic = await openTraffic();
const { store, site } = traffic;
await sumClosedDays(store);
const countedGoals = openCountedGoals({
  store,
  now: Date.now,
  onFailed: (error) => {
    throw error;
  },
});
// no answer is cached
const goalsOf = (goals: Goal[]) =>
  openStats(store, () => undefined, { goalsOf: () => Promise.resolve(goals), countedGoals });
const events = openStats(store, () => undefined, { goalsOf: () => Promise.resolve(GOALS) });
const now = Date.now();
const METRICS = ['conversions', 'converted_visitors', 'conversion_rate', 'revenue'] as const;

for (const days of [30, 365]) {
  const { question, bound } = lastDays(site.id, days);
  const asked = { ...question, dimension: 'goal' as const, metrics: [...METRICS], page: 1, per_page: 100 };
  const panel = (goals: Goal[]) => () => goalsOf(goals).breakdown(asked, SITE, now);
  /** Asked in another currency, the numbers have not been counted yet. */
  const first = () => events.breakdown({ ...asked, currency: 'XTS' }, SITE, now);
  const startedAt = performance.now();
  await panel(GOALS)();
  await countedGoals.settled();
  print({ days, counted_in_s: Math.round((performance.now() - startedAt) / 1000) });
  const costs = await inTurns({
    bare: () => store.query(BARE, bound),
    panel: panel(GOALS),
    first,
    as_a_filter: () =>
      goalsOf(GOALS).summary(
        { ...question, filters: [{ dimension: 'goal', operator: 'is', values: ['goal_9'] }] },
        SITE,
        now,
      ),
  });
  printTurns({ days, goals: GOALS.length }, costs);
}
