// All stats queries. The dashboard, CSV and the API show the same numbers, since all of them use this.
import { Refusal } from '../errors.ts';
import type { EventStore } from '../store/open.ts';
import type { Asking } from '../store/pool.ts';
import type { Dimension } from '../vocabulary/questions/dimensions.ts';
import { FURTHEST_STEP } from '../vocabulary/questions/furthest-step.ts';
import { type Metric, metricRow } from '../vocabulary/numbers/metrics.ts';
import type { AskedPeriod, Range } from '../vocabulary/time/periods.ts';
import type { PlainDimension } from '../vocabulary/questions/segments.ts';
import {
  openCounts,
  askDayViews,
  askHours,
  askNewAgents,
  type Count,
  type Counted,
  type DayViews,
  type Hours,
  type NewAgent,
} from './answers/alert-counts.ts';
import { type AiOverTime, type AiSeries, askAiOverTime, askAiSeries } from './answers/ai.ts';
import { openMemo, type VersionOf } from './answer-cache.ts';
import { askBreakdown, askList, type Breakdown, type List } from './answers/breakdown.ts';
import { askCurrencies, askProperties, type Currencies, type Properties } from './answers/choices.ts';
import { type CountedGoals, openCountedGoals } from './days/counted-goals.ts';
import { askDays, type Day } from './answers/days.ts';
import { askExplanation, askMovers, type Driver, driverOf, type Explanation } from './answers/driver.ts';
import { askFunnel, askLeft, type FunnelFigures, type Left } from './funnels/funnel.ts';
import type { Funnel, SavedFunnel } from './funnels/funnel-sql.ts';
import type { Goal } from './sql/goals.ts';
import { askJourney, type Journey, type JourneyAsked } from './journeys/journey.ts';
import { askGroup, type GroupNumbers, type GroupSite } from './answers/group.ts';
import type {
  AiSeriesQuestion,
  BreakdownQuestion,
  DriverQuestion,
  ErrorsDetailQuestion,
  ErrorsQuestion,
  Filter,
  FunnelQuestion,
  GroupQuestion,
  MovesQuestion,
  PropertiesQuestion,
  SearchQuestion,
  SearchTermsQuestion,
  SummaryQuestion,
  TrendsQuestion,
  VitalsConversionQuestion,
  VitalsHistogramQuestion,
  VitalsListQuestion,
  VitalsQuestion,
  WeekQuestion,
} from './query.ts';
import { type Arrivals, askArrivals, askRange } from './answers/ranges.ts';
import { openReader, type Reader, type Viewing } from './reader.ts';
import { askExportedDays, askMonths } from './answers/exported-days.ts';
import { askSealedMonth } from './answers/sealed-rows.ts';
import { askReading, type Reading } from './answers/reading.ts';
import { askSearch, type Found } from './answers/search.ts';
import { askSearchTerms, type SearchSource, type SearchTerms } from './answers/search-terms.ts';
import { askEventCount, askEventCounts, askLastDay, type LastDay } from './answers/several-sites.ts';
import { checkAsked, heldTo, withFixed } from './disclosure/link-rules.ts';
import { visibleTo, withVisibleGoals } from './disclosure/rule.ts';
import { askHeaviest, type Heavy } from './answers/heaviest.ts';
import { askPurgeable, type Purgeable } from './answers/purge.ts';
import { askMoves, askNewcomers, type Moves, type Newcomer } from './answers/moves.ts';
import { askPreview, type Preview, type PreviewQuestion } from './answers/preview.ts';
import { askFigures, askSummary, type Summary } from './answers/summary.ts';
import { type AskedTimeseries, askTimeseries, type FormatsOf, type Timeseries } from './answers/timeseries.ts';
import { askErrors, askErrorsDetail, type Releases } from './errors/errors.ts';
import { askNewErrors } from './errors/new.ts';
import type { Errors, ErrorsDetail } from './errors/answers.ts';
import { openSummedDays } from './days/summed-days.ts';
import { openTogether } from './days/together.ts';
import { askTrends, type Trends } from './answers/trends.ts';
import {
  currencyOf,
  comparisonOf,
  type Asked,
  type Days,
  scopeOf,
  type StatsSite,
  type Values,
} from './answers/values.ts';
import { askWeek, type Week } from './answers/week.ts';
import { askVitalsConversion, type VitalsConversion } from './vitals/conversion.ts';
import {
  askVitals,
  askVitalsHistogram,
  askVitalsList,
  type VitalsHistogram,
  type VitalsList,
  type VitalsOverview,
} from './vitals/vitals.ts';
import { askLimited, askLimitedHours } from './vitals/watched.ts';
import { UTC } from '../vocabulary/time/zones.ts';

