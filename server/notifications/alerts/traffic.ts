// Watches traffic: spikes and drops hour by hour, spikes also before the hour is over, and sites that fell silent. Two queries for all sites
// when an hour has ended, and one every five minutes within it.
import type { Billing } from '../../config.ts';
import type { Directory } from '../../directory/open.ts';
import type { Queue } from '../../queue/queue.ts';
import { dayNumberOf, hourOf, type Hours } from '../../stats/answers/alert-counts.ts';
import type { Stats } from '../../stats/run.ts';
import { isTrafficKind, TRAFFIC_KINDS, USUAL_WEEKS } from '../../vocabulary/settings/alerts.ts';
import type { Facts } from '../../vocabulary/settings/alert-words.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../vocabulary/time/time.ts';
import {
  type Baseline,
  LOOKS_BACK_HOURS,
  openBaseline,
  type Seen,
  type Traffic,
  type Usual,
  type Watch,
} from './detection.ts';
import { addIncident, changeIncident, lastEnds, openIncidents, readFacts, type StoredIncident } from './incidents.ts';
import { sitesOf, type Watched, watchedAlerts } from './watched.ts';
import { followHour, type Incident, noticeSpike } from './watching.ts';

type Parts = {
  directory: Directory;
  stats: Pick<Stats, 'hours' | 'dayViews' | 'driverBetween' | 'newAgents'>;
  queue: Pick<Queue, 'status'>;
  billing: Billing;
};

/** An hour is judged this long after its end, once the queue holds none of its events. */
const SETTLES_MS = 5 * MINUTE_MS;
/** After a longer pause of the job the server was down, and the hours of the pause lack events. */
const GAP_MS = 15 * MINUTE_MS;
const WEEK_HOURS = 7 * 24;
/** Days whose size tells the level: eight weeks, and the seven days before. */
const LEVEL_DAYS = (USUAL_WEEKS + 1) * 7 + 2;
/** A site is silent after a day, if it had page views on most days of the week before. */
const SILENT_MS = DAY_MS;
const USUAL_DAYS = 5;
/** Agents that came for the first time longer ago than this are no news. */
const AGENT_NEWS_MS = 2 * DAY_MS;

type Turn = { now: number; period: { from: number; to: number } };

type TrafficWatch = { run(turn: Turn): Promise<void> };

export function openTrafficWatch(parts: Parts): TrafficWatch {
  /** What is usual in the present hour, by alert: known from the moment at which the last hour was judged. */
  let present: { hour: number; usuals: Map<string, Usual> } = { hour: -1, usuals: new Map() };
  /** When this process last tried. The period also grows while the job fails, and events are recorded meanwhile. */
  let triedAt: number | undefined;
  return {
    run: async ({ now, period }) => {
      const { directory, billing } = parts;
      // Another process may have done the job in between.
      const lastRun = Math.max(period.from, triedAt ?? period.from);
      triedAt = now;
      await endFuture(directory, now);
      await noteGaps(directory, { now, wasDown: period.to - lastRun > GAP_MS });
      const watched = await watchedAlerts(
        directory.db,
        { kinds: [...TRAFFIC_KINDS, 'silent', 'new_agent'], billing },
        now,
      );
      await watchSilence(
        parts,
        watched.filter(({ alert }) => alert.kind === 'silent'),
        now,
      );
      const traffic = watched.filter(({ alert }) => isTrafficKind(alert.kind));
      const isNewHour = present.hour !== hourOf(now) && (await isSettled(parts, now));
      if (isNewHour) {
        await watchAgents(
          parts,
          watched.filter(({ alert }) => alert.kind === 'new_agent'),
          now,
        );
        present = { hour: hourOf(now), usuals: await judgeHours(parts, traffic, now) };
      } else if (present.hour === hourOf(now))
        await noticeSpikes(parts, { watched: traffic, usuals: present.usuals }, now);
    },
  };
}

/**
 * A clock that was ahead has set the time since when alerts are watched. Once the clock is set back, neither that nor what was noticed then
 * may keep an alert from noticing anything until that time has come.
 */
async function endFuture({ db }: Directory, now: number): Promise<void> {
  const ahead = db
    .updateTable('alerts')
    .set({ watched_since: now })
    .where('watched_since', '>', now + GAP_MS);
  if ((await ahead.executeTakeFirst()).numUpdatedRows === 0n) return;
  await db.deleteFrom('incidents').where('started_at', '>', now).where('ended_at', 'is', null).execute();
  await db.updateTable('incidents').set({ ended_at: now }).where('ended_at', '>', now).execute();
}

/** Hours in which nothing was recorded, because the server was down or the site was paused, are not judged. */
async function noteGaps({ db }: Directory, { now, wasDown }: { now: number; wasDown: boolean }): Promise<void> {
  const changed = db.updateTable('alerts').set({ watched_since: now });
  const idle = db
    .selectFrom('sites')
    .select('id')
    .where((site) => site.or([site('paused', '=', 1), site('lost_at', 'is not', null)]));
  await (wasDown ? changed : changed.where('site_id', 'in', idle)).execute();
}

