/** @module-tag attack */
// Viewers of a share link see no number that fewer than three visitors made, at any door, unless the owner allows it: neither by itself, nor as the
// difference of two others. Narrowed numbers of more visitors are changed a little; those of exactly three are not.
import { parse, stringify } from 'devalue';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goals } from '../../../server/sites/definitions/goals.ts';
import { createShareLink, type Shows } from '../../../server/sites/sharing/share.ts';
import type { Site } from '../../../server/sites/sites.ts';
import type { Breakdown } from '../../../server/stats/answers/breakdown.ts';
import type { Journey } from '../../../server/stats/journeys/journey.ts';
import type { Summary } from '../../../server/stats/answers/summary.ts';
import type { Trends } from '../../../server/stats/answers/trends.ts';
import type { Week } from '../../../server/stats/answers/week.ts';
import type { Timeseries } from '../../../server/stats/answers/timeseries.ts';
import type { GoalDefinition } from '../../../server/vocabulary/questions/goals.ts';
import { OPERATOR_NAMES } from '../../../server/vocabulary/questions/operators.ts';
import { DAY_MS, HOUR_MS } from '../../../server/vocabulary/time/time.ts';
import { about } from '../../setup/stats/about.ts';
import { type TestApp, testApp } from '../../setup/app.ts';
import { makeEvent } from '../../setup/event.ts';
import { showsRefused, sized } from '../../setup/run/harness.ts';
import { openRandom } from '../../setup/api/hostile-input.ts';

let server: TestApp;
let site: Site;
let cookie: string;
beforeAll(async () => {
  server = await testApp();
  site = await server.addSite('own.example');
  cookie = await server.logIn('owner@own.example');
  // Yesterday: three from Berlin, two from Bonn, one from Ulm, who alone has an old browser and system, pays for the rare plan and reads /only.
  const cities = ['Berlin', 'Berlin', 'Berlin', 'Bonn', 'Bonn', 'Ulm'];
  const events = cities.flatMap((city, person) => {
    const isRare = city === 'Ulm';
    const about = {
      site_id: site.id,
      visitor: `p${person}`,
      time: server.clock.now - DAY_MS - (person + 1) * 3_600_000,
      city,
      country: isRare ? 'LI' : 'DE',
      browser_version: isRare ? '99' : '140',
      os_version: isRare ? '3.1' : '15',
    };
    const page = isRare ? '/only' : '/';
    return [
      makeEvent({ ...about, page }),
      makeEvent({
        ...about,
        page,
        time: about.time + 1000,
        name: 'signup',
        amount: isRare ? '90' : '10',
        currency: 'EUR',
        props: { plan: isRare ? 'rare' : 'usual' },
      }),
    ];
  });
  await server.app.collector.record(events, server.clock.now);
  await server.settle();
});
afterAll(async () => server[Symbol.asyncDispose]());

/** Links are kept, because a site may have 50. */
const links = new Map<string, Record<string, string>>();
const linked = async (shows: Partial<Shows> = {}) => {
  const known = links.get(JSON.stringify(shows));
  if (known) return known;
  const link = await createShareLink(
    server.app.services.directory,
    { siteId: site.id, name: 'link', shows },
    server.clock.now,
  );
  const headers = { 'x-share-token': link.token };
  links.set(JSON.stringify(shows), headers);
  return headers;
};
async function ask<Answer>(name: string, input: object, headers: Record<string, string>) {
  const asked = encodeURIComponent(JSON.stringify(stringify({ site_id: site.id, period: 'yesterday', ...input })));
  const answer = await fetch(`${server.url}/trpc/stats.${name}?input=${asked}`, { headers });
  const body = (await answer.json()) as { result: { data: string } };
  return { status: answer.status, data: (answer.ok ? parse(body.result.data) : undefined) as Answer };
}
const list = async (headers: Record<string, string>, input: object) => {
  const { data } = await ask<Breakdown>('breakdown', { metrics: ['pageviews'], ...input }, headers);
  return {
    rows: data.rows.map(({ name, values }) => [name, values.pageviews ?? values.events]),
    total: data.total,
  };
};
const only = (dimension: string, value: string, operator = 'is') => ({ dimension, operator, values: [value] });

