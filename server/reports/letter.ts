// Asks for the numbers of a report and puts them into words. They are the numbers of the dashboard that the mail links to: the same
// functions count them.
import { shownName } from '../mail/names.ts';
import type { Block, ReportMail, Row } from '../mail/kinds.ts';
import { drawChart } from '../preview/chart.ts';
import type { Goal } from '../sites/goals.ts';
import type { Site } from '../sites/sites.ts';
import type { Driver } from '../stats/driver.ts';
import type { Breakdown } from '../stats/breakdown.ts';
import type { Summary } from '../stats/summary.ts';
import type { Stats } from '../stats/run.ts';
import { hasCounterpart, isMeaningless } from '../vocabulary/figures.ts';
import type { changeOf } from '../vocabulary/format.ts';
import { change, dateRange, fullNumber, metricValue } from '../vocabulary/format.ts';
import { type Metric, metricRow } from '../vocabulary/metrics.ts';
import { FREQUENCIES, NEW_SOURCE_DAYS } from '../vocabulary/reports.ts';
import { changeWords, driverName } from '../vocabulary/sentence.ts';
import { DAY_MS, dayOf } from '../vocabulary/time.ts';
import { valueName } from '../vocabulary/value-names.ts';
import { type Report, listOf } from './definitions.ts';
import type { Span } from './schedule.ts';
import type { View } from './view.ts';

const ROWS = 5;
const MOVED = 3;
const GOALS = 10;
const NOT_COUNTED_YET = 'Counting began after the period before, so nothing is compared.';

export type Asking = {
  stats: Stats;
  now: number;
  /** Turns SVG into a PNG. */
  render(svg: string): Promise<Buffer>;
  /** True if narrowed numbers of fewer than three visitors are withheld: they look like zero. */
  hidesFew: boolean;
};
type OfSite = { report: Report; site: Site; span: Span; view: View; goals: readonly Goal[] };

const daysOf = ({ from, to }: Span): string => dateRange(dayOf(from), dayOf(to - DAY_MS));

const titleOf = ({ frequency }: Report): string => FREQUENCIES[frequency].title;

/** `on 19 Nov 2026`, `in the week of 16 – 22 Nov 2026`. */
function whenOf({ frequency }: Report, span: Span): string {
  if (frequency === 'daily') return `on ${daysOf(span)}`;
  return frequency === 'weekly' ? `in the week of ${daysOf(span)}` : `in the month of ${daysOf(span)}`;
}

export async function writeSiteReport(asking: Asking, of: OfSite): Promise<ReportMail> {
  const { report, site, span, view } = of;
  const { stats, now, hidesFew } = asking;
  const mail = {
    ...{ name: report.name, title: titleOf(report), site: site.domain, days: daysOf(span) },
    ...{ query: view.query, list: listOf(report) },
  };
  const summary = await stats.summary(view.question, site, now);
  if (!summary.metrics.some(({ value }) => value !== 0)) {
    const [few, nothing] = ['Fewer than three visitors were counted', 'Nothing was counted'];
    const said = hidesFew && view.narrowedBy.length > 0 ? few : nothing;
    const sentence = `${said} on ${shownName(site.domain)} ${whenOf(report, span)}.`;
    return { ...mail, sentences: [sentence, ...view.narrowedBy], blocks: [] };
  }
  const figure = headOf(report.viewed.metric, summary);
  const isCompared = hasCounterpart(summary);
  const [chart, lists] = await Promise.all([chartOf(asking, of), listsOf(asking, of, isCompared)]);
  const driver = await stats.driver({ ...view.question, metric: figure.metric }, site, now);
  const said = sentenceOf(of, figure, driver);
  return {
    ...mail,
    sentences: [said, ...view.narrowedBy, ...(isCompared ? [] : [NOT_COUNTED_YET])],
    blocks: [headBlock(of, figure), chart, figuresTable(summary), ...lists],
  };
}