type AskedOf = { site: StatsSite; now: number };
type WithoutReader<Work> = Work extends (reader: never, ...asked: infer Asked) => infer Answer
  ? (...asked: Asked) => Answer
  : never;

export type Stats = {
  summary(question: SummaryQuestion, site: StatsSite, now: number): Promise<Summary>;
  timeseries(question: AskedTimeseries, site: StatsSite, now: number): Promise<Timeseries>;
  breakdown(question: BreakdownQuestion, site: StatsSite, now: number): Promise<Breakdown>;
  /** Some metrics of a summary. */
  totals(
    question: SummaryQuestion & { metrics: Metric[] },
    site: StatsSite,
    now: number,
  ): Promise<Days & { values: Values }>;
  /** The conversions that a goal that does not exist yet would have had in the last 30 days, today included. */
  preview(question: PreviewQuestion, site: StatsSite, now: number): Promise<Preview>;
  /** The rows of a breakdown, without shares and comparison. */
  list(question: BreakdownQuestion, site: StatsSite, now: number): Promise<List>;
  /** AI visits over time by provider, next to the visits that the providers' assistants sent. Only filters on AI visits apply. */
  aiOverTime(question: SummaryQuestion, site: StatsSite, now: number): Promise<AiOverTime>;
  /** Only the chart of `aiOverTime`, in a chosen interval. */
  aiSeries(question: AiSeriesQuestion, site: StatsSite, now: number): Promise<AiSeries>;
  /** How pages are read: for how long, and how far down. */
  reading(question: SummaryQuestion, site: StatsSite, now: number): Promise<Reading>;
  /** Values that contain a text, from all dimensions. */
  search(question: SearchQuestion, site: StatsSite, now: number): Promise<Found[]>;
  /** The terms with which people found the site at Google. `source`: undefined for a site that is not connected. */
  searchTerms(
    question: SearchTermsQuestion,
    of: { site: StatsSite; source: SearchSource | undefined },
    now: number,
  ): Promise<SearchTerms>;
  /** The property keys of custom events or of payments, to choose one for a breakdown. */
  properties(question: PropertiesQuestion, site: StatsSite, now: number): Promise<Properties>;
  /** Payments by currency. Amounts are never converted, and a site may receive most payments in another currency than its own. */
  currencies(question: SummaryQuestion, site: StatsSite, now: number): Promise<Currencies>;
  /** Where visits go from a start, or how they get there. */
  journey(question: JourneyAsked, site: StatsSite, now: number): Promise<Journey>;
  /** Explains a metric's change against the comparison period, usually by the value that caused most of it. Null if nothing does. */
  driver(question: DriverQuestion, site: StatsSite, now: number): Promise<Explanation | null>;
  /** The values of all these dimensions that changed most, whether or not one of them explains the change. */
  movers(question: DriverQuestion, site: StatsSite, now: number): Promise<Driver[]>;
  /** The values of a dimension that rose and fell most. */
  moves(question: MovesQuestion, site: StatsSite, now: number): Promise<Moves>;
  /** The values of a dimension that had nothing in the eight weeks before. */
  newcomers(question: MovesQuestion, site: StatsSite, now: number): Promise<Newcomer[]>;
  /** The value that caused most of a metric's change between two ranges of instants. */
  driverBetween(
    metric: Metric,
    of: { siteId: string; site: StatsSite },
    ranges: Record<'now' | 'before', Range>,
  ): Promise<Driver | null>;
  /** A metric over time for several rows of a list. */
  trends(question: TrendsQuestion, site: StatsSite, now: number): Promise<Trends>;
  /** A metric by weekday and hour. */
  week(question: WeekQuestion, site: StatsSite, now: number): Promise<Week>;
  /** How fast pages felt: all measured page views, and over time. */
  vitals(question: VitalsQuestion, site: StatsSite, now: number): Promise<VitalsOverview>;
  /** The same by page or another column. */
  vitalsList(question: VitalsListQuestion, site: StatsSite, now: number): Promise<VitalsList>;
  /** How the values of one vital are spread. */
  vitalsHistogram(question: VitalsHistogramQuestion, site: StatsSite, now: number): Promise<VitalsHistogram>;
  /** Whether fast visits reach a goal more often than slow ones. Throws not_found for a goal that the site does not have. */
  vitalsConversion(question: VitalsConversionQuestion, site: StatsSite, now: number): Promise<VitalsConversion>;
  /** The shapes of errors on pages. */
  errors(question: ErrorsQuestion, site: StatsSite, now: number): Promise<Errors>;
  /** Where the errors of one shape happened. */
  errorsDetail(question: ErrorsDetailQuestion, site: StatsSite, now: number): Promise<ErrorsDetail>;
  /** The figures that alerts compare with a limit, up to a time, by the ids of the alerts. */
  limited: WithoutReader<typeof askLimited>;
  /** That of one alert at the end of each hour of a range. */
  limitedHours: WithoutReader<typeof askLimitedHours>;
  /** Errors of some sites that were first seen in a range. */
  newErrors: WithoutReader<typeof askNewErrors>;
  /** Days on which a single visitor sent a large part of the page views, at most three. */
  heaviest(question: SummaryQuestion, site: StatsSite, now: number): Promise<Heavy[]>;
  /** The rows that a purge of what the filters show would take. Throws bad_request without filters. */
  purgeable(question: SummaryQuestion, site: StatsSite, now: number): Promise<Purgeable>;
  /** The steps of a funnel. */
  funnel(question: FunnelQuestion, funnel: Funnel, asked: AskedOf): Promise<FunnelFigures>;
  /** For each step except the last: where the visitors who left after it went. */
  left(question: FunnelQuestion, funnel: Funnel, asked: AskedOf): Promise<Left[]>;
  /** Each day of a range, with its top lists. */
  days(question: Pick<SummaryQuestion, 'site_id' | 'filters'>, site: StatsSite, range: Range): Promise<Day[]>;
  /** The range of a query. */
  range(question: AskedPeriod & { site_id: string }, site: StatsSite, now: number): Promise<Range>;
  /** Visitors in the last 24 hours, in total and by hour, for each site. */
  lastDay(siteIds: string[], now: number): Promise<Map<string, LastDay>>;
  /** Several sites together, and each of them. */
  group(question: GroupQuestion, sites: readonly GroupSite[], now: number): Promise<GroupNumbers>;
  /** Number of page views and custom events of some sites in a range, as the monthly quota counts them. */
  countEvents(siteIds: string[], range: Range): Promise<number>;
  /** The same by site, for every site that has any. */
  countEventsBySite(range: Range): Promise<Map<string, number>>;
  /** Statements for files of an export, and the months that they are about. */
  exportedDays: WithoutReader<typeof askExportedDays>;
  exportedMonths: WithoutReader<typeof askMonths>;
  sealedMonth: WithoutReader<typeof askSealedMonth>;
  /** Visitors and page views by hour, for the hours of some sites that lie in any of the ranges. */
  hours(siteIds: readonly string[], ranges: readonly Range[]): Promise<Hours>;
  /** Page views of the whole UTC days of a range, by site. */
  dayViews(siteIds: readonly string[], range: Range): Promise<DayViews>;
  /** The counts of alerts before `to`, by the ids of the alerts. */
  counts(alerts: readonly Counted[], to: number): Promise<Map<string, Count>>;
  /** AI agents whose first visit to a site ever was in a range. */
  newAgents(siteIds: readonly string[], range: Range): Promise<NewAgent[]>;
  /** Times of a site's first and last event. */
  arrivals(siteId: string): Promise<Arrivals>;
  /**
   * Returns the same queries for one requester. They run in the requester's lane of the event store, which never blocks another lane for
   * long. For a viewer, they return only what the viewer's rule allows.
   */
  askedBy(asking: Asking, viewing?: Viewing): Stats;
};

