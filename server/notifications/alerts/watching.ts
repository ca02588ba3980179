// Follows the hours of one traffic alert: when an incident begins, and when it is over. The job does it hour by hour as they end, the
// preview and the simulation over past hours.
import type { TrafficKind } from '../../vocabulary/settings/alerts.ts';
import { calmSince, isCalm, judge, type Seen, spikeLimit, type Watch } from './detection.ts';

/** Hours are numbered from the epoch. */
export type Incident = {
  kind: TrafficKind;
  /** The first unusual hour. */
  since: number;
  /** The hour at whose end it was noticed. */
  at: number;
  /** The first hour that was usual again; null while it lasts. */
  until: number | null;
  value: number;
  expected: number;
};

/**
 * Returns the incident after `hour` has ended: a new one, the open one with the hour added, or the same with its end. Call it for each hour
 * in turn.
 */
export function followHour(watch: Watch, hour: number, open: Incident | undefined, seen: Seen): Incident | undefined {
  if (!open) {
    const judged = judge(watch, hour, seen);
    return judged && { kind: watch.kind, ...judged, at: hour, until: null };
  }
  const isFirst = hour === open.since; // a spike may begin before its first hour has ended
  if (isFirst || !isCalm(watch, hour, seen)) {
    const [value, expected] = [seen.hour(hour), seen.baseline.of(hour)?.expected ?? 0];
    return isFirst
      ? { ...open, value, expected }
      : { ...open, value: open.value + value, expected: open.expected + expected };
  }
  const until = Math.max(open.since + 1, calmSince(watch.kind, hour));
  let { value, expected } = open;
  for (let at = until; at < hour; at++) {
    value -= seen.hour(at);
    expected -= seen.baseline.of(at)?.expected ?? 0;
  }
  return { ...open, value, expected, until };
}

/** Returns a spike that can be told before the hour is over: its count already is one. */
export function noticeSpike(watch: Watch, hour: number, seen: Seen): Incident | undefined {
  const usual = hour >= seen.judgedSince ? seen.baseline.of(hour) : undefined;
  const value = seen.hour(hour);
  if (watch.kind !== 'spike' || !usual || value < spikeLimit(usual, watch.sensitivity)) return undefined;
  return { kind: 'spike', since: hour, at: hour, until: null, value, expected: usual.expected };
}

/** Follows all hours of a half-open range. */
export function watchHours(watch: Watch, { from, to }: { from: number; to: number }, seen: Seen): Incident[] {
  const incidents: Incident[] = [];
  let open: Incident | undefined;
  for (let hour = from; hour < to; hour++) {
    const judgedSince = Math.max(seen.judgedSince, incidents.at(-1)?.until ?? 0);
    open = followHour(watch, hour, open, { ...seen, judgedSince });
    if (!open || open.until === null) continue;
    incidents.push(open);
    open = undefined;
  }
  return open ? [...incidents, open] : incidents;
}
