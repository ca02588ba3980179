// Draws the numbers of a site for a terminal: tiles, a chart and lists. Everything that visitors sent is stripped of control characters,
// because those could rewrite what the terminal shows.
import { dateFormat } from '../vocabulary/habits/formatters.ts';
import type { SiteNumbers } from '../api/rest/site-numbers.ts';
import { message, say, t, tn } from '../vocabulary/habits/messages.ts';
import { change, dateRange, fullNumber, metricValue, percent, shortNumber } from '../vocabulary/numbers/format.ts';
import { type Interval, isWithinDay } from '../vocabulary/time/intervals.ts';
import { metricRow } from '../vocabulary/numbers/metrics.ts';
import { type Period, PERIODS } from '../vocabulary/time/periods.ts';
import { LIST_NAMES, type ListName, PRINTED_LISTS } from '../vocabulary/numbers/printed-lists.ts';
import { VITAL_NAMES, vitalValue, VITALS } from '../vocabulary/numbers/vitals.ts';
import { cleanText } from '../vocabulary/texts/spelling.ts';
import { valueName } from '../vocabulary/questions/value-names.ts';

type Style = 'bold' | 'dim' | 'green' | 'red';
type Terminal = {
  /** In columns. */
  width: number;
  /** Returns the text as it is where there are no colours. */
  paint(style: Style, text: string): string;
};

const MIN_WIDTH = 40;
/** Wider lines are hard to read. */
const MAX_WIDTH = 120;
const GAP = 3;
const CHART_ROWS = 8;
const MAX_BAR_COLUMNS = 20;
const EIGHTHS = ['', '▁', '▂', '▃', '▄', '▅', '▆', '▇'];
/** Names are cut to the width of their column anyway. */
const MAX_NAME = 500;

/** What the numbers were asked for. */
type Question = { period: Period; filters: readonly string[] };

export function drawStats(numbers: SiteNumbers, question: Question, terminal: Terminal): string {
  const own = { ...terminal, width: Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, terminal.width)) };
  const lists = LIST_NAMES.filter((name) => numbers.breakdowns[name]);
  return [
    heading(numbers, question, own),
    tiles(numbers, own),
    chart(numbers, own),
    ...speed(numbers, own),
    ...failures(numbers, own),
    ...lists.map((name) => list(name, numbers, own)),
  ]
    .map((part) => part.join('\n'))
    .join('\n\n');
}

function heading(
  { site, summary, timezone }: SiteNumbers,
  { period, filters }: Question,
  { width, paint }: Terminal,
): string[] {
  const { date_from, date_to, compare } = summary;
  const line = (text: string) => fitted(cleanText(text, MAX_NAME), width).trimEnd();
  return [
    paint('bold', line(site.domain)),
    line(
      t('{period}: {days} ({timezone})', {
        period: PERIODS[period].label,
        days: dateRange(date_from, date_to),
        timezone,
      }),
    ),
    ...(compare
      ? [paint('dim', line(t('Compared with {days}', { days: dateRange(compare.date_from, compare.date_to) })))]
      : []),
    ...filters.map((filter) => line(t('Only {filter}', { filter }))),
  ];
}

/** A label, a value and the change below one another. Tiles that do not fit stand in the next line. */
function tiles({ summary }: SiteNumbers, { width, paint }: Terminal): string[] {
  const drawn = summary.metrics.map(({ name, value, previous }) => {
    const moved = change(name, value, previous);
    const sign = { up: '+', down: '−', none: '' }[moved?.direction ?? 'none'];
    const text = moved ? `${moved.isWord ? '' : sign}${moved.text}` : '';
    const style = { good: 'green', bad: 'red', same: 'dim' }[moved?.verdict ?? 'same'] as Style;
    return {
      label: metricRow(name).label,
      value: metricValue(name, value, { currency: summary.currency }),
      text,
      style,
    };
  });
  const lines: (typeof drawn)[] = [];
  let used = width;
  for (const tile of drawn) {
    const columns = columnsOfTile(tile);
    if (used + columns > width) {
      lines.push([]);
      used = 0;
    }
    lines.at(-1)?.push(tile);
    used += columns;
  }
  return lines.flatMap((row, index) => {
    const line = (of: (tile: (typeof drawn)[number]) => [text: string, style: Style]) =>
      row
        .map((tile) =>
          ((text, style) => paint(style, text) + ' '.repeat(columnsOfTile(tile) - columnsOf(text)))(...of(tile)),
        )
        .join('')
        .trimEnd();
    return [
      ...(index > 0 ? [''] : []),
      line((tile) => [tile.label, 'dim']),
      line((tile) => [tile.value, 'bold']),
      ...(row.some(({ text }) => text !== '') ? [line((tile) => [tile.text, tile.style])] : []),
    ];
  });
}

