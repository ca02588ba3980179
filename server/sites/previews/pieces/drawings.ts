// The pieces of a shared dashboard as HTML: what a page of somebody else shows in a frame. The words of visitors are always escaped, and nothing
// has a style of its own: sizes that depend on numbers are attributes of SVG, which the strictest policy allows.
import { midSentence, t, texts } from '../../../vocabulary/habits/messages.ts';
import { change, metricValue, share, shortNumber } from '../../../vocabulary/numbers/format.ts';
import { type Metric, metricRow } from '../../../vocabulary/numbers/metrics.ts';
import { countryName } from '../../../vocabulary/questions/value-names.ts';
import { FEWEST } from '../../../vocabulary/settings/privacy.ts';
import { bar, barRows } from '../../../vocabulary/texts/bar-rows.ts';
import { escapeXml } from '../../../vocabulary/texts/markup.ts';
import { pointsOf } from '../marks.ts';
import { periodInSentence } from '../pictures/asked.ts';
import { GRID, mostOf, niceMost, type Over } from '../pictures/lines.ts';
import { type Countries, knownOf, landOf } from '../pictures/map.ts';
import world from '../pictures/world.json' with { type: 'json' };

/** `title`: what the piece says, for whoever does not see it. `head` and `body`: HTML. `more`: sections below, which change one by one. */
export type DrawnPiece = { title: string; head: string; body: string; more?: string[] };

/** `period`: in words. `currency`: of money. */
type About = { metric: Metric; period: string; currency: string | null };
type OverTime = Over & { previous: number | null; times: readonly string[] };

const empty = (words: string): string => `<p class="empty">${escapeXml(words)}</p>`;

const headOf = (label: string, beside: string, more = ''): string =>
  `<h1>${escapeXml(label)}</h1><p>${escapeXml(beside)}</p>${more}`;

const shownIn = ({ metric, currency }: About, value: number | null): string =>
  value === null ? '–' : metricValue(metric, value, { currency });

const SIGNS = { up: '▲ ', down: '▼ ', none: '' };
const THAN = texts({ up: 'more than before', down: 'less than before', none: 'unchanged' });

/** How a value changed; '' where there is nothing to compare with. */
export function changeBeside(metric: Metric, value: number, previous: number | null): string {
  const changed = change(metric, value, previous);
  if (!changed) return '';
  const { direction, text, verdict } = changed;
  return ` <span class="${verdict}"><i aria-hidden="true">${SIGNS[direction]}</i>${escapeXml(text)}<span class="hidden"> ${escapeXml(THAN[direction])}</span></span>`;
}

/** The total, and how it changed. */
function totalOf(about: About, { total, previous }: OverTime): { html: string; words: string } {
  const shown = shownIn(about, total);
  const beside = total === null ? '' : changeBeside(about.metric, total, previous);
  return { html: `<p class="total"><b>${escapeXml(shown)}</b>${beside}</p>`, words: shown };
}

const WIDE = 1000;

/** A line that fills its box, however wide that is. Each point says its time and value when the mouse is over it. */
function lineOf(about: About, over: OverTime, { high, most }: { high: number; most: number }): string {
  const { points, isUnfinished, times } = over;
  const at = pointsOf(points, { left: 0, right: WIDE, top: 0, bottom: high }, { most });
  const [first, last] = [at[0], at.at(-1)];
  if (first === undefined || last === undefined) return '';
  const closed = isUnfinished ? at.slice(0, -1) : at;
  const open = isUnfinished ? `<polyline points="${at.slice(-2).join(' ')}" class="l open"/>` : '';
  const area = `<polygon points="0,${high} ${at.join(' ')} ${last.split(',')[0]},${high}" class="w"/>`;
  const step = WIDE / points.length;
  const spots = points.map((value, index) => {
    const words = `${times[index] ?? ''}: ${shownIn(about, value)}`;
    return `<rect x="${(index * step).toFixed(1)}" width="${step.toFixed(1)}" height="${high}"><title>${escapeXml(words)}</title></rect>`;
  });
  return `${area}<polyline points="${closed.join(' ')}" class="l"/>${open}<g class="spots">${spots.join('')}</g>`;
}

const drawing = (high: number, inner: string): string =>
  `<svg viewBox="0 0 ${WIDE} ${high}" preserveAspectRatio="none" aria-hidden="true">${inner}</svg>`;

const labelOf = ({ metric }: About): string => metricRow(metric).label;
const saidOf = (about: About) => ({ metric: labelOf(about), period: periodInSentence(about.period) });

export function drawFigure(about: About, over: OverTime): DrawnPiece {
  const { html, words } = totalOf(about, over);
  return {
    title: t('{metric}, {period}: {value}', { ...saidOf(about), value: words }),
    head: headOf(labelOf(about), about.period, html),
    body: `<div class="spark">${drawing(60, lineOf(about, over, { high: 60, most: mostOf(over) }))}</div>`,
  };
}

