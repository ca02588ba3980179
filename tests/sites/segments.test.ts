// Segments: who keeps, sees and changes them, and that every door counts what a segment's filters say.
import { parse, stringify } from 'devalue';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../../server/accounts/accounts.ts';
import { createKey } from '../../server/accounts/keys.ts';
import { setPlan } from '../../server/accounts/billing/plans.ts';
import type { Role } from '../../server/vocabulary/accounts/roles.ts';
import { Refusal } from '../../server/errors.ts';
import { goals } from '../../server/sites/definitions/goals.ts';
import {
  changeSegment,
  createSegment,
  deleteSegment,
  listSegments,
  type Segment,
} from '../../server/sites/definitions/segments.ts';
import { openParts } from '../../server/sites/parts.ts';
import { createShareLink, type Shows } from '../../server/sites/sharing/share.ts';
import { createSite, deleteSite, type Site, touchLastEvents } from '../../server/sites/sites.ts';
import type { Filter } from '../../server/stats/query.ts';
import type { Summary } from '../../server/stats/answers/summary.ts';
import type { GoalDefinition } from '../../server/vocabulary/questions/goals.ts';
import { ALL_VISITORS, MAX_SEGMENTS, type PlainFilter } from '../../server/vocabulary/questions/segments.ts';
import { about } from '../setup/stats/about.ts';
import { PASSWORD, type TestApp, testApp } from '../setup/app.ts';
import { NOON } from '../setup/clock.ts';
import { FORMS, testDirectory, type TestDirectory } from '../setup/directory.ts';
import { makeEvent } from '../setup/event.ts';

const only = (dimension: PlainFilter['dimension'], value: string, operator: PlainFilter['operator'] = 'is') => ({
  dimension,
  operator,
  values: [value],
});
const GERMANS = [only('country', 'DE')];
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'nothing was refused',
    (error: unknown) => (error instanceof Refusal ? error.message : String(error)),
  );

