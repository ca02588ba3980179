// Measures what a segment of three conditions adds to each panel: a segment of the visit's own dimensions, and one whose conditions are on
// different rows. Each is measured in turns with the same panel without a segment.
// node bench/segment.ts [visits per day] [folder]: see traffic.ts
import { breakdownQuestion } from '../server/stats/query.ts';
import { openStats } from '../server/stats/run.ts';
import type { PlainFilter } from '../server/vocabulary/questions/segments.ts';
import { lastDays, openTraffic, SITE } from './traffic.ts';
import { inTurns, printTurns } from './turns.ts';

const is = (dimension: PlainFilter['dimension'], ...values: string[]): PlainFilter => ({
  dimension,
  operator: 'is',
  values,
});
const SEGMENTS = {
  of_visits: [
    is('device', 'desktop'),
    is('country', 'DE', 'US', 'GB', 'FR'),
    is('channel', 'Direct', 'Organic Search'),
  ],
  of_rows: [is('device', 'desktop'), is('page', '/pricing'), is('event', 'signup', 'demo_started')],
};
const LISTS = {
  sources: ['source', 'unique_visitors'],
  pages: ['page', 'pageviews'],
  places: ['country', 'unique_visitors'],
  devices: ['browser', 'unique_visitors'],
  events: ['event', 'events'],
} as const;

await using traffic = await openTraffic();
const { store, site } = traffic;
const now = Date.now();
const { question } = lastDays(site.id, 30);
const stats = openStats(store, () => undefined); // nothing is cached

const filtersOf = (segment: PlainFilter[]) => [
  { dimension: 'segment' as const, operator: 'is' as const, values: ['segment_bench'], segments: [segment] },
];
const panels: Record<
  string,
  (asked: Omit<typeof question, 'filters'> & { filters: ReturnType<typeof filtersOf> }) => Promise<unknown>
> = {
  tiles: (asked) => stats.summary(asked, SITE, now),
  chart: (asked) => stats.timeseries({ ...asked, metric: 'unique_visitors' }, SITE, now),
  ...Object.fromEntries(
    Object.entries(LISTS).map(([name, [dimension, metric]]) => [
      name,
      (asked: object) =>
        stats.list(
          { ...breakdownQuestion.parse({ ...question, dimension, metrics: [metric], per_page: 9 }), ...asked },
          SITE,
          now,
        ),
    ]),
  ),
};

for (const [panel, ask] of Object.entries(panels)) {
  const costs = await inTurns({
    bare: () => ask({ ...question, filters: [] }),
    of_visits: () => ask({ ...question, filters: filtersOf(SEGMENTS.of_visits) }),
    of_rows: () => ask({ ...question, filters: filtersOf(SEGMENTS.of_rows) }),
  });
  printTurns({ panel }, costs);
}
