// A year of hourly traffic of several kinds of sites, with planted incidents, and what the alerts make of it. Used by the test that holds
// the share of incidents found and of false alarms, and by `bench/alerts.ts`.
import { openRandom, type Random } from '../../../server/jobs/demo/random.ts';
import type { Sensitivity, TrafficKind } from '../../../server/vocabulary/settings/alerts.ts';
import { DAY_MS, HOUR_MS } from '../../../server/vocabulary/time/time.ts';
import { wallTime } from '../../../server/vocabulary/time/zones.ts';
import { openBaseline, type Traffic } from '../../../server/notifications/alerts/detection.ts';
import { type Incident, watchHours } from '../../../server/notifications/alerts/watching.ts';

type SiteKind = {
  name: string;
  zone: string;
  /** Visitors of an average day at the start. */
  perDay: number;
  /** Weight of each hour of the day, from midnight. */
  hours: readonly number[];
  /** Weight of each weekday, from Sunday. */
  weekdays: readonly number[];
  /** Factor of the level at a share of the year. */
  level(year: number): number;
  /** Standard deviation of the logarithm of what makes one hour differ from another, besides chance. Neighbouring hours are alike. */
  noise: number;
  /** Bursts of a few hours per week that are part of the site's usual life. */
  bursts: number;
  /** Days of the year with a factor of their own, such as holidays. */
  days: Readonly<Record<number, number>>;
  /** Incidents to plant, of each kind. */
  planted: number;
};

const DAYLIGHT = [2, 1, 1, 1, 1, 2, 4, 7, 9, 10, 10, 10, 10, 10, 10, 10, 10, 10, 11, 12, 12, 10, 7, 4];
const OFFICE = [1, 1, 1, 1, 1, 1, 2, 5, 12, 16, 16, 15, 11, 14, 16, 15, 13, 8, 4, 3, 3, 2, 2, 1];
const WHOLE_WORLD = [7, 7, 7, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 10, 10, 10, 10, 10, 9, 9, 9, 8, 8, 7];
const ALIKE = [1, 1, 1, 1, 1, 1, 1];
const steady = () => 1;
/** New Year, Easter, May Day, a holiday in autumn, and the days of Christmas. */
const HOLIDAYS = { 0: 0.6, 95: 0.7, 96: 0.7, 120: 0.75, 275: 0.75, 358: 0.5, 359: 0.5, 360: 0.6 };

export const SITE_KINDS: readonly SiteKind[] = [
  {
    name: 'small blog',
    zone: 'UTC',
    perDay: 10,
    hours: WHOLE_WORLD,
    weekdays: ALIKE,
    level: steady,
    noise: 0.2,
    bursts: 0,
    days: {},
    planted: 0,
  },
  {
    name: 'shop',
    zone: 'Europe/Berlin',
    perDay: 3000,
    hours: DAYLIGHT,
    weekdays: [1.3, 1, 0.9, 0.9, 0.9, 0.9, 1.1],
    level: steady,
    noise: 0.12,
    bursts: 0.2,
    days: { ...HOLIDAYS, 330: 1.6, 331: 1.4 },
    planted: 10,
  },
  {
    name: 'office tool',
    zone: 'America/New_York',
    perDay: 800,
    hours: OFFICE,
    weekdays: [0.3, 1.3, 1.3, 1.3, 1.3, 1.2, 0.3],
    level: steady,
    noise: 0.1,
    bursts: 0,
    days: HOLIDAYS,
    planted: 10,
  },
  {
    name: 'growing site',
    zone: 'Asia/Kolkata',
    perDay: 500,
    hours: WHOLE_WORLD,
    weekdays: ALIKE,
    level: (year) => 6 ** year,
    noise: 0.12,
    bursts: 0.2,
    days: {},
    planted: 10,
  },
  {
    name: 'news site',
    zone: 'Europe/London',
    perDay: 40_000,
    hours: DAYLIGHT,
    weekdays: [0.8, 1.1, 1.1, 1, 1, 1, 0.8],
    level: steady,
    noise: 0.2,
    bursts: 2,
    days: HOLIDAYS,
    planted: 10,
  },
  {
    name: 'seasonal site',
    zone: 'Europe/Paris',
    perDay: 2000,
    hours: DAYLIGHT,
    weekdays: [1.3, 0.9, 0.9, 0.9, 0.9, 1, 1.2],
    level: (year: number) => 1 - 0.7 * Math.cos(2 * Math.PI * year),
    noise: 0.12,
    bursts: 0.2,
    days: {},
    planted: 10,
  },
];

const START = Date.UTC(2025, 0, 1);
const YEAR_DAYS = 365;
const HOURS = YEAR_DAYS * 24;
const FIRST_HOUR = START / HOUR_MS;
/** Nothing is planted before all eight weeks are there. */
const PLANTED_FROM = 9 * 7 * 24;
/** Planted incidents are this far apart, so that each is one. */
const APART_HOURS = 72;
/** What an incident changes at least, in visitors: fewer cannot be told from chance. */
const LEAST_CHANGED: Record<Shape, number> = { spike: 60, outage: 60, half: 120 };

type Shape = 'spike' | 'outage' | 'half';
type Planted = { shape: Shape; from: number; to: number };