describe.each(FORMS)('segments in %s', (form) => {
  async function shelvesIn(directory: TestDirectory) {
    const { account, user } = await createAccount(directory, { email: 'o@example.com', password: PASSWORD }, NOON);
    const { user: other } = await createAccount(directory, { email: 'p@example.com', password: PASSWORD }, NOON);
    const { id: siteId } = await createSite(directory, { accountId: account.id, domain: 'example.com' }, NOON);
    return {
      accountId: account.id,
      siteId,
      site: { siteId, owner: null },
      mine: { siteId, owner: user.id },
      theirs: { siteId, owner: other.id },
    };
  }

  test('and goals are announced with the sites, personal segments to their owner alone', async () => {
    await using directory = await testDirectory(form);
    const { accountId, siteId, site, mine, theirs } = await shelvesIn(directory);
    const { id: empty } = await createSite(directory, { accountId, domain: 'empty.example' }, NOON + 1);
    const parts = async (userId: string) => {
      const of = await openParts(directory, { accountId, userId });
      return [of(siteId), of(empty)];
    };
    const none = { hasGoals: false, hasSegments: false, isUnused: true };
    expect(await parts(mine.owner)).toEqual([none, none]);
    await createSegment(directory, { ...mine, name: 'Mine', filters: GERMANS }, NOON);
    expect(await parts(mine.owner)).toEqual([{ ...none, hasSegments: true }, none]);
    expect(await parts(theirs.owner)).toEqual([none, none]);
    await createSegment(directory, { ...site, name: 'Everybody’s', filters: GERMANS }, NOON);
    const definition = { kind: 'page', page: '/' } as const;
    await goals.create(directory, { siteId, name: 'Home', definition }, NOON);
    const both = { hasGoals: true, hasSegments: true, isUnused: false };
    await touchLastEvents(directory, new Map([[siteId, NOON]]));
    expect(await Promise.all([mine.owner, theirs.owner].map(parts))).toEqual([
      [both, none],
      [both, none],
    ]);
  });

  test('of a site are for everybody, and personal ones for their owner alone', async () => {
    await using directory = await testDirectory(form);
    const { siteId, site, mine, theirs } = await shelvesIn(directory);
    const make = (shelf: typeof site | typeof mine, name: string, at = NOON) =>
      createSegment(directory, { ...shelf, name, filters: GERMANS }, at);
    const ofMine = await make(mine, 'Same');
    await make(theirs, 'Same');
    const ofSite = await make(site, ' Same ', NOON + 1);
    expect(ofSite).toEqual({
      id: expect.stringMatching(/^segment_[0-9A-Z]{26}$/) as string,
      name: 'Same',
      created_at: NOON + 1,
      is_personal: false,
      filters: GERMANS,
    });
    const ids = async (userId?: string) => (await listSegments(directory, { siteId, userId })).map(({ id }) => id);
    expect(await ids(mine.owner)).toEqual([ofSite.id, ofMine.id]);
    expect(await ids()).toEqual([ofSite.id]);
    expect(await refusal(make(site, 'Same'))).toBe('name: this site already has a segment with that name.');
    expect(await refusal(make(mine, 'Same'))).toBe('name: you already have a segment with that name.');

    const filters = [only('page', '/pricing')];
    const changed = await changeSegment(directory, { ...mine, segment: ofMine, name: 'Other', filters });
    expect(changed).toEqual({ ...ofMine, name: 'Other', filters });
    expect(await listSegments(directory, { siteId, userId: mine.owner })).toEqual([ofSite, changed]);
    await deleteSegment(directory, ofSite);
    expect(await ids(mine.owner)).toEqual([ofMine.id]);
    // A deleted person's own segments are deleted, and so are those of a deleted site.
    await directory.db.deleteFrom('users').where('id', '=', mine.owner).execute();
    expect(await ids(mine.owner)).toEqual([]);
    expect(await ids(theirs.owner)).toHaveLength(1);
    await deleteSite(directory, { siteId }, NOON);
    expect(await directory.db.selectFrom('segments').selectAll().execute()).toEqual([]);
  });

  test('are refused past the limit, also when several are made at the same moment, and for names and filters that are too long', async () => {
    await using directory = await testDirectory(form);
    const { site, mine } = await shelvesIn(directory);
    for (const [shelf, tooMany] of [
      [site, 'A site can have 100 segments: delete one to make another.'],
      [mine, 'You can have 100 segments of your own on a site: delete one to make another.'],
    ] as const) {
      const make = (name: string) => createSegment(directory, { ...shelf, name, filters: GERMANS }, NOON);
      for (let n = 0; n < MAX_SEGMENTS - 1; n += 1) await make(`segment ${n}`);
      const last = await Promise.all(['x', 'y', 'z'].map((name) => refusal(make(name))));
      expect(last.sort()).toEqual([tooMany, tooMany, 'nothing was refused'].sort());
    }
    const filters = [{ ...only('page', ''), values: Array.from({ length: 5 }, (_, n) => `/${n}${'x'.repeat(2000)}`) }];
    const all = await listSegments(directory, { siteId: site.siteId });
    const segment = all.find(({ name }) => name === 'segment 0');
    const change = (to: object) => refusal(changeSegment(directory, { ...site, segment: segment as Segment, ...to }));
    expect(await change({ filters })).toBe(
      'filters: are too long to save: at most 8192 characters are allowed in total.',
    );
    for (const name of ['', ' ', 'x'.repeat(101), 'a\0b', 'a\nb'])
      expect(await change({ name })).toMatch(/^The name must have 1 to 100 characters/);
    for (const name of ['<b>', "' OR 1=1 --", '=1+1', '‮gnp', '😀', '__proto__'])
      expect(await change({ name })).toBe('nothing was refused');
    expect(await change({ name: 'segment 1' })).toBe('name: this site already has a segment with that name.');
  });
});

let server: TestApp;
let site: Site;
let owner: Headers;
let ofSite: Segment;
let own: Segment;
let ofProperty: Segment;
type Headers = Record<string, string>;
let serial = 0;

