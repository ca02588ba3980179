// Asks for the numbers of a report and puts them into words. They are the numbers of the dashboard that the mail links to: the same
// functions count them.
import { shownName } from '../../messages/mail/names.ts';
import type { Block, Row } from '../../messages/mail/content.ts';
import type { ReportMail } from '../../messages/mail/number-mails.ts';
import { drawChart } from '../../sites/previews/chart.ts';
import type { Goal } from '../../sites/definitions/goals.ts';
import type { Site } from '../../sites/sites.ts';
import type { Driver, Explanation } from '../../stats/answers/driver.ts';
import type { Stats } from '../../stats/run.ts';
import type { Summary } from '../../stats/answers/summary.ts';
import type { Timeseries } from '../../stats/answers/timeseries.ts';
import { hasCounterpart } from '../../vocabulary/numbers/figures.ts';
import { midSentence, t, texts, tn } from '../../vocabulary/habits/messages.ts';
import { dateRange, fullNumber } from '../../vocabulary/numbers/format.ts';
import { type Metric, metricRow } from '../../vocabulary/numbers/metrics.ts';
import { roundedFor } from '../../vocabulary/settings/privacy.ts';
import { FREQUENCIES, type Frequency } from '../../vocabulary/settings/reports.ts';
import { alikeWords, causeWords, changeWords, plainWords } from '../../vocabulary/numbers/sentence.ts';
import { DAY_MS, dayOf } from '../../vocabulary/time/time.ts';
import { valueName } from '../../vocabulary/questions/value-names.ts';
import { type Report, listOf } from './definitions.ts';
import { type ErrorNumbers, errorsOf } from './errors.ts';
import {
  changeIn,
  type Figure,
  type FigureNumber,
  figureNumber,
  figureOf,
  figuresTable,
  shownMetrics,
} from './figures.ts';
import { type ListNumbers, listsOf } from './lists.ts';
import type { Span } from './schedule.ts';
import { type SpeedNumbers, speedOf } from './speed.ts';
import type { View } from './view.ts';

export const notCountedYet = (): string => t('Counting began after the period before, so nothing is compared.');

/** What a webhook gets: the numbers that the mail shows. */
type ReportNumbers =
  | ({ currency: string | null; metrics: FigureNumber[] } & ListNumbers & { speed: SpeedNumbers; errors: ErrorNumbers })
  | { sites: ({ domain: string; currency: string | null } & Omit<FigureNumber, 'name'>)[] }
  | GroupReportNumbers;

export type GroupReportNumbers = {
  group: { id: string; name: string };
  metrics: FigureNumber[];
  sites: { domain: string; metrics: FigureNumber[] }[];
  new_sources: { domain: string; name: string; unique_visitors: number }[];
};

/** A report as one audience sees it: as a mail, and as numbers. */
export type Edition = { mail: ReportMail; numbers: ReportNumbers };

export type Asking = {
  stats: Stats;
  now: number;
  /** Turns SVG into a PNG. */
  render(svg: string): Promise<Buffer>;
  /** True if narrowed numbers of fewer than three visitors are withheld: they look like zero. */
  hidesFew: boolean;
};
type OfSite = { report: Report; site: Site; span: Span; view: View; goals: readonly Goal[] };

export const daysOf = ({ from, to }: Span): string => dateRange(dayOf(from), dayOf(to - DAY_MS));

export const titleOf = ({ frequency }: Report): string => FREQUENCIES[frequency].title;

/** `on 19 Nov 2026`, `in the week of 16 – 22 Nov 2026`. */
export function whenOf({ frequency }: Report, span: Span): string {
  const days = daysOf(span);
  switch (frequency) {
    case 'daily':
      return t('on {days}', { days });
    case 'weekly':
      return t('in the week of {days}', { days });
    case 'monthly':
      return t('in the month of {days}', { days });
  }
}