const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random.fraction())) * Math.cos(2 * Math.PI * random.fraction());

function poisson(random: Random, mean: number): number {
  if (mean > 60) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  let count = 0;
  for (let product = random.fraction(); product > Math.exp(-mean); product *= random.fraction()) count += 1;
  return count;
}

/** The mean of each hour of the year, before chance. */
function meansOf(kind: SiteKind, random: Random): number[] {
  const sumOfHours = kind.hours.reduce((sum, one) => sum + one, 0);
  const sumOfDays = kind.weekdays.reduce((sum, one) => sum + one, 0);
  let drift = 0;
  let burst = { until: 0, factor: 1 };
  return Array.from({ length: HOURS }, (_, index) => {
    const wall = new Date(wallTime(START + index * HOUR_MS, kind.zone));
    const weight =
      ((kind.hours[wall.getUTCHours()] ?? 0) / sumOfHours) * ((kind.weekdays[wall.getUTCDay()] ?? 0) / sumOfDays) * 7;
    const day = Math.floor((wall.getTime() - START) / DAY_MS);
    drift = 0.8 * drift + kind.noise * 0.6 * normal(random);
    if (random.chance(kind.bursts / 168))
      burst = { until: index + random.between(2, 5), factor: 1.2 + 0.5 * random.fraction() };
    const factor = Math.exp(drift) * (index < burst.until ? burst.factor : 1) * (kind.days[day] ?? 1);
    return kind.perDay * weight * kind.level(index / HOURS) * factor;
  });
}

const FACTORS: Record<Shape, (random: Random) => number> = {
  spike: (random) => 3 + 5 * random.fraction(),
  outage: () => 0,
  half: (random) => 0.4 + 0.1 * random.fraction(),
};
const LASTS: Record<Shape, [number, number]> = { spike: [2, 8], outage: [3, 20], half: [10, 24] };
const SHAPES = Object.keys(FACTORS) as Shape[];

/** Changes the means, and returns what was planted. */
function plant(means: number[], count: number, random: Random): Planted[] {
  const planted: Planted[] = [];
  for (const shape of SHAPES)
    for (let left = count; left > 0;) {
      const from = random.between(PLANTED_FROM, HOURS - APART_HOURS);
      const to = from + random.between(...LASTS[shape]);
      const factor = FACTORS[shape](random);
      const sum = means.slice(from, to).reduce((all, one) => all + one, 0);
      const isNear = planted.some((other) => from < other.to + APART_HOURS && other.from < to + APART_HOURS);
      if (isNear || sum * Math.abs(factor - 1) < LEAST_CHANGED[shape]) continue;
      for (let at = from; at < to; at++) means[at] = (means[at] ?? 0) * factor;
      planted.push({ shape, from, to });
      left -= 1;
    }
  return planted;
}

type Outcome = {
  name: string;
  planted: Planted[];
  missed: Planted[];
  /** Alarms at a time without a planted incident. */
  falseAlarms: Incident[];
  /** Mean time from the start of a planted incident to its alarm. */
  delayHours: number;
};

const ALARM_OF: Record<Shape, TrafficKind> = { spike: 'spike', outage: 'drop', half: 'drop' };

/** Simulates one site. Alarms may come until the windows no longer hold hours of the incident. */
export function simulate(kind: SiteKind, seed: number, sensitivity: Sensitivity = 'usual'): Outcome {
  const random = openRandom(seed, kind.name.length, kind.perDay);
  const means = meansOf(kind, random);
  const planted = plant(means, kind.planted, random);
  const counts = means.map((mean) => poisson(random, mean));
  const days = Array.from({ length: YEAR_DAYS }, (_, day) =>
    counts.slice(day * 24, day * 24 + 24).reduce((sum, one) => sum + one, 0),
  );
  const traffic: Traffic = {
    hour: (hour) => counts[hour - FIRST_HOUR] ?? 0,
    day: (day) => days[day - FIRST_HOUR / 24] ?? 0,
    zone: kind.zone,
  };
  const seen = { baseline: openBaseline(traffic), hour: traffic.hour, judgedSince: FIRST_HOUR };
  const range = { from: FIRST_HOUR, to: FIRST_HOUR + HOURS };
  const alarms = (['spike', 'drop'] as const).flatMap((of) => watchHours({ kind: of, sensitivity }, range, seen));
  const isOf = (one: Planted) => (alarm: Incident) =>
    alarm.kind === ALARM_OF[one.shape] && alarm.at - FIRST_HOUR >= one.from && alarm.at - FIRST_HOUR <= one.to + 2;
  const missed = planted.filter((one) => !alarms.some(isOf(one)));
  const falseAlarms = alarms.filter((alarm) => !planted.some((one) => isOf(one)(alarm)));
  const delays = planted.flatMap((one) => {
    const alarm = alarms.find(isOf(one));
    return alarm ? [alarm.at + 1 - FIRST_HOUR - one.from] : [];
  });
  return {
    name: kind.name,
    planted,
    missed,
    falseAlarms,
    delayHours: delays.reduce((sum, one) => sum + one, 0) / Math.max(1, delays.length),
  };
}
