// A year as a calendar: a column for each week from Monday to Sunday, a square for each day, with the busiest quarter of the days the strongest.
import { dateFormat } from '../../../vocabulary/habits/formatters.ts';
import { midSentence, t, tn } from '../../../vocabulary/habits/messages.ts';
import { metricValue } from '../../../vocabulary/numbers/format.ts';
import { metricRow } from '../../../vocabulary/numbers/metrics.ts';
import { pictureRow } from '../../../vocabulary/settings/pictures.ts';
import { DAY_MS } from '../../../vocabulary/time/time.ts';
import { credit, text } from '../marks.ts';
import { type Asked, shortDomain } from './asked.ts';
import { canvas, card, scaleOf, SOFT } from './canvas.ts';

/** Midnights of the site's days, the first a Monday, as if they were UTC. */
type Days = readonly { time: number; value: number }[];

const CELL = 12;
const SIDE = 10;
/** No visitors, and four groups of days. */
const GROUPS = 5;
const LEFT = 56;
const TOP = 70;
const month = dateFormat({ month: 'short' });
const weekday = dateFormat({ weekday: 'short' });
/** Those whose rows have a name, from the first Monday after the epoch on. */
const WEEKDAYS = [4, 6, 8].map((day) => day * DAY_MS);

export function drawCalendar(asked: Asked, days: Days): string {
  const { width, height } = pictureRow('calendar');
  const { domain, metric, theme, hasCredit } = asked;
  const stepOf = stepsOf(days.map(({ value }) => value));
  const squares = Array.from({ length: GROUPS }, () => '');
  const start = days[0]?.time ?? 0;
  for (const { time, value } of days) {
    const index = Math.round((time - start) / DAY_MS);
    const [x, y] = [LEFT + Math.floor(index / 7) * CELL, TOP + (index % 7) * CELL];
    squares[stepOf(value)] += `M${x} ${y}h${SIDE}v${SIDE}h-${SIDE}z`;
  }
  const total = days.reduce((sum, { value }) => sum + value, 0);
  const words = tn(days.length, '{value} {metric} in the last {n} day', '{value} {metric} in the last {n} days', {
    value: metricValue(metric, total, { ...asked, style: 'full' }),
    metric: midSentence(metricRow(metric).label),
  });
  const bottom = height - 14;
  return canvas(
    { width, height, theme, title: t('{domain}: {words}', { domain, words }) },
    card(width, height),
    text(words, { x: 24, y: 32, size: 14 }, 'class="i" font-weight="600"'),
    text(shortDomain(asked), { x: width - 24, y: 32, size: 14, anchor: 'end' }, SOFT),
    ...monthsOf(days).map(([column, name]) => text(name, { x: LEFT + column * CELL, y: TOP - 8, size: 11 }, SOFT)),
    ...WEEKDAYS.map((day, index) =>
      text(weekday.format(day), { x: 24, y: TOP + index * 2 * CELL + 9, size: 11 }, SOFT),
    ),
    ...squares.map((path, step) => (path ? `<path class="n${step}" d="${path}"/>` : '')),
    hasCredit ? text(credit(), { x: 24, y: bottom, size: 11 }, SOFT) : '',
    scaleOf(squares.length, { right: width - 24, bottom }),
  );
}

/** 0 for nothing; the days with something are four groups of equal size. */
function stepsOf(values: readonly number[]): (value: number) => number {
  const sorted = values.filter((value) => value > 0).sort((a, b) => a - b);
  const limits = [1, 2, 3].map((quarter) => sorted[Math.floor((sorted.length * quarter) / 4)] ?? Infinity);
  return (value) => (value <= 0 ? 0 : 1 + limits.filter((limit) => value >= limit && limit > (sorted[0] ?? 0)).length);
}

/** The columns in which a month begins. A name too close to the next one is left out. */
function monthsOf(days: Days): [column: number, name: string][] {
  const starts = days.flatMap(({ time }, index): [number, string][] =>
    index === 0 || new Date(time).getUTCDate() === 1 ? [[Math.ceil(index / 7), month.format(time)]] : [],
  );
  return starts.filter(([column], index) => (starts[index + 1]?.[0] ?? Infinity) - column > 2);
}
