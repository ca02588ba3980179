// Finds the days of a range whose sums may be read in place of their events: those whose rows are still the ones that were summed, and those
// without any rows. The answer for a day is kept in memory until rows of that day are stored: an open dashboard then asks about today alone.
import { bytesFor, createBoundedMap } from '../../process/bounded-memory.ts';
import { DAY_MS, dayOf, daysIn, readDay, spansOfDays, startOfDay, startOfMonth } from '../../vocabulary/time/time.ts';
import { type Dimension, DIMENSION_NAMES, sourceOf } from '../../vocabulary/questions/dimensions.ts';
import type { Range } from '../../vocabulary/time/periods.ts';
import type { VersionOf } from '../answer-cache.ts';
import { UTC } from '../../vocabulary/time/zones.ts';
import { anyOf } from '../sql/filters.ts';
import { COUNTS } from './day-columns.ts';
import { VISITOR_KEYS } from '../sql/metrics.ts';
import { type Bind, boundsOf, dayOfEvents, ON_DAYS_AROUND, type Statement, timesOf } from '../sql/scope.ts';
import type { RawQuery, RunStatement } from '../sql/sql.ts';

/** The dimensions whose values are summed. Each goal and each property would be a dimension of its own. */
export const SUMMED_DIMENSIONS: readonly Dimension[] = DIMENSION_NAMES.filter(
  (name) => sourceOf(name) === 'events' && name !== 'goal',
);
/** SQL for their names, and the condition for rows of `summed_days` that were summed by all of them. */
export const DIMENSIONS_SQL = `[${SUMMED_DIMENSIONS.map((name) => `'${name}'`).join(', ')}]`;
export const HAS_DIMENSIONS = `hasAll(dimensions, ${DIMENSIONS_SQL})`;

export type SummedDay = {
  /** YYYY-MM-DD */
  day: string;
  /** The run that summed it; '' for a day without rows: see `hasRows`. */
  summing: string;
  hasPayments: boolean;
  /** False if its visits are missing, or if the rows of one differ in its source, country or the like: see `is_mixed` of `day_visits`. */
  hasVisits: boolean;
  /** Goals that are known to be counted on this day: see counted-goals.ts. */
  counted: string[];
  /** Set if another product counted the day: `summing` is then the id of the import. */
  imported?: { hasEvents: boolean };
};

/** The columns of `day_sums` that other products know of. */
const IMPORTED_COUNTS = COUNTS.filter((name) => name !== 'visitor_key');

const NO_ROWS = '';
export const hasRows = ({ summing }: SummedDay): boolean => summing !== NO_ROWS;
const WITHOUT_ROWS = { summing: NO_ROWS, hasPayments: false, hasVisits: true, counted: [] };
const NEVER = '1970-01-01';

/** What tells whether the rows of a day have changed. Text, because these are 64-bit numbers. */
export type Fingerprint = { row_count: string; row_ids: string; replaced: string };

/**
 * Superseded events by the days towards which they may count. A row's day differs from its UTC day by at most one, so each event stands on
 * three days: more than its own, which only means that a day is summed once more.
 */
export const REPLACED = `SELECT site_id, arrayJoin([toDate(time) - 1, toDate(time), toDate(time) + 1]) AS on_day,
    toString(uniqExact(event_id, replaced)) AS gone FROM superseded WHERE 1`;
/** The numbers of a day's rows that are part of its fingerprint. The store keeps them for each day: see store/schema/001-collected.sql. */
export const OF_ROWS = 'toString(count()) AS row_count, toString(sum(event_id)) AS row_ids';

type Row = Fingerprint & {
  kind: 'now' | 'own' | 'summed' | 'replaced' | 'paid' | 'imported';
  on_day: string;
  payments: string;
  summing: string;
  has_visits: string;
};

/**
 * `payments`: the name under which the payments of a day are counted, to learn at once on which days they are. `imported`: false leaves out days
 * that other products counted.
 */
type About = { site_id: string; range: Range; payments: string; imported?: boolean | undefined };

