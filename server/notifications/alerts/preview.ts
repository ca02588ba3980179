// How often an alert would have told something in the last 30 days, worked out from what was counted then, by the functions that the jobs use.
import { Refusal } from '../../errors.ts';
import type { Directory } from '../../directory/open.ts';
import { newMentions } from '../../integrations/mentions/stored.ts';
import { goals } from '../../sites/definitions/goals.ts';
import { listNotes } from '../../sites/definitions/notes.ts';
import type { Site } from '../../sites/sites.ts';
import { dayNumberOf, hourOf } from '../../stats/answers/alert-counts.ts';
import type { Stats } from '../../stats/run.ts';
import { isTrafficKind, LEAST_WEEKS, USUAL_WEEKS } from '../../vocabulary/settings/alerts.ts';
import { DAY_MS, HOUR_MS } from '../../vocabulary/time/time.ts';
import { UTC } from '../../vocabulary/time/zones.ts';
import { LOOKS_BACK_HOURS, openBaseline } from './detection.ts';
import type { AlertContent } from './rules.ts';
import { askedBy, judgeLimit } from './limits.ts';
import { withReleases } from './new-errors.ts';
import { neededDays } from './traffic.ts';
import { watchHours } from './watching.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const DAYS = 30;
const SILENT_HOURS = 24;

type Preview = {
  /** How often the alert would have told something. */
  times: number;
  /** When a traffic alert begins to work on this site, if that is still to come. */
  works_from: number | null;
};

type Parts = {
  directory: Directory;
  stats: Pick<Stats, 'hours' | 'dayViews' | 'counts' | 'newAgents' | 'arrivals' | 'limitedHours' | 'newErrors'>;
};
type Asked = { site: Site; content: AlertContent };

export async function previewAlert(parts: Parts, { site, content }: Asked, now: number): Promise<Preview> {
  const { stats } = parts;
  const from = now - DAYS * DAY_MS;
  switch (content.kind) {
    case 'spike':
    case 'drop':
      return previewTraffic(parts, { site, content }, now);
    case 'silent':
      return { times: await silences(parts, site, now), works_from: null };
    case 'new_agent':
      return { times: (await stats.newAgents([site.id], { from, to: now + 1 })).length, works_from: null };
    case 'mention': {
      const found = await newMentions(parts.directory, { siteIds: [site.id], from, to: now + 1 });
      return { times: found.length, works_from: null };
    }
    case 'speed':
    case 'errors':
      return { times: await timesAbove(parts, { site, content }, now), works_from: null };
    case 'new_error': {
      const releases = await listNotes(parts.directory, { siteId: site.id, isShared: false, kind: 'release' });
      const found = await stats.newErrors([site.id], { from, to: now + 1 });
      return { times: withReleases(found, releases, site.timezone ?? UTC).length, works_from: null };
    }
    case 'goal':
    case 'payment': {
      const counted = { id: 'preview', siteId: site.id, what: await countedBy(parts, { site, content }), from };
      const count = (await stats.counts([counted], now + 1)).get('preview');
      const isFirstOfDay = content.kind === 'goal' && content.telling === 'first_of_day';
      return { times: (isFirstOfDay ? count?.days : count?.count) ?? 0, works_from: null };
    }
  }
}

async function countedBy({ directory }: Parts, { site, content }: Asked) {
  if (content.kind === 'payment') return { maxAmount: site.max_amount, currency: site.currency };
  const own = await goals.list(directory, { siteId: site.id });
  const goal = own.find(({ id }) => id === content.goal_id);
  if (!goal) throw new Refusal('bad_request', t('goal_id: There is no such goal on this site.'));
  return { goal };
}

/** Judged at the end of each hour. */
async function timesAbove({ stats }: Parts, { site, content }: Asked, now: number): Promise<number> {
  const asked = askedBy(content, site.id);
  if (!asked) return 0;
  const [start, end] = [hourOf(now) - DAYS * 24, hourOf(now)];
  const range = { from: start * HOUR_MS, to: end * HOUR_MS };
  const figures = await stats.limitedHours(asked, range);
  let [times, isOpen] = [0, false];
  for (let hour = start; hour < end; hour++) {
    const judged = judgeLimit(content, isOpen, figures.get(hour));
    if (judged === 'begins') times += 1;
    if (judged) isOpen = judged === 'begins';
  }
  return times;
}

async function previewTraffic({ stats }: Parts, { site, content }: Asked, now: number): Promise<Preview> {
  const { kind, sensitivity, metric } = content;
  if (!isTrafficKind(kind)) return { times: 0, works_from: null };
  const end = hourOf(now);
  const start = end - DAYS * 24;
  const since = (start - USUAL_WEEKS * 7 * 24 - LOOKS_BACK_HOURS - 1) * HOUR_MS;
  const [hours, days, { first_event_at: first }] = await Promise.all([
    stats.hours([site.id], [{ from: since, to: end * HOUR_MS }]),
    stats.dayViews([site.id], { from: neededDays(start).from, to: neededDays(end).to }),
    stats.arrivals(site.id),
  ]);
  const hour = (at: number) => hours.get(site.id)?.get(at)?.[metric] ?? 0;
  const day = (at: number) => days.get(site.id)?.get(at) ?? 0;
  const baseline = openBaseline({ hour, day, zone: site.timezone ?? UTC });
  const found = watchHours({ kind, sensitivity }, { from: start, to: end }, { baseline, hour, judgedSince: 0 });
  // The first of the weeks counts once most of its days are there.
  const worksFrom = first === null ? null : first + (LEAST_WEEKS * 7 + 5) * DAY_MS;
  return { times: found.length, works_from: worksFrom !== null && worksFrom > now ? worksFrom : null };
}

/** Spans of at least 24 hours without any page view, after page views on most days of the week before. */
async function silences({ stats }: Parts, { id }: Site, now: number): Promise<number> {
  const from = now - (DAYS + 8) * DAY_MS;
  const hours = [...((await stats.hours([id], [{ from, to: now + 1 }])).get(id) ?? [])]
    .filter(([, { pageviews }]) => pageviews > 0)
    .map(([hour]) => hour)
    .toSorted((one, other) => one - other);
  const days = new Set(hours.map((hour) => dayNumberOf(hour * HOUR_MS)));
  const isUsual = (hour: number) =>
    [...days].filter((day) => day > dayNumberOf(hour * HOUR_MS) - 7 && day <= dayNumberOf(hour * HOUR_MS)).length >= 5;
  return hours.filter((hour, index) => {
    const next = hours[index + 1] ?? hourOf(now);
    return next - hour > SILENT_HOURS && next * HOUR_MS > now - DAYS * DAY_MS && isUsual(hour);
  }).length;
}
