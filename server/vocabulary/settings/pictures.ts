// The pictures of a share link that other pages and READMEs show, for the server and the dashboard: /share/TOKEN/badge.svg?metric=visits.
import { textsOf } from '../habits/messages.ts';
import { METRIC_NAMES, type Metric, metricRow } from '../numbers/metrics.ts';
import { type AskedPeriod, type Period, PERIOD_NAMES } from '../time/periods.ts';
import { datesOfLink, type LinkPeriod } from './share-links.ts';

/** Metrics that every site may have, and that need no goal. */
const METRICS = METRIC_NAMES.filter((name) => {
  const { isOfGoals, isOfReading, shownIfAny } = metricRow(name);
  return !isOfGoals && !isOfReading && shownIfAny !== 'beside';
});
/** Those of which days have a sum. */
const SUMS = METRICS.filter((name) => ['count', 'money'].includes(metricRow(name).unit) && name !== 'average_order');
const PERIODS = PERIOD_NAMES.filter((name) => name !== 'custom');

type PictureRow = {
  label: string;
  metrics: readonly Metric[];
  /** Undefined for a picture that always shows the same span. */
  periods?: readonly Period[];
  /** In pixels of the page. */
  width: number;
  height: number;
};

export const PICTURES = textsOf(['label'], {
  /** As wide as its words. */
  badge: { label: 'Badge', metrics: METRICS, periods: PERIODS, width: 240, height: 20 },
  sparkline: { label: 'Sparkline', metrics: METRICS, periods: PERIODS, width: 160, height: 32 },
  chart: { label: 'Chart', metrics: METRICS, periods: PERIODS, width: 720, height: 300 },
  map: {
    label: 'Map',
    metrics: ['unique_visitors', 'visits', 'pageviews'],
    periods: PERIODS,
    width: 640,
    height: 400,
  },
  calendar: { label: 'Year as a calendar', metrics: SUMS, width: 720, height: 188 },
} as const satisfies Record<string, PictureRow>);

export type Picture = keyof typeof PICTURES;
export const PICTURE_NAMES = Object.keys(PICTURES) as [Picture, ...Picture[]];
export const pictureRow = (picture: Picture): PictureRow => PICTURES[picture];
export const isPicture = (name: string): name is Picture => Object.hasOwn(PICTURES, name);

export const PICTURE_FORMATS = ['svg', 'png'] as const;
export type PictureFormat = (typeof PICTURE_FORMATS)[number];

export const PICTURE_THEMES = ['auto', 'light', 'dark'] as const;
export type PictureTheme = (typeof PICTURE_THEMES)[number];
/** What a picture shows unless its address says something else, and its link shows so many days. */
export const USUAL_PICTURE = { metric: 'unique_visitors', period: '30d' } as const;
/** Of `USUAL_PICTURE.period`. */
const USUAL_DAYS = 30;

/** What a picture or a piece shows if its address names no period: the last 30 days, or as many of them as its link shows. */
export function usualSpan(shown: LinkPeriod | null, now: number, zone: string | undefined): AskedPeriod {
  const isLess = shown && (!('days' in shown) || shown.days < USUAL_DAYS);
  return isLess ? datesOfLink(shown, now, zone) : { period: USUAL_PICTURE.period };
}
/** `auto` is a rule within the picture, which only an SVG can hold. */
export const usualTheme = (format: PictureFormat): PictureTheme => (format === 'svg' ? 'auto' : 'light');

type Wanted = {
  picture: Picture;
  format: PictureFormat;
  metric: Metric;
  period: Period;
  theme: PictureTheme;
  /** In which language, and by whose habits dates and numbers are written, such as de-DE. */
  lang?: string | undefined;
};

/** Relative to the address of the link. What is usual is left out. */
export function picturePath({ picture, format, metric, period, theme, lang }: Wanted): string {
  const asked = new URLSearchParams();
  if (metric !== USUAL_PICTURE.metric) asked.set('metric', metric);
  if (period !== USUAL_PICTURE.period && pictureRow(picture).periods) asked.set('period', period);
  if (theme !== usualTheme(format)) asked.set('theme', theme);
  if (lang !== undefined) asked.set('lang', lang);
  return `${picture}.${format}${asked.size > 0 ? `?${asked}` : ''}`;
}
