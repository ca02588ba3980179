// The pictures of one metric: its value as a badge, and its values over time.
import { isTurned } from '../../../vocabulary/habits/habits.ts';
import { t } from '../../../vocabulary/habits/messages.ts';
import { metricRow } from '../../../vocabulary/numbers/metrics.ts';
import { metricValue } from '../../../vocabulary/numbers/format.ts';
import { pictureRow } from '../../../vocabulary/settings/pictures.ts';
import { type Box, credit, pointsOf, text, widthOf } from '../marks.ts';
import { canvas, card, SOFT } from './canvas.ts';
import { type Asked, namesOf, shortDomain, spanName, titleOf } from './asked.ts';

/** Null for a rate or a mean of nothing. */
type Total = number | null;

export type Over = {
  total: Total;
  points: readonly number[];
  /** The last point is not over yet. */
  isUnfinished: boolean;
  /** The first and the last point in words. */
  ends: readonly [string, string];
};

const BADGE_SIZE = 11;
const BADGE_PADDING = 7;
/** `textLength` makes other fonts as wide as the one that is measured. Letters that are joined keep together. */
const fitted = (room: number): string => {
  const adjusted = isTurned() ? ' lengthAdjust="spacingAndGlyphs"' : '';
  return `textLength="${room - 2 * BADGE_PADDING}"${adjusted}`;
};

export function drawBadge(asked: Asked, value: Total): string {
  const { height } = pictureRow('badge');
  const label = t('{metric}, {period}', namesOf(asked));
  const shown = totalIn(asked, value);
  const [left, right] = [label, shown].map((words) => Math.round(widthOf(words, BADGE_SIZE) + 2 * BADGE_PADDING)) as [
    number,
    number,
  ];
  const width = left + right;
  const put = (words: string, x: number, room: number) =>
    text(words, { x: x + BADGE_PADDING, y: 14, size: BADGE_SIZE }, `fill="#fff" ${fitted(room)}`);
  // The colours of a badge are the same in both modes: it is one among others, which are.
  return canvas(
    { width, height, theme: asked.theme, title: titleOf(asked, shown) },
    `<clipPath id="r"><rect width="${width}" height="${height}" rx="4"/></clipPath>`,
    `<g clip-path="url(#r)"><rect width="${left}" height="${height}" fill="#48554d"/><rect x="${left}" width="${right}" height="${height}" fill="#0b7a54"/></g>`,
    put(label, 0, left),
    put(shown, left, right),
  );
}

export function drawSparkline(asked: Asked, over: Over): string {
  const { width, height } = pictureRow('sparkline');
  const box = { left: 4, right: width - 4, top: 4, bottom: height - 4 };
  return canvas(
    { width, height, theme: asked.theme, title: titleOf(asked, totalIn(asked, over.total)) },
    line(over, box, { most: mostOf(over), stroke: 2 }),
  );
}

const PLOT: Box = { left: 64, right: 696, top: 104, bottom: 250 };
/** Parts between the lines of a chart. */
export const GRID = 4;

export function drawLineChart(asked: Asked, over: Over): string {
  const { width, height } = pictureRow('chart');
  const { metric, theme, hasCredit } = asked;
  const most = niceMost(mostOf(over), { isWhole: metricRow(metric).unit === 'count' });
  const lines = Array.from({ length: GRID + 1 }, (_, index) => (most * index) / GRID).flatMap((value) => {
    const y = PLOT.bottom - ((PLOT.bottom - PLOT.top) * value) / most;
    return [
      `<line x1="${PLOT.left}" x2="${PLOT.right}" y1="${y}" y2="${y}" class="g"/>`,
      text(metricValue(metric, value, asked), { x: PLOT.left - 10, y: y + 4, size: 12, anchor: 'end' }, SOFT),
    ];
  });
  return canvas(
    { width, height, theme, title: titleOf(asked, totalIn(asked, over.total)) },
    card(width, height),
    text(metricRow(metric).label, { x: 24, y: 36, size: 14 }, SOFT),
    text(totalIn(asked, over.total), { x: 24, y: 72, size: 30 }, 'class="i" font-weight="600"'),
    text(shortDomain(asked), { x: 696, y: 36, size: 14, anchor: 'end' }, 'class="i" font-weight="600"'),
    text(spanName(asked), { x: 696, y: 58, size: 13, anchor: 'end' }, SOFT),
    ...lines,
    line(over, PLOT, { most, stroke: 2.5 }),
    text(over.ends[0], { x: PLOT.left, y: 274, size: 12 }, SOFT),
    over.points.length > 1 ? text(over.ends[1], { x: PLOT.right, y: 274, size: 12, anchor: 'end' }, SOFT) : '',
    hasCredit ? text(credit(), { x: 380, y: 274, size: 12, anchor: 'middle' }, SOFT) : '',
  );
}

export const mostOf = ({ points }: Over): number => Math.max(0, ...points) || 1;

/** At least as high, and evenly divided by the lines of the grid. What is counted has whole numbers at them. */
export function niceMost(most: number, { isWhole }: { isWhole: boolean }): number {
  const part = most / GRID;
  const power = Math.max(10 ** Math.floor(Math.log10(part)), isWhole ? 1 : 0);
  const nice = [1, 1.5, 2, 2.5, 3, 4, 5, 7.5, 10].map((times) => times * power);
  return GRID * (nice.find((step) => step >= part && (!isWhole || Number.isInteger(step))) ?? 10 * power);
}

/** What is not over yet is dashed. */
function line({ points, isUnfinished }: Over, box: Box, { most, stroke }: { most: number; stroke: number }): string {
  const at = pointsOf(points, box, { most });
  const last = at.at(-1)?.split(',');
  if (!last) return '';
  const dot = `<circle cx="${last[0]}" cy="${last[1]}" r="${stroke * 1.25}" class="d"/>`;
  const first = at[0]?.split(',')[0];
  const area = `<polygon points="${first},${box.bottom} ${at.join(' ')} ${last[0]},${box.bottom}" class="w"/>`;
  const closed = isUnfinished ? at.slice(0, -1) : at;
  const open = isUnfinished
    ? `<polyline points="${at.slice(-2).join(' ')}" class="l" stroke-width="${stroke}" stroke-dasharray="1 ${2 * stroke}"/>`
    : '';
  return `${area}<polyline points="${closed.join(' ')}" class="l" stroke-width="${stroke}"/>${open}${dot}`;
}

const totalIn = (asked: Asked, value: Total): string =>
  value === null ? '–' : metricValue(asked.metric, value, asked);