test('a filter on a period up to now is refused: asked every minute, it would tell when a visitor came', async () => {
  const headers = await linked();
  const rolling = ['60m', '24h'];
  for (const period of rolling) {
    const filters = [only('country', 'DE')];
    expect((await ask<Summary>('summary', { period, filters }, headers)).status, period).toBe(400);
    expect((await ask<Summary>('summary', { period }, headers)).status, period).toBe(200);
    expect((await ask<Summary>('summary', { period, filters }, { cookie })).status, period).toBe(200);
    expect((await ask<Summary>('summary', { period, filters }, await linked({ fewest: 1 }))).status, period).toBe(200);
  }
});

test('the hours of a period up to now are those of the owner, though the first one begins at a step', async () => {
  const hourly = await server.addSite('hourly.example');
  const { now } = server.clock;
  const events = Array.from({ length: 26 * 3 }, (_, number) =>
    makeEvent({
      site_id: hourly.id,
      visitor: `h${number}`,
      time: now - Math.floor(number / 3) * HOUR_MS - 1_000_000 - (number % 3) * 60_000,
    }),
  );
  await server.app.collector.record(events, now);
  await server.settle();
  const { token } = await createShareLink(server.app.services.directory, { siteId: hourly.id, name: 'link' }, now);
  const asked = { site_id: hourly.id, period: '24h', metric: 'unique_visitors' };
  const hoursFor = async (headers: Record<string, string>) =>
    (await ask<Timeseries>('timeseries', asked, headers)).data.points;
  const whole = await hoursFor({ cookie: await server.logIn('owner@hourly.example') });
  expect(whole.map(({ value }) => value)).toEqual(Array(24).fill(3));
  expect((await hoursFor({ 'x-share-token': token })).slice(1)).toEqual(whole.slice(1));
});

describe('viewers of a share link see no row made by fewer than three visitors', () => {
  test.each([
    ['city', ['Berlin', 3], 'Ulm'],
    ['browser_version', ['Firefox 140', about(5)], 'Firefox 99'],
    ['os_version', ['Linux 15', about(5)], 'Linux 3.1'],
    ['prop:plan', ['usual', about(5)], 'rare'],
  ] as const)('of %s: in the list, on its pages, in a search, in whatever order', async (dimension, shown, hidden) => {
    showsRefused('single visitors shown', 4);
    const viewer = await linked({ properties: true });
    const metrics = dimension === 'prop:plan' ? ['events'] : ['pageviews'];
    const asked = { dimension, metrics };
    expect(await list(viewer, asked)).toEqual({ rows: [shown], total: 1 });
    expect(await list(viewer, { ...asked, order: { by: 'name', direction: 'asc' }, per_page: 1 })).toEqual({
      rows: [shown],
      total: 1,
    });
    expect((await list(viewer, { ...asked, page: 2, per_page: 1 })).rows).toEqual([]);
    expect(await list(viewer, { ...asked, search: hidden })).toEqual({ rows: [], total: 0 });
    expect((await list({ cookie }, { ...asked, search: hidden })).rows.length).toBe(1);
  });

  test('under a filter on a city: in lists of anything, in the chart, in the export', async () => {
    const viewer = await linked();
    const filters = [only('city', 'Berlin')];
    expect((await list(viewer, { dimension: 'page', filters })).rows).toEqual([['/', 3]]);
    const chart = await ask<Timeseries>('timeseries', { metric: 'pageviews', interval: 'hour', filters }, viewer);
    const known = await ask<Timeseries>('timeseries', { metric: 'pageviews', interval: 'hour', filters }, { cookie });
    const sum = (points: Timeseries['points'] = []) => points.reduce((total, { value }) => total + (value ?? NaN), 0);
    expect([chart.status, known.status]).toEqual([200, 200]);
    expect([sum(chart.data.points), sum(known.data.points)]).toEqual([0, 3]); // each hour has one visitor
  });
});

