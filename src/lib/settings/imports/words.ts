// What an import says in words: products, columns, reasons, and what its days do to those that have numbers already.
import { t, texts, tn } from '../../../../server/vocabulary/habits/messages.ts';
import { explainDrop } from '../../../../server/vocabulary/drops.ts';
import { LEFT_OUT, whyLeftOut } from '../../../../server/vocabulary/imports/left-out.ts';
import { PRODUCTS } from '../../../../server/vocabulary/imports/products.ts';
import type { RejectReason } from '../../../../server/vocabulary/imports/import.ts';
import { EARLIEST_IMPORT } from '../../../../server/vocabulary/settings/imports.ts';
import { DAY_MS, dayOf } from '../../../../server/vocabulary/time/time.ts';
import type { TakenDays } from '../../../../server/vocabulary/imports/overlap.ts';
import type { Import } from '../../api/types.ts';
import { dimensionLabel } from '../../formats/dimensions.ts';
import { date, dateRange, fullNumber, isolated, listOf } from '../../formats/format.ts';
import type { Found } from './reader.ts';

export const productOf = (format: string): string =>
  format === 'sealed' ? t('Footfall, sealed') : ((PRODUCTS as Record<string, string>)[format] ?? format);

const UNTOLD: Record<Found['untold'][number], string> = texts({
  pageviews: 'page views',
  visits: 'visits',
  bounces: 'bounces',
  visit_seconds: 'visit durations',
});
/** Which numbers are not in the file, and what follows; undefined if it has all. */
export const untoldWords = (untold: Found['untold']): string | undefined =>
  untold.length === 0
    ? undefined
    : t('Not in the file: {numbers}. Rates that need them are of the other days alone.', {
        numbers: listOf(untold.map((name) => UNTOLD[name])),
      });

/** What a column becomes, besides a dimension. */
const PURPOSES: Record<string, string> = texts({
  date: 'Day',
  date_day_first: 'Day, as in 31/12/2026',
  date_month_first: 'Day, as in 12/31/2026',
  pageviews: 'Page views',
  visitors: 'Visitors',
  visits: 'Visits',
  bounces: 'Bounces',
  bounce_rate: 'Bounce rate',
  engaged_visits: 'Visits that did not bounce',
  visit_duration: 'Visit duration, average',
  visit_seconds: 'Visit duration, sum',
  events: 'Events',
});
const LISTS =
  'page entry_page exit_page hostname channel source referrer utm_source utm_medium utm_campaign utm_content utm_term ' +
  'country region city language browser browser_version os os_version device event';

const wordsOf = (target: string): string => PURPOSES[target] ?? dimensionLabel(target);
/** What a column can become by hand; '' leaves it out. */
export const choicesOfColumn = (): { value: string; label: string }[] => [
  { value: '', label: t('Leave out') },
  ...[...Object.keys(PURPOSES), ...LISTS.split(' ')].map((value) => ({ value, label: wordsOf(value) })),
];

/** `day` and `prop` are words of formats, which nobody chooses. */
/** What a column becomes, or why it is left out. */
export function becomesWords({ column, becomes }: Pick<Found['columns'][number], 'column' | 'becomes'>): string {
  if (becomes === null) return LEFT_OUT[whyLeftOut(column)];
  if (becomes === 'day') return t('Day');
  return becomes === 'prop' ? t('Property') : wordsOf(becomes);
}

export const REASONS: Record<RejectReason, string> = texts({
  no_date: 'The day is missing or cannot be read',
  bad_number: 'A count is not a number',
  short_row: 'The row has too few columns',
  unreadable: 'The row cannot be read',
  no_page: 'The row names no page and no event',
  bot: 'The visit is from a bot',
  too_long: 'The row is too long',
  other_site: 'The row belongs to another site',
  method: 'The request does not read a page (HEAD or POST, for example)',
  not_a_page: 'The request is not for a page, but for an image, a feed or an API, for example',
});

/** Why hits are not taken once they have arrived, besides what the settings of the site leave out. */
const AT_THE_DOOR: Record<string, string> = texts({
  not_over: 'The day is not over',
  status: 'The answer was an error or a redirect',
});

export const rowsWords = (why: string, rows: number): string => tn(rows, '{why}: {n} row', '{why}: {n} rows', { why });

