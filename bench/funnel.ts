// Measures funnels of five steps, within a visit and a day and in each order, in turns with a bare query of the engine that only groups the
// same rows by visit. `left` is the separate query for where the visitors who left went.
// node bench/funnel.ts [visits a day] [folder]: see traffic.ts
import { openStats } from '../server/stats/run.ts';
import { FUNNEL_ORDERS, FUNNEL_SCOPES, type GoalDefinition } from '../server/vocabulary/questions/goals.ts';
import { lastDays, openTraffic, SITE } from './traffic.ts';
import { interleaved, printCosts } from './interleaved.ts';

const STEPS: GoalDefinition[] = [
  { kind: 'page', page: '/' },
  { kind: 'page', page: '/pricing' },
  { kind: 'event', event: 'signup', props: {} },
  { kind: 'page', page: '/docs/**' },
  { kind: 'event', event: 'demo_started', props: {} },
];
const BARE = `SELECT count() AS visits, sum(rows) AS rows FROM (SELECT visit_id, count() AS rows FROM events
  WHERE site_id = {site_id:String} AND time >= fromUnixTimestamp64Milli({from:Int64}) AND time < fromUnixTimestamp64Milli({to:Int64})
  GROUP BY visit_id)`;

await using traffic = await openTraffic();
const { store, site } = traffic;
const stats = openStats(store, () => undefined); // nothing is cached
const asked = { site: SITE, now: Date.now() };

/** A year takes seconds, so it is asked less often. */
const ROUNDS = { 30: 10, 365: 3 };

for (const days of [30, 365] as const) {
  const { question, bound } = lastDays(site.id, days);
  const [counted] = await store.query<{ rows: string }>(BARE, bound);
  for (const within of FUNNEL_SCOPES)
    for (const order of FUNNEL_ORDERS) {
      const funnel = { steps: STEPS, within, order };
      const works = {
        bare: () => store.query(BARE, bound),
        steps: () => stats.funnel(question, funnel, asked),
        left: () => stats.left(question, funnel, asked),
      };
      const costs = await interleaved(works, ROUNDS[days]);
      printCosts({ days, events: Number(counted?.rows), within, order }, costs);
    }
}