describe('viewers of a share link see no money of fewer than three visitors', () => {
  const metrics = ['orders', 'revenue', 'average_order', 'revenue_confirmed', 'refunds'] as const;
  const money = async (headers: Record<string, string>, input: object) => {
    const { status, data } = await ask<Breakdown>('breakdown', { metrics, ...input }, headers);
    return status === 200 ? data.rows.map(({ name, values }) => [name, ...metrics.map((one) => values[one])]) : status;
  };

  test('in a list of properties, and under a filter', async () => {
    showsRefused('single visitors shown', 2);
    const viewer = await linked({ properties: true });
    const [usual, ...others] = (await money(viewer, { dimension: 'prop:plan' })) as [unknown[]];
    expect([usual.slice(0, 2), others]).toEqual([['usual', about(5)], []]);
    expect(Math.abs(Number(usual[2]) - 50)).toBeLessThanOrEqual(20); // two of five orders of 10
    expect(usual.slice(4)).toEqual([0, 0]);
    expect(await money({ cookie }, { dimension: 'prop:plan' })).toEqual([
      ['usual', 5, 50, 10, 0, 0],
      ['rare', 1, 90, 90, 0, 0],
    ]);
    const filters = [only('city', 'Ulm')];
    expect(await money(viewer, { dimension: 'source', filters })).toEqual([]);
    expect(await money({ cookie }, { dimension: 'source', filters })).toEqual([['', 1, 90, 90, 0, 0]]);
  });

  test('in a currency that is not the currency of the site', async () => {
    showsRefused('single visitors shown');
    const viewer = await linked();
    expect(await money(viewer, { dimension: 'source', currency: 'USD' })).toBe(403);
    expect(await money(viewer, { dimension: 'source', currency: 'EUR' })).toEqual([['', 6, 140, 140 / 6, 0, 0]]);
    expect(await money({ cookie }, { dimension: 'source', currency: 'USD' })).toEqual([]); // no order is in it
  });
});

describe('viewers of a share link see no conversions of fewer than three visitors', () => {
  const make = async (name: string, definition: GoalDefinition) =>
    (await goals.create(server.app.services.directory, { siteId: site.id, name, definition }, server.clock.now)).id;
  const signup = { kind: 'event', event: 'signup' } as const;
  const metrics = ['conversions', 'converted_visitors', 'conversion_rate'];
  let [all, rare, only_]: string[] = [];
  beforeAll(async () => {
    [all, rare, only_] = [
      await make('Signed up', { ...signup, props: {} }),
      await make('Rare plan', { ...signup, props: { plan: 'rare' } }),
      await make('Read /only', { kind: 'page', page: '/only' }),
    ];
  });
  const rows = async (headers: Record<string, string>, input: object) => {
    const { data } = await ask<Breakdown>('breakdown', { metrics, ...input }, headers);
    return data.rows.map(({ name, values }) => [name, values.conversions]);
  };

  test('in a list of goals, and of anything else', async () => {
    showsRefused('single visitors shown', 3);
    const viewer = await linked({ properties: true });
    expect(await rows(viewer, { dimension: 'goal' })).toEqual([[all, about(6)]]);
    expect(await rows({ cookie }, { dimension: 'goal' })).toEqual([
      [all, 6],
      ...[only_, rare].map((id) => [id, 1]).sort(),
    ]);
    // Any visit that is not of Berlin or Bonn is the one of Ulm.
    expect(await rows(viewer, { dimension: 'country' })).toEqual([['DE', about(5)]]);
    expect(await rows(viewer, { dimension: 'page' })).toEqual([['/', about(5)]]);
  });

  test('under a filter on a goal, and by the rate of the visitors that other filters leave', async () => {
    showsRefused('single visitors shown', 3);
    const viewer = await linked({ properties: true });
    const totals = async (headers: Record<string, string>, filters: object[]) => {
      const { data } = await ask<Summary>('summary', { filters }, headers);
      return data.metrics.find(({ name }) => name === 'conversion_rate')?.value;
    };
    expect(await rows(viewer, { dimension: 'source', filters: [only('goal', rare ?? '')] })).toEqual([]);
    expect(await totals(viewer, [only('goal', rare ?? '')])).toBeUndefined();
    const ofAll = await totals(viewer, [only('goal', all ?? '')]);
    expect(ofAll).toBeGreaterThanOrEqual(66); // everybody converted: 100, less what at most two of six would take away
    // To leave out one visitor leaves out nobody.
    const withoutOne = [only('goal', all ?? ''), only('country', 'LI', 'is_not')];
    expect([await totals(viewer, withoutOne), await totals({ cookie }, withoutOne)]).toEqual([ofAll, 100]);
    expect((await ask('summary', { filters: [only('goal', all ?? '', 'is_not')] }, viewer)).status).toBe(400);
  });

  test('and a goal with property conditions is unknown to those who may not see properties', async () => {
    const usual = await make('Usual plan', { ...signup, props: { plan: 'usual' } });
    const [viewer, allowed] = [await linked(), await linked({ properties: true })];
    expect(await rows(viewer, { dimension: 'goal' })).toEqual([[all, about(6)]]);
    expect((await rows(allowed, { dimension: 'goal' })).sort()).toEqual(
      [
        [all, about(6)],
        [usual, about(5)],
      ].sort(),
    );
    const listed = async (headers: Record<string, string>) => {
      const input = encodeURIComponent(JSON.stringify(stringify({ site_id: site.id })));
      const answer = await fetch(`${server.url}/trpc/goals.list?input=${input}`, { headers });
      const { result } = (await answer.json()) as { result: { data: string } };
      return (parse(result.data) as { id: string }[]).map(({ id }) => id);
    };
    expect(await listed(viewer)).toEqual([all, only_]);
    expect(await listed(allowed)).toEqual([all, rare, only_, usual]);
  });
});

