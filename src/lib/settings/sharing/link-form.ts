// A share link as its form has it, and in words.
import { t, texts, tn } from '../../../../server/vocabulary/habits/messages.ts';
import {
  type LinkDays,
  type LinkPeriod,
  type LinkRules,
  NO_RULES,
  type Part,
  PART_NAMES,
} from '../../../../server/vocabulary/settings/share-links.ts';
import { periodWords, utcWords } from '../../../../server/vocabulary/settings/link-words.ts';
import { FEWEST } from '../../../../server/vocabulary/settings/privacy.ts';
import { DAY_MS, dayOf } from '../../../../server/vocabulary/time/time.ts';
import type { Asks, ShareLink } from '../../api/types.ts';
import { ago, date } from '../../formats/format.ts';

export const THEMES = texts({ own: 'The reader’s own', light: 'Light', dark: 'Dark' });
export const SPANS = texts({ any: 'Any time', last: 'The last days', dates: 'Fixed dates' });

export type LinkForm = {
  name: string;
  note: string;
  /** A new password; '' leaves it as it is. */
  password: string;
  /** Takes the password away. */
  isOpen: boolean;
  /** The last day on which the link works, in UTC; '' for ever. */
  until: string;
  filters: LinkRules['filters'];
  span: keyof typeof SPANS;
  days: number;
  from: string;
  to: string;
  timezone: LinkDays;
  parts: Part[];
  fewest: number;
  properties: boolean;
  credit: boolean;
  /** Websites that may show it in a frame, with commas between them. */
  embeddedOn: string;
  theme: keyof typeof THEMES;
  /** In which language, and by whose habits, it is written, such as de or de-DE; '' for the reader's own. Its address says it, so a link that exists has none. */
  lang: string;
  /** Made in the dialog that arranges dashboards. */
  arrangement: ShareLink['looks']['arrangement'];
  isPublic: boolean;
  isIndexed: boolean;
};

type Content = Omit<Asks['shares']['create'], 'site_id'>;

/** `link`: one to change or to copy; without it the form is that of a new one. */
export function formOf(link?: ShareLink): LinkForm {
  const { rules = NO_RULES } = link ?? {};
  const { period } = rules;
  return {
    name: link?.name ?? '',
    note: link?.note ?? '',
    password: '',
    isOpen: false,
    until: link?.expires_at ? dayOf(link.expires_at - 1) : '',
    filters: rules.filters,
    span: spanOf(period),
    days: period && 'days' in period ? period.days : 30,
    from: period && 'date_from' in period ? period.date_from : '',
    to: period && 'date_to' in period ? period.date_to : '',
    timezone: rules.timezone,
    parts: rules.parts ?? [...PART_NAMES],
    fewest: link?.shows.fewest ?? FEWEST,
    properties: link?.shows.properties ?? false,
    credit: link?.shows.credit ?? true,
    embeddedOn: link?.shows.embedded_on.join(', ') ?? '',
    theme: link?.looks.theme ?? 'own',
    lang: '',
    arrangement: link?.looks.arrangement,
    isPublic: link?.public ?? false,
    isIndexed: link?.indexed ?? false,
  };
}

const spanOf = (period: LinkPeriod | null): LinkForm['span'] => {
  if (!period) return 'any';
  return 'days' in period ? 'last' : 'dates';
};

function periodOf({ span, days, from, to }: LinkForm): LinkPeriod | null {
  if (span === 'any') return null;
  return span === 'last' ? { days } : { date_from: from, date_to: to };
}

/** What viewers see. */
export const shownOf = (form: LinkForm) => ({
  shows: {
    properties: form.properties,
    fewest: form.fewest,
    credit: form.credit,
    embedded_on: form.embeddedOn.split(/[\s,]+/).filter(Boolean),
  },
  rules: {
    filters: form.filters,
    period: periodOf(form),
    parts: form.parts.length === PART_NAMES.length ? null : form.parts,
    timezone: form.timezone,
  },
  looks: { theme: form.theme === 'own' ? null : form.theme, arrangement: form.arrangement },
});

/** `hasPublic`: this server has public dashboards. Without them, a link stays what it is. */
export function contentOf(form: LinkForm, { hasPublic }: { hasPublic: boolean }): Content {
  const { isOpen, password, until, isPublic, isIndexed } = form;
  return {
    name: form.name.trim() || t('Shared link'),
    note: form.note,
    ...shownOf(form),
    expires_at: until === '' ? null : Date.parse(until) + DAY_MS,
    ...(hasPublic && { public: isPublic, indexed: isPublic && isIndexed }),
    ...(isOpen ? { password: null } : password !== '' && { password }),
  };
}

/** True for a form that says which days. */
export const isComplete = ({ span, days, from, to }: LinkForm): boolean =>
  span === 'dates' ? from !== '' && to !== '' && from <= to : span !== 'last' || days >= 1;

function untilWords(time: number, now: number): string {
  const last = date(time - 1);
  return time <= now ? t('expired {date}', { date: last }) : t('until {date}', { date: last });
}

/** What a link shows, in a few words each. */
export function linkWords({ shows, rules, has_password, expires_at, paused }: ShareLink, now: number): string[] {
  const { filters, period, parts, timezone } = rules;
  return [
    ...(paused ? [t('paused')] : []),
    ...(expires_at ? [untilWords(expires_at, now)] : []),
    ...(has_password ? [t('with a password')] : []),
    ...(filters.length > 0 ? [tn(filters.length, '{n} filter', '{n} filters')] : []),
    ...(period ? [periodWords(period)] : []),
    ...(parts ? [t('{some} of {all} parts', { some: parts.length, all: PART_NAMES.length })] : []),
    ...(timezone === 'UTC' ? [utcWords()] : []),
    ...(shows.properties ? [t('with properties')] : []),
    ...(shows.fewest === 1 ? [t('with exact numbers')] : []),
    ...(shows.fewest !== 1 && shows.fewest !== FEWEST ? [t('groups of {visitors}', { visitors: shows.fewest })] : []),
    ...(shows.credit ? [] : [t('without “Counted by Footfall”')]),
    ...(shows.embedded_on.length > 0 ? [t('in frames of {websites}', { websites: shows.embedded_on.join(', ') })] : []),
  ];
}

/** Days whose openings are drawn. */
const DRAWN_DAYS = 30;

/** How often a link was opened on each of the last days, today last. */
export function viewsByDay({ uses: { views } }: ShareLink, now: number): number[] {
  const counted = new Map(views.map((one) => [one.day, one.views]));
  return Array.from({ length: DRAWN_DAYS }, (_, n) => counted.get(dayOf(now - (DRAWN_DAYS - 1 - n) * DAY_MS)) ?? 0);
}

/** When and how often a link was opened. */
export function useWords(link: ShareLink, now: number): string {
  const { last_used_at } = link.uses;
  if (last_used_at === null) return t('not opened yet');
  const opened = viewsByDay(link, now).reduce((sum, views) => sum + views, 0);
  return tn(opened, 'opened once in {days} days, last {when}', 'opened {n} times in {days} days, last {when}', {
    days: DRAWN_DAYS,
    when: ago(last_used_at, now),
  });
}
