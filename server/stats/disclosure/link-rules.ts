// What a share link holds its viewers to. Every question of theirs gets the link's filters, and is refused if it is about a part that the link leaves
// out, or about days that it does not show. What is not named here is refused.
import { Refusal } from '../../errors.ts';
import type { Dimension } from '../../vocabulary/questions/dimensions.ts';
import { DRIVERS } from '../../vocabulary/numbers/drivers.ts';
import { isMetric, type Metric } from '../../vocabulary/numbers/metrics.ts';
import { periodWords } from '../../vocabulary/settings/link-words.ts';
import {
  daysOfLink,
  type LinkRules,
  type Part,
  PARTS,
  partOfDimension,
  partOfMetric,
  showsPart,
} from '../../vocabulary/settings/share-links.ts';
import { WALL_LIST_NAMES, WALL_LISTS, type WallList } from '../../vocabulary/settings/wall.ts';
import type { Range } from '../../vocabulary/time/periods.ts';
import { dayOf } from '../../vocabulary/time/time.ts';
import { instantAt, wallTime } from '../../vocabulary/time/zones.ts';
import type { Summary } from '../answers/summary.ts';
import type { Filter } from '../query.ts';
import { dimensionsOf } from './conditions.ts';

/** The questions that viewers of a link may ask, with the parts that the link must show. */
const QUESTIONS = {
  summary: [],
  timeseries: [],
  breakdown: [],
  trends: [],
  driver: [],
  movers: [],
  range: [],
  reading: ['pages'],
  aiOverTime: ['ai'],
  aiSeries: ['ai'],
  search: ['sources', 'pages', 'places', 'devices', 'events'],
  properties: ['events'],
  currencies: ['revenue'],
  journey: ['journeys'],
  week: ['week'],
  vitals: ['pages'],
  vitalsList: ['pages'],
  vitalsHistogram: ['pages'],
  vitalsConversion: ['pages', 'goals'],
  errors: ['pages'],
  errorsDetail: ['pages', 'devices', 'places'],
  funnel: ['funnels'],
  left: ['funnels'],
  days: ['pages', 'sources', 'events'],
} as const satisfies Record<string, readonly Part[]>;
const isNamed = (name: string): name is keyof typeof QUESTIONS => Object.hasOwn(QUESTIONS, name);
/** No filter narrows these. */
const UNFILTERED: readonly string[] = ['search'];

/** Throws forbidden for a part that the link leaves out. */
export function checkPart(link: LinkRules | undefined, part: Part | undefined): void {
  if (link && part && !showsPart(link, part))
    throw new Refusal('forbidden', `This shared dashboard does not show this: ${PARTS[part]}.`);
}

/** The lists of who is there now that the viewers see. */
export const listsNowOf = (link: LinkRules | undefined): WallList[] =>
  WALL_LIST_NAMES.filter((list) => !link || showsPart(link, partOfDimension(WALL_LISTS[list].dimension)));

/** The same questions, as the viewers of a link may ask them. */
export function heldTo<All extends Record<string, (...asked: never) => unknown>>(
  link: LinkRules | undefined,
  all: All,
): All {
  if (!link) return all;
  const held = Object.entries(all).map(([name, ask]) => {
    const parts = isNamed(name) ? QUESTIONS[name] : undefined;
    const isRefused = !parts || (link.filters.length > 0 && UNFILTERED.includes(name));
    const asHeld = async (...asked: never) => {
      if (isRefused) throw new Refusal('forbidden', 'This is not part of this shared dashboard.');
      for (const part of parts) checkPart(link, part);
      const answer = await ask(...asked);
      return name === 'summary' ? withoutHidden(link, answer as Summary) : answer;
    };
    return [name, asHeld];
  });
  return Object.fromEntries(held) as All;
}