describe('a filter that leaves fewer than three visitors shows a viewer nothing', () => {
  const NARROW = [
    [only('city', 'Ulm')],
    [only('city', 'Bonn')],
    [only('city', 'Nowhere')],
    [only('browser_version', 'Firefox 99')],
    [only('os_version', 'Linux 3.1')],
    [only('country', 'LI')],
    [only('page', '/only')],
    [only('entry_page', '/onl', 'contains')],
    [only('country', 'DE'), only('city', 'Bonn')],
  ];

  test.each(
    NARROW.map(
      (filters) =>
        [
          filters.map(({ dimension, operator, values }) => `${dimension} ${operator} ${values.join()}`).join(),
          filters,
        ] as const,
    ),
  )('%s', async (_title, filters) => {
    showsRefused('single visitors shown', 8);
    const viewer = await linked();
    const summary = await ask<Summary>('summary', { filters, compare: 'previous' }, viewer);
    expect(summary.status).toBe(200);
    expect(summary.data.metrics.map(({ value, previous }) => value || previous || 0)).toEqual([0, 0, 0, 0, 0, 0]);
    const chart = await ask<Timeseries>('timeseries', { metric: 'unique_visitors', filters }, viewer);
    expect(chart.data.points.filter(({ value }) => value !== 0)).toEqual([]);
    for (const dimension of ['page', 'country', 'source', 'device', 'event', 'city'])
      expect(
        await list(viewer, { dimension, filters, metrics: [dimension === 'event' ? 'events' : 'pageviews'] }),
      ).toEqual({ rows: [], total: 0 });
  });

  test('in the export as well, which the owner gets whole', async () => {
    const file = async (headers: Record<string, string>) => {
      const address = `${server.url}/export/${site.id}.csv?date_from=2026-11-19&date_to=2026-11-19&filter[city]=Ulm`;
      const answer = await fetch(address, { headers });
      return (await answer.text()).split('\r\n')[1];
    };
    expect(await file(await linked())).toBe('2026-11-19,0,0,,,');
    expect(await file({ cookie })).toBe('2026-11-19,1,1,/only: 1,,signup: 1');
    expect(await file(await linked({ fewest: 1 }))).toBe('2026-11-19,1,1,/only: 1,,signup: 1');
  });

  test('and filter by one city, version or property at a time: never by all but one, by several, or by a part of a name', async () => {
    const viewer = await linked({ properties: true });
    for (const dimension of ['city', 'browser_version', 'os_version', 'prop:plan'])
      for (const filter of [
        only(dimension, 'Ulm', 'is_not'),
        only(dimension, 'Ulm', 'contains'),
        only(dimension, 'Ulm', 'contains_not'),
        { ...only(dimension, 'Ulm'), values: ['Ulm', 'Berlin'] },
      ])
        expect([filter, (await ask('summary', { filters: [filter] }, viewer)).status]).toEqual([filter, 400]);
  });
});

test('a link shows properties only if its owner allows it', async () => {
  const [usual, allowed] = [await linked(), await linked({ properties: true })];
  const breakdown = { dimension: 'prop:plan', metrics: ['events'] };
  const filtered = { filters: [only('prop:plan', 'usual')] };
  const seen = async (headers: Record<string, string>) => [
    (await ask('breakdown', breakdown, headers)).status,
    (await ask('summary', filtered, headers)).status,
    (await ask('properties', {}, headers)).data,
  ];
  expect(await seen(usual)).toEqual([403, 403, { keys: [] }]);
  expect(await seen(allowed)).toEqual([200, 200, { keys: [{ name: 'plan', events: about(6) }] }]);
  const narrow = { filters: [only('city', 'Ulm')] };
  expect((await ask('properties', narrow, allowed)).data).toEqual({ keys: [] });
});

