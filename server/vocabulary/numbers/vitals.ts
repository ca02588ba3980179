// Web vitals: how fast a page felt, each with Google's thresholds (https://web.dev/articles/vitals). Values are 75th percentiles of page views.
import { t, texts, textsOf } from '../habits/messages.ts';
import { numberFormat } from '../habits/formatters.ts';
import { fullNumber } from './format.ts';
import { type Dimension, DIMENSION_NAMES, dimensionRow, isDimension } from '../questions/dimensions.ts';

type VitalRow = {
  label: string;
  /** The name in full. */
  name: string;
  /** The same, and what it measures. */
  about: string;
  unit: 'milliseconds' | 'none';
  /** A value of at most this is good. */
  good: number;
  /** A value above this is poor. */
  poor: number;
  /** Width of a step of its histogram. */
  step: number;
};

export const VITALS = textsOf(['name', 'about'], {
  lcp: {
    label: 'LCP',
    name: 'Largest Contentful Paint',
    about: 'Largest Contentful Paint: when the largest picture or text was shown.',
    unit: 'milliseconds',
    good: 2500,
    poor: 4000,
    step: 200,
  },
  inp: {
    label: 'INP',
    name: 'Interaction to Next Paint',
    about: 'Interaction to Next Paint: how long the page took to answer the slowest of its clicks, taps and keys.',
    unit: 'milliseconds',
    good: 200,
    poor: 500,
    step: 25,
  },
  cls: {
    label: 'CLS',
    name: 'Cumulative Layout Shift',
    about: 'Cumulative Layout Shift: how far its parts moved without a reason, as a share of the window.',
    unit: 'none',
    good: 0.1,
    poor: 0.25,
    step: 0.0125,
  },
  fcp: {
    label: 'FCP',
    name: 'First Contentful Paint',
    about: 'First Contentful Paint: when anything was shown.',
    unit: 'milliseconds',
    good: 1800,
    poor: 3000,
    step: 150,
  },
  ttfb: {
    label: 'TTFB',
    name: 'Time to First Byte',
    about: 'Time to First Byte: when the answer of the server began to arrive.',
    unit: 'milliseconds',
    good: 800,
    poor: 1800,
    step: 100,
  },
} as const satisfies Record<string, VitalRow>);

export type Vital = keyof typeof VITALS;
export const VITAL_NAMES = Object.keys(VITALS) as [Vital, ...Vital[]];

/** The share of views whose vital is poor: what slow pages cost. */
export const poorOf = <Name extends Vital>(vital: Name): `${Name}_poor` => `${vital}_poor`;
/** What a list is sorted by. */
export const VITALS_ORDERS = [...VITAL_NAMES, ...VITAL_NAMES.map(poorOf), 'views'] as const;

const score = numberFormat({ maximumFractionDigits: 3 });
/** `2,710 ms` or `0.05`. */
export const vitalValue = (vital: Vital, value: number): string =>
  VITALS[vital].unit === 'milliseconds' ? t('{count} ms', { count: fullNumber(value) }) : score(value);

/** Google's rating of a value, with the words that stand beside its colour. */
export const RATINGS = texts({ good: 'good', needs_improvement: 'needs improvement', poor: 'poor' } as const);
export type Rating = keyof typeof RATINGS;
export const RATING_NAMES = Object.keys(RATINGS) as Rating[];

export function ratingOf(vital: Vital, value: number): Rating {
  const { good, poor } = VITALS[vital];
  if (value <= good) return 'good';
  return value <= poor ? 'needs_improvement' : 'poor';
}

/** Those that Google calls Core Web Vitals. */
export const MAIN_VITALS = ['lcp', 'inp', 'cls'] as const satisfies Vital[];
export type MainVital = (typeof MAIN_VITALS)[number];
/** `Largest Contentful Paint`. */
export const vitalName = (vital: Vital): string => VITALS[vital].name;

/** Steps of a histogram. The last one has everything beyond. */
export const HISTOGRAM_STEPS = 31;

/** Where a step of a histogram begins. The steps of a layout shift have four digits. */
export const stepStart = (vital: Vital, index: number): number =>
  Math.round(index * VITALS[vital].step * 10_000) / 10_000;

/** What a measured page view has and no visit. `page_group`: the first part of its path, such as `/blog` for `/blog/news`. */
export const OWN_SPLITS = ['page_group', 'lcp_element', 'inp_element', 'navigation', 'connection'] as const;
type OwnSplit = (typeof OWN_SPLITS)[number];

/** What vitals are listed by: their page and host, what their visit has, and their own columns. */
export type VitalsSplit = Dimension | OwnSplit;
const hasVitals = (dimension: Dimension): boolean =>
  dimension === 'page' ||
  dimension === 'hostname' ||
  (dimensionRow(dimension).of === 'visits' && dimension !== 'exit_page');
export const VITALS_SPLITS: readonly [VitalsSplit, ...VitalsSplit[]] = [
  ...(DIMENSION_NAMES.filter((name) => isDimension(name) && hasVitals(name)) as [Dimension, ...Dimension[]]),
  ...OWN_SPLITS,
];

const THRESHOLDS = new Set(VITAL_NAMES.flatMap((vital): number[] => [VITALS[vital].good, VITALS[vital].poor]));
/** Digits of a value from which steps of 1 %, or a little less, begin: of 1.00 to 1.99 hundredths, then two of them, then five. */
const STEPS = [
  [5, 0.05],
  [2, 0.02],
  [1, 0.01],
] as const;

/**
 * A value as it is stored: at most half a per cent off, so that percentiles stay within one, and few different ones are kept. Each threshold is a step of its own,
 * and what is above one stays above.
 */
export function stepped(value: number): number {
  if (value <= 0) return value;
  const decade = 10 ** Math.floor(Math.log10(value));
  const [, share] = STEPS.find(([from]) => value >= from * decade) ?? [0, 0.01];
  const step = share * decade;
  const rounded = Number((Math.round(value / step) * step).toPrecision(4));
  return value > rounded && THRESHOLDS.has(rounded) ? Number((rounded + step).toPrecision(4)) : rounded;
}