/** What was not taken of an import, the most first. */
export const notTakenWords = (notTaken: Import['not_taken']): { reason: string; words: string }[] =>
  Object.entries(notTaken)
    .sort(([, one], [, other]) => other - one)
    .map(([reason, count]) => {
      const why = (REASONS as Record<string, string>)[reason] ?? AT_THE_DOOR[reason] ?? explainDrop(reason).label;
      return { reason, words: rowsWords(why, count) };
    });

export const keptWords = (days: number): string =>
  tn(
    days,
    '{n} of these days has numbers of its own: it keeps them.',
    '{n} of these days have numbers of their own: they keep them.',
  );

/** `chosen`: of the days, those on which the import takes their place. */
export function replacedWords(days: number, chosen: number): string {
  if (chosen === days)
    return tn(
      days,
      '{n} of these days has numbers of its own: the import takes their place. A day with payments keeps its own numbers.',
      '{n} of these days have numbers of their own: the import takes their place. A day with payments keeps its own numbers.',
    );
  return tn(
    days,
    '{n} of these days has numbers of its own: the import takes the place of {chosen}. A day with payments keeps its own numbers.',
    '{n} of these days have numbers of their own: the import takes the place of {chosen} of them. A day with payments keeps its own numbers.',
    { chosen: fullNumber(chosen) },
  );
}

/** Which days earlier imports have, by their files. */
export function importedWords(imported: TakenDays['imported']): string {
  const days = imported.reduce((sum, one) => sum + one.days.length, 0);
  return tn(
    days,
    '{n} of these days is imported already, from {files}. Which import counts for it?',
    '{n} of these days are imported already, from {files}. Which import counts for them?',
    { files: listOf(imported.map(({ file }) => isolated(file))) },
  );
}

/** Why none of the days can be imported, in a sentence. A sealed export without days brings what people have set up. */
export function troubleOfDays(days: Found['days'], now: number, { isSealed = false } = {}): string | undefined {
  if (!days) return isSealed ? undefined : t('There is no day to import in this file.');
  if (days.from < EARLIEST_IMPORT)
    return t('The file has days from {day} on. They must not be before {earliest}. Check which column is the day.', {
      day: date(days.from),
      earliest: date(EARLIEST_IMPORT),
    });
  return days.to > dayOf(now + DAY_MS)
    ? t('The file has days up to {day}. Days in the future cannot be imported. Check which column is the day.', {
        day: date(days.to),
      })
    : undefined;
}

/** A line about an import: its product, what it brought, and when. */
export function importWords(one: Import): string {
  const { format, brought, not_taken, ai_visits } = one;
  const left = Object.values(not_taken).reduce((sum, count) => sum + count, 0);
  return [
    productOf(format),
    ...(brought
      ? [
          dateRange(brought.first_day, brought.last_day),
          tn(brought.pageviews, '{n} page view', '{n} page views'),
          brought.visitors === null ? t('Visitors: –') : tn(brought.visitors, '{n} visitor', '{n} visitors'),
          ...(ai_visits > 0 ? [tn(ai_visits, '{n} AI visit', '{n} AI visits')] : []),
        ]
      : []),
    ...(left > 0 ? [tn(left, '{n} row left out', '{n} rows left out')] : []),
    whenWords(one),
  ].join(' · ');
}

/** When something was imported, and who did it. Nobody knows that of imports from before it was kept. */
function whenWords({ actor, by, created_at }: Import): string {
  const on = date(Date.parse(created_at));
  if (actor === null) return t('Imported on {date}', { date: on });
  if (actor === 'operator') return t('Imported on {date} by the command line', { date: on });
  return by === null
    ? t('Imported on {date} by a former member', { date: on })
    : t('Imported on {date} by {who}', { date: on, who: isolated(by) });
}

/** A name for files that are imported together. */
export function fileWords(names: readonly string[]): string {
  const [first = ''] = names;
  const name = first.length > 150 ? `${first.slice(0, 149)}…` : first;
  const others = names.length - 1;
  return others > 0 ? tn(others, '{name} and {n} other file', '{name} and {n} other files', { name }) : name;
}

type Month = Found['months'][number];
const monthAfter = (month: string): string => {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return dayOf(Date.UTC(year, number, 1)).slice(0, 7);
};

/** All months from the first to the last: those without numbers have zeros. */
export function withGaps(months: readonly Month[]): Month[] {
  const known = new Map(months.map((one) => [one.month, one]));
  const all: Month[] = [];
  const last = months.at(-1)?.month ?? '';
  for (let month = months[0]?.month ?? ''; month !== '' && month <= last; month = monthAfter(month))
    all.push(known.get(month) ?? { month, pageviews: 0, visitors: 0 });
  return all;
}