export function drawChart(about: About, over: OverTime): DrawnPiece {
  const { html, words } = totalOf(about, over);
  const most = niceMost(mostOf(over), { isWhole: metricRow(about.metric).unit === 'count' });
  const levels = Array.from({ length: GRID + 1 }, (_, index) => shownIn(about, (most * (GRID - index)) / GRID));
  const lines = levels.map((_, index) => `<line x2="${WIDE}" y1="${index * 50}" y2="${index * 50}" class="g"/>`);
  const { times, points } = over;
  const middle = times.length > 4 ? [times[Math.floor(times.length / 2)] ?? ''] : [];
  const ends = times.length > 1 ? [times[0] ?? '', ...middle, times.at(-1) ?? ''] : times;
  const highest = points.indexOf(Math.max(...points));
  const says = { ...saidOf(about), value: words };
  const peak = { time: times[highest] ?? '', most: shownIn(about, points[highest] ?? 0) };
  return {
    title:
      points.length > 1
        ? t('{metric}, {period}: {value}, most at {time}: {most}', { ...says, ...peak })
        : t('{metric}, {period}: {value}', says),
    head: headOf(labelOf(about), about.period, html),
    body: `<div class="plot"><div class="levels" aria-hidden="true">${spans(levels)}</div>${drawing(GRID * 50, `${lines.join('')}${lineOf(about, over, { high: GRID * 50, most })}`)}<div class="times" aria-hidden="true">${spans(ends)}</div></div>`,
  };
}

const spans = (words: readonly string[]): string => words.map((one) => `<span>${escapeXml(one)}</span>`).join('');

type Row = { name: string; value: number };

export function drawList(about: About, label: string, rows: readonly Row[]): DrawnPiece {
  const { metric, period } = saidOf(about);
  return {
    title: t('{list} by {metric}, {period}', { list: label, metric: midSentence(metric), period }),
    head: headOf(label, `${labelOf(about)} · ${about.period}`),
    body:
      rows.length > 0
        ? `<ol>${barRows(rows, (value) => shownIn(about, value))}</ol>`
        : empty(t('Nothing in this time yet.')),
  };
}

/** Countries that are named below the map. */
const NAMED = 5;

export function drawMapPiece(about: About, countries: Countries): DrawnPiece {
  const known = knownOf(countries);
  const named = known.slice(0, NAMED).map(({ name, value }) => `${countryName(name)} ${shownIn(about, value)}`);
  const says = saidOf(about);
  return {
    title:
      named.length > 0
        ? t('{metric} by country, {period}: {countries}', { ...says, countries: named.join(', ') })
        : t('{metric} by country, {period}: nobody yet', says),
    head: headOf(t('{metric} by country', { metric: says.metric }), about.period),
    body: `<svg class="map" viewBox="0 0 ${world.width} ${world.height}" aria-hidden="true">${landOf(known).join('')}</svg><p class="named">${spans(named) || escapeXml(t('Nobody yet'))}</p>`,
  };
}

type Step = { name: string; visitors: number };

export function drawFunnelPiece(name: string, period: string, steps: readonly Step[]): DrawnPiece {
  const first = steps[0]?.visitors ?? 0;
  const last = steps.at(-1)?.visitors ?? 0;
  const items = steps.map((step) => {
    const rate = share(step.visitors, first);
    return `<li>${bar(first === 0 ? 0 : step.visitors / first)}<bdi title="${escapeXml(step.name)}">${escapeXml(step.name)}</bdi><b>${shortNumber(step.visitors)}${rate === '' ? '' : ` <small>${rate}</small>`}</b></li>`;
  });
  const rate = share(last, first) || '0%';
  return {
    title: t('{funnel}, {period}: {part} of {all} visitors, {rate}', {
      funnel: name,
      period: periodInSentence(period),
      part: shortNumber(last),
      all: shortNumber(first),
      rate,
    }),
    head: headOf(
      name,
      period,
      `<p class="total"><b>${rate}</b> <span class="same">${escapeXml(t('took every step'))}</span></p>`,
    ),
    body: `<ol class="steps">${items.join('')}</ol>`,
  };
}

type Now = { current_visitors: number | null; minutes: readonly number[] };

/** The frame's own script keeps the number and the bars up to date: see src/embed/piece.ts. */
export function drawNow({ current_visitors, minutes }: Now): DrawnPiece {
  const shown =
    current_visitors === null ? t('fewer than {fewest}', { fewest: FEWEST }) : shortNumber(current_visitors);
  const most = Math.max(1, ...minutes);
  const bars = minutes.map((value, index) => {
    const high = Math.max(2, (60 * value) / most);
    return `<rect x="${(index * WIDE) / minutes.length}" y="${(60 - high).toFixed(1)}" width="${(0.8 * WIDE) / minutes.length}" height="${high.toFixed(1)}"/>`;
  });
  return {
    title: t('Visitors now: {count}', { count: shown }),
    head: headOf(
      t('Visitors now'),
      t('Last 30 minutes'),
      `<p class="total"><i class="pulse" aria-hidden="true"></i><b>${escapeXml(shown)}</b></p>`,
    ),
    body: `<div class="spark minutes">${drawing(60, bars.join(''))}</div>`,
  };
}
