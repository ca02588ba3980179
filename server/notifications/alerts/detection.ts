// Decides when the traffic of an hour is unusual, and when it is usual again. Pure: the caller brings the counts. An hour is compared with
// the same hour of the week in the last eight weeks, each scaled to the site's present level, so growth and seasons are not unusual.
import { LEAST_WEEKS, type Sensitivity, type TrafficKind, USUAL_WEEKS } from '../../vocabulary/settings/alerts.ts';
import { DAY_MS, HOUR_MS } from '../../vocabulary/time/time.ts';
import { wallTime } from '../../vocabulary/time/zones.ts';

/** Hours and days are numbered from the epoch, in UTC. */
export type Traffic = {
  /** What the alert counts, in one hour. */
  hour(hour: number): number;
  /** The size of a day, in any unit that adds up: only ratios of days matter. */
  day(day: number): number;
  /** The zone whose clock tells the hour of the week. */
  zone: string;
};

/** What to expect of an hour. */
export type Usual = { expected: number; spread: number };

export type Baseline = {
  /** Undefined if the site has been counted for fewer than LEAST_WEEKS weeks. */
  of(hour: number): Usual | undefined;
};

const HOURS_OF_DAY = DAY_MS / HOUR_MS;
const DAYS_OF_WEEK = 7;
/** The spread is pooled over this many hours: eight values of one hour alone would say little about it. */
const POOLED_HOURS = 12;
/** The relative spread of a calm site. Quieter ones are as calm as counting at random allows (Poisson). */
const CALM = 0.12;
/** A median absolute deviation times this is the standard deviation of a normal distribution. */
const MAD_TO_DEVIATION = 1.4826;

/** A judgement of an hour reads the counts of this many hours up to it, now and in each of the past weeks. */
export const LOOKS_BACK_HOURS = 24;

/** The windows over which an hour is judged, in hours up to it: small sites need longer to tell an outage from chance. */
const WINDOWS: Record<TrafficKind, readonly number[]> = { spike: [1, 3], drop: [1, 3, 6, 12] };
/** A drop in fewer hours must be clearer by this factor: there are more of them, so more look like a drop by chance. */
const LONG_WINDOW = 12;
const HASTY = 1.45;
/** The longest window, and the hours over which its spread is pooled. */
const LONGEST_WINDOW = 12;

type Thresholds = {
  /** The count divided by the expected one. */
  ratio: number;
  /** The difference, in spreads. */
  spreads: number;
  /** The difference, in visitors or page views. */
  least: number;
};

/** Measured by the simulation: see `bench/alerts.ts`. */
const THRESHOLDS: Record<TrafficKind, Record<Sensitivity, Thresholds>> = {
  spike: {
    large: { ratio: 4, spreads: 8, least: 60 },
    usual: { ratio: 2.5, spreads: 6, least: 25 },
    small: { ratio: 1.5, spreads: 4.5, least: 15 },
  },
  drop: {
    large: { ratio: 0.2, spreads: 5, least: 40 },
    usual: { ratio: 0.58, spreads: 2.8, least: 25 },
    small: { ratio: 0.7, spreads: 2.7, least: 15 },
  },
};

const medianOf = (values: number[]): number => {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
};

const deviationOf = (expected: number, window = 1): number =>
  // A long window evens out some of what makes a single hour differ, but not all: neighbouring hours are alike.
  Math.sqrt(Math.max(1, expected) + ((CALM * expected) ** 2 * (1 + 1 / window)) / 2);

/** Expectations for the hours of one site. Each hour is computed once. */
export function openBaseline(traffic: Traffic): Baseline {
  const hours = new Map<number, { expected: number; residuals: number[] } | undefined>();
  const levels = new Map<number, number>();
  const ahead = openClock(traffic.zone);

  /** The hour at which the zone's clock showed the same weekday and time. */
  const weeksBefore = (hour: number, weeks: number): number => {
    const same = hour - weeks * DAYS_OF_WEEK * HOURS_OF_DAY;
    return same + Math.round(ahead(hour) - ahead(same));
  };
  /** The median of the seven days before a day. */
  const levelBefore = (day: number): number => {
    const known = levels.get(day);
    if (known !== undefined) return known;
    const level = medianOf(Array.from({ length: DAYS_OF_WEEK }, (_, ago) => traffic.day(day - 1 - ago)));
    levels.set(day, level);
    return level;
  };

  const compute = (hour: number) => {
    const today = Math.floor(hour / HOURS_OF_DAY);
    const level = levelBefore(today);
    const samples: number[] = [];
    for (let week = 1; week <= USUAL_WEEKS; week++) {
      const before = levelBefore(today - week * DAYS_OF_WEEK);
      if (before > 0) samples.push((traffic.hour(weeksBefore(hour, week)) * level) / before);
    }
    if (samples.length < LEAST_WEEKS) return undefined;
    const expected = medianOf(samples);
    return { expected, residuals: samples.map((one) => Math.abs(one - expected) / deviationOf(expected)) };
  };
  const read = (hour: number) => {
    if (!hours.has(hour)) hours.set(hour, compute(hour));
    return hours.get(hour);
  };

  const usuals = new Map<number, Usual | undefined>();
  const usualOf = (hour: number): Usual | undefined => {
    const own = read(hour);
    if (!own) return undefined;
    const residuals: number[] = [];
    for (let ago = 0; ago < POOLED_HOURS; ago++) residuals.push(...(read(hour - ago)?.residuals ?? []));
    return { expected: own.expected, spread: Math.max(1, MAD_TO_DEVIATION * medianOf(residuals)) };
  };
  return {
    of: (hour) => {
      if (!usuals.has(hour)) usuals.set(hour, usualOf(hour));
      return usuals.get(hour);
    },
  };
}

