// What the owner of the demo site has set up, and what was noticed since, so that every part of its dashboard shows something.
import type { Directory } from '../../directory/open.ts';
import { addMentions } from '../../integrations/mentions/stored.ts';
import { dayOfStory, entriesOfDay, type SeedOptions } from '../../jobs/demo/events.ts';
import { vitalsOf } from '../../jobs/demo/vitals.ts';
import type { Mail } from '../../messages/mail/mail.ts';
import { addIncident } from '../../notifications/alerts/incidents.ts';
import { alertContent, createAlert } from '../../notifications/alerts/rules.ts';
import { funnels } from '../../sites/definitions/funnels.ts';
import { goals } from '../../sites/definitions/goals.ts';
import { createNote } from '../../sites/definitions/notes.ts';
import { createSegment } from '../../sites/definitions/segments.ts';
import type { Site } from '../../sites/sites.ts';
import type { FunnelDefinition, FunnelStep, GoalDefinition } from '../../vocabulary/questions/goals.ts';
import type { PlainFilter } from '../../vocabulary/questions/segments.ts';
import type { AlertKind } from '../../vocabulary/settings/alerts.ts';
import type { Facts } from '../../vocabulary/settings/alert-words.ts';
import type { NoteKind } from '../../vocabulary/settings/notes.ts';
import type { MentionPlace } from '../../vocabulary/settings/mentions.ts';
import { VITALS } from '../../vocabulary/numbers/vitals.ts';
import { DAY_MS, dayOf, HOUR_MS } from '../../vocabulary/time/time.ts';

type Parts = { directory: Directory; mail: Pick<Mail, 'hasRefusedAny'> };
type Seeding = { site: Site; options: SeedOptions };

/** Stories need as many days. */
const STORY_DAYS = 14;

export async function defineAll({ directory, mail }: Parts, { site, options }: Seeding): Promise<void> {
  const siteId = site.id;
  const hasStory = options.days >= STORY_DAYS;
  const ids = await defineGoals(directory, siteId, options.now);
  for (const [name, filters] of Object.entries(SEGMENTS))
    await createSegment(directory, { siteId, owner: null, name, filters }, options.now);
  const alertIds = {} as Record<AlertKind, string>;
  for (const [index, [kind, more]] of ALERTS.entries()) {
    const content = alertContent.parse({ kind, timezone: 'UTC', ...more(ids) });
    const alert = await createAlert(
      directory,
      { siteId, accountId: site.account_id, mail, content },
      options.now + index,
    );
    alertIds[kind] = alert.id;
  }
  if (!hasStory) return;
  for (const [part, days, text, is_private, kind = 'note'] of NOTES) {
    const day = dayOf(dayOfStory(options, part) + days * DAY_MS);
    await createNote(directory, { siteId, content: { day, text, is_private, kind } }, options.now);
  }
  for (const thread of THREADS) await addThread(directory, { siteId, options }, thread);
  for (const [kind, happened] of incidentsOf(options)) {
    const { started_at, ended_at } = happened;
    const about = { alert_id: alertIds[kind], site_id: siteId, key: `${kind} ${started_at}` };
    await addIncident(directory.db, { ...about, ...happened }, ended_at);
  }
}

type GoalName = keyof typeof GOALS;
const GOALS = {
  'Signed up': { kind: 'event', event: 'signup', props: {} },
  'Bought a plan': { kind: 'event', event: 'purchase', props: {} },
  'Tried the demo': { kind: 'event', event: 'demo_started', props: {} },
  'Read an article to the end': { kind: 'scroll', page: '/blog/**', scroll: 90 },
  'Saw the prices': { kind: 'page', page: '/pricing' },
} as const satisfies Record<string, GoalDefinition>;

async function defineGoals(directory: Directory, siteId: Site['id'], now: number): Promise<Record<GoalName, string>> {
  const ids = {} as Record<GoalName, string>;
  for (const [name, definition] of Object.entries(GOALS) as [GoalName, GoalDefinition][])
    ids[name] = (await goals.create(directory, { siteId, name, definition }, now)).id;
  const form: FunnelStep = { kind: 'page', page: '/signup' };
  const account: FunnelStep = { goal: ids['Signed up'] };
  const add = (name: string, within: FunnelDefinition['within'], steps: FunnelStep[]) =>
    funnels.create(directory, { siteId, name, definition: { steps, within, order: 'any_between' } }, now);
  const plan: FunnelStep = { goal: ids['Bought a plan'] };
  await add('From the prices to a plan', 'visit', [{ kind: 'page', page: '/pricing' }, form, account, plan]);
  await add('From an article to an account', 'day', [{ kind: 'page', page: '/blog/**' }, form, account]);
  return ids;
}