/** The totals of every site, each with the link to its own numbers. */
export async function writeAccountReport(
  { stats, now }: Asking,
  { report, span, sites }: { report: Report; span: Span; sites: { site: Site; view: View }[] },
): Promise<ReportMail> {
  const { metric } = report.viewed;
  const rows: { row: Row; value: number }[] = [];
  for (const { site, view } of sites) {
    const figure = headOf(metric, await stats.summary(view.question, site, now));
    const row = {
      name: site.domain,
      value: figure.shown,
      change: changeIn(metric, figure),
      path: `/${encodeURIComponent(site.domain)}?${view.query}`,
    };
    rows.push({ row, value: figure.value });
  }
  rows.sort((one, other) => other.value - one.value || (one.row.name < other.row.name ? -1 : 1));
  const isCount = metricRow(metric).unit === 'count';
  const total = rows.reduce((sum, { value }) => sum + value, 0);
  return {
    ...{ name: report.name, title: titleOf(report), days: daysOf(span), query: null },
    ...{ site: sites.length === 1 ? '1 site' : `${sites.length} sites`, list: listOf(report) },
    sentences: [
      isCount && total === 0
        ? `Nothing was counted on any of your sites ${whenOf(report, span)}.`
        : isCount
          ? `${metricRow(metric).label}: ${fullNumber(total)} on all sites together ${whenOf(report, span)}.`
          : `${metricRow(metric).label} of each site ${whenOf(report, span)}.`,
    ],
    blocks: [{ kind: 'table', title: metricRow(metric).label, rows: rows.map(({ row }) => row) }],
  };
}

type Figure = { metric: Metric; value: number; previous: number | null; shown: string };

function headOf(metric: Metric, summary: Summary): Figure {
  const found = summary.metrics.find(({ name }) => name === metric);
  const value = found?.value ?? 0;
  const previous = hasCounterpart(summary) ? (found?.previous ?? null) : null;
  if (isMeaningless(metric, summary)) return { metric, value: 0, previous: null, shown: '–' };
  return { metric, value, previous, shown: metricValue(metric, value, { currency: summary.currency, style: 'full' }) };
}

const wordsOf = ({ report }: Pick<OfSite, 'report'>, figure: Figure) =>
  changeWords(figure.metric, figure, FREQUENCIES[report.frequency].before);

function headBlock(of: OfSite, figure: Figure): Block {
  const words = wordsOf(of, figure);
  const says = words && { text: words.amount, verdict: words.verdict };
  return { kind: 'figure', label: metricRow(figure.metric).label, value: figure.shown, says };
}

function sentenceOf(of: OfSite, figure: Figure, driver: Driver | null): string {
  const words = wordsOf(of, figure);
  const change = words ? `, ${words.amount} ${words.than}`.trimEnd() : '';
  const { dimension = 'source', name = '' } = driver ?? {};
  const cause = driver ? driverName({ dimension, name, shown: shownName(valueName(dimension, name)) }) : undefined;
  const because = cause && words && words.verdict !== 'same' ? `; mostly ${cause}` : '';
  return `${metricRow(figure.metric).label}: ${figure.shown} ${whenOf(of.report, of.span)}${change}${because}.`;
}

function changeIn(metric: Metric, { value, previous }: Pick<Figure, 'value' | 'previous'>): Row['change'] {
  return signed(change(metric, value, previous));
}

function signed(changed: ReturnType<typeof changeOf>): Row['change'] {
  if (!changed) return undefined;
  const sign = changed.text === 'new' ? '' : { up: '+', down: '−', none: '' }[changed.direction];
  return { text: `${sign}${changed.text}`, verdict: changed.verdict };
}

async function chartOf({ stats, now, render }: Asking, { report, site, span, view }: OfSite): Promise<Block> {
  const { metric } = report.viewed;
  const { points, previous, interval } = await stats.timeseries({ ...view.question, metric }, site, now);
  const values = (series: readonly { value: number }[]) => series.map(({ value }) => value);
  const png = await render(drawChart({ points: values(points), previous: previous && values(previous) }));
  const days = dateRange(dayOf(span.from), dayOf(span.to - DAY_MS));
  const single = (time: number) => dateRange(dayOf(time), dayOf(time));
  return {
    kind: 'picture',
    png: png.toString('base64'),
    alt: `Chart of ${metricRow(metric).label.toLowerCase()} by ${interval}, ${days}. The dashed line is ${FREQUENCIES[report.frequency].before}.`,
    ends: interval === 'hour' ? ['0:00', '24:00'] : [single(span.from), single(span.to - DAY_MS)],
  };
}