test('the same question has the same answer through every link, in every order, at every door: asking again averages nothing', async () => {
  const { id: site_id } = await server.addSite('doors.example');
  const time = server.clock.now - DAY_MS;
  // Seven of ten visitors are from Germany, and they alone have phones.
  const events = Array.from({ length: 10 }, (_, person) =>
    makeEvent({
      site_id,
      visitor: `p${person}`,
      time: time + person * 1000,
      page: '/',
      ...(person < 7 ? { country: 'DE', device: 'mobile' } : { country: 'FR', device: 'desktop' }),
    }),
  );
  await server.app.collector.record(events, server.clock.now);
  await server.settle();
  const [ofCountry, ofDevice] = [only('country', 'DE'), only('device', 'mobile')];
  const asked = [
    { filters: [ofCountry] },
    { filters: [ofDevice, { ...ofCountry, values: ['DE', 'LI'] }] },
    { filters: [{ ...ofCountry, values: ['LI', 'DE'] }, ofDevice] },
    { filters: [only('device', 'mob', 'contains')] },
    { filters: [ofCountry], period: 'custom', date_from: '2026-11-18', date_to: '2026-11-19' },
  ];
  const answers = new Set<string>();
  for (const shows of [{}, { properties: true }]) {
    const link = await createShareLink(
      server.app.services.directory,
      { siteId: site_id, name: 'link', shows },
      server.clock.now,
    );
    const viewer = { 'x-share-token': link.token };
    for (const each of asked) {
      const input = { site_id, ...each };
      const { data } = await ask<Summary>('summary', input, viewer);
      const valueOf = (name: string) => data.metrics.find((metric) => metric.name === name)?.value;
      answers.add(JSON.stringify([valueOf('unique_visitors'), valueOf('pageviews')]));
      const metrics = ['unique_visitors', 'pageviews'];
      const listed = await ask<Breakdown>('breakdown', { ...input, dimension: 'page', metrics }, viewer);
      answers.add(JSON.stringify(metrics.map((metric) => listed.data.rows[0]?.values[metric as 'pageviews'])));
    }
    const file = `${server.url}/export/${site_id}.csv?date_from=2026-11-19&date_to=2026-11-19&filter[country]=DE`;
    const row = (await (await fetch(file, { headers: viewer })).text()).split('\r\n')[1]?.split(',') ?? [];
    answers.add(JSON.stringify([row[2], row[1]].map(Number)));
  }
  expect([...answers].map((one) => JSON.parse(one) as number[])).toEqual([[about(7), about(7)]]);
});

