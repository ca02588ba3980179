// How fast pages felt: figures of all measured page views, over time, by page or another column, and how they are spread.
import { type Interval, intervalsOf } from '../../vocabulary/time/intervals.ts';
import { HISTOGRAM_STEPS, type Vital, VITAL_NAMES, VITALS, type VitalsSplit } from '../../vocabulary/numbers/vitals.ts';
import { isDimension } from '../../vocabulary/questions/dimensions.ts';
import { Refusal } from '../../errors.ts';
import { partOfDimension } from '../../vocabulary/settings/share-links.ts';
import { checkPart } from '../disclosure/link-rules.ts';
import { measuredForViewers } from '../disclosure/measured-rows.ts';
import { fewestOf, isLimited } from '../disclosure/rule.ts';
import { MAX_ROWS } from '../disclosure/shown.ts';
import type { VitalsHistogramQuestion, VitalsListQuestion, VitalsQuestion } from '../query.ts';
import type { Reader } from '../reader.ts';
import { type Bind, openBound, type Scope } from '../sql/scope.ts';
import { allOf } from '../sql/filters.ts';
import { cellSql, type Rows } from '../sql/sql.ts';
import { askRange } from '../answers/ranges.ts';
import { bucketsUntil, checkInterval } from '../answers/timeseries.ts';
import { type Asked, comparisonOf, type Days, daysOf, scopeOf } from '../answers/values.ts';
import { bucketOf, figuresOfSome, figuresSql, measuredRows, orderSql, splitSql } from './sql.ts';

/** `p75` is null where too few views have the vital. The shares are per cent of its `views`, and add up to 100. */
type VitalFigures = {
  p75: number | null;
  views: number;
  good: number;
  needs_improvement: number;
  poor: number;
};
/** `views`: measured page views. Not every browser measures every vital. */
export type VitalsFigures = { views: number } & Record<Vital, VitalFigures>;
export type VitalsOverview = Days & {
  totals: VitalsFigures;
  /** The same in the comparison period; null without one. */
  before: VitalsFigures | null;
  interval: Interval;
  points: ({ time: number; views: number } & Record<Vital, number | null>)[];
};
export type VitalsList = Days & {
  rows: (VitalsFigures & { name: string; before: VitalsFigures | null })[];
  /** The number of rows before paging. */
  total: number;
};
/** How many views have a value in each step of `step`; the last one has all values beyond. */
export type VitalsHistogram = Days & { step: number; counts: number[] };

type Row = Rows[number];
type Sql = (bind: Bind) => string;
/** What is asked of the measured rows of a scope. `only`: conditions. */
type Measured = { columns: Sql; only?: Sql[]; rest?: Sql };

const allFigures = ({ filters }: Scope, only: Sql[]): string =>
  filters.length + only.length > 0 ? figuresOfSome() : figuresSql();

/** The rows of a statement, as the requester may see them: viewers get none of few visitors, and changed counts. */
async function askMeasured(reader: Reader, scope: Scope, { columns, only = [], rest }: Measured): Promise<Rows> {
  const { bound, bind } = openBound(scope);
  const cells = isLimited(reader.rule) ? `, ${cellSql()}` : '';
  const where = allOf([measuredRows(scope, bind), ...only.map((condition) => condition(bind))]);
  const sql = `SELECT ${columns(bind)}${cells} FROM vitals WHERE ${where} ${rest?.(bind) ?? ''}`;
  return reader.remembered(scope, { sql, bound }, shownToViewers);
}

const isCount = (name: string): boolean => name === 'views' || /_(?:views|good|poor)$/.test(name);

const shownToViewers = measuredForViewers((name, value, changed) => {
  if (isCount(name)) return changed();
  // two digits: the others may be those of a single view
  return name.endsWith('_p75') ? Number(Number(value).toPrecision(2)) : value;
});

/** The scope that is counted for the requester; undefined if it holds too few visitors. */
export async function scopeFor(reader: Reader, scope: Scope): Promise<Scope | undefined> {
  if (!reader.rule) return scope;
  return scope.filters.length > 0 ? reader.narrowed(scope) : reader.whole(scope);
}

