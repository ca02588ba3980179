// Several sites together: each site counts its own days in its own time zone, as its own dashboard does, and the counts are added up.
import { GROUP_METRICS, type GroupMetric } from '../../vocabulary/settings/groups.ts';
import { clockOf, type Interval, intervalsOf, isWithinDay, nextBucket } from '../../vocabulary/time/intervals.ts';
import type { Metric } from '../../vocabulary/numbers/metrics.ts';
import { type Range, resolvePeriod } from '../../vocabulary/time/periods.ts';
import { dayOf } from '../../vocabulary/time/time.ts';
import { UTC } from '../../vocabulary/time/zones.ts';
import type { GroupQuestion } from '../query.ts';
import type { SummedDay } from '../days/summed-days.ts';
import type { Reader } from '../reader.ts';
import type { Scope } from '../sql/scope.ts';
import type { Rows } from '../sql/sql.ts';
import { bucketsUntil, checkInterval, type FormatsOf, importedOf, type Timeseries } from './timeseries.ts';
import { askTotals, comparisonOf, type Days, daysOf, numberOf, scopeOf, type StatsSite } from './values.ts';

export type GroupSite = StatsSite & { id: string };
export type Counts = Record<GroupMetric, number>;
/** Null: the number is not told. */
type Point = Record<GroupMetric, number | null> & { time: number };

/** `previous`: null without a comparison. The first and last days are those of all sites: "yesterday" may be two dates. */
export type GroupNumbers = Days & {
  compare: Days | null;
  interval: Interval;
  intervals: Interval[];
  totals: Counts;
  previous: Counts | null;
  points: Point[];
  /** The comparison's points, aligned by index. */
  previous_points: Point[] | null;
  /** True if the last bucket is not over yet. */
  unfinished: boolean;
  /** The imported days of all sites together. */
  imported: Timeseries['imported'];
  /** In the order of the question. */
  sites: { site_id: string; totals: Counts; previous: Counts | null }[];
};

/** Sites that are counted at the same time. A site takes a few statements. */
const AT_ONCE = 4;

const METRICS: Metric[] = [...GROUP_METRICS];

type Asked = { question: GroupQuestion; sites: readonly GroupSite[]; now: number; formatsOf: FormatsOf };

export async function askGroup(reader: Reader, { question, sites, now, formatsOf }: Asked): Promise<GroupNumbers> {
  const ranges = sites.map(({ timezone }) => resolvePeriod(question, now, { zone: timezone ?? undefined }));
  const [range = resolvePeriod(question, now, { zone: UTC })] = ranges;
  const intervals = intervalsOf(range).filter((interval) => !isWithinDay(interval));
  const interval = checkInterval(question.interval ?? intervals[0] ?? 'day', ['day', ...intervals]);

  const counted: SiteCounts[] = [];
  const waiting = sites.entries();
  const lane = async () => {
    for (const [index, site] of waiting) {
      const own = ranges[index] ?? range;
      counted[index] = await askSite(reader, { question, site, range: own, interval, now, formatsOf });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));

  const points = together(counted.map((one) => one.points));
  const last = points.at(-1)?.time;
  const compared = counted.flatMap(({ previous }) => previous ?? []);
  const isCompared = compared.length > 0;
  const importedDays = counted.flatMap((one) => one.importedDays).sort((one, other) => (one.day < other.day ? -1 : 1));
  return {
    ...around(counted.length > 0 ? counted.map((one) => daysOf(one.range)) : [daysOf(range)]),
    compare: isCompared ? around(compared.map((one) => daysOf(one.range))) : null,
    interval,
    intervals: intervals.length > 0 ? intervals : ['day'],
    totals: sum(counted.map((one) => one.totals)),
    previous: isCompared ? sum(compared.map((one) => one.totals)) : null,
    points,
    previous_points: isCompared ? together(compared.map((one) => one.points)) : null,
    unfinished: counted.some(
      (one) => one.points.at(-1)?.time === last && nextBucket(last ?? 0, interval) > clockOf(one.range, interval, now),
    ),
    imported: importedOf(importedDays, {
      formats: new Map(counted.flatMap(({ formats }) => [...formats])),
      is_counted: question.include_imported !== false,
    }),
    sites: sites.map(({ id }, index) => ({
      site_id: id,
      totals: counted[index]?.totals ?? sum([]),
      previous: counted[index]?.previous?.totals ?? null,
    })),
  };
}