test('random questions have the same answers through two links, and the export and the picture say what the dashboard says', async () => {
  const { id: site_id } = await server.addSite('links.example');
  const random = openRandom(12);
  const values = { country: ['DE', 'FR', 'US'], browser: ['Chrome', 'Firefox'], source: ['', 'Google'] };
  const events = Array.from({ length: 60 }, (_, person) => {
    const drawn = Object.entries(values).map(([dimension, some]) => [dimension, random.pick(some)]);
    const time = server.clock.now - (1 + random.number(2)) * DAY_MS + person * 1000;
    return makeEvent({ site_id, visitor: `p${person}`, time, page: '/', ...Object.fromEntries(drawn) });
  });
  await server.app.collector.record(events, server.clock.now);
  await server.settle();
  const linkTo = (shows: Partial<Shows>) =>
    createShareLink(server.app.services.directory, { siteId: site_id, name: 'link', shows }, server.clock.now);
  const tokens = [(await linkTo({})).token, (await linkTo({ properties: true })).token];
  const days = { date_from: '2026-11-18', date_to: '2026-11-19' };
  const seenWith = async (token: string, filters: object[]) => {
    const viewer = { 'x-share-token': token };
    const asked = { site_id, period: 'custom', ...days, filters };
    const chart = async (metric: string) => {
      const { data } = await ask<Timeseries>('timeseries', { ...asked, metric, interval: 'day' }, viewer);
      return data.points.map(({ value }) => value);
    };
    const { status, data } = await ask<Summary>('summary', asked, viewer);
    const search = new URLSearchParams({ ...days, filters: JSON.stringify(filters) });
    const file = await fetch(`${server.url}/export/${site_id}.csv?${search}`, { headers: viewer });
    if (status !== 200) return { status, file: file.status };
    const lines = (await file.text()).trim().split('\r\n').slice(1);
    expect(lines.map((line) => Number(line.split(',')[2]))).toEqual(await chart('unique_visitors'));
    const metrics = ['unique_visitors', 'pageviews'];
    const list = await ask<Breakdown>('breakdown', { ...asked, dimension: 'browser', metrics }, viewer);
    return { status, metrics: data.metrics, rows: list.data.rows, lines };
  };
  const answers = new Set<string>();
  for (let n = 0; n < sized({ short: 4, long: 30 }); n += 1) {
    const filters = Object.entries(values)
      .filter(() => random.chance(0.5))
      .map(([dimension, some]) => ({
        dimension,
        operator: random.pick(OPERATOR_NAMES),
        values: Array.from({ length: 1 + random.number(2) }, () => random.pick(some)),
      }));
    const [one, other] = [await seenWith(tokens[0] ?? '', filters), await seenWith(tokens[1] ?? '', filters)];
    expect(other, JSON.stringify(filters)).toEqual(one);
    answers.add(JSON.stringify(one));
  }
  expect(answers.size).toBeGreaterThan(2);
  const doorsOf = async (token: string) => {
    const input = encodeURIComponent(JSON.stringify(stringify({ site_id })));
    const live = await fetch(`${server.url}/trpc/live.snapshot?input=${input}`, {
      headers: { 'x-share-token': token },
    });
    const picture = await fetch(`${server.url}/share/${token}/preview.png`);
    const ofToday = ['badge.svg?period=today', 'chart.svg?period=today', 'map.svg?period=today', 'calendar.svg'];
    const others = await Promise.all(
      ofToday.map(async (path) => (await fetch(`${server.url}/share/${token}/${path}`)).text()),
    );
    return [
      live.status,
      await live.text(),
      picture.status,
      Buffer.from(await picture.arrayBuffer()).toString('base64'),
      ...others,
    ];
  };
  const doors = await doorsOf(tokens[0] ?? '');
  expect([doors[0], doors[2]]).toEqual([200, 200]);
  expect(await doorsOf(tokens[1] ?? '')).toEqual(doors);
  // One visitor who comes now moves neither.
  await server.app.collector.record(
    [makeEvent({ site_id, visitor: 'new', time: server.clock.now, page: '/' })],
    server.clock.now,
  );
  await server.settle();
  server.clock.now += 60_000;
  expect(await doorsOf(tokens[0] ?? '')).toEqual(doors);
  server.clock.now -= 60_000;
});

test('a link whose owner allows it shows what the owner sees', async () => {
  const viewer = await linked({ properties: true, fewest: 1 });
  const filters = [only('city', 'Ulm', 'is_not')];
  for (const [name, input] of [
    ['summary', { filters: [only('city', 'Ulm')] }],
    ['breakdown', { dimension: 'city', metrics: ['pageviews'] }],
    ['breakdown', { dimension: 'prop:plan', metrics: ['events'], filters }],
  ] as const)
    expect(await ask(name, input, viewer)).toEqual(await ask(name, input, { cookie }));
});

test('a filtered comparison on a link moves by three visitors: asked every minute, it reveals nobody', async () => {
  showsRefused('single visitors shown');
  const { id } = await server.addSite('minutes.example');
  const { now } = server.clock;
  // Three people came an hour ago, and three at the same time on each of the three days before.
  const events = [0, 1, 2, 3].flatMap((day) =>
    ['Ada', 'Bob', 'Cem'].map((visitor) =>
      makeEvent({ site_id: id, visitor: `${visitor} ${day}`, time: now - day * DAY_MS - 3_600_000, country: 'DE' }),
    ),
  );
  await server.app.collector.record(events, now);
  await server.settle();
  const link = await createShareLink(server.app.services.directory, { siteId: id, name: 'link' }, now);
  const [viewer, owner] = [{ 'x-share-token': link.token }, { cookie: await server.logIn('owner@minutes.example') }];
  const day = (ago: number) => new Date(now - ago * DAY_MS).toISOString().slice(0, 10);
  const both = { period: 'custom', date_from: day(1), date_to: day(0) };
  const visitors = async (headers: Record<string, string>, input: object, filters: object[]) => {
    const asked = { site_id: id, compare: 'previous', filters, ...input };
    const { data } = await ask<Summary>('summary', asked, headers);
    const found = data.metrics.find(({ name }) => name === 'unique_visitors');
    return [found?.value, found?.previous];
  };
  const german = [only('country', 'DE')];
  const today = { period: 'today' };
  expect(await visitors(viewer, today, [])).toEqual([3, 3]);
  expect(await visitors(viewer, today, german)).toEqual([3, 3]);
  expect(await visitors(viewer, both, german)).toEqual([6, 6]); // everybody is German: the filter leaves out nobody
  // A minute earlier, the third visitor of yesterday had not come.
  server.clock.now = now - 3_600_000;
  expect(await visitors(viewer, today, german)).toEqual([0, 0]);
  server.clock.now = now;
  expect(await visitors(owner, today, german)).toEqual([3, 3]);
  expect(await visitors(owner, both, german)).toEqual([6, 6]);
});