/** Reads what people have defined on a site, and imported into it. */
export type Definitions = {
  goalsOf(siteId: string): Promise<readonly Goal[]>;
  funnelsOf(siteId: string): Promise<readonly SavedFunnel[]>;
  releasesOf(siteId: string): Promise<Releases>;
  formatsOf: FormatsOf;
};

const NOTHING: Definitions = {
  goalsOf: () => Promise.resolve([]),
  funnelsOf: () => Promise.resolve([]),
  releasesOf: () => Promise.resolve({ noted: [], zone: UTC }),
  formatsOf: () => Promise.resolve(new Map()),
};

export function openStats(
  store: Pick<EventStore, 'query'>,
  versionOf: VersionOf,
  { countedGoals = openCountedGoals(), ...definitions }: Partial<Definitions & { countedGoals: CountedGoals }> = {},
): Stats {
  const shared = {
    memo: openMemo(store, versionOf),
    summedDays: openSummedDays(versionOf),
    countedGoals,
    askTogether: openTogether(store),
  };
  const askedBy: Stats['askedBy'] = (asking, viewing) =>
    statsOf(openReader(store, shared, { asking, viewing }), { askedBy, ...NOTHING, ...definitions });
  return askedBy({});
}

type Opened = Pick<Stats, 'askedBy'> & Definitions;