/** Returns the days of a range that are summed. `run`: asks the store. */
export type SummedDays = (run: RunStatement, about: About) => Promise<SummedDay[]>;

/** `day`: undefined if its events must be read. */
type Known = { version: number; day: SummedDay | undefined };
/** A day with the name of its run and the goals that are counted, rounded up. */
const KNOWN_BYTES = 600;

/** `versionOf`: see answer-cache.ts. Without a version nothing is kept, because another process may sum a day at any moment. */
export function openSummedDays(versionOf: VersionOf): SummedDays {
  const known = createBoundedMap<Known>(bytesFor('summedDays'), () => KNOWN_BYTES);
  return async (run, { site_id, range, payments, imported = true }) => {
    const lookUp = (day: string) => {
      const from = readDay(day) ?? NaN;
      const own = { ...range, from, to: from + DAY_MS };
      const key = `${day} ${range.zone === undefined ? 'UTC' : 'own'} ${imported ? 'all' : 'own'} ${site_id}`;
      const [version, last] = [versionOf(site_id, timesOf(own)), known.get(key)];
      return { day, own, key, version, last, isAsked: version === undefined || last?.version !== version };
    };
    const days = wholeDaysOf(range).map(lookUp);
    const asked = withNeighbours(
      days.filter(({ isAsked }) => isAsked),
      lookUp,
    );
    const [first, last] = [asked[0], asked.at(-1)];
    const span = first && last && { ...range, from: first.own.from, to: last.own.to };
    const found = span
      ? await askStore(run, { site_id, range: span, payments, imported })
      : new Map<string, SummedDay>();
    for (const { key, version, day } of asked)
      if (version !== undefined) known.set(key, { version, day: found.get(day) });
    return days.flatMap((one) => (one.isAsked ? found.get(one.day) : one.last?.day) ?? []);
  };
}

type Asked = { day: string; own: Range; version: number | undefined; isAsked: boolean };

/**
 * Adds the days before and after that are not known yet, up to the ends of their months: whoever looks at some days looks at those around them
 * next, and a statement about a few days more takes no longer.
 */
function withNeighbours<Day extends Asked>(days: Day[], lookUp: (day: string) => Day): Day[] {
  const [first, last] = [days[0], days.at(-1)];
  if (first?.version === undefined || !last) return days;
  const [before, after]: [Day[], Day[]] = [[], []];
  const take = (at: number, list: Day[]): boolean => {
    const day = lookUp(dayOf(at));
    if (day.isAsked) list.push(day);
    return day.isAsked;
  };
  for (let at = first.own.from - DAY_MS; at >= startOfMonth(first.own.from) && take(at, before);) at -= DAY_MS;
  for (let at = last.own.to; at < startOfMonth(last.own.from, 1) && take(at, after);) at += DAY_MS;
  return [...before.toReversed(), ...days, ...after];
}

async function askStore(run: RunStatement, about: About): Promise<Map<string, SummedDay>> {
  const rows = (await run(about, fingerprintsOf(about))) as Row[];
  const of = (kind: Row['kind']) => new Map(rows.filter((row) => row.kind === kind).map((row) => [row.on_day, row]));
  const [now, summed, replaced, imported] = [of('now'), of('summed'), of('replaced'), of('imported')];
  const own = about.range.zone === undefined ? of('own') : now;
  const paid = new Set(rows.flatMap((row) => (row.kind === 'paid' ? [row.summing] : [])));
  const days = wholeDaysOf(about.range).flatMap((day): [string, SummedDay][] => {
    const [was, is, other, taken] = [summed.get(day), now.get(day), imported.get(day), own.get(day)];
    if (other && about.imported !== false && (!taken || isReplaced(taken, other))) {
      const { summing } = other;
      const of = { hasEvents: is !== undefined };
      return [[day, { day, summing, hasPayments: false, hasVisits: false, counted: [], imported: of }]];
    }
    if (!is) return [[day, { day, ...WITHOUT_ROWS }]];
    const isUnchanged =
      was !== undefined &&
      was.row_count === is.row_count &&
      was.row_ids === is.row_ids &&
      was.replaced === (replaced.get(day)?.replaced ?? '0');
    if (!isUnchanged) return [];
    const counted = paid.has(was.summing) ? [about.payments] : [];
    const { summing, has_visits } = was;
    return [[day, { day, summing, hasPayments: Number(is.payments) > 0, hasVisits: has_visits === '1', counted }]];
  });
  return new Map(days);
}