/** The rows of what a question is only about. Throws forbidden for those who see no small numbers: this narrows as a filter does. */
function narrowing({ only }: Pick<VitalsQuestion, 'only'>, { rule }: Reader): Sql[] {
  if (!only) return [];
  if (isLimited(rule)) throw new Refusal('forbidden', 'only: is not part of a dashboard that shows no small numbers.');
  return [(bind) => `${splitSql(only.split, bind).label} = ${bind(only.name)}`];
}

const NOTHING: Row = {};

function figuresOf(row: Row = NOTHING): VitalsFigures {
  const own = VITAL_NAMES.map((vital): [Vital, VitalFigures] => {
    const [views = 0, good = 0, poor = 0] = ['views', 'good', 'poor'].map((what) =>
      Number(row[`${vital}_${what}`] ?? 0),
    );
    if (views <= 0) return [vital, { p75: null, views: 0, good: 0, needs_improvement: 0, poor: 0 }];
    const share = (count: number) => Math.round((1000 * Math.min(count, views)) / views) / 10;
    const shares = { good: share(good), poor: Math.min(share(poor), 100 - share(good)) };
    const rest = Math.round(10 * (100 - shares.good - shares.poor)) / 10;
    return [vital, { p75: roundedOf(vital, row[`${vital}_p75`]), views, ...shares, needs_improvement: rest }];
  });
  return { views: Number(row['views'] ?? 0), ...(Object.fromEntries(own) as Record<Vital, VitalFigures>) };
}

/** Whole milliseconds; a layout shift has three digits. Values are stored in steps of at most one per cent. */
export function roundedOf(vital: Vital, value: unknown): number | null {
  const number = Number(value ?? NaN);
  if (Number.isNaN(number)) return null;
  return vital === 'cls' ? Math.round(number * 1000) / 1000 : Math.round(number);
}

async function askTotals(reader: Reader, scope: Scope, only: Sql[]): Promise<VitalsFigures> {
  const own = await scopeFor(reader, scope);
  if (!own) return figuresOf();
  const [row] = await askMeasured(reader, own, { columns: () => `count() AS views, ${allFigures(own, only)}`, only });
  return figuresOf(row);
}

export async function askVitals(reader: Reader, asked: Asked<VitalsQuestion>): Promise<VitalsOverview> {
  const { question, now } = asked;
  const range = await askRange(reader, asked);
  const intervals = intervalsOf(range);
  const interval = checkInterval(question.interval ?? intervals[0], intervals);
  const scope = scopeOf(asked, range);
  const comparison = comparisonOf(asked, range);
  const only = narrowing(question, reader);
  const [{ totals, points }, before] = await Promise.all([
    askOverTime(reader, scope, { interval, now, only }),
    comparison ? askTotals(reader, comparison.scope, only) : null,
  ]);
  return { ...daysOf(range), totals, before, interval, points };
}

/** The label of the row of all: no bucket starts then. */
const OF_ALL = 0;

/** All measured views, and those of each bucket: the rows are read once for both. */
async function askOverTime(
  reader: Reader,
  scope: Scope,
  { interval, now, only }: { interval: Interval; now: number; only: Sql[] },
): Promise<Pick<VitalsOverview, 'totals' | 'points'>> {
  const own = await scopeFor(reader, scope);
  const rows = own
    ? await askMeasured(reader, own, {
        columns: () => `${bucketOf(interval, own.range)} AS label, count() AS views, ${allFigures(own, only)}`,
        only,
        rest: () => 'GROUP BY label WITH ROLLUP',
      })
    : [];
  const found = new Map(rows.map((row) => [Number(row['label']), figuresOf(row)]));
  const totals = found.get(OF_ALL) ?? figuresOf();
  found.delete(OF_ALL);
  const points = bucketsUntil(now, scope.range, { interval, seen: [...found.keys()] }).map((time) => {
    const figures = found.get(time) ?? figuresOf();
    const values = VITAL_NAMES.map((vital) => [vital, figures[vital].p75]);
    return { time, views: figures.views, ...(Object.fromEntries(values) as Record<Vital, number | null>) };
  });
  return { totals, points };
}