/** How far the zone's clock is ahead of UTC, in hours. Asking the engine for it is slow. */
function openClock(zone: string): (hour: number) => number {
  const known = new Map<number, number>();
  return (hour) => {
    let ahead = known.get(hour);
    if (ahead === undefined) known.set(hour, (ahead = wallTime(hour * HOUR_MS, zone) / HOUR_MS - hour));
    return ahead;
  };
}

export type Watch = { kind: TrafficKind; sensitivity: Sensitivity };

/** From this count on, the hour is a spike, even before it is over. */
export function spikeLimit({ expected, spread }: Usual, sensitivity: Sensitivity, window = 1): number {
  const { ratio, spreads, least } = THRESHOLDS.spike[sensitivity];
  return Math.max(expected * ratio, expected + spreads * spread * deviationOf(expected, window), expected + least);
}

/** At this count or below, the hours are a drop. */
function dropLimit({ expected, spread }: Usual, sensitivity: Sensitivity, window: number): number {
  const { ratio, spreads, least } = THRESHOLDS.drop[sensitivity];
  const needed = spreads * (window < LONG_WINDOW ? HASTY : 1);
  return Math.min(expected * ratio, expected - needed * spread * deviationOf(expected, window), expected - least);
}

type Judged = { since: number; value: number; expected: number };

export type Seen = {
  baseline: Baseline;
  hour(hour: number): number;
  /** Hours before this one are not judged: the server was down, or they belong to an incident that is over. */
  judgedSince: number;
};

/** Returns the hours, up to and including `hour`, that are unusual; undefined if they are usual, or too few to tell. */
export function judge({ kind, sensitivity }: Watch, hour: number, seen: Seen): Judged | undefined {
  for (const window of WINDOWS[kind]) {
    const since = hour - window + 1;
    if (since < seen.judgedSince) return undefined;
    const sum = sumOf(since, hour, seen);
    if (!sum) return undefined;
    const { value, usual } = sum;
    const isUnusual =
      kind === 'spike'
        ? value >= spikeLimit(usual, sensitivity, window)
        : value <= dropLimit(usual, sensitivity, window);
    if (isUnusual) return { since, value, expected: usual.expected };
  }
  return undefined;
}

function sumOf(from: number, to: number, { baseline, hour }: Seen): { value: number; usual: Usual } | undefined {
  let [value, expected, spread] = [0, 0, 1];
  for (let at = from; at <= to; at++) {
    const usual = baseline.of(at);
    if (!usual) return undefined;
    value += hour(at);
    expected += usual.expected;
    spread = usual.spread;
  }
  return { value, usual: { expected, spread } };
}

/** An incident is over once this many hours in a row were usual again. */
const CALM_HOURS: Record<TrafficKind, number> = { spike: 2, drop: 3 };

/** True if the hours up to `hour` are usual again. Half of the way back is enough, so an incident at the limit does not end and begin again. */
export function isCalm({ kind, sensitivity }: Watch, hour: number, seen: Seen): boolean {
  const window = CALM_HOURS[kind];
  const sum = sumOf(hour - window + 1, hour, seen);
  if (!sum) return true; // nothing to compare with any more
  const { value, usual } = sum;
  if (kind === 'spike') return value < (usual.expected + spikeLimit(usual, sensitivity, window)) / 2;
  const { ratio } = THRESHOLDS.drop[sensitivity];
  return usual.expected >= 1 ? value >= (usual.expected * (1 + ratio)) / 2 : level(hour, seen) === 0;
}

/** What is usual in the twelve hours up to an hour. */
const level = (hour: number, seen: Seen): number => sumOf(hour - LONGEST_WINDOW + 1, hour, seen)?.usual.expected ?? 0;

/** The first hour of those that made the incident end. */
export const calmSince = (kind: TrafficKind, hour: number): number => hour - CALM_HOURS[kind] + 1;