const is = (dimension: PlainFilter['dimension'], ...values: string[]): PlainFilter[] => [
  { dimension, operator: 'is', values },
];
const SEGMENTS = {
  'Germany, Austria, Switzerland': is('country', 'DE', 'AT', 'CH'),
  'On phones': is('device', 'mobile'),
  'From the newsletter': is('utm_source', 'newsletter'),
  'Readers of the blog': [
    { dimension: 'entry_page', operator: 'contains', values: ['/blog/'] },
  ] satisfies PlainFilter[],
};

/** One that a release made slow: see jobs/demo/vitals.ts. */
const SLOW_PAGE = '/pricing';

/** Nobody is told: the people of the demo are made up. */
const ALERTS: readonly (readonly [AlertKind, (ids: Record<GoalName, string>) => object])[] = [
  ['spike', () => ({})],
  ['silent', () => ({})],
  ['goal', (ids) => ({ goal_id: ids['Bought a plan'], telling: 'first_of_day' })],
  ['new_agent', () => ({})],
  ['mention', () => ({})],
  ['speed', () => ({ page: SLOW_PAGE, least: 20 })],
];

type Moment = Parameters<typeof dayOfStory>[1];
const NOTES: readonly (readonly [Moment, days: number, text: string, isPrivate: boolean, kind?: NoteKind])[] = [
  ['hackerNews', 0, 'First page of Hacker News', false],
  ['outage', 0, 'A deployment lost the snippet: two days are missing', false],
  ['campaign', 0, 'Autumn sale begins', false],
  ['campaignEnd', 0, 'Autumn sale ends', false],
  ['campaign', 3, 'Doubled the budget for LinkedIn', true],
  ['productHunt', 0, 'Launch on Product Hunt', false],
  ['slowRelease', 0, 'Release 2.4: a film on the front page', false, 'release'],
  ['fixedRelease', 0, 'Release 2.4.1: the film waits for a click', false, 'release'],
];

type Thread = { place: MentionPlace; on: Moment; hour: number; title: string; url: string; scores: Score[] };
type Score = readonly [afterHours: number, points: number, comments: number];
const SHOW_HN: Thread = {
  place: 'hacker_news',
  on: 'hackerNews',
  hour: 7,
  title: 'Show HN: Web analytics that forget you',
  url: 'https://news.ycombinator.com/item?id=40000001',
  scores: [
    [1, 18, 6],
    [4, 164, 71],
    [9, 331, 158],
    [20, 402, 203],
    [70, 418, 211],
  ],
};
const THREADS: readonly Thread[] = [
  SHOW_HN,
  {
    place: 'reddit',
    on: 'hackerNews',
    hour: 19,
    title: 'What do you use instead of the usual analytics? I want no cookie banner',
    url: 'https://www.reddit.com/r/selfhosted/comments/demo1/',
    scores: [
      [2, 9, 4],
      [12, 57, 31],
      [60, 88, 46],
    ],
  },
  {
    place: 'lobsters',
    on: 'campaign',
    hour: 11,
    title: 'Counting visitors without cookies',
    url: 'https://lobste.rs/s/demo01',
    scores: [
      [1, 4, 0],
      [10, 23, 9],
    ],
  },
  {
    place: 'mastodon',
    on: 'productHunt',
    hour: 10,
    title: 'We are on Product Hunt today',
    url: 'https://mastodon.social/@demo/1',
    scores: [[3, 31, 5]],
  },
  {
    place: 'github',
    on: 'newAgents',
    hour: 14,
    title: 'Proxy the script through Caddy',
    url: 'https://github.com/footfall/footfall/issues/1',
    scores: [
      [1, 0, 1],
      [30, 2, 7],
    ],
  },
];