/** How questions are checked and completed before they are answered. */
function openAsked(reader: Reader, { goalsOf, funnelsOf }: Definitions) {
  /** Holds the viewers of a share link to its rules. `range`: that of a question without a period. */
  const check = async (
    question: Partial<OfSite> & { site_id: string; explains?: true },
    { site, now }: AskedOf,
    range?: Range,
  ) => {
    const link = reader.rule?.link;
    if (!link) return;
    const asked = { ...question, filters: question.filters ?? [] };
    const own = range ?? (await askRange(reader, { question: asked as Asked<SummaryQuestion>['question'], site, now }));
    const compared = range ? undefined : comparisonOf({ question: asked as SummaryQuestion, site, now }, own)?.range;
    checkAsked(link, question, { ranges: compared ? [own, compared] : [own], now, zone: site.timezone ?? undefined });
  };
  const asked = async <Question extends OfSite>(
    question: Question,
    site: StatsSite,
    now: number,
    range?: Range,
  ): Promise<Asked<Question>> => {
    await check(question, { site, now }, range);
    // in another currency, most figures would be single orders
    if (reader.rule && question.currency !== undefined && question.currency !== currencyOf(site))
      throw new Refusal('forbidden', 'This shared dashboard shows money only in the currency of the site.');
    const [goals, funnels] = await Promise.all([
      isAboutGoals(question) ? goalsOf(question.site_id) : [],
      isFiltered(question, FURTHEST_STEP) ? funnelsOf(question.site_id) : [],
    ]);
    const { rule } = reader;
    const shown = (given: readonly Filter[]) => withFixed(rule?.link, withVisibleGoals(rule, given));
    const filters = {
      filters: shown(question.filters),
      ...(question.versus && { versus: shown(question.versus) }),
    };
    return {
      // A viewer who could leave imported days out would learn what single ones add.
      question: { ...question, ...filters, ...(rule && { include_imported: undefined }) },
      site,
      now,
      goals: visibleTo(rule, goals),
      funnels: visibleTo(rule, funnels),
    };
  };
  return { check, asked };
}

