// What the card of a number asks and says, for a figure, a row of a list or a point of the chart.
import { dimensionRow, isDimension } from '../../../server/vocabulary/questions/dimensions.ts';
import { isIdentifying } from '../../../server/vocabulary/questions/identifying.ts';
import { t } from '../../../server/vocabulary/habits/messages.ts';
import { visitorsCountedBy } from '../../../server/vocabulary/imports/products.ts';
import { comparisonOf } from '../../../server/vocabulary/numbers/sentence.ts';
import { FEWEST, roundedFor } from '../../../server/vocabulary/settings/privacy.ts';
import { isWithinDay, nextBucket } from '../../../server/vocabulary/time/intervals.ts';
import { DAY_MS, dayOf } from '../../../server/vocabulary/time/time.ts';
import { dayIn } from '../../../server/vocabulary/time/zones.ts';
import type { Question, Timeseries } from '../api/types.ts';
import type { Asked } from '../exports/asked.ts';
import { valueName } from '../formats/dimensions.ts';
import { bucketName, dateRange } from '../formats/format.ts';
import type { Board } from '../view/board.svelte.ts';
import type { Explained } from '../view/explained.ts';
import { questionOf } from '../view/lists.ts';
import { hasCounterpart, includesNow } from '../view/period.ts';
import { alone } from '../view/question.ts';

type Days = { date_from: string; date_to: string };

/** The number and the one that it is compared with. Null: imported days that do not tell it. */
export function valuesOf(explained: Explained): { value: number | null; previous: number | null } {
  if (explained.kind === 'row') return explained;
  if (explained.kind === 'point') {
    const { series, index } = explained;
    return { value: series.points[index]?.value ?? null, previous: series.previous?.[index]?.value ?? null };
  }
  const { summary, metric } = explained;
  // The summary leaves out what is zero in its period and in the one before.
  const found = summary.metrics.find(({ name }) => name === metric) ?? {
    value: 0,
    previous: summary.compare ? 0 : null,
  };
  const value = summary.metrics.some(({ name, untold }) => name === metric && untold) ? null : found.value;
  return { value, previous: hasCounterpart(summary) ? found.previous : null };
}

/** The row's or the point's name: text of visitors. */
export function nameOf(explained: Explained): string | undefined {
  if (explained.kind === 'row') return valueName(explained.list.dimension, explained.row);
  if (explained.kind === 'point')
    return bucketName(explained.series.points[explained.index]?.time ?? 0, explained.series.interval);
  return undefined;
}

/** The days of a point, within those of the chart. */
function daysOfPoint({ series, index }: { series: Timeseries; index: number }, zone: string): Days {
  const { points, interval, date_from, date_to } = series;
  const { time } = points[index] ?? { time: 0 };
  const [first, last] = isWithinDay(interval)
    ? [dayIn(zone, time), dayIn(zone, time)]
    : [dayOf(time), dayOf(nextBucket(time, interval) - DAY_MS)];
  return { date_from: first > date_from ? first : date_from, date_to: last < date_to ? last : date_to };
}

/** The days that the number is about. Undefined for a row: the answer about it tells. */
export function daysOf(explained: Explained, zone: string): Days | undefined {
  if (explained.kind === 'row') return undefined;
  return explained.kind === 'figure' ? explained.summary : daysOfPoint(explained, zone);
}

export const countDays = ({ date_from, date_to }: Days): number =>
  Math.round((Date.parse(date_to) - Date.parse(date_from)) / DAY_MS) + 1;

/** The question about this number alone. Undefined for a point within a day, since periods are whole days. */
export function questionAbout(board: Board, explained: Explained): Question | undefined {
  if (explained.kind === 'figure') return board.question;
  if (explained.kind === 'row') {
    const { dimension, also, without } = explained.list;
    const row = { dimension, operator: 'is' as const, values: [explained.row] };
    return questionOf(board, dimension, [...(also ? [also] : []), row], without);
  }
  const { series, index } = explained;
  if (isWithinDay(series.interval)) return undefined;
  const { date_from, date_to } = daysOfPoint(explained, board.zone);
  const before = series.interval === 'day' && !board.shared && !board.view.versus && series.previous?.[index];
  const day = before && dayOf(before.time);
  const compared = day ? { compare: 'custom' as const, compare_from: day, compare_to: day } : {};
  return { ...alone(board.question), period: 'custom', date_from, date_to, ...compared };
}

