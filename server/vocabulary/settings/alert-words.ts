// What an alert says, in mails, in messages to webhooks and in the dashboard.
import { dateFormat } from '../habits/formatters.ts';
import { t, tn } from '../habits/messages.ts';
import type { AlertKind, AlertMetric } from './alerts.ts';
import type { Dimension } from '../questions/dimensions.ts';
import { date, fullNumber, money, percent } from '../numbers/format.ts';
import { type MentionPlace, placeRow } from './mentions.ts';
import { causePlace } from '../numbers/sentence.ts';
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
    title: tn(words.length, '{n} alert on {domain}', '{n} alerts on {domain}', { domain: show(domain) }),
    lines: words.map(({ title, lines }) => [t('{sentence}.', { sentence: title }), ...lines].join(' ')),
  };
}

/** `12 visitors instead of about 100`. */
function countedWords(metric: AlertMetric, value: number, expected: number): string {
  const usual = { expected: fullNumber(expected) };
  if (metric === 'pageviews')
    return value === 0
      ? t('no page views instead of about {expected}', usual)
      : tn(value, '{n} page view instead of about {expected}', '{n} page views instead of about {expected}', usual);
  return value === 0
    ? t('no visitors instead of about {expected}', usual)
    : tn(value, '{n} visitor instead of about {expected}', '{n} visitors instead of about {expected}', usual);
}

function trafficWords({ kind, started_at, ended_at, facts }: Happened, { domain: site, zone, show }: Wording): Words {
  const { metric = 'unique_visitors', value = 0, expected = 0, cause } = facts;
  const isSpike = kind === 'spike';
  const domain = show(site);
  const counted = countedWords(metric, value, expected);
  const place = cause && causePlace({ ...cause, shown: show(valueName(cause.dimension, cause.name)) });
  const because = place ? [isSpike ? t('Mostly more {place}.', { place }) : t('Mostly fewer {place}.', { place })] : [];
  if (ended_at === null)
    return {
      title: isSpike ? t('Traffic spike on {domain}', { domain }) : t('Traffic drop on {domain}', { domain }),
      lines: [t('Since {time}: {counted}.', { time: clock(started_at, zone), counted }), ...because],
    };
  const lasted = ended_at - started_at;
  const isByHour = metric === 'unique_visitors' && lasted > HOUR_MS;
  const over = { time: clock(ended_at, zone), span: span(lasted), counted };
  return {
    title: isSpike
      ? t('The traffic spike on {domain} is over', { domain })
      : t('The traffic drop on {domain} is over', { domain }),
    lines: [
      [
        t('Over since {time}. It lasted {span}: {counted}.', over),
        ...(isByHour ? [t('Somebody who stays for several hours counts in each of them.')] : []),
      ].join(' '),
      ...because,
      ...(lasted >= NEW_USUAL_MS
        ? [t('If the level has not gone back, it is now what the site is compared with.')]
        : []),
    ],
  };
}

function silentWords({ started_at, ended_at }: Happened, { domain: site, zone, show }: Wording): Words {
  const domain = show(site);
  if (ended_at === null)
    return {
      title: t('No data from {domain} for 24 hours', { domain }),
      lines: [
        t('The last event arrived {time}.', { time: clock(started_at, zone) }),
        t('Check that the site is reachable and that its pages still contain the snippet.'),
      ],
    };
  const again = { time: clock(ended_at, zone), span: span(ended_at - started_at) };
  return {
    title: t('{domain} sends data again', { domain }),
    lines: [t('Data arrives again since {time}. Nothing was recorded for {span}.', again)],
  };
}

function goalWords({ started_at, ended_at, facts }: Happened, { domain, zone, show }: Wording): Words {
  const { name = '', count = 1 } = facts;
  return {
    title: tn(
      count,
      'The goal “{goal}” was reached on {domain}',
      'The goal “{goal}” was reached {n} times on {domain}',
      { goal: show(name), domain: show(domain) },
    ),
    lines: [between(started_at, ended_at, zone)],
  };
}

function paymentWords({ started_at, ended_at, facts }: Happened, { domain: site, zone, show }: Wording): Words {
  const { count = 1, amount = 0, currency = null } = facts;
  const [domain, sum] = [show(site), money(amount, currency, 'full')];
  return {
    title:
      // Payments in other currencies than the site's are counted and not converted.
      amount === 0
        ? tn(count, 'A payment on {domain}', '{n} payments on {domain}', { domain })
        : tn(count, 'A payment of {sum} on {domain}', '{n} payments on {domain}, {sum} in all', { domain, sum }),
    lines: [between(started_at, ended_at, zone)],
  };
}

function agentWords({ started_at, facts }: Happened, { domain, zone, show }: Wording): Words {
  const { name = '', provider = '' } = facts;
  const [agent, time] = [show(name), clock(started_at, zone)];
  return {
    title: t('A new AI agent on {domain}: {agent}', { domain: show(domain), agent }),
    lines: [
      provider
        ? t('{agent} of {provider} visited for the first time {time}.', { agent, provider: show(provider), time })
        : t('{agent} visited for the first time {time}.', { agent, time }),
    ],
  };
}

function mentionWords({ started_at, facts }: Happened, { domain, zone, show }: Wording): Words {
  const { name = '', place = 'feed' } = facts;
  return {
    title: t('{domain} is mentioned: “{title}”', { domain: show(domain), title: show(name) }),
    lines: [
      t('{place}, posted {time}. The dashboard has the link.', {
        place: placeRow(place).label,
        time: clock(started_at, zone),
      }),
    ],
  };
}

/** `page`: null for the whole site. */
type Slow = { vital: string; domain: string; limit: string };