type SiteCounts = {
  range: Range;
  importedDays: SummedDay[];
  formats: ReadonlyMap<string, string>;
  totals: Counts;
  points: Point[];
  previous: { range: Range; totals: Counts; points: Point[] } | undefined;
};
type AskedSite = Pick<Asked, 'question' | 'now' | 'formatsOf'> & { site: GroupSite; range: Range; interval: Interval };

async function askSite(
  reader: Reader,
  { question, site, range, interval, now, formatsOf }: AskedSite,
): Promise<SiteCounts> {
  const asked = { question: { ...question, site_id: site.id, filters: [] }, site, now };
  const comparison = comparisonOf(asked, range);
  const pointsOf = async (scope: Scope): Promise<Point[]> => {
    const rows = await reader.ask({ scope, metrics: METRICS, by: { interval } });
    const found = new Map(rows.map((row) => [Number(row['label']), toldOf(row)]));
    const starts = bucketsUntil(now, scope.range, { interval, seen: [...found.keys()] });
    return starts.map((time) => ({ time, ...(found.get(time) ?? countsOf({})) }));
  };
  const isCut = comparison !== undefined && comparison.scope.range.to !== comparison.range.to;
  const scope = scopeOf(asked, range);
  const [importedDays, points, before, cut] = await Promise.all([
    reader.importedDays(scope),
    pointsOf(scope),
    // Uncut, so that its line continues past the current time.
    comparison && pointsOf({ ...comparison.scope, range: comparison.range }),
    isCut ? askTotals(reader, comparison.scope, METRICS) : undefined,
  ]);
  const previous = comparison &&
    before && { range: comparison.range, points: before, totals: cut ? countsOf(cut) : sum(before) };
  const formats = importedDays.length > 0 ? await formatsOf(site.id) : new Map<string, string>();
  return { range, importedDays, formats, points, totals: sum(points), previous };
}

/** Visitors are recognised within a day, so those of the days add up too. */
function sum(all: readonly Record<GroupMetric, number | null>[]): Counts {
  const total = countsOf({});
  for (const one of all) for (const metric of GROUP_METRICS) total[metric] += one[metric] ?? 0;
  return total;
}

const countsOf = (row: Partial<Rows[number]>): Counts => ({
  unique_visitors: Number(row['unique_visitors'] ?? 0),
  visits: Number(row['visits'] ?? 0),
  pageviews: Number(row['pageviews'] ?? 0),
});

const toldOf = (row: Rows[number]): Omit<Point, 'time'> => ({
  unique_visitors: numberOf(row['unique_visitors']),
  visits: numberOf(row['visits']),
  pageviews: numberOf(row['pageviews']),
});

/** The sum of what the sites tell. Null if that is nothing, and one does not tell. */
function sumOfTold(points: readonly Point[]): Omit<Point, 'time'> {
  const total: Omit<Point, 'time'> = sum(points);
  for (const metric of GROUP_METRICS)
    if (total[metric] === 0 && points.some((point) => point[metric] === null)) total[metric] = null;
  return total;
}

/** The points of all sites by their day, oldest first. */
function together(all: readonly Point[][]): Point[] {
  const byTime = Map.groupBy(all.flat(), ({ time }) => time);
  return [...byTime]
    .map(([time, points]) => ({ time, ...sumOfTold(points) }))
    .sort((one, other) => one.time - other.time);
}

function around(days: readonly Days[]): Days {
  const times = days.flatMap(({ date_from, date_to }) => [date_from, date_to]).sort();
  return { date_from: times[0] ?? dayOf(0), date_to: times.at(-1) ?? dayOf(0) };
}