beforeAll(async () => {
  server = await testApp();
  site = await server.addSite('own.example');
  owner = { cookie: await server.logIn('owner@own.example') };
  // Four Germans, of whom three read the prices and one of these signs up; five French.
  const people = [...'gggG', ...'fffff'];
  const events = people.flatMap((kind, person) => {
    const about = {
      site_id: site.id,
      visitor: `p${person}`,
      time: server.clock.now - (person + 1) * 3_600_000,
      country: kind === 'f' ? 'FR' : 'DE',
    };
    return [
      makeEvent({ ...about, page: '/' }),
      ...(kind === 'g' ? [makeEvent({ ...about, page: '/pricing', time: about.time + 1000 })] : []),
      ...(person === 0
        ? [makeEvent({ ...about, name: 'signup', props: { plan: 'pro' }, time: about.time + 2000 })]
        : []),
    ];
  });
  await server.app.collector.record(events, server.clock.now);
  await server.settle();
  const make = async (input: object) => {
    server.clock.now += 1; // so that they have an order
    return (await ask<Segment>('segments.create', input, owner)).data;
  };
  ofSite = await make({ name: 'Germans', filters: GERMANS, is_personal: false });
  own = await make({ name: 'Readers of prices', filters: [only('page', '/pricing')] });
  ofProperty = await make({ name: 'Pro', filters: [only('prop:plan', 'pro')], is_personal: false });
});
afterAll(async () => server[Symbol.asyncDispose]());

