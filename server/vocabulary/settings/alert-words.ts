// What an alert says, in mails, in messages to webhooks and in the dashboard.
import { dateFormat, plural } from '../habits/formatters.ts';
import { type AlertKind, type AlertMetric, hoursWords } from './alerts.ts';
import type { Dimension } from '../questions/dimensions.ts';
import { date, fullNumber, money, percent, quantity } from '../numbers/format.ts';
import { type MentionPlace, placeRow } from './mentions.ts';
import { causeWords } from '../numbers/sentence.ts';
import { type Vital, vitalValue, VITALS } from '../numbers/vitals.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time/time.ts';
import { valueName } from '../questions/value-names.ts';
import { readZone, UTC, wallTime } from '../time/zones.ts';

/** What is known about an incident. Which facts there are depends on the kind. */
export type Facts = {
  /** Traffic: what is counted, how much there was, and how much is usual. */
  metric?: AlertMetric;
  value?: number;
  expected?: number;
  /** The hours up to this one, exclusive, are in `value`. Numbered from the epoch. */
  counted_to?: number;
  /** The value that moved most. */
  cause?: { dimension: Dimension; name: string } | null;
  /** The goal, the agent, or the title of a thread. */
  name?: string;
  /** The provider of an agent. */
  provider?: string;
  /** Where a thread is, and its address. */
  place?: MentionPlace;
  url?: string;
  /** How often a goal was reached, or the number of payments and their sum. */
  count?: number;
  amount?: number;
  currency?: string | null;
  /** Speed: `value` is the 75th percentile of a vital over some hours and views, `highest` the highest since it went above the limit. */
  vital?: Vital;
  /** Null for the whole site. */
  page?: string | null;
  limit?: number;
  hours?: number;
  views?: number;
  highest?: number;
  /** Errors: `value` is the share of these visits in per cent; for a new error, those that had it so far. */
  visits?: number;
  /** Of a new error, whose message is the name: the script, and the release after which it came. */
  file?: string;
  note?: string;
};

export type Happened = { kind: AlertKind; started_at: number; ended_at: number | null; facts: Facts };

type Words = { title: string; lines: string[] };

/** `show` makes names from strangers safe for the place where the words appear. */
type Wording = { domain: string; zone: string; show(text: string): string };

/** A level that lasts this long is told as the new usual: by then it is what the site is compared with. */
const NEW_USUAL_MS = 3.5 * DAY_MS;
const NOUNS: Record<AlertMetric, string> = { unique_visitors: 'visitors', pageviews: 'page views' };

/** Says what has happened, or that it is over. */
export function wordsOf(happened: Happened, wording: Wording): Words {
  switch (happened.kind) {
    case 'spike':
    case 'drop':
      return trafficWords(happened, wording);
    case 'silent':
      return silentWords(happened, wording);
    case 'goal':
      return goalWords(happened, wording);
    case 'payment':
      return paymentWords(happened, wording);
    case 'new_agent':
      return agentWords(happened, wording);
    case 'mention':
      return mentionWords(happened, wording);
    case 'speed':
      return speedWords(happened, wording);
    case 'errors':
      return errorsWords(happened, wording);
    case 'new_error':
      return newErrorWords(happened, wording);
  }
}

type Several = { domain: string; zone: string; incidents: readonly Happened[] };

/** The same for several incidents of one alert: each is a line then. */
export function summaryOf({ domain, zone, incidents }: Several, show: Wording['show']): Words {
  const words = incidents.map((one) => wordsOf(one, { domain, zone, show }));
  const [first] = words;
  if (words.length === 1 && first) return first;
  return {
    title: `${words.length} alerts on ${show(domain)}`,
    lines: words.map(({ title, lines }) => [`${title}.`, ...lines].join(' ')),
  };
}

function trafficWords({ kind, started_at, ended_at, facts }: Happened, { domain, zone, show }: Wording): Words {
  const { metric = 'unique_visitors', value = 0, expected = 0, cause } = facts;
  const noun = NOUNS[metric];
  const compared = `${value === 0 ? `no ${noun}` : `${fullNumber(value)} ${noun}`} instead of about ${fullNumber(expected)}`;
  const what = `Traffic ${kind}`;
  const words =
    cause &&
    causeWords({ ...cause, metric, isRise: kind === 'spike', shown: show(valueName(cause.dimension, cause.name)) });
  const because = words ? [`Mostly ${words.moved} ${words.place}.`] : [];
  const byHour = metric === 'unique_visitors' ? ' Somebody who stays for several hours counts in each of them.' : '';
  if (ended_at === null)
    return {
      title: `${what} on ${show(domain)}`,
      lines: [`Since ${clock(started_at, zone)}: ${compared}.`, ...because],
    };
  const lasted = ended_at - started_at;
  return {
    title: `The traffic ${kind} on ${show(domain)} is over`,
    lines: [
      `Over since ${clock(ended_at, zone)}. It lasted ${span(lasted)}: ${compared}.${lasted > HOUR_MS ? byHour : ''}`,
      ...because,
      ...(lasted >= NEW_USUAL_MS ? ['If the level has not gone back, it is now what the site is compared with.'] : []),
    ],
  };
}

function silentWords({ started_at, ended_at }: Happened, { domain, zone, show }: Wording): Words {
  if (ended_at === null)
    return {
      title: `No data from ${show(domain)} for 24 hours`,
      lines: [
        `The last event arrived ${clock(started_at, zone)}.`,
        'Check that the site is reachable and that its pages still contain the snippet.',
      ],
    };
  return {
    title: `${show(domain)} sends data again`,
    lines: [
      `Data arrives again since ${clock(ended_at, zone)}. Nothing was recorded for ${span(ended_at - started_at)}.`,
    ],
  };
}