function statsOf(reader: Reader, { askedBy, ...definitions }: Opened): Stats {
  const { check, asked } = openAsked(reader, definitions);
  const answer =
    <Question extends OfSite, Answer>(ask: (reader: Reader, asked: Asked<Question>) => Promise<Answer>) =>
    async (question: Question, site: StatsSite, now: number) =>
      ask(reader, await asked(question, site, now));
  /** Of a change. The answer names values of several dimensions, so a link must show all of them. */
  const explained =
    <Answer>(ask: (reader: Reader, asked: Asked<DriverQuestion>) => Promise<Answer>) =>
    async (question: DriverQuestion, site: StatsSite, now: number) => {
      await check({ ...question, explains: true }, { site, now });
      return ask(reader, await asked(question, site, now));
    };
  const all: Omit<Stats, 'askedBy'> = {
    summary: answer(askSummary),
    timeseries: async (question, site, now) => {
      const { formatsOf } = definitions;
      return askTimeseries(reader, { ...(await asked(question, site, now)), formatsOf });
    },
    breakdown: answer(askBreakdown),
    totals: answer(askFigures),
    list: answer(askList),
    reading: answer(askReading),
    aiOverTime: answer(askAiOverTime),
    aiSeries: answer(askAiSeries),
    search: async (question, site, now) => {
      await check(question, { site, now });
      return askSearch(reader, { question, site, now });
    },
    searchTerms: async (question, { site, source }, now) =>
      askSearchTerms(reader, await asked(question, site, now), source),
    properties: answer(askProperties),
    currencies: answer(askCurrencies),
    journey: answer(askJourney),
    driver: explained(askExplanation),
    movers: explained(askMovers),
    moves: answer(askMoves),
    newcomers: answer(askNewcomers),
    driverBetween: (metric, { siteId, site }, { now, before }) => {
      const asked = { question: { site_id: siteId, filters: [] }, site };
      return driverOf(reader, metric, { scope: scopeOf(asked, now), before: scopeOf(asked, before) });
    },
    trends: answer(askTrends),
    week: answer(askWeek),
    vitals: answer(askVitals),
    vitalsList: answer(askVitalsList),
    vitalsHistogram: answer(askVitalsHistogram),
    vitalsConversion: answer(askVitalsConversion),
    errors: async (question, site, now) => {
      const own = await asked(question, site, now);
      return askErrors(reader, { ...own, releases: await definitions.releasesOf(question.site_id) });
    },
    errorsDetail: answer(askErrorsDetail),
    limited: (...asked) => askLimited(reader, ...asked),
    limitedHours: (...asked) => askLimitedHours(reader, ...asked),
    newErrors: (...asked) => askNewErrors(reader, ...asked),
    heaviest: answer(askHeaviest),
    purgeable: answer(askPurgeable),
    preview: (question, site, now) => askPreview(reader, { question, site, now }),
    funnel: async (question, funnel, { site, now }) =>
      askFunnel(reader, { ...(await asked(question, site, now)), funnel }),
    left: async (question, funnel, { site, now }) => askLeft(reader, { ...(await asked(question, site, now)), funnel }),
    days: async (question, site, range) =>
      askDays(reader.askOnce, scopeOf(await asked(question, site, reader.now ?? range.to, range), range)),
    range: (question, site, now) => askRange(reader, { question, site, now }),
    lastDay: (siteIds, now) => askLastDay(reader, siteIds, now),
    group: (question, sites, now) => askGroup(reader, { question, sites, now, formatsOf: definitions.formatsOf }),
    countEvents: (siteIds, range) => askEventCount(reader, siteIds, range),
    countEventsBySite: (range) => askEventCounts(reader, range),
    exportedDays: (...asked) => askExportedDays(reader, ...asked),
    exportedMonths: (...asked) => askMonths(reader, ...asked),
    sealedMonth: (...asked) => askSealedMonth(reader, ...asked),
    hours: (siteIds, ranges) => askHours(reader, siteIds, ranges),
    dayViews: (siteIds, range) => askDayViews(reader, siteIds, range),
    counts: openCounts(reader),
    newAgents: (siteIds, range) => askNewAgents(reader, siteIds, range),
    arrivals: (siteId) => askArrivals(reader, siteId),
  };
  return { askedBy, ...heldTo(reader.rule?.link, all) };
}

type Filtered = { filters: readonly Filter[]; versus?: readonly Filter[] | undefined };
type Naming = Filtered & {
  metrics?: readonly Metric[];
  metric?: Metric;
  dimension?: Dimension;
  /** The start of a journey: `kind: 'goal'` needs the site's goals. */
  from?: { kind: string };
  goal_id?: string;
};
type OfSite = Naming & { site_id: string; currency?: string | undefined };

/** True if the question needs the site's goals: it names or counts them. */
function isAboutGoals({ metrics = [], metric, dimension, from, goal_id, ...question }: Naming): boolean {
  const counted = [...metrics, ...(metric ? [metric] : [])];
  return (
    dimension === 'goal' ||
    goal_id !== undefined ||
    from?.kind === 'goal' ||
    isFiltered(question, 'goal') ||
    counted.some((name) => metricRow(name).isOfGoals)
  );
}

/** True when a filter of the question, or of one of its segments, is on the dimension. */
function isFiltered({ filters, versus = [] }: Filtered, dimension: PlainDimension): boolean {
  const all = [...filters, ...versus].flatMap((filter) => [filter, ...(filter.segments ?? []).flat()]);
  return all.some((filter) => filter.dimension === dimension);
}