async function ask<Answer>(name: string, input: object, headers: Headers) {
  const text = JSON.stringify(stringify({ site_id: site.id, ...input }));
  const isChange = /create|change|delete/.test(name);
  const answer = isChange
    ? await fetch(`${server.url}/trpc/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: server.url, ...headers },
        body: text,
      })
    : await fetch(`${server.url}/trpc/${name}?input=${encodeURIComponent(text)}`, { headers });
  const body = await answer.text();
  const sent = JSON.parse(body) as { result?: { data?: string }; error?: { message: string } };
  return { status: answer.status, body, data: (sent.result?.data ? parse(sent.result.data) : undefined) as Answer };
}
async function member(role: Role): Promise<Headers> {
  const { directory } = server.app.services;
  const email = `${role}${(serial += 1)}@members.example`;
  const { account, user } = await createAccount(directory, { email, password: PASSWORD }, server.clock.now);
  await directory.db.deleteFrom('accounts').where('id', '=', account.id).execute();
  const row = { account_id: site.account_id, user_id: user.id, role, created_at: server.clock.now };
  await directory.db.insertInto('members').values(row).execute();
  return { cookie: await server.logIn(email) };
}
const linked = async (shows: Partial<Shows> = {}): Promise<Headers> => {
  const input = { siteId: site.id, name: 'link', shows };
  const link = await createShareLink(server.app.services.directory, input, server.clock.now);
  return { 'x-share-token': link.token };
};
const figures = async (input: object, headers: Headers = owner) => {
  const { status, data } = await ask<Summary>('stats.summary', { period: 'today', ...input }, headers);
  expect(status).toBe(200);
  const of = (name: string) => data.metrics.find((metric) => metric.name === name);
  return [of('visits'), of('pageviews')].map((metric) => [metric?.value, metric?.previous]);
};
const inSegment = (id: string, operator = 'is') => ({ dimension: 'segment', operator, values: [id] });

test('roles: a viewer keeps segments of their own and uses the site’s; whoever may edit settings changes these', async () => {
  const [admin, viewer, link] = [await member('admin'), await member('viewer'), await linked()];
  const input = { filters: GERMANS };
  server.clock.now += 1;
  const statuses = async (name: string, sent: object) =>
    Promise.all([admin, viewer, link].map(async (headers) => (await ask(name, sent, headers)).status));
  expect(await statuses('segments.create', { ...input, name: 'Ours', is_personal: false })).toEqual([200, 403, 403]);
  expect(await statuses('segments.create', { ...input, name: 'Mine', is_personal: true })).toEqual([200, 200, 403]);
  expect(await statuses('segments.change', { id: ofSite.id, filters: GERMANS })).toEqual([200, 403, 403]);
  const names = async (headers: Headers) =>
    (await ask<Segment[]>('segments.list', {}, headers)).data.map(({ name }) => name);
  expect(await names(viewer)).toEqual(['Germans', 'Pro', 'Ours', 'Mine']);
  expect(await names(owner)).toEqual(['Germans', 'Pro', 'Ours', 'Readers of prices']);
  expect(await names(link)).toEqual(['Germans', 'Ours']);
  expect(await names(await linked({ properties: true }))).toEqual(['Germans', 'Pro', 'Ours']);
  expect((await ask('shares.site', {}, link)).data).toMatchObject({ has_segments: true });
});

test('another person’s, a deleted and an unknown segment get the same answer at every door', async () => {
  const unknown = `segment_${'0'.repeat(26)}`;
  const gone = await ask<Segment>('segments.create', { name: 'Gone', filters: GERMANS }, owner);
  await ask('segments.delete', { id: gone.data.id }, owner);
  const other = await server.addSite('other.example');
  const { directory } = server.app.services;
  const foreign = await createSegment(directory, { siteId: other.id, owner: null, name: 'f', filters: GERMANS }, NOON);
  const [somebody, link, hiding] = [await member('owner'), await linked({ properties: true }), await linked()];
  const cases: [Headers, string][] = [
    ...[own.id, gone.data.id, foreign.id, unknown, 'x', "' OR 1=1 --"].flatMap((id): [Headers, string][] => [
      [somebody, id],
      [link, id],
    ]),
    [hiding, ofProperty.id], // the link hides properties
  ];
  const answers = new Map<string, Set<string>>();
  const period = { period: 'today' };
  for (const [headers, id] of cases)
    for (const [name, input] of Object.entries({
      'stats.summary': { ...period, segment: id },
      'stats.timeseries': { ...period, metric: 'visits', versus: id },
      'stats.breakdown': { ...period, dimension: 'page', metrics: ['visits'], filters: [inSegment(id)] },
      'stats.properties': { ...period, filters: [inSegment(id, 'is_not')] },
      'stats.currencies': { ...period, segment: id },
      ...('cookie' in headers ? { 'segments.change': { id, name: 'n' }, 'segments.delete': { id } } : {}),
    })) {
      const { status, body } = await ask(name, input, headers);
      answers.set(name, (answers.get(name) ?? new Set()).add(`${status} ${body}`));
    }
  for (const [name, bodies] of answers) {
    expect([name, bodies.size]).toEqual([name, 1]);
    expect([...bodies][0]).toMatch(/^404 .*There is no such segment on this site\./);
  }
  for (const [headers, id] of cases) {
    const address = `${server.url}/export/${site.id}.csv?date_from=2026-11-20&date_to=2026-11-20&segment=${encodeURIComponent(id)}`;
    expect((await fetch(address, { headers })).status).toBe(404);
  }
});

test('a chosen segment counts like its filters, a filter by segment keeps whole visits, and two segments can be compared', async () => {
  // Visits and page views, and those that they are compared with.
  expect(await figures({ compare: 'none' })).toEqual([
    [9, null],
    [12, null],
  ]);
  expect(await figures({ segment: own.id })).toEqual(await figures({ filters: own.filters }));
  expect(await figures({ segment: own.id })).toEqual([
    [3, null],
    [3, null],
  ]);
  expect(await figures({ filters: [inSegment(own.id)] })).toEqual([
    [3, null],
    [6, null],
  ]);
  expect(await figures({ filters: [inSegment(own.id, 'is_not')] })).toEqual([
    [6, null],
    [6, null],
  ]);
  const germansOnly = [inSegment(own.id, 'is_not')];
  expect(await figures({ segment: ofSite.id, filters: germansOnly })).toEqual([
    [1, null],
    [1, null],
  ]);
  expect(await figures({ segment: own.id, versus: ofSite.id, compare: 'year' })).toEqual([
    [3, 4],
    [3, 7],
  ]);
  expect(await figures({ segment: ofSite.id, versus: ALL_VISITORS })).toEqual([
    [4, 9],
    [7, 12],
  ]);
  expect(await figures({ versus: ofSite.id, filters: germansOnly })).toEqual([
    [6, 1],
    [6, 1],
  ]);
});

test('filters that make no sense are refused with a sentence', async () => {
  const cases: [object, string][] = [
    [{ filters: [inSegment(ofSite.id, 'contains')] }, 'filters.0.operator: must be is or is_not for segment.'],
    [
      { filters: [{ ...inSegment(''), values: Array(11).fill(ofSite.id) }] },
      'filters: at most 10 segments are allowed in filters.',
    ],
    [{ filters: [{ ...inSegment(ofSite.id), segments: [] }] }, 'filters.0'],
  ];
  for (const [input, sentence] of cases) {
    const { status, body } = await ask('stats.summary', { period: 'today', ...input }, owner);
    expect([status, body.includes(sentence), body]).toEqual([400, true, body]);
  }
  for (const filters of [
    [],
    [only('ai_page', '/')],
    [inSegment(ofSite.id)],
    [{ dimension: 'x', operator: 'is', values: ['y'] }],
  ])
    expect((await ask('segments.create', { name: 'n', filters }, owner)).status).toBe(400);
  const ofAi = { dimension: 'ai_page', metrics: ['ai_visits'], segment: ofSite.id };
  expect((await ask('stats.breakdown', { period: 'today', ...ofAi }, owner)).status).toBe(400);
});

describe('a share link', () => {
  test('opens the site’s segments, and shows no number of fewer than three visitors through them', async () => {
    const viewer = await linked({ properties: true });
    expect(await figures({ segment: ofSite.id }, viewer)).toEqual([
      [about(4), null],
      [about(7, 4), null],
    ]);
    expect(await figures({ segment: ofSite.id, versus: ALL_VISITORS }, viewer)).toEqual([
      [about(4), 9],
      [about(7, 4), 12],
    ]);
    // One visitor signed up.
    expect(await figures({ segment: ofProperty.id }, viewer)).toEqual([
      [0, null],
      [0, null],
    ]);
    expect(await figures({ versus: ofProperty.id }, viewer)).toEqual([
      [9, 0],
      [12, 0],
    ]);
    const create = async (name: string, filters: Filter[]) =>
      (await ask<Segment>('segments.create', { name, filters, is_personal: false }, owner)).data.id;
    const french = await create('French', [only('country', 'FR')]);
    const notPricing = await create('Germans, not pricing', [...GERMANS, only('entry_page', '/x', 'is_not')]);
    expect(await figures({ filters: [inSegment(ofProperty.id)] }, viewer)).toEqual([
      [0, null],
      [0, null],
    ]);
    // The difference to all visitors would reveal the one whom it excludes, so they are counted.
    const allButOne = await create('All but one', [only('event', 'signup', 'is_not')]);
    expect(await figures({ filters: [inSegment(allButOne)] }, viewer)).toEqual([
      [9, null],
      [12, null],
    ]);
    expect(await figures({ filters: [inSegment(french)] }, viewer)).toEqual([
      [about(5), null],
      [about(5, 5), null],
    ]);
    expect(await figures({ filters: [inSegment(french, 'is_not')] }, viewer)).toEqual([
      [about(4), null],
      [about(7, 4), null],
    ]);
    expect(await figures({ segment: notPricing }, viewer)).toEqual([
      [about(4), null],
      [about(7, 4), null],
    ]);
    for (const filters of [[{ ...inSegment(''), values: [french, ofSite.id] }], [inSegment(ofProperty.id, 'is_not')]])
      expect((await ask('stats.summary', { period: 'today', filters }, viewer)).status).toBe(400);
  });
});

test('a segment keeps the condition of a deleted goal, says which it was, and keeps it through every edit', async () => {
  const { directory } = server.app.services;
  const [read, signed] = [
    { kind: 'page', page: '/pricing' } as const,
    { kind: 'event', event: 'signup', props: { plan: 'pro' } } as const,
  ];
  const make = (name: string, definition: GoalDefinition) =>
    goals.create(directory, { siteId: site.id, name, definition }, server.clock.now);
  const [{ id: goal }, { id: telling }] = [await make('Read prices', read), await make('Signed up', signed)];
  const visits = async (input: object, headers = owner) => {
    const { data } = await ask<Summary>('stats.summary', { period: 'today', ...input }, headers);
    return data.metrics.find(({ name }) => name === 'visits')?.value;
  };
  const save = async (filters: object[]) =>
    (await ask<Segment>('segments.create', { name: `of ${serial++}`, filters, is_personal: false }, owner)).data;
  const [reached, missed, pro] = [
    await save([only('goal', goal)]),
    await save([only('goal', goal, 'is_not')]),
    await save([only('goal', telling)]),
  ];
  const counts = async () => [
    await visits({ segment: reached.id }),
    await visits({ segment: missed.id }),
    await visits({ filters: [{ dimension: 'segment', operator: 'is_not', values: [reached.id] }] }),
  ];
  expect(await counts()).toEqual([3, 6, 6]);
  for (const id of [goal, telling]) await goals.delete(directory, { siteId: site.id, id });
  expect(await counts()).toEqual([3, 6, 6]);
  // Only the segment knows the goal.
  expect(await visits({ filters: [only('goal', goal)] })).toBe(0);
  const deleted_goals = [{ id: goal, name: 'Read prices', ...read }];
  const listed = (await ask<Segment[]>('segments.list', {}, owner)).data;
  expect(listed.find(({ id }) => id === reached.id)?.filters).toEqual([{ ...only('goal', goal), deleted_goals }]);

  // The dashboard sends ids alone: the conditions come from the segments of the site, never from the sender.
  const change = (filters: object[]) => ask<Segment>('segments.change', { id: reached.id, filters }, owner);
  const renamed = await change([only('country', 'DE'), only('goal', goal)]);
  expect(renamed.data.filters).toEqual([only('country', 'DE'), { ...only('goal', goal), deleted_goals }]);
  expect((await change([{ ...only('goal', goal), deleted_goals }])).status).toBe(400);
  const copy = await save([only('goal', goal, 'is_not')]);
  expect(await visits({ segment: copy.id })).toBe(6);

  // Conditions on properties stay with those who may see properties.
  const viewerOf = async (shows: Partial<Shows>) => {
    const { token } = await createShareLink(directory, { siteId: site.id, name: 'l', shows }, server.clock.now);
    return { 'x-share-token': token };
  };
  const seen = await viewerOf({ fewest: 1, properties: true });
  expect(await visits({ segment: pro.id }, seen)).toBe(1);
  const blind = await viewerOf({ fewest: 1 });
  expect(await visits({ segment: pro.id }, blind)).toBe(0);
  expect((await ask('segments.list', {}, blind)).body).not.toContain('plan');
  for (const { id } of [reached, missed, pro, copy]) await deleteSegment(directory, { id });
});

test('the export and the API count with the site’s segments, and accept no others', async () => {
  const day = new Date(server.clock.now).toISOString().slice(0, 10);
  const file = async (segment: string) => {
    const address = `${server.url}/export/${site.id}.csv?date_from=${day}&date_to=${day}&segment=${segment}`;
    return (await (await fetch(address, { headers: owner })).text()).split('\r\n')[1];
  };
  expect(await file(own.id)).toMatch(new RegExp(`^${day},3,3,/pricing: 3,`));

  const { directory } = server.app.services;
  await setPlan(directory, { accountId: site.account_id, plan: 'pro', status: 'active' }, server.clock.now);
  const { key } = await createKey(directory, { accountId: site.account_id, name: 'key' }, server.clock.now);
  const rest = async (path: string) => {
    const answer = await fetch(`${server.url}/v1/${path}&site_id=${site.id}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return { status: answer.status, body: (await answer.json()) as { data: unknown } };
  };
  const of = (id: string) => `period=today&segment=${id}`;
  expect((await rest(`stats?metric=pageviews&limit=1&${of(ofSite.id)}`)).body.data).toMatchObject({ pageviews: 7 });
  expect((await rest(`stats/breakdown?dimension=country&metrics=visits&${of(ofSite.id)}`)).body.data).toEqual([
    { country: 'DE', visits: 4 },
  ]);
  const { body } = await rest(`stats/timeseries?metrics=visits&interval=day&${of(ofSite.id)}`);
  expect(body.data).toEqual([{ time: `${day}T00:00:00.000Z`, visits: 4 }]);
  for (const id of [own.id, `segment_${'0'.repeat(26)}`, 'x'])
    for (const path of [
      'stats?limit=1',
      'stats/breakdown?dimension=page',
      'stats/timeseries?interval=day',
      'stats/reading?timezone=UTC',
    ])
      expect((await rest(`${path}&${of(id)}`)).status).toBe(404);
  expect((await rest(`stats/breakdown?dimension=ai_page&${of(ofSite.id)}`)).status).toBe(400);
  const listed = (await rest('segments?page=1')).body.data as { id: string }[];
  expect(listed[0]).toEqual({
    id: ofSite.id,
    name: 'Germans',
    created_at: new Date(ofSite.created_at).toISOString(),
    filters: GERMANS,
  });
  expect(listed.map(({ id }) => id)).not.toContain(own.id);
});