describe('a journey on a link', () => {
  const fromPage = (value: string) => ({ start: { kind: 'page', value } });
  const branches = async (headers: Record<string, string>, input: object) => {
    const { status, data } = await ask<Journey>('journey', input, headers);
    return status === 200
      ? data.branches.map(({ name, visits, ended, other }) => [name, visits, ended, other])
      : status;
  };

  test('shows nothing where its start, or a filter, leaves fewer than three visitors', async () => {
    showsRefused('single visitors shown', 3);
    const [viewer, owner] = [await linked(), { cookie }];
    // Everybody reads / but one, who cannot be left out.
    expect(await branches(viewer, fromPage('/'))).toEqual([
      ['/', about(5), 0, expect.any(Number)],
      ['signup', about(5), expect.any(Number), 0],
    ]);
    expect(await branches(owner, fromPage('/only'))).toEqual([['/only', 1, 0, 1]]);
    for (const narrow of [
      fromPage('/only'),
      { ...fromPage('/'), filters: [only('city', 'Bonn')] },
      { ...fromPage('/'), filters: [only('page', '/only')] },
    ])
      expect(await branches(viewer, narrow)).toEqual([]);
    expect(await branches(viewer, { ...fromPage('/'), filters: [only('city', 'Ulm', 'is_not')] })).toBe(400);
    expect(await branches(await linked({ fewest: 1 }), fromPage('/only'))).toEqual([['/only', 1, 0, 1]]);
  });

  test('names no branch of one visitor, however often they came', async () => {
    showsRefused('single visitors shown');
    const { id } = await server.addSite('branches.example');
    const visit = (visitor: string, page: string, hours: number) =>
      ['/', page].map((each, index) =>
        makeEvent({ site_id: id, visitor, page: each, time: server.clock.now - DAY_MS - hours * 3_600_000 + index }),
      );
    const crowd = ['Ada', 'Bob', 'Cem'].flatMap((visitor) => visit(visitor, '/a', 1));
    await server.app.collector.record(
      [...crowd, ...[1, 2, 3].flatMap((hours) => visit('Dan', '/b', hours))],
      server.clock.now,
    );
    await server.settle();
    const linkTo = async (shows: Partial<Shows>) => {
      const { directory } = server.app.services;
      const { token } = await createShareLink(directory, { siteId: id, name: 'link', shows }, server.clock.now);
      return { 'x-share-token': token };
    };
    const asked = { ...fromPage('/'), site_id: id };
    const known = [
      ['/', 6, 0, 0],
      ['/a', 3, 3, 0],
      ['/b', 3, 3, 0],
    ];
    expect(await branches({ cookie: await server.logIn('owner@branches.example') }, asked)).toEqual(known);
    expect(await branches(await linkTo({ fewest: 1 }), asked)).toEqual(known);
    const [start, ...rest] = (await branches(await linkTo({}), asked)) as unknown[][];
    // Four visitors made six visits, which change as one visitor in four does.
    expect([start?.[0], rest]).toEqual(['/', [['/a', 3, 3, 0]]]);
  });

  test('starts at a goal with property conditions only where properties are shown', async () => {
    const { directory } = server.app.services;
    const goal = async (name: string, props: Record<string, string>) => {
      const definition = { kind: 'event', event: 'signup', props } as const;
      const { id } = await goals.create(directory, { siteId: site.id, name, definition }, server.clock.now);
      return { start: { kind: 'goal', value: id }, direction: 'backwards' };
    };
    const [usual, conditional] = [await goal('Any sign-up', {}), await goal('Chose the usual plan', { plan: 'usual' })];
    const [hidden, shown] = [await linked(), await linked({ properties: true })];
    expect(await branches(hidden, usual)).toEqual([
      ['Any sign-up', about(6), 0, expect.any(Number)],
      ['/', about(5), expect.any(Number), 0],
    ]);
    expect(await branches(hidden, conditional)).toBe(404);
    expect(await branches(shown, conditional)).toEqual([
      ['Chose the usual plan', about(5), 0, expect.any(Number)],
      ['/', about(5), expect.any(Number), 0],
    ]);
    const unknown = { start: { kind: 'goal', value: 'goal_0000000000000000' } };
    expect(await branches({ cookie }, unknown)).toBe(404);
  });

  test('is not narrowed by a goal with property conditions where properties are hidden', async () => {
    const { directory } = server.app.services;
    const definition = { kind: 'event', event: 'signup', props: { plan: 'usual' } } as const;
    const named = { siteId: site.id, name: 'Took the usual plan', definition };
    const { id } = await goals.create(directory, named, server.clock.now);
    const narrowed = (operator: 'is' | 'is_not') => ({ ...fromPage('/'), filters: [only('goal', id, operator)] });
    const allowed = await linked({ fewest: 1, properties: true });
    const whole = [
      ['/', 5, 0, 0],
      ['signup', 5, 5, 0],
    ];
    expect(await branches(allowed, narrowed('is'))).toEqual(whole);
    expect(await branches(allowed, narrowed('is_not'))).toEqual([]);
    const hidden = await linked({ fewest: 1 });
    expect(await branches(hidden, narrowed('is'))).toEqual([]);
    expect(await branches(hidden, narrowed('is_not'))).toEqual(whole);
  });
});