function goalWords({ started_at, ended_at, facts }: Happened, { domain, zone, show }: Wording): Words {
  const { name = '', count = 1 } = facts;
  const often = plural(count, 'was reached', `was reached ${fullNumber(count)} times`);
  return {
    title: `The goal “${show(name)}” ${often} on ${show(domain)}`,
    lines: [between(started_at, ended_at, zone)],
  };
}

function paymentWords({ started_at, ended_at, facts }: Happened, { domain, zone, show }: Wording): Words {
  const { count = 1, amount = 0, currency = null } = facts;
  const sum = money(amount, currency, 'full');
  // Payments in other currencies than the site's are counted and not converted.
  const of = amount === 0 ? '' : plural(count, ` of ${sum}`, `, ${sum} in all`);
  return {
    title: plural(count, `A payment${of} on ${show(domain)}`, `${fullNumber(count)} payments on ${show(domain)}${of}`),
    lines: [between(started_at, ended_at, zone)],
  };
}

function agentWords({ started_at, facts }: Happened, { domain, zone, show }: Wording): Words {
  const { name = '', provider = '' } = facts;
  return {
    title: `A new AI agent on ${show(domain)}: ${show(name)}`,
    lines: [
      `${show(name)}${provider ? ` of ${show(provider)}` : ''} visited for the first time ${clock(started_at, zone)}.`,
    ],
  };
}

function mentionWords({ started_at, facts }: Happened, { domain, zone, show }: Wording): Words {
  const { name = '', place = 'feed' } = facts;
  return {
    title: `${show(domain)} is mentioned: “${show(name)}”`,
    lines: [`${placeRow(place).label}, posted ${clock(started_at, zone)}. The dashboard has the link.`],
  };
}

function speedWords({ started_at, ended_at, facts }: Happened, { domain, zone, show }: Wording): Words {
  const { vital = 'lcp', page = null, limit = 0, hours = 1, views = 0, value = 0, highest = value } = facts;
  const what = `${VITALS[vital].label}${page === null ? '' : ` of ${show(page)}`} on ${show(domain)}`;
  const [shownLimit, window] = [vitalValue(vital, limit), `the last ${hoursWords(hours)}`];
  const measured = `the 75th percentile of ${fullNumber(views)} page views in ${window} was ${vitalValue(vital, value)}`;
  if (ended_at === null)
    return {
      title: `${what} is above ${shownLimit}`,
      lines: [
        `At ${clock(started_at, zone)}, ${measured}: one in four had more.`,
        ...(limit === VITALS[vital].poor ? [`Google calls more than ${shownLimit} poor.`] : []),
      ],
    };
  const lasted = `It was above ${shownLimit} for ${span(ended_at - started_at)}, at most ${vitalValue(vital, highest)}.`;
  if (views === 0)
    return {
      title: `${what} is no longer measured`,
      lines: [`At ${clock(ended_at, zone)}, no page view of ${window} had a measurement.`, lasted],
    };
  return {
    title: `${what} is below ${shownLimit} again`,
    lines: [`At ${clock(ended_at, zone)}, ${measured}.`, lasted],
  };
}

function errorsWords({ started_at, ended_at, facts }: Happened, { domain, zone, show }: Wording): Words {
  const { limit = 0, hours = 1, visits = 0, value = 0, highest = value } = facts;
  const window = `the last ${hoursWords(hours)}`;
  const counted = `${percent(value)} of ${fullNumber(visits)} visits in ${window} had an error`;
  if (ended_at === null)
    return {
      title: `More than ${percent(limit)} of visits on ${show(domain)} have errors`,
      lines: [`At ${clock(started_at, zone)}, ${counted}.`],
    };
  const lasted = `It was more than ${percent(limit)} for ${span(ended_at - started_at)}, at most ${percent(highest)}.`;
  if (visits === 0)
    return {
      title: `No more visits with errors on ${show(domain)}`,
      lines: [`At ${clock(ended_at, zone)}, there was no visit in ${window}.`, lasted],
    };
  return {
    title: `Less than ${percent(limit)} of visits on ${show(domain)} have errors again`,
    lines: [`At ${clock(ended_at, zone)}, ${counted}.`, lasted],
  };
}

function newErrorWords({ started_at, facts }: Happened, { domain, zone, show }: Wording): Words {
  const { name = '', file = '', note = '', visits = 0 } = facts;
  const place = file === '' ? '' : ` in ${show(file)}`;
  return {
    title: `A new error on ${show(domain)}: ${show(name)}`,
    lines: [
      `It was first seen${place} at ${clock(started_at, zone)}, and ${fullNumber(visits)} visits had it so far.`,
      `The last release before it is “${show(note)}”.`,
    ],
  };
}

const between = (from: number, to: number | null, zone: string): string =>
  to === null || to - from <= 2 * MINUTE_MS
    ? `Recorded ${clock(to ?? from, zone)}.`
    : `Recorded between ${clock(from, zone)} and ${clock(to, zone)}.`;

const timeOfDay = dateFormat({ hour: 'numeric', minute: '2-digit' });
/** `14:00 on 22 Nov 2026`, by the clock of the zone. */
function clock(time: number, zone: string): string {
  const wall = wallTime(time, readZone(zone) ?? UTC);
  return `${timeOfDay.format(wall)} on ${date(wall)}`;
}

/** `45 minutes`, `3 hours`, `2 days`. */
function span(ms: number): string {
  const [size, unit] = ms < HOUR_MS ? [MINUTE_MS, 'minute'] : ms < 2 * DAY_MS ? [HOUR_MS, 'hour'] : [DAY_MS, 'day'];
  const count = Math.max(1, Math.round(ms / size));
  return quantity(count, unit);
}