/** The question that a request to the API asks for the number, or for what it is a part of. */
export function requestedBy(board: Board, explained: Explained): Asked {
  const { kind, metric } = explained;
  if (kind === 'row') {
    const { dimension } = explained.list;
    const question = questionAbout(board, explained) ?? board.question;
    return { kind: 'breakdown', question: { ...question, dimension, metrics: [metric] } };
  }
  const interval = kind === 'point' ? { interval: explained.series.interval } : {};
  return { kind: 'timeseries', question: { ...board.question, metric, ...interval } };
}

/** What the number is compared with, in words. */
export function comparedWith(board: Board, explained: Explained): string {
  const { versus } = board.view;
  if (versus) return board.segmentName(versus);
  if (explained.kind === 'point')
    return bucketName(explained.series.previous?.[explained.index]?.time ?? 0, explained.series.interval);
  if (explained.kind === 'row') return '';
  const { compare } = explained.summary;
  if (!compare) return '';
  const range = dateRange(compare.date_from, compare.date_to);
  return board.view.compare === 'custom'
    ? range
    : t('{period}: {days}', { period: comparisonOf(board.view, compare).name, days: range });
}

/** With a filter on pages or events, some figures count matches and others whole visits. This says which. */
function scopeWords({ filters }: Board): string {
  const kinds = filters.flatMap(({ dimension }) => (isDimension(dimension) ? dimensionRow(dimension).of : []));
  const isOfPage = kinds.includes('pageviews');
  const isOfEvent = kinds.includes('events') || kinds.includes('conversions');
  if (!isOfPage && !isOfEvent) return '';
  if (isOfPage && isOfEvent)
    return t(
      'Page views count only pages that match. Events, orders, revenue and conversions count only events that match. All other figures cover visits that match every filter.',
    );
  return isOfPage
    ? t('Page views and events count only pages that match. All other figures cover visits with a match.')
    : t(
        'Events, orders, revenue and conversions count only events that match. All other figures cover visits with a match.',
      );
}

export function isRounded(board: Board, explained: Explained): boolean {
  const isOfFew = explained.kind === 'row' && isIdentifying(explained.list.dimension);
  return board.isRounded || (board.site.is_limited && isOfFew);
}

type Counted = { days: number; imported: Timeseries['imported'] | undefined };

/** How exact the number is. */
export function exactness(board: Board, explained: Explained, { days, imported }: Counted): string[] {
  const { kind, metric } = explained;
  const isOpen =
    kind === 'point'
      ? explained.series.unfinished && explained.index === explained.series.points.length - 1
      : includesNow(board.view, Date.now(), board.zone);
  const isSummed = metric === 'unique_visitors' && days > 1;
  return [
    countedWords(board, explained, { isOpen, isImported: imported?.is_counted === true }),
    ...(isOpen ? [t('Not over yet: it still changes.')] : []),
    ...(isSummed
      ? [t('Counted per day and added up, because visitors are not recognised from one day to the next.')]
      : []),
    ...[scopeWords(board), importedWords(board, imported)].filter(Boolean),
    ...(metric === 'unique_visitors' && imported?.is_counted === true
      ? imported.formats.flatMap((format) => visitorsCountedBy(format) ?? [])
      : []),
  ];
}

function countedWords(
  board: Board,
  explained: Explained,
  { isOpen, isImported }: { isOpen: boolean; isImported: boolean },
): string {
  if (isRounded(board, explained)) return roundedFor();
  if (isImported)
    return t(
      'Days counted here: one by one, not estimated, and not taken from a sample. Imported days: as the other product counted them.',
    );
  return board.site.is_limited && isOpen
    ? t('Exact once the day is over. Until then it grows in steps of at least {fewest} visitors.', { fewest: FEWEST })
    : t('Counted one by one: not estimated, and not taken from a sample.');
}

function importedWords(board: Board, imported: Counted['imported']): string {
  const days = imported && dateRange(imported.spans[0]?.date_from ?? '', imported.spans.at(-1)?.date_to ?? '');
  if (!days) return board.view.isWithoutImported ? t('Without the days imported from another product.') : '';
  return imported.is_counted
    ? t('With the days imported from another product: {days}.', { days })
    : t('Without the days imported from another product: {days}.', { days });
}