export async function writeSiteReport(asking: Asking, of: OfSite): Promise<Edition> {
  const { report, site, span, view, goals } = of;
  const { stats, now, hidesFew } = asking;
  const mail = {
    name: report.name,
    title: titleOf(report),
    site: site.domain,
    days: daysOf(span),
    query: view.query,
    list: listOf(report),
  };
  const summary = await stats.summary(view.question, site, now);
  const metrics = shownMetrics(summary).map((metric) => figureNumber(metric, summary));
  if (!summary.metrics.some(({ value }) => value !== 0)) {
    const where = { site: shownName(site.domain), when: whenOf(report, span) };
    const sentence =
      hidesFew && view.narrowedBy.length > 0
        ? t('Fewer than three visitors were counted on {site} {when}.', where)
        : t('Nothing was counted on {site} {when}.', where);
    const lists: ListNumbers = { pages: [], sources: [], new_sources: [], goals: [] };
    return {
      mail: { ...mail, sentences: [sentence, ...view.narrowedBy], blocks: [] },
      numbers: { currency: summary.currency, metrics, ...lists, speed: null, errors: null },
    };
  }
  const figure = figureOf(report.viewed.metric, summary);
  const isCompared = hasCounterpart(summary);
  const [chart, lists, speed, errors] = await Promise.all([
    chartOf(asking, of),
    listsOf({ stats, now }, { site, view, goals, isCompared }),
    speedOf({ stats, now }, { site, view, isCompared }),
    errorsOf({ stats, now }, { site, view, isCompared }),
  ]);
  const explanation = await stats.driver({ ...view.question, metric: figure.metric }, site, now);
  const said = sentenceOf(of, figure, explanation);
  const narrowedBy = [...view.narrowedBy, ...(hidesFew && view.narrowedBy.length > 0 ? [roundedFor()] : [])];
  return {
    mail: {
      ...mail,
      sentences: [said, ...narrowedBy, ...(isCompared ? [] : [notCountedYet()])],
      blocks: [headBlock(of, figure), chart, figuresTable(summary), ...lists.blocks, ...speed.blocks, ...errors.blocks],
    },
    numbers: { currency: summary.currency, metrics, ...lists.numbers, speed: speed.numbers, errors: errors.numbers },
  };
}

/** The totals of every site, each with the link to its own numbers. */
export async function writeAccountReport(
  { stats, now }: Asking,
  { report, span, sites }: { report: Report; span: Span; sites: { site: Site; view: View }[] },
): Promise<Edition> {
  const { metric } = report.viewed;
  const counted: { site: Site; view: View; figure: Figure; summary: Summary }[] = [];
  for (const { site, view } of sites) {
    const summary = await stats.summary(view.question, site, now);
    counted.push({ site, view, figure: figureOf(metric, summary), summary });
  }
  counted.sort((one, other) => other.figure.value - one.figure.value || (one.site.domain < other.site.domain ? -1 : 1));
  const total = counted.reduce((sum, { figure }) => sum + figure.value, 0);
  const rows = counted.map(({ site, view, figure }): Row => ({
    name: site.domain,
    value: figure.shown,
    change: changeIn(metric, figure),
    path: `/${encodeURIComponent(site.domain)}?${view.query}`,
  }));
  const mail: ReportMail = {
    name: report.name,
    title: titleOf(report),
    days: daysOf(span),
    query: null,
    site: tn(sites.length, '{n} site', '{n} sites'),
    list: listOf(report),
    sentences: [totalWords(metric, { total, when: whenOf(report, span) })],
    blocks: [{ kind: 'table', title: metricRow(metric).label, rows }],
  };
  const numbers = counted.map(({ site, summary }) => {
    const { value, previous } = figureNumber(metric, summary);
    return { domain: site.domain, currency: summary.currency, value, previous };
  });
  return { mail, numbers: { sites: numbers } };
}