test('the hours of a filtered week show no hour of fewer than three visitors', async () => {
  const sumOf = async (input: object, headers: Record<string, string>) => {
    const { data } = await ask<Week>('week', { metric: 'pageviews', ...input }, headers);
    return data.cells.reduce((sum, value) => sum + value, 0);
  };
  const days = { period: 'custom', date_from: '2026-11-18', date_to: '2026-11-19' };
  const filtered = { ...days, filters: [only('page', '/')] };
  const viewer = await linked();
  expect(await sumOf(filtered, { cookie })).toBe(5);
  // Each of them came in another hour.
  expect(await sumOf(filtered, viewer)).toBe(0);
  expect(await sumOf(filtered, await linked({ fewest: 1 }))).toBe(5);
  // Without a filter, these are the same numbers as those of the chart by hour.
  expect(await sumOf(days, viewer)).toBe(await sumOf(days, { cookie }));
});

test('the trends of rows show no point of fewer than three visitors, and no properties', async () => {
  const question = { dimension: 'page', metric: 'pageviews', names: ['/', '/only'] };
  const sumsOf = async (input: object, headers: Record<string, string>) => {
    const { data } = await ask<Trends>('trends', { ...question, ...input }, headers);
    return data.rows.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  };
  const days = { period: 'custom', date_from: '2026-11-18', date_to: '2026-11-19' };
  const viewer = await linked();
  expect(await sumsOf(days, { cookie })).toEqual([5, 1]);
  expect(await sumsOf(days, viewer)).toEqual([about(5), 0]);
  expect(await sumsOf(days, await linked({ fewest: 1 }))).toEqual([5, 1]);
  // Each of them came in another hour.
  expect(await sumsOf({}, { cookie })).toEqual([5, 1]);
  expect(await sumsOf({}, viewer)).toEqual([0, 0]);
  expect(await sumsOf({ filters: [only('country', 'DE')] }, viewer)).toEqual([0, 0]);
  // The chart's lines of goals.
  const goal = (page: string) =>
    goals.create(
      server.app.services.directory,
      { siteId: site.id, name: `Line of ${page}`, definition: { kind: 'page', page } },
      server.clock.now,
    );
  const names = [(await goal('/')).id, (await goal('/only')).id];
  const ofGoals = { dimension: 'goal', metric: 'conversions', names, ...days };
  expect(await sumsOf(ofGoals, { cookie })).toEqual([5, 1]);
  expect(await sumsOf(ofGoals, viewer)).toEqual([about(5), 0]);
  expect(await sumsOf({ ...ofGoals, interval: 'hour' }, viewer)).toEqual([0, 0]);
  const ofPlans = { dimension: 'prop:plan', metric: 'events', names: ['usual', 'rare'] };
  expect((await ask('trends', ofPlans, viewer)).status).toBe(403);
  expect(await sumsOf({ ...ofPlans, ...days }, await linked({ properties: true }))).toEqual([about(5), 0]);
});