function columnsOfTile({ label, value, text }: { label: string; value: string; text: string }): number {
  return Math.max(columnsOf(label), columnsOf(value), columnsOf(text)) + GAP;
}

/** Bars of unique visitors over time. */
function chart({ timeseries, timezone }: SiteNumbers, { width, paint }: Terminal): string[] {
  const { data, meta } = timeseries;
  const metric = 'unique_visitors';
  const label = paint('bold', metricRow(metric).label);
  const highest = Math.max(0, ...data.map((point) => point[metric] ?? 0));
  if (highest === 0) return [label, `  ${t('No visitors in this period.')}`];
  const scale = shortNumber(highest);
  const room = width - scale.length - 3;
  const bars = grouped(
    data.map((point) => point[metric] ?? 0),
    room,
  );
  const top = Math.max(...bars.values);
  const columns = Math.min(6, Math.max(1, Math.floor(room / bars.values.length)));
  const rows = Array.from({ length: CHART_ROWS }, (_, row) => {
    const below = CHART_ROWS - 1 - row;
    const axis = row === 0 ? shortNumber(top) : below === 0 ? '0' : '';
    const heightOf = (value: number) => (value === 0 ? 0 : Math.max(1 / 8, (value / top) * CHART_ROWS));
    const cells = bars.values.map((value) => cell(heightOf(value) - below, columns)).join('');
    return `${axis.padStart(scale.length + 1)} ${row === 0 || below === 0 ? '┤' : '│'}${paint('green', cells.trimEnd())}`;
  });
  const names = dayNames([data[0]?.time, data.at(-1)?.time], { interval: meta.interval, timezone });
  const length = bars.values.length * columns;
  const between = Math.max(1, length - columnsOf(names[0]) - columnsOf(names[1]));
  const axis = ' '.repeat(scale.length + 3) + (data.length > 1 ? names[0] + ' '.repeat(between) + names[1] : names[0]);
  const { by, columns: each } = STEPS[meta.interval];
  return [say(by, { metric: label }) + (bars.size > 1 ? paint('dim', `  ${each(bars.size)}`) : ''), ...rows, axis];
}

/** What the columns of a chart are. */
const STEPS: Record<Interval, { by: string; columns(count: number): string }> = {
  minute: {
    by: message('{metric} by minute'),
    columns: (n) => tn(n, 'Each column is {n} minute.', 'Each column is {n} minutes.'),
  },
  hour: {
    by: message('{metric} by hour'),
    columns: (n) => tn(n, 'Each column is {n} hour.', 'Each column is {n} hours.'),
  },
  day: {
    by: message('{metric} by day'),
    columns: (n) => tn(n, 'Each column is {n} day.', 'Each column is {n} days.'),
  },
  week: {
    by: message('{metric} by week'),
    columns: (n) => tn(n, 'Each column is {n} week.', 'Each column is {n} weeks.'),
  },
  month: {
    by: message('{metric} by month'),
    columns: (n) => tn(n, 'Each column is {n} month.', 'Each column is {n} months.'),
  },
};

/** Adds up neighbours until there are at most `room` columns. Visitors of several days are the sum of these days. */
function grouped(values: number[], room: number): { values: number[]; size: number } {
  const size = Math.ceil(values.length / room);
  const groups = Array.from({ length: Math.ceil(values.length / size) }, (_, at) =>
    values.slice(at * size, (at + 1) * size).reduce((sum, value) => sum + value, 0),
  );
  return { values: groups, size };
}

/** The part of a bar in one row: `filled` is 0 or less below the row, 1 or more above it. */
function cell(filled: number, columns: number): string {
  const block = filled >= 1 ? '█' : (EIGHTHS[Math.max(0, Math.round(filled * 8))] ?? '█');
  const solid = Math.max(1, columns - 1); // a gap between wide bars
  return (block || ' ').repeat(solid) + ' '.repeat(columns - solid);
}