/** Another product does not know of payments: a day that has some keeps its own events. */
const isReplaced = (own: Row, imported: Row): boolean => imported.replaced === '1' && Number(own.payments) === 0;

/** Days without what other products counted, which know neither visits nor goals. */
export const withoutImported = (days: readonly SummedDay[]): SummedDay[] =>
  days.flatMap((day) => {
    if (!day.imported) return [day];
    return day.imported.hasEvents ? [] : [{ day: day.day, ...WITHOUT_ROWS }];
  });

function wholeDaysOf({ from, to, rolls }: Range): string[] {
  if (rolls) return [];
  const first = startOfDay(from) === from ? from : startOfDay(from) + DAY_MS;
  return daysIn({ from: first, to: startOfDay(to) }).map(dayOf);
}

/** All lists in one statement, because each statement costs more than its rows. */
function fingerprintsOf({ site_id, range, payments }: About): Statement {
  const isInUtc = range.zone === undefined;
  const day = isInUtc ? 'toDate(time)' : 'day';
  const ofDays = 'site_id = {site_id:String} AND day >= {first_day:Date} AND day <= {last_day:Date}';
  const nearDays = 'toDate(time) >= {first_day:Date} - 1 AND toDate(time) <= {last_day:Date} + 1';
  // The days of an import are those of the site. The first hours of the next one may lie on the same UTC day.
  const own = `SELECT 'own', day, '', '', '', toString(countIf(currency != '')), '', '' FROM events WHERE ${ofDays} AND ${nearDays} GROUP BY day
      UNION ALL`;
  return {
    sql: `SELECT 'now' AS kind, ${day} AS on_day, ${OF_ROWS}, '' AS replaced, toString(countIf(currency != '')) AS payments, '' AS summing, '' AS has_visits
      FROM events WHERE ${ON_DAYS_AROUND} GROUP BY on_day
      UNION ALL
      ${isInUtc ? own : ''}
      SELECT 'summed', day, toString(row_count), toString(row_ids), toString(replaced), '', summing, toString(has_visits AND mixed = 0)
      FROM (SELECT * FROM summed_days FINAL WHERE ${ofDays}) WHERE ${HAS_DIMENSIONS}
      UNION ALL
      SELECT 'replaced', on_day, '', '', gone, '', '', '' FROM (${REPLACED} AND site_id = {site_id:String}
        AND ${nearDays} GROUP BY site_id, on_day)
      UNION ALL
      SELECT 'paid', day, '', '', '', '', summing, '' FROM day_goals WHERE ${ofDays} AND goal = {payments:String}
      UNION ALL
      SELECT 'imported', day, '', '', toString(argMax(replaces, version)), '', argMax(summing, version), ''
      FROM (SELECT * FROM imported_days FINAL WHERE ${ofDays}) GROUP BY day`,
    bound: { ...boundsOf({ site_id, range }), payments },
  };
}

/** True if the sums of a day stand for its events at this moment. */
export async function isInUse(
  { query }: { query: RawQuery },
  { site_id, day, summing }: { site_id: string; day: string; summing: string },
): Promise<boolean> {
  const from = readDay(day) ?? NaN;
  const run: RunStatement = (_about, { sql, bound }) => query(sql, bound);
  const about = { site_id, range: { from, to: from + DAY_MS, zone: UTC }, payments: '', imported: false };
  const found = await askStore(run, about);
  return found.get(day)?.summing === summing;
}