/** Only counts can be added up. */
function totalWords(metric: Metric, { total, when }: { total: number; when: string }): string {
  const { label, unit } = metricRow(metric);
  if (unit !== 'count') return t('{metric} of each site {when}.', { metric: label, when });
  if (total === 0) return t('Nothing was counted on any of your sites {when}.', { when });
  return t('{metric}: {total} on all sites together {when}.', { metric: label, total: fullNumber(total), when });
}

const wordsOf = ({ report }: { report: Report }, figure: Figure) =>
  changeWords(figure.metric, figure, FREQUENCIES[report.frequency].before);

/** `12% more than the week before`; undefined if there is nothing to compare with. */
export function changeSaid(of: { report: Report }, figure: Figure): string | undefined {
  const words = wordsOf(of, figure);
  return words && plainWords(words.text);
}

export function headBlock(of: { report: Report }, figure: Figure): Block {
  const words = wordsOf(of, figure);
  const says = words && { text: words.amount, verdict: words.verdict };
  return { kind: 'figure', label: metricRow(figure.metric).label, value: figure.shown, says };
}

function sentenceOf(of: OfSite, figure: Figure, explanation: Explanation | null): string {
  const words = wordsOf(of, figure);
  const counted = { metric: metricRow(figure.metric).label, value: figure.shown, when: whenOf(of.report, of.span) };
  if (!words) return t('{metric}: {value} {when}.', counted);
  const compared = { ...counted, change: plainWords(words.text) };
  return explanation && words.verdict !== 'same'
    ? t('{metric}: {value} {when}, {change}; {cause}.', { ...compared, cause: explained(figure.metric, explanation) })
    : t('{metric}: {value} {when}, {change}.', compared);
}

function explained(metric: Metric, explanation: Explanation): string {
  return 'alike' in explanation ? alikeWords(metric, explanation) : causeOf(metric, explanation);
}

function causeOf(metric: Metric, { dimension, name, value, previous }: Driver): string {
  const shown = shownName(valueName(dimension, name));
  return plainWords(causeWords({ metric, isRise: value > previous, dimension, name, shown }));
}

async function chartOf(asking: Asking, { report, site, span, view }: OfSite): Promise<Block> {
  const { metric } = report.viewed;
  const series = await asking.stats.timeseries({ ...view.question, metric }, site, asking.now);
  return drawnChart(asking, { report, span }, series);
}

type Series = Pick<Timeseries, 'points' | 'previous' | 'interval'>;

export async function drawnChart(
  { render }: Pick<Asking, 'render'>,
  { report, span }: { report: Report; span: Span },
  { points, previous, interval }: Series,
): Promise<Block> {
  const values = (line: readonly { value: number | null }[]) => line.map(({ value }) => value ?? 0);
  const png = await render(drawChart({ points: values(points), previous: previous && values(previous) }));
  const single = (time: number) => dateRange(dayOf(time), dayOf(time));
  return {
    kind: 'picture',
    png: png.toString('base64'),
    alt: [chartWords({ report, span }, interval), DASHED[report.frequency]].join(' '),
    ends: interval === 'hour' ? ['0:00', '24:00'] : [single(span.from), single(span.to - DAY_MS)],
  };
}

function chartWords({ report, span }: { report: Report; span: Span }, interval: Series['interval']): string {
  const shown = { metric: midSentence(metricRow(report.viewed.metric).label), days: daysOf(span) };
  switch (interval) {
    case 'minute':
      return t('Chart of {metric} by minute, {days}.', shown);
    case 'hour':
      return t('Chart of {metric} by hour, {days}.', shown);
    case 'day':
      return t('Chart of {metric} by day, {days}.', shown);
    case 'week':
      return t('Chart of {metric} by week, {days}.', shown);
    case 'month':
      return t('Chart of {metric} by month, {days}.', shown);
  }
}

const DASHED: Record<Frequency, string> = texts({
  daily: 'The dashed line is the day before.',
  weekly: 'The dashed line is the week before.',
  monthly: 'The dashed line is the month before.',
});
