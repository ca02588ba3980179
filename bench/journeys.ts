// Measures journeys of five steps, in turns with a bare query of the engine that only groups the same rows into visits.
// node bench/journeys.ts [visits a day] [folder]: see traffic.ts
import type { JourneyFrom } from '../server/stats/journeys/journey.ts';
import { openStats } from '../server/stats/run.ts';
import { lastDays, openTraffic, SITE } from './traffic.ts';
import { interleaved, printCosts } from './interleaved.ts';

const STARTS: Record<string, { from: JourneyFrom; direction: 'forwards' | 'backwards' }> = {
  from_a_page: { from: { kind: 'page', name: '/' }, direction: 'forwards' },
  before_an_event: { from: { kind: 'event', name: 'signup' }, direction: 'backwards' },
  before_a_goal: {
    from: { kind: 'goal', name: 'Pricing', goal: { id: 'goal_bench', kind: 'page', page: '/pricing' } },
    direction: 'backwards',
  },
};
const BARE = `SELECT count() AS visits, max(length(rows)) AS most FROM (SELECT groupArray((time, page)) AS rows FROM events
  WHERE site_id = {site_id:String} AND visit_id != 0 AND name != 'engagement' AND time >= fromUnixTimestamp64Milli({from:Int64})
  AND time < fromUnixTimestamp64Milli({to:Int64}) GROUP BY visit_id)`;

await using traffic = await openTraffic();
const { store, site } = traffic;
const stats = openStats(store, () => undefined); // nothing is cached
const now = Date.now();

for (const days of [30, 365]) {
  const { question, bound } = lastDays(site.id, days);
  for (const [journey, { from, direction }] of Object.entries(STARTS)) {
    const start = { kind: 'page' as const, value: '/' }; // the API resolves this to `from`
    const asked = { ...question, start, steps: 5, regroup: undefined, from, direction };
    const costs = await interleaved({
      bare: () => store.query(BARE, bound),
      journey: () => stats.journey(asked, SITE, now),
    });
    printCosts({ days, journey }, costs);
  }
}