async function addThread(
  { db }: Directory,
  { siteId, options }: { siteId: Site['id']; options: SeedOptions },
  { place, on, hour, title, url, scores }: Thread,
): Promise<void> {
  const postedAt = dayOfStory(options, on) + hour * HOUR_MS;
  for (const [afterHours, points, comments] of scores) {
    const found = [{ thread: url, title, url, postedAt, points, comments, said: title }];
    await addMentions(db, { siteId, place, found }, postedAt + afterHours * HOUR_MS);
  }
}

type Incident = { started_at: number; ended_at: number; facts: Facts };

/** What alerts would have noticed, oldest first. */
function incidentsOf(options: SeedOptions): [AlertKind, Incident][] {
  const [launch, outage] = [dayOfStory(options, 'hackerNews'), dayOfStory(options, 'outage')];
  const { hour, title, url, place } = SHOW_HN;
  const postedAt = launch + hour * HOUR_MS;
  const hours = visitorsByHour(options, launch);
  const peak = hours.indexOf(Math.max(...hours));
  const usual = visitorsByHour(options, launch - 7 * DAY_MS)[peak] ?? 0;
  return [
    [
      'mention',
      {
        started_at: postedAt,
        ended_at: postedAt,
        facts: { name: title, place, url },
      },
    ],
    [
      'spike',
      {
        started_at: launch + peak * HOUR_MS,
        ended_at: launch + (peak + 1) * HOUR_MS,
        facts: {
          metric: 'unique_visitors',
          value: hours[peak] ?? 0,
          expected: usual,
          cause: { dimension: 'source', name: 'Hacker News' },
        },
      },
    ],
    ['silent', { started_at: outage, ended_at: outage + 2 * DAY_MS, facts: {} }],
    ...firstAgents(options, dayOfStory(options, 'newAgents')),
    ...slowRelease(options),
  ];
}

/** The page was slow from the morning after the release until a night after the next one. */
function slowRelease(options: SeedOptions): [AlertKind, Incident][] {
  const [start, fixed] = [dayOfStory(options, 'slowRelease'), dayOfStory(options, 'fixedRelease')];
  const measured = (day: number) =>
    entriesOfDay(options, day).flatMap((entry) => {
      const { page, lcp } = (entry.kind === 'event' && vitalsOf(entry, options)) || { page: '', lcp: null };
      return page === SLOW_PAGE && lcp !== null ? [lcp] : [];
    });
  const p75 = (values: number[]) => values.toSorted((one, other) => one - other)[Math.floor(values.length * 0.75)] ?? 0;
  const [slow, after] = [measured(start), measured(fixed)];
  const facts = { vital: 'lcp', page: SLOW_PAGE, limit: VITALS.lcp.poor, hours: 24 } as const;
  if (p75(slow) <= facts.limit) return []; // a demo with few page views
  const ended = { value: p75(after), views: after.length, highest: p75(slow) };
  return [['speed', { started_at: start + 9 * HOUR_MS, ended_at: fixed + DAY_MS, facts: { ...facts, ...ended } }]];
}

function visitorsByHour(options: SeedOptions, start: number): number[] {
  const seen = Array.from({ length: 24 }, () => new Set<string>());
  for (const entry of entriesOfDay(options, start))
    if (entry.kind === 'event') seen[Math.floor((entry.time - start) / HOUR_MS)]?.add(entry.visitor_id);
  return seen.map((visitors) => visitors.size);
}

/** The agents that first came on this day or later, until all have come. */
function firstAgents(options: SeedOptions, start: number): [AlertKind, Incident][] {
  const before = Array.from({ length: 7 }, (_, n) => agentsOf(options, start - (n + 1) * DAY_MS)).flat();
  const known = new Set(before.map(({ ai_agent }) => ai_agent));
  return agentsOf(options, start).flatMap(({ ai_agent, ai_provider, time }): [AlertKind, Incident][] => {
    if (known.has(ai_agent)) return [];
    known.add(ai_agent);
    return [['new_agent', { started_at: time, ended_at: time, facts: { name: ai_agent, provider: ai_provider } }]];
  });
}

const agentsOf = (options: SeedOptions, start: number) =>
  entriesOfDay(options, start).flatMap((entry) => (entry.kind === 'ai_visit' ? [entry] : []));
