// The terms with which people find a site at Google, from the rows of Search Console. Every number is a sum of rows or a ratio of two sums,
// and the rows without a term hold what Google withholds, so the terms and what is withheld add up to the totals.
import { Refusal } from '../../errors.ts';
import type { Bound } from '../../store/pool.ts';
import { type Range, resolveComparison } from '../../vocabulary/time/periods.ts';
import {
  SEARCH_DIMENSIONS,
  type SearchDimension,
  type SearchMetric,
} from '../../vocabulary/settings/search-console.ts';
import type { FilterDimension } from '../../vocabulary/questions/segments.ts';
import { DAY_MS, readDay } from '../../vocabulary/time/time.ts';
import { allOf, condition } from '../sql/filters.ts';
import type { Filter, SearchTermsQuestion } from '../query.ts';
import { askRange } from './ranges.ts';
import type { Reader } from '../reader.ts';
import { type Asked, type Days, daysOf } from './values.ts';

/** The connection whose rows count, and the newest day that has any. */
export type SearchSource = { id: string; latest_day: string | null };

export type SearchValues = Record<SearchMetric, number>;
/** `before`: in the comparison period; null without one. */
export type SearchFigures = SearchValues & { before: SearchValues | null };
export type SearchTerms = Days & {
  is_connected: boolean;
  /** The newest day that Google has reported. */
  latest_day: string | null;
  /** The days that are compared with; null without a comparison. Days that Google has not reported yet are left out of it. */
  compared: Days | null;
  rows: (SearchFigures & { term: string })[];
  /** The number of terms. */
  total: number;
  totals: SearchFigures;
  /** Clicks and impressions whose terms Google does not tell. */
  withheld: SearchFigures;
  /** Filters on what Google’s numbers do not have, which therefore do not apply. */
  ignored: FilterDimension[];
};

const SUMS = 'sum(clicks) AS clicks, sum(impressions) AS impressions, sum(positions) AS positions';
type Sums = { clicks: string | number; impressions: string | number; positions: string | number };

/** SQL to sort by. A better position is a lower one. */
const ORDERS: Record<SearchMetric | 'name', string> = {
  clicks: 'clicks',
  impressions: 'impressions',
  click_rate: 'clicks / impressions',
  position: 'positions / impressions',
  name: 'term',
};

export async function askSearchTerms(
  reader: Reader,
  asked: Asked<SearchTermsQuestion>,
  source: SearchSource | undefined,
): Promise<SearchTerms> {
  if (reader.rule) throw new Refusal('forbidden', 'A shared dashboard shows no search terms.');
  const { question } = asked;
  const range = await askRange(reader, asked);
  const before = comparedRange(question, range, source?.latest_day ?? null);
  const about = { ...daysOf(range), ...ignoredIn(question.filters), compared: before ? daysOf(before) : null };
  const none = { ...NOTHING, before: before ? NOTHING : null };
  if (!source)
    return { ...about, is_connected: false, latest_day: null, rows: [], total: 0, totals: none, withheld: none };
  const { query } = reader;
  const [sums, rows] = await Promise.all([
    askSums(query, scopeOf(question, source, range), question.search),
    askRows(query, scopeOf(question, source, range), question),
  ]);
  const earlier = before && scopeOf({ ...question, filters: question.versus ?? question.filters }, source, before);
  const [sumsBefore, termsBefore] = earlier
    ? await Promise.all([
        askSums(query, earlier),
        askTerms(
          query,
          earlier,
          rows.map(({ term }) => term),
        ),
      ])
    : [];
  return {
    ...about,
    is_connected: true,
    latest_day: source.latest_day,
    total: sums.terms,
    rows: rows.map(({ term, ...row }) => ({
      term,
      ...valuesOf(row),
      before: termsBefore ? valuesOf(termsBefore.get(term)) : null,
    })),
    totals: { ...valuesOf(sums.all), before: sumsBefore ? valuesOf(sumsBefore.all) : null },
    withheld: { ...valuesOf(sums.withheld), before: sumsBefore ? valuesOf(sumsBefore.withheld) : null },
  };
}

const NOTHING: SearchValues = { clicks: 0, impressions: 0, click_rate: 0, position: 0 };
const tenths = (value: number) => Math.round(value * 10) / 10;

/** The click rate in per cent and the position have one decimal, as at Google. */
function valuesOf(sums: Sums | undefined): SearchValues {
  const [clicks, impressions, positions] = [sums?.clicks, sums?.impressions, sums?.positions].map((sum) =>
    Number(sum ?? 0),
  );
  if (!impressions || clicks === undefined || positions === undefined) return NOTHING;
  return {
    clicks,
    impressions,
    click_rate: tenths((100 * clicks) / impressions),
    position: tenths(positions / impressions),
  };
}