export async function askVitalsList(reader: Reader, asked: Asked<VitalsListQuestion>): Promise<VitalsList> {
  const { question } = asked;
  const { split, vital } = question;
  if (isDimension(split)) checkPart(reader.rule?.link, partOfDimension(split));
  const range = await askRange(reader, asked);
  const scope = await scopeFor(reader, scopeOf(asked, range));
  const only = narrowing(question, reader);
  const { names, total } = scope
    ? await askNames(reader, scope, { ...question, narrowed: only })
    : { names: [], total: 0 };
  if (!scope || names.length === 0) return { ...daysOf(range), rows: [], total };
  const comparison = comparisonOf(asked, range);
  const scopeBefore = comparison && (await scopeFor(reader, comparison.scope));
  const listed = { split, names, only, vitals: vital && [vital] };
  const [now, before] = await Promise.all([
    askFigures(reader, scope, listed),
    scopeBefore ? askFigures(reader, scopeBefore, listed) : new Map<string, VitalsFigures>(),
  ]);
  const rows = names.map((name) => ({
    name,
    ...(now.get(name) ?? figuresOf()),
    before: comparison ? (before.get(name) ?? figuresOf()) : null,
  }));
  return { ...daysOf(range), rows, total };
}

/** The names of a page of a list. Most views first, unless it is sorted by something else. */
async function askNames(
  reader: Reader,
  scope: Scope,
  { split, search, order, page, per_page, narrowed }: VitalsListQuestion & { narrowed: Sql[] },
): Promise<{ names: string[]; total: number }> {
  const { by, direction } = order ?? { by: 'views', direction: 'desc' };
  const way = direction === 'asc' ? 'ASC' : 'DESC';
  const key = by === 'name' ? `label ${way}` : `sorted ${way} NULLS LAST, label`;
  const fewest = fewestOf(reader.rule);
  const skipped = (page - 1) * per_page;
  const limit = fewest > 0 ? `LIMIT ${MAX_ROWS}` : `LIMIT ${per_page} OFFSET ${skipped}`;
  const rows = await askMeasured(reader, scope, {
    columns: (bind) =>
      `${splitSql(split, bind).label} AS label, count() AS views, ${orderSql(by)} AS sorted, count() OVER () AS total`,
    only: [
      ...narrowed,
      (bind) => {
        const { label, only } = splitSql(split, bind);
        return search ? `${only} AND positionCaseInsensitiveUTF8(${label}, ${bind(search)}) > 0` : only;
      },
    ],
    rest: () => `GROUP BY label ORDER BY ${key} ${limit}`,
  });
  const shown = fewest > 0 ? rows.slice(skipped, skipped + per_page) : rows;
  return {
    names: shown.map((row) => String(row['label'])),
    total: fewest > 0 ? rows.length : Number(rows[0]?.['total'] ?? 0),
  };
}

/** Only the listed names, and some vitals: most values are then not even read. */
async function askFigures(
  reader: Reader,
  scope: Scope,
  { split, names, only, vitals }: { split: VitalsSplit; names: string[]; only: Sql[]; vitals: Vital[] | undefined },
): Promise<Map<string, VitalsFigures>> {
  const rows = await askMeasured(reader, scope, {
    columns: (bind) => `${splitSql(split, bind).label} AS label, count() AS views, ${figuresOfSome(vitals)}`,
    only: [...only, (bind) => `${splitSql(split, bind).label} IN ${bind(names)}`],
    rest: () => 'GROUP BY label',
  });
  return new Map(rows.map((row) => [String(row['label']), figuresOf(row)]));
}

export async function askVitalsHistogram(
  reader: Reader,
  asked: Asked<VitalsHistogramQuestion>,
): Promise<VitalsHistogram> {
  const { vital } = asked.question;
  const { step } = VITALS[vital];
  const range = await askRange(reader, asked);
  const scope = await scopeFor(reader, scopeOf(asked, range));
  const rows = scope
    ? await askMeasured(reader, scope, {
        columns: () =>
          `toUInt8(least(floor(assumeNotNull(${vital}) / ${step}), ${HISTOGRAM_STEPS - 1})) AS label, count() AS views`,
        only: [() => `${vital} IS NOT NULL`],
        rest: () => 'GROUP BY label',
      })
    : [];
  const counts = new Map(rows.map((row) => [Number(row['label']), Number(row['views'])]));
  const all = Array.from({ length: HISTOGRAM_STEPS }, (_, index) => counts.get(index) ?? 0);
  return { ...daysOf(range), step, counts: all };
}