function dayNames(
  times: [string | undefined, string | undefined],
  { interval, timezone }: { interval: Interval; timezone: string },
): [string, string] {
  const format = dateFormat({
    // within a day, steps are those of the UTC day
    timeZone: isWithinDay(interval) ? 'UTC' : timezone,
    ...(isWithinDay(interval) ? { hour: 'numeric', minute: '2-digit' } : { day: 'numeric', month: 'short' }),
    ...(interval === 'month' && { day: undefined, year: 'numeric' }),
  });
  const [from, to] = times.map((time) => (time === undefined ? '' : format.format(Date.parse(time))));
  return [from ?? '', to ?? ''];
}

/** The 75th percentiles of a site that is measured. */
function speed({ vitals }: SiteNumbers, { paint }: Terminal): string[][] {
  if (!vitals || vitals.views === 0) return [];
  const rows = VITAL_NAMES.flatMap((vital) => {
    const { p75, good, poor } = vitals[vital];
    if (p75 === null) return [];
    const value = vitalValue(vital, p75).padStart(9);
    const shares = { good: percent(Math.round(good)), poor: percent(Math.round(poor)) };
    return `  ${VITALS[vital].label.padEnd(4)}${value}  ${t('{good} good, {poor} poor', shares)}`;
  });
  return [[`${paint('bold', t('Speed'))}  ${paint('dim', t('75th percentile'))}`, ...rows]];
}

/** The errors of a site that records them. */
function failures({ errors }: SiteNumbers, { paint }: Terminal): string[][] {
  if (!errors || errors.count === 0) return [];
  const { count, visits, share } = errors;
  const says = tn(visits, '{errors} in {n} visit, {share} of all', '{errors} in {n} visits, {share} of all', {
    errors: fullNumber(count),
    share: percent(share),
  });
  return [[paint('bold', t('Errors')), `  ${says}`]];
}

function list(name: ListName, { breakdowns }: SiteNumbers, { width, paint }: Terminal): string[] {
  const { title: named, metric } = PRINTED_LISTS[name];
  const { data = [], meta } = breakdowns[name] ?? {};
  const title = `${paint('bold', named)}  ${paint('dim', metricRow(metric).label)}`;
  if (data.length === 0) return [title, `  ${t('None in this period.')}`];
  const rows = data.map((row) => {
    const value = Number(row[metric] ?? 0);
    return {
      name: valueName(name, cleanText(String(row[name] ?? ''), MAX_NAME)),
      value,
      text: metricValue(metric, value),
    };
  });
  const most = Math.max(1, ...rows.map(({ value }) => value));
  const digits = Math.max(...rows.map(({ text }) => text.length));
  const barColumns = Math.min(MAX_BAR_COLUMNS, Math.floor(width / 4));
  const nameColumns = width - digits - barColumns - 6;
  const longest = Math.min(nameColumns, Math.max(...rows.map(({ name }) => columnsOf(name))));
  const more = (meta?.total ?? 0) - data.length;
  return [
    title,
    ...rows.map(({ name, value, text }) => {
      const bar = '█'.repeat(Math.max(value > 0 ? 1 : 0, Math.round((value / most) * barColumns)));
      return `  ${fitted(name, longest)}  ${text.padStart(digits)}  ${paint('green', bar)}`;
    }),
    ...(more > 0 ? [paint('dim', `  ${tn(more, 'and {n} more', 'and {n} more')}`)] : []),
  ];
}

/** Cut with an ellipsis, or padded, to exactly this many columns. */
function fitted(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text + ' '.repeat(columns - columnsOf(text));
  let kept = '';
  let used = 0;
  for (const { segment } of characters.segment(text)) {
    const next = columnsOf(segment);
    if (used + next > columns - 1) break;
    kept += segment;
    used += next;
  }
  return `${kept}…${' '.repeat(columns - used - 1)}`;
}

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Letters of East Asia and emoji take two columns, the marks around a value in Arabic none. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;
const UNSEEN = /^[\u2066-\u2069]$/;

function columnsOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  return [...characters.segment(text)].reduce((sum, { segment }) => {
    if (UNSEEN.test(segment)) return sum;
    return sum + (WIDE.test(segment) ? 2 : 1);
  }, 0);
}
