// What a share link shows and until when, in words.
import { listOf, plural } from '../habits/formatters.ts';
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
export const UTC_WORDS = 'in UTC days';

export function periodWords(period: LinkPeriod): string {
  if ('days' in period) return plural(period.days, 'the last day', `the last ${period.days} days`);
  return dateRange(period.date_from, period.date_to);
}

function partWords(parts: readonly Part[]): string {
  const hidden = PART_NAMES.filter((part) => !parts.includes(part));
  const names = (of: readonly Part[]) => listOf(of.map((part) => PARTS[part]));
  if (parts.length === 0) return 'only figures and their chart';
  return hidden.length <= MOST_HIDDEN ? `without ${names(hidden)}` : `only ${names(parts)}`;
}

function shownWords({ shows, rules }: Link, { segments, show }: Wording): string {
  const { filters, period, parts, timezone } = rules;
  const nameOf = (dimension: string, value: string) =>
    dimension === SEGMENT ? (segments.get(value) ?? 'a deleted segment') : undefined;
  const narrowed = [
    ...(filters.length > 0
      ? [`only visits where ${filters.map((filter) => wordsOfFilter(filter, { nameOf, show })).join(', and ')}`]
      : []),
    ...(period ? [`only ${periodWords(period)}`] : []),
    ...(parts && parts.length < PART_NAMES.length ? [partWords(parts)] : []),
    ...(timezone === 'UTC' ? [UTC_WORDS] : []),
  ];
  const isExact = shows.fewest === 1;
  if (narrowed.length === 0 && isExact && shows.properties) return 'Sees everything';
  const more = [
    ...narrowed,
    ...(isExact ? ['exact numbers'] : []),
    ...(shows.fewest > FEWEST ? [`no narrowed numbers of fewer than ${shows.fewest} visitors`] : []),
    ...(shows.properties ? ['with event properties'] : []),
  ];
  return ['Sees the dashboard', ...(more.length > 0 ? [more.join('; ')] : [])].join(': ');
}

/** Such as "Sees the dashboard: only visits where Country is Germany; only the last 30 days · asks for a password · until 3 Mar 2027". */
export function linkSentence(link: Link, wording: Wording): string {
  const { shows, expires_at, has_password, paused } = link;
  return [
    shownWords(link, wording),
    ...(link.public ? ['open to everybody, by the domain'] : []),
    ...(shows.embedded_on.length > 0 ? [`in frames of ${listOf(shows.embedded_on)}`] : []),
    ...(has_password ? ['asks for a password'] : []),
    ...(paused ? ['paused'] : []),
    ...(expires_at === null ? [] : [`${expires_at <= wording.now ? 'expired' : 'until'} ${date(expires_at - 1)}`]),
  ].join(' · ');
}