async function isSettled({ queue }: Parts, now: number): Promise<boolean> {
  const start = hourOf(now) * HOUR_MS;
  return now >= start + SETTLES_MS && ((await queue.status()).oldestAt ?? now) >= start;
}

/** The hours that judging the last ones needs, now and in each of the past weeks. Clocks differ by up to an hour in other weeks. */
export function neededHours(hour: number): { from: number; to: number }[] {
  return Array.from({ length: USUAL_WEEKS + 1 }, (_, week) => {
    const same = hour - week * WEEK_HOURS;
    return { from: (same - LOOKS_BACK_HOURS - 1) * HOUR_MS, to: (same + 2) * HOUR_MS };
  });
}

/** The days that tell the level of the hours from `hour` on. */
export const neededDays = (hour: number): { from: number; to: number } => {
  const today = dayNumberOf(hour * HOUR_MS);
  return { from: (today - LEVEL_DAYS) * DAY_MS, to: (today + 1) * DAY_MS };
};

type Counts = { hours: Hours; days: Awaited<ReturnType<Stats['dayViews']>> };

function trafficOf({ alert, site, zone }: Watched, { hours, days }: Counts): Traffic {
  const [ofHours, ofDays] = [hours.get(site.id), days.get(site.id)];
  return {
    hour: (hour) => ofHours?.get(hour)?.[alert.metric] ?? 0,
    day: (day) => ofDays?.get(day) ?? 0,
    zone,
  };
}

function watchOf({ alert }: Watched): Watch | undefined {
  return isTrafficKind(alert.kind) ? { kind: alert.kind, sensitivity: alert.sensitivity } : undefined;
}

/** Judges the hours that have ended, and returns what is usual in the present one. */
async function judgeHours(parts: Parts, watched: readonly Watched[], now: number): Promise<Map<string, Usual>> {
  const usuals = new Map<string, Usual>();
  if (watched.length === 0) return usuals;
  const { directory, stats } = parts;
  const [sites, ids] = [sitesOf(watched), watched.map(({ alert }) => alert.id)];
  const hour = hourOf(now);
  const [hours, days, open, ends] = await Promise.all([
    stats.hours(sites, neededHours(hour)),
    stats.dayViews(sites, neededDays(hour)),
    openIncidents(directory.db, ids),
    lastEnds(directory.db, ids),
  ]);
  const baselines = new Map<string, Baseline>();
  for (const one of watched) {
    const traffic = trafficOf(one, { hours, days });
    const key = `${one.site.id} ${one.alert.metric}`;
    const baseline = baselines.get(key) ?? openBaseline(traffic);
    baselines.set(key, baseline);
    const judgedSince = Math.ceil(Math.max(one.row.watched_since, ends.get(one.alert.id) ?? 0) / HOUR_MS);
    const seen: Seen = { baseline, hour: traffic.hour, judgedSince };
    const stored = open.get(one.alert.id);
    await followStored(parts, { one, seen, stored }, now);
    const usual = baseline.of(hour);
    if (usual && !stored) usuals.set(one.alert.id, usual);
  }
  return usuals;
}

type Following = { one: Watched; seen: Seen; stored: StoredIncident | undefined };

async function followStored(parts: Parts, { one, seen, stored }: Following, now: number): Promise<void> {
  const watch = watchOf(one);
  if (!watch) return;
  const last = hourOf(now) - 1;
  if (!stored) {
    const begun = followHour(watch, last, undefined, seen);
    if (begun) await begin(parts, { one, incident: begun, countedTo: last + 1 }, now);
    return;
  }
  const facts = readFacts(stored);
  let incident: Incident | undefined = {
    kind: watch.kind,
    since: hourOf(stored.started_at),
    at: last,
    until: null,
    value: facts.value ?? 0,
    expected: facts.expected ?? 0,
  };
  // Hours that were missed for longer than is looked back are not in the sum.
  const from = Math.max(facts.counted_to ?? last, last - LOOKS_BACK_HOURS / 2);
  for (let hour = from; hour <= last && incident?.until === null; hour++)
    incident = followHour(watch, hour, incident, seen);
  if (!incident) return;
  const { value, expected, until } = incident;
  const changed: Facts = { ...facts, value, expected: Math.round(expected), counted_to: last + 1 };
  await changeIncident(parts.directory.db, stored.id, {
    facts: until === null ? changed : { ...changed, cause: await causeOf(parts, one, incident, now) },
    ended_at: until === null ? null : until * HOUR_MS,
  });
}

type Begun = { one: Watched; incident: Incident; countedTo: number };