function slowTitle(slow: Slow, page: string | null): string {
  return page === null
    ? t('{vital} on {domain} is above {limit}', slow)
    : t('{vital} of {page} on {domain} is above {limit}', { ...slow, page });
}

function fastTitle(slow: Slow, page: string | null): string {
  return page === null
    ? t('{vital} on {domain} is below {limit} again', slow)
    : t('{vital} of {page} on {domain} is below {limit} again', { ...slow, page });
}

function unmeasuredTitle({ vital, domain }: Slow, page: string | null): string {
  return page === null
    ? t('{vital} on {domain} is no longer measured', { vital, domain })
    : t('{vital} of {page} on {domain} is no longer measured', { vital, domain, page });
}

function speedWords({ started_at, ended_at, facts }: Happened, { domain, zone, show }: Wording): Words {
  const { vital = 'lcp', limit = 0, hours = 1, views: count = 0, value = 0, highest = value } = facts;
  const page = facts.page ? show(facts.page) : null;
  const shownLimit = vitalValue(vital, limit);
  const slow = { vital: VITALS[vital].label, domain: show(domain), limit: shownLimit };
  const time = clock(ended_at ?? started_at, zone);
  const measured = { time, views: fullNumber(count), value: vitalValue(vital, value) };
  if (ended_at === null)
    return {
      title: slowTitle(slow, page),
      lines: [
        tn(
          hours,
          'At {time}, the 75th percentile of {views} page views in the last hour was {value}: one in four had more.',
          'At {time}, the 75th percentile of {views} page views in the last {n} hours was {value}: one in four had more.',
          measured,
        ),
        ...(limit === VITALS[vital].poor ? [t('Google calls more than {limit} poor.', { limit: shownLimit })] : []),
      ],
    };
  const lasted = t('It was above {limit} for {span}, at most {highest}.', {
    limit: shownLimit,
    span: span(ended_at - started_at),
    highest: vitalValue(vital, highest),
  });
  if (count === 0)
    return {
      title: unmeasuredTitle(slow, page),
      lines: [
        tn(
          hours,
          'At {time}, no page view of the last hour had a measurement.',
          'At {time}, no page view of the last {n} hours had a measurement.',
          { time },
        ),
        lasted,
      ],
    };
  return {
    title: fastTitle(slow, page),
    lines: [
      tn(
        hours,
        'At {time}, the 75th percentile of {views} page views in the last hour was {value}.',
        'At {time}, the 75th percentile of {views} page views in the last {n} hours was {value}.',
        measured,
      ),
      lasted,
    ],
  };
}

function errorsWords({ started_at, ended_at, facts }: Happened, { domain: site, zone, show }: Wording): Words {
  const { limit = 0, hours = 1, visits = 0, value = 0, highest = value } = facts;
  const domain = show(site);
  const time = clock(ended_at ?? started_at, zone);
  const counted = () =>
    tn(
      hours,
      'At {time}, {share} of {visits} visits in the last hour had an error.',
      'At {time}, {share} of {visits} visits in the last {n} hours had an error.',
      { time, share: percent(value), visits: fullNumber(visits) },
    );
  const above = { limit: percent(limit), domain };
  if (ended_at === null)
    return { title: t('More than {limit} of visits on {domain} have errors', above), lines: [counted()] };
  const lasted = t('It was more than {limit} for {span}, at most {highest}.', {
    limit: percent(limit),
    span: span(ended_at - started_at),
    highest: percent(highest),
  });
  if (visits === 0)
    return {
      title: t('No more visits with errors on {domain}', { domain }),
      lines: [
        tn(
          hours,
          'At {time}, there was no visit in the last hour.',
          'At {time}, there was no visit in the last {n} hours.',
          { time },
        ),
        lasted,
      ],
    };
  return {
    title: t('Less than {limit} of visits on {domain} have errors again', above),
    lines: [counted(), lasted],
  };
}

function newErrorWords({ started_at, facts }: Happened, { domain, zone, show }: Wording): Words {
  const { name = '', file = '', note = '', visits = 0 } = facts;
  const seen = { time: clock(started_at, zone), visits: fullNumber(visits) };
  return {
    title: t('A new error on {domain}: {error}', { domain: show(domain), error: show(name) }),
    lines: [
      file === ''
        ? t('It was first seen at {time}, and {visits} visits had it so far.', seen)
        : t('It was first seen in {file} at {time}, and {visits} visits had it so far.', { ...seen, file: show(file) }),
      t('The last release before it is “{release}”.', { release: show(note) }),
    ],
  };
}

const between = (from: number, to: number | null, zone: string): string =>
  to === null || to - from <= 2 * MINUTE_MS
    ? t('Recorded {time}.', { time: clock(to ?? from, zone) })
    : t('Recorded between {from} and {to}.', { from: clock(from, zone), to: clock(to, zone) });

const timeOfDay = dateFormat({ hour: 'numeric', minute: '2-digit' });
/** `14:00 on 22 Nov 2026`, by the clock of the zone. */
function clock(time: number, zone: string): string {
  const wall = wallTime(time, readZone(zone) ?? UTC);
  return t('{time} on {date}', { time: timeOfDay.format(wall), date: date(wall) });
}

/** `45 minutes`, `3 hours`, `2 days`. */
function span(ms: number): string {
  const count = (size: number) => Math.max(1, Math.round(ms / size));
  if (ms < HOUR_MS) return tn(count(MINUTE_MS), '{n} minute', '{n} minutes');
  if (ms < 2 * DAY_MS) return tn(count(HOUR_MS), '{n} hour', '{n} hours');
  return tn(count(DAY_MS), '{n} day', '{n} days');
}
