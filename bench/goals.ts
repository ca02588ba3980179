// Measures the panel of twenty goals of all kinds, in turns with a bare query of the engine that only counts the same rows by event.
// node bench/goals.ts [visits a day] [folder]: see traffic.ts
import type { Goal } from '../server/stats/goals.ts';
import { openStats } from '../server/stats/run.ts';
import type { GoalDefinition } from '../server/vocabulary/goals.ts';
import { lastDays, openTraffic, SITE } from './traffic.ts';
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
// nothing is cached
const goalsOf = (goals: Goal[]) => openStats(store, () => undefined, { goalsOf: () => Promise.resolve(goals) });
const now = Date.now();
const METRICS = ['conversions', 'converted_visitors', 'conversion_rate', 'revenue'] as const;

for (const days of [30, 365]) {
  const { question, bound } = lastDays(site.id, days);
  const asked = { ...question, dimension: 'goal' as const, metrics: [...METRICS], page: 1, per_page: 100 };
  const panel = (goals: Goal[]) => () => goalsOf(goals).breakdown(asked, SITE, now);
  const of = (...kinds: Goal['kind'][]) => GOALS.filter(({ kind }) => kinds.includes(kind));
  const costs = await inTurns({
    bare: () => store.query(BARE, bound),
    panel: panel(GOALS),
    of_events: panel(of('event')),
    of_pages: panel(of('page')),
    of_reading: panel(of('scroll', 'time')),
    as_a_filter: () =>
      goalsOf(GOALS).summary(
        { ...question, filters: [{ dimension: 'goal', operator: 'is', values: ['goal_9'] }] },
        SITE,
        now,
      ),
  });
  printTurns({ days, goals: GOALS.length }, costs);
}