/** A summary holds all metrics. */
function withoutHidden(link: LinkRules, summary: Summary): Summary {
  if (showsPart(link, 'revenue')) return summary;
  const metrics = summary.metrics.filter(({ name }) => partOfMetric(name) !== 'revenue');
  return { ...summary, metrics, currency: null, is_currency_proposed: false };
}

type Asked = {
  /** A name of `QUESTIONS`. */
  question?: 'days';
  filters?: readonly Filter[];
  versus?: readonly Filter[] | undefined;
  dimension?: Dimension;
  by?: Dimension | undefined;
  metric?: Metric;
  metrics?: readonly Metric[];
  /** By a metric, or by something that belongs to the list: names, or what its rows count. */
  order?: { by: string } | undefined;
  /** The start of a journey. */
  from?: { kind: string };
  /** Of a question about property keys. */
  of?: 'events' | 'orders';
  /** Of a question that is explained by the values of several dimensions. */
  explains?: true;
};
type Days = { ranges: readonly Range[]; now: number; zone: string | undefined };

/** Throws forbidden for what the link leaves out. `zone`: the site's. */
export function checkAsked(link: LinkRules, asked: Asked, { ranges, ...clock }: Days): void {
  const ofQuestion = asked.question ? QUESTIONS[asked.question] : [];
  for (const part of [...ofQuestion, ...partsOf(asked)]) checkPart(link, part);
  for (const range of ranges) checkRange(link, range, clock);
}

/** A filter by a list tells as much as the list. */
function partsOf({ filters = [], versus = [], dimension, by, metric, metrics = [], order, of, from, explains }: Asked) {
  const dimensions = [...filters, ...versus].flatMap(dimensionsOf);
  const drivers = (explains && metric && DRIVERS[metric]) ?? [];
  const listed = [...dimensions, ...drivers, ...(dimension ? [dimension] : []), ...(by ? [by] : [])];
  const counted = [...metrics, ...(metric ? [metric] : []), ...(order && isMetric(order.by) ? [order.by] : [])];
  return [
    ...listed.map(partOfDimension),
    ...counted.map(partOfMetric),
    ...(of === 'orders' ? (['revenue'] as const) : []),
    ...(from?.kind === 'goal' ? (['goals'] as const) : []),
  ];
}

function checkRange({ period }: LinkRules, range: Range, { now, zone }: Omit<Days, 'ranges'>): void {
  if (!period) return;
  const shown = daysOfLink(period, now, zone);
  // A range without a zone consists of instants.
  const toWall = (time: number) => (range.zone === undefined && zone !== undefined ? wallTime(time, zone) : time);
  if (toWall(range.from) >= shown.from && toWall(range.to) <= shown.to) return;
  const what = 'days' in period ? periodWords(period) : `${period.date_from} to ${period.date_to}`;
  throw new Refusal('forbidden', `period: this shared dashboard shows only ${what}.`);
}

type Today = { now: number; zone: string };

/** True for a date, as YYYY-MM-DD, on which a link shows notes. */
export function showsDay(link: LinkRules | undefined, day: string, { now, zone }: Today): boolean {
  if (!link?.period) return true;
  const { from, to } = daysOfLink(link.period, now, zone);
  return day >= dayOf(from) && day < dayOf(to);
}

/**
 * The instant from which viewers learn when something was first seen. That is told of all visits: it may lie before the days of a link, and nothing
 * narrows it to the filters of one.
 */
export function firstsShownFrom(link: LinkRules | undefined, { now, zone }: Today): number {
  if (!link) return 0;
  if (link.filters.length > 0) return Number.MAX_SAFE_INTEGER;
  return link.period ? instantAt(daysOfLink(link.period, now, zone).from, zone) : 0;
}

/** The link's filters, and then the viewer's. */
export const withFixed = (link: LinkRules | undefined, given: readonly Filter[]): Filter[] => [
  ...(link?.filters ?? []).map((filter): Filter => ({ ...filter, isFixed: true })),
  ...given,
];