function figuresTable(summary: Summary): Block {
  const rows = summary.metrics
    .filter(({ name }) => metricRow(name).shownIfAny !== 'beside')
    .map(({ name }): Row => {
      const figure = headOf(name, summary);
      return { name: metricRow(name).label, value: figure.shown, change: changeIn(name, figure) };
    });
  return { kind: 'table', title: 'Figures', rows };
}

type Listed = 'page' | 'source';

/** Pages, sources and goals. Empty tables are left out. */
async function listsOf({ stats, now }: Asking, of: OfSite, isCompared: boolean): Promise<Block[]> {
  const { site, view, goals } = of;
  const ask = { ...view.question, page: 1, per_page: ROWS };
  const metric = 'unique_visitors';
  const top = async (dimension: Listed, title: string) => {
    const answer = await stats.breakdown({ ...ask, dimension, metrics: [metric] }, site, now);
    return table(title, rowsOf(answer, { dimension, metric, isCompared }));
  };
  const moves = async (dimension: Listed, title: string) => {
    if (!isCompared) return [];
    const { rose, fell } = await stats.moves({ ...view.question, dimension, metric }, site, now);
    const rows = (all: Driver[]) => all.slice(0, MOVED).map(movedRow);
    return [...table(`${title} that gained most`, rows(rose)), ...table(`${title} that lost most`, rows(fell))];
  };
  const newSources = async () => {
    const found = await stats.newcomers({ ...view.question, dimension: 'source', metric }, site, now);
    const rows = found.slice(0, ROWS).map(({ name, value }) => ({ name, value: fullNumber(value) }));
    return table(`New sources, not seen in the ${NEW_SOURCE_DAYS / 7} weeks before`, rows);
  };
  const conversions = async () => {
    if (goals.length === 0) return [];
    const asked = { ...ask, per_page: GOALS, dimension: 'goal', metrics: ['conversions' as const] } as const;
    const answer = await stats.breakdown({ ...asked, metrics: [...asked.metrics] }, site, now);
    const names = new Map(goals.map(({ id, name }) => [id, name]));
    const rows = rowsOf(answer, { dimension: 'goal', metric: 'conversions', isCompared });
    return table(
      'Goals, by conversions',
      rows.map((row) => ({ ...row, name: names.get(row.name) ?? row.name })),
    );
  };
  const lists = await Promise.all([
    top('page', 'Pages, by visitors'),
    moves('page', 'Pages'),
    top('source', 'Sources, by visitors'),
    moves('source', 'Sources'),
    newSources(),
    conversions(),
  ]);
  return lists.flat();
}

const table = (title: string, rows: Row[]): Block[] => (rows.length > 0 ? [{ kind: 'table', title, rows }] : []);

type Column = { dimension: 'page' | 'source' | 'goal'; metric: Metric; isCompared: boolean };

const rowsOf = ({ rows }: Breakdown, { dimension, metric, isCompared }: Column): Row[] =>
  rows.map(({ name, values, previous }) => ({
    name: valueName(dimension, name),
    value: fullNumber(values[metric] ?? 0),
    change: isCompared
      ? changeIn(metric, { value: values[metric] ?? 0, previous: previous?.[metric] ?? null })
      : undefined,
  }));

function movedRow({ dimension, name, value, previous }: Driver): Row {
  const moved = value - previous;
  const text = `${moved > 0 ? '+' : '−'}${fullNumber(Math.abs(moved))}`;
  return {
    name: valueName(dimension, name),
    value: fullNumber(value),
    change: { text, verdict: moved > 0 ? 'good' : 'bad' },
  };
}
