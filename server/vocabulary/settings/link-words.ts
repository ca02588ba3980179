// What a share link shows and until when, in words.
import { listOf } from '../habits/formatters.ts';
import { t, tn } from '../habits/messages.ts';
import { date, dateRange } from '../numbers/format.ts';
import { wordsOfFilter } from '../questions/filter-words.ts';
import { SEGMENT } from '../questions/segments.ts';
import { FEWEST } from './privacy.ts';
import { type LinkPeriod, type LinkRules, type Part, PART_NAMES, PARTS } from './share-links.ts';

/** As much of a link as the words are about. */
type Link = {
  shows: { properties: boolean; fewest: number; embedded_on: readonly string[] };
  rules: LinkRules;
  has_password: boolean;
  expires_at: number | null;
  paused: boolean;
  public: boolean;
};

type Wording = {
  now: number;
  /** The names of the site's shared segments, by id. */
  segments: ReadonlyMap<string, string>;
  show(text: string): string;
};

/** Hidden parts that are named. Of more, the shown ones are. */
const MOST_HIDDEN = 3;
export const utcWords = (): string => t('in UTC days');

export function periodWords(period: LinkPeriod): string {
  if ('days' in period) return tn(period.days, 'the last day', 'the last {n} days');
  return dateRange(period.date_from, period.date_to);
}

const onlyPeriod = (period: LinkPeriod): string =>
  'days' in period
    ? tn(period.days, 'only the last day', 'only the last {n} days')
    : t('only {dates}', { dates: dateRange(period.date_from, period.date_to) });

function partWords(parts: readonly Part[]): string {
  const hidden = PART_NAMES.filter((part) => !parts.includes(part));
  const names = (of: readonly Part[]) => listOf(of.map((part) => PARTS[part]));
  if (parts.length === 0) return t('only figures and their chart');
  return hidden.length <= MOST_HIDDEN
    ? t('without {parts}', { parts: names(hidden) })
    : t('only {parts}', { parts: names(parts) });
}

function shownWords({ shows, rules }: Link, { segments, show }: Wording): string {
  const { filters, period, parts, timezone } = rules;
  const nameOf = (dimension: string, value: string) =>
    dimension === SEGMENT ? (segments.get(value) ?? t('a deleted segment')) : undefined;
  const conditions = filters.map((filter) => wordsOfFilter(filter, { nameOf, show }));
  const narrowed = [
    ...(conditions.length > 0
      ? [
          t('only visits where {conditions}', {
            conditions: conditions.reduce((one, other) => t('{one}, and {other}', { one, other })),
          }),
        ]
      : []),
    ...(period ? [onlyPeriod(period)] : []),
    ...(parts && parts.length < PART_NAMES.length ? [partWords(parts)] : []),
    ...(timezone === 'UTC' ? [utcWords()] : []),
  ];
  const isExact = shows.fewest === 1;
  if (narrowed.length === 0 && isExact && shows.properties) return t('Sees everything');
  const more = [
    ...narrowed,
    ...(isExact ? [t('exact numbers')] : []),
    ...(shows.fewest > FEWEST
      ? [t('no narrowed numbers of fewer than {fewest} visitors', { fewest: shows.fewest })]
      : []),
    ...(shows.properties ? [t('with event properties')] : []),
  ];
  return more.length > 0 ? t('Sees the dashboard: {parts}', { parts: more.join('; ') }) : t('Sees the dashboard');
}

/** Such as "Sees the dashboard: only visits where Country is Germany; only the last 30 days · asks for a password · until 3 Mar 2027". */
export function linkSentence(link: Link, wording: Wording): string {
  const { shows, expires_at, has_password, paused } = link;
  return [
    shownWords(link, wording),
    ...(link.public ? [t('open to everybody, by the domain')] : []),
    ...(shows.embedded_on.length > 0 ? [t('in frames of {sites}', { sites: listOf(shows.embedded_on) })] : []),
    ...(has_password ? [t('asks for a password')] : []),
    ...(paused ? [t('paused')] : []),
    ...(expires_at === null ? [] : [untilWords(expires_at, wording.now)]),
  ].join(' · ');
}

function untilWords(end: number, now: number): string {
  const day = date(end - 1);
  return end <= now ? t('expired {date}', { date: day }) : t('until {date}', { date: day });
}