/**
 * Google reports days late. A comparison ends as many days before its own end as the range still lacks, so that reported days are compared
 * with as many others.
 */
function comparedRange(question: SearchTermsQuestion, range: Range, latestDay: string | null): Range | undefined {
  if (question.versus) return range;
  const whole = resolveComparison(range, question);
  const latest = latestDay === null ? undefined : readDay(latestDay);
  if (!whole || latest === undefined) return undefined;
  const lacking = Math.max(0, range.to - (latest + DAY_MS));
  const isOtherLength = whole.to - whole.from !== range.to - range.from;
  const to =
    question.compare === 'custom' && isOtherLength ? whole.to : whole.to - Math.floor(lacking / DAY_MS) * DAY_MS;
  return to > whole.from ? { ...whole, to } : undefined;
}

const isOfSearch = (dimension: FilterDimension): dimension is SearchDimension =>
  SEARCH_DIMENSIONS.some((one) => one === dimension);

function ignoredIn(filters: readonly Filter[]): { ignored: FilterDimension[] } {
  const dimensions = filters.map(({ dimension }) => dimension).filter((dimension) => !isOfSearch(dimension));
  return { ignored: [...new Set(dimensions)] };
}

type Scope = { where: string; bound: Bound };

/** The rows of the readings that are in force, on the days of a range. */
function scopeOf({ site_id, filters }: SearchTermsQuestion, source: SearchSource, range: Range): Scope {
  const days = daysOf(range);
  const bound: Bound = { site_id, connection: source.id, first_day: days.date_from, last_day: days.date_to };
  const onDays = `site_id = {site_id:String} AND connection = {connection:String} AND day >= {first_day:Date} AND day <= {last_day:Date}`;
  const matching = filters.flatMap(({ dimension, operator, values }, index) => {
    if (!isOfSearch(dimension)) return [];
    bound[`filter${index}`] = values;
    return [condition(dimension, operator, `{filter${index}:Array(String)}`)];
  });
  const inForce = `reading IN (SELECT reading FROM search_days FINAL WHERE ${onDays})`;
  return { where: allOf([onDays, inForce, ...matching]), bound };
}

const IS_NAMED = "term != ''";
const IS_FOUND = 'positionCaseInsensitiveUTF8(term, {search:String}) > 0';

type Query = Reader['query'];

async function askSums(
  query: Query,
  { where, bound }: Scope,
  search = '',
): Promise<{ all: Sums; withheld: Sums; terms: number }> {
  const rows = await query<Sums & { is_named: number | string; terms: number | string }>(
    `SELECT ${IS_NAMED} AS is_named, ${SUMS}, uniqExactIf(term, ${IS_FOUND}) AS terms
      FROM search_rows WHERE ${where} GROUP BY is_named`,
    { ...bound, search },
  );
  const of = (isNamed: boolean) => rows.find(({ is_named }) => (Number(is_named) === 1) === isNamed);
  const [named, withheld] = [of(true), of(false) ?? ZERO];
  const add = (name: keyof Sums) => Number(named?.[name] ?? 0) + Number(withheld[name]);
  const all = { clicks: add('clicks'), impressions: add('impressions'), positions: add('positions') };
  return { all, withheld, terms: Number(named?.terms ?? 0) };
}

const ZERO: Sums = { clicks: 0, impressions: 0, positions: 0 };

function askRows(query: Query, { where, bound }: Scope, question: SearchTermsQuestion) {
  const { by, direction } = question.order ?? { by: 'clicks', direction: 'desc' };
  return query<Sums & { term: string }>(
    `SELECT term, ${SUMS} FROM search_rows WHERE ${where} AND ${IS_NAMED} AND ${IS_FOUND} GROUP BY term
      ORDER BY ${ORDERS[by]} ${direction === 'asc' ? 'ASC' : 'DESC'}, impressions DESC, term LIMIT {rows:UInt32} OFFSET {skipped:UInt32}`,
    {
      ...bound,
      search: question.search ?? '',
      rows: question.per_page,
      skipped: (question.page - 1) * question.per_page,
    },
  );
}

/** The numbers of some terms. */
async function askTerms(
  query: Query,
  { where, bound }: Scope,
  terms: readonly string[],
): Promise<ReadonlyMap<string, Sums>> {
  if (terms.length === 0) return new Map();
  const rows = await query<Sums & { term: string }>(
    `SELECT term, ${SUMS} FROM search_rows WHERE ${where} AND term IN {terms:Array(String)} GROUP BY term`,
    { ...bound, terms: [...terms] },
  );
  return new Map(rows.map((row) => [row.term, row]));
}