/** The range that still has to be read from events: from its first day that is not summed to its last. Undefined if all are. */
export function unsummedRange(range: Range, summed: readonly SummedDay[]): Range | undefined {
  const days = new Set(summed.map(({ day }) => day));
  let { from, to } = range;
  while (from < to && days.has(dayOf(from))) from = startOfDay(from) + DAY_MS;
  while (to > from && startOfDay(to) === to && days.has(dayOf(to - 1))) to -= DAY_MS;
  return from < to ? { ...range, from, to } : undefined;
}

/** True if a range is known to have no rows at all. */
export const isWithoutRows = (range: Range, days: readonly SummedDay[]): boolean =>
  unsummedRange(range, days) === undefined && !days.some(hasRows);

/** SQL condition for what runs have derived from these days, the earliest first. */
export function derivedFrom(days: readonly SummedDay[], bind: Bind): string {
  const runs = days.filter(hasRows);
  const spans = spansOf(runs).map(([first, last]) => `day >= ${bind(first)} AND day <= ${bind(last)}`);
  return [
    'site_id = {site_id:String}',
    spans.length === 1 ? spans[0] : `(${spans.map((span) => `(${span})`).join(' OR ')})`,
    `summing IN ${bind([...new Set(runs.map(({ summing }) => summing))])}`,
    ...daysOfImports(runs, bind),
  ].join(' AND ');
}

/** A run is of one day. An import has many, of which those are not read that count their own events or another import. */
function daysOfImports(runs: readonly SummedDay[], bind: Bind): string[] {
  const [own, imported] = [runs.filter((run) => !run.imported), runs.filter((run) => run.imported)];
  if (imported.length === 0) return [];
  const ofImports = [...Map.groupBy(imported, ({ summing }) => summing)].map(([summing, days]) => {
    const spans = spansOfDays(days.map(({ day }) => day)).map(
      ([first, last]) => `day >= ${bind(first)} AND day <= ${bind(last)}`,
    );
    return `summing = ${bind(summing)} AND ${anyOf(spans)}`;
  });
  return [anyOf([...(own.length > 0 ? [`summing IN ${bind(own.map((run) => run.summing))}`] : []), ...ofImports])];
}

/** The cell key of an imported row, which nobody can compute who does not know the random id of the import: see disclosure/cell-key.ts. */
export const IMPORTED_KEY = `cityHash64(summing, day, dimension, label) % ${VISITOR_KEYS}`;

/** SQL for the table to read sums from: with those of other products only where a day needs them. */
export function sumsTable(days: readonly SummedDay[]): string {
  if (!days.some((day) => day.imported)) return 'day_sums';
  const own = ['site_id', 'dimension', 'day', 'summing', 'label', ...IMPORTED_COUNTS];
  const columns = own.join(', ');
  return `(SELECT ${columns}, visitor_key FROM day_sums UNION ALL SELECT ${columns}, ${IMPORTED_KEY} FROM imported_sums) AS day_sums`;
}

/** Days further apart are two conditions, so that those between are not read: a comparison may be a year earlier. */
const LONGEST_GAP_MS = 31 * DAY_MS;

/** The first and the last day of days that follow each other closely. */
function spansOf(runs: readonly SummedDay[]): [string, string][] {
  const spans: [string, string][] = [];
  for (const { day } of runs) {
    const last = spans.at(-1);
    if (last && (readDay(day) ?? NaN) - (readDay(last[1]) ?? NaN) <= LONGEST_GAP_MS) last[1] = day;
    else spans.push([day, day]);
  }
  return spans.length > 0 ? spans : [[NEVER, NEVER]];
}

/** The summed days within a range, as text. */
const daysWithin = ({ from, to }: Range, summed: readonly SummedDay[]): string[] =>
  summed.flatMap(({ day }) => {
    const at = readDay(day) ?? NaN;
    return at >= from && at < to ? [day] : [];
  });

/** SQL conditions for the rows of other days. */
export function notOn(range: Range, days: readonly SummedDay[], bind: Bind): string[] {
  const within = daysWithin(range, days);
  return within.length > 0 ? [`${dayOfEvents(range)} NOT IN ${bind(within)}`] : [];
}