async function begin(parts: Parts, { one, incident, countedTo }: Begun, now: number): Promise<void> {
  const { alert, site } = one;
  const { kind, since, value, expected } = incident;
  const facts: Facts = {
    metric: alert.metric,
    value,
    expected: Math.round(expected),
    counted_to: countedTo,
    cause: await causeOf(parts, one, incident, now),
  };
  await addIncident(
    parts.directory.db,
    {
      alert_id: alert.id,
      site_id: site.id,
      key: `${kind} ${since}`,
      started_at: since * HOUR_MS,
      ended_at: null,
      facts,
    },
    now,
  );
}

/**
 * The value that moved most against the same hours of last week. It is only an addition: an incident is told without it too, and if last
 * week was even more unusual, so that the value moved the other way.
 */
async function causeOf(
  { stats }: Parts,
  { alert, site }: Watched,
  incident: Incident,
  now: number,
): Promise<Facts['cause']> {
  const range = {
    from: incident.since * HOUR_MS,
    to: Math.min(now + 1, (incident.until ?? incident.at + 1) * HOUR_MS),
  };
  const before = { from: range.from - WEEK_HOURS * HOUR_MS, to: range.to - WEEK_HOURS * HOUR_MS };
  const asked = stats.driverBetween(alert.metric, { siteId: site.id, site }, { now: range, before });
  const driver = await asked.catch(() => null);
  if (!driver || driver.value > driver.previous !== (incident.kind === 'spike')) return null;
  return { dimension: driver.dimension, name: driver.name };
}

/** Spikes that can be told before their hour is over: the visitors so far are enough. */
async function noticeSpikes(
  parts: Parts,
  { watched, usuals }: { watched: readonly Watched[]; usuals: Map<string, Usual> },
  now: number,
): Promise<void> {
  const waiting = watched.filter(({ alert }) => alert.kind === 'spike' && usuals.has(alert.id));
  if (waiting.length === 0) return;
  const hour = hourOf(now);
  const [hours, ends] = await Promise.all([
    parts.stats.hours(sitesOf(waiting), [{ from: hour * HOUR_MS, to: now + 1 }]),
    lastEnds(
      parts.directory.db,
      waiting.map(({ alert }) => alert.id),
    ),
  ]);
  for (const one of waiting) {
    const { hour: count } = trafficOf(one, { hours, days: new Map() });
    const baseline = { of: () => usuals.get(one.alert.id) };
    const judgedSince = Math.ceil(Math.max(one.row.watched_since, ends.get(one.alert.id) ?? 0) / HOUR_MS);
    const watch = watchOf(one);
    const spike = watch && noticeSpike(watch, hour, { baseline, hour: count, judgedSince });
    if (!spike) continue;
    await begin(parts, { one, incident: spike, countedTo: hour }, now);
    usuals.delete(one.alert.id);
  }
}

async function watchSilence({ directory, stats }: Parts, watched: readonly Watched[], now: number): Promise<void> {
  const { db } = directory;
  const open = await openIncidents(
    db,
    watched.map(({ alert }) => alert.id),
  );
  for (const { alert, site } of watched) {
    const incident = open.get(alert.id);
    const last = site.last_event_at ?? 0;
    if (incident && last > incident.started_at)
      await changeIncident(db, incident.id, { facts: readFacts(incident), ended_at: last });
  }
  const silent = watched.filter(({ alert, row, site }) => {
    const last = site.last_event_at;
    return !open.has(alert.id) && last !== null && last <= now - SILENT_MS && row.watched_since <= now - SILENT_MS;
  });
  if (silent.length === 0) return;
  const first = Math.min(...silent.map(({ site }) => site.last_event_at ?? now));
  const days = await stats.dayViews(sitesOf(silent), { from: first - 8 * DAY_MS, to: now + DAY_MS });
  for (const { alert, site } of silent) {
    const last = site.last_event_at ?? 0;
    const before = [...(days.get(site.id) ?? [])].filter(
      ([day]) => day > dayNumberOf(last) - 7 && day <= dayNumberOf(last),
    );
    if (before.length < USUAL_DAYS) continue;
    const incident = { alert_id: alert.id, site_id: site.id, key: `silent ${last}`, started_at: last, ended_at: null };
    await addIncident(db, { ...incident, facts: {} }, now);
  }
}

async function watchAgents({ directory, stats }: Parts, watched: readonly Watched[], now: number): Promise<void> {
  if (watched.length === 0) return;
  const found = await stats.newAgents(sitesOf(watched), { from: now - AGENT_NEWS_MS, to: now + 1 });
  const bySite = Map.groupBy(found, ({ site_id }) => site_id);
  for (const { alert, row, site } of watched)
    for (const { agent, provider, first } of bySite.get(site.id) ?? []) {
      if (first < row.counted_from) continue;
      const incident = {
        alert_id: alert.id,
        site_id: site.id,
        key: `agent ${agent}`,
        started_at: first,
        ended_at: first,
      };
      await addIncident(directory.db, { ...incident, facts: { name: agent, provider } }, now);
    }
}
