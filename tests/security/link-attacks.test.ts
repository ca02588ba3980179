/** @module-tag attack */
// Attempts to see more than a share link shows, by every parameter that the router knows, by headers, batches and messages of the socket. The site has ten
// times as many visits that the link must not show, and each of them bears a word that no answer may contain.
import { io as connect } from 'socket.io-client';
import { stringify } from 'devalue';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appRouter } from '../../server/api/dashboard/router.ts';
import type { Site } from '../../server/sites/sites.ts';
import { FOLLOWED } from '../../server/vocabulary/questions/followed.ts';
import { type FixedFilter, type Part, PART_NAMES } from '../../server/vocabulary/settings/share-links.ts';
import { WALL_LIST_NAMES, type WallList } from '../../server/vocabulary/settings/wall.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { fillSite, HIDDEN, openSharing } from '../setup/accounts/sharing.ts';
import { PROCEDURES, SHOWN_IN, withoutIds } from '../setup/api/procedures.ts';
import { type TestApp, testApp } from '../setup/app.ts';
import { fakeClock } from '../setup/clock.ts';
import { eventually } from '../setup/eventually.ts';
import { showsRefused, sized } from '../setup/run/harness.ts';

const pace = fakeClock();
let server: TestApp;
let site: Site;
let cookie: string;
let sharing: ReturnType<typeof openSharing>;
beforeAll(async () => {
  server = await testApp({ env: { LOG_LEVEL: 'silent' }, schedule: pace.schedule });
  site = await server.addSite('own.example');
  sharing = openSharing(server, site);
  cookie = await server.logIn('owner@own.example');
  await fillSite(server, site);
});
afterAll(async () => server[Symbol.asyncDispose]());

const SPRING: FixedFilter = { dimension: 'utm_campaign', operator: 'is', values: ['spring'] };
const LINKS = [
  { name: 'every number', shows: { fewest: 1, properties: true } },
  { name: 'numbers of three', shows: { fewest: 3, properties: true } },
];

/** The names of all parameters of all procedures. */
type Shape = { shape?: Record<string, unknown> };
const inputs = Object.values(appRouter._def.procedures as unknown as Record<string, { _def: { inputs: Shape[] } }>);
const PARAMETERS = [
  ...new Set(inputs.flatMap(({ _def }) => _def.inputs.flatMap(({ shape = {} }) => Object.keys(shape)))),
];

const wide = (dimension: string, operator: string, ...values: string[]) => ({ dimension, operator, values });
/** What could widen a question, by parameter. All others are given what no parameter is. */
const TRIED: Record<string, unknown[]> = {
  filters: [
    [wide('utm_campaign', 'is', HIDDEN)],
    [wide('utm_campaign', 'is_not', 'spring')],
    [wide('utm_campaign', 'is', 'spring', HIDDEN)],
    [wide('utm_campaign', 'contains', '')],
    [wide('page', 'contains', HIDDEN.toUpperCase())],
    [wide('country', 'is_not', 'DE')],
    [{ ...SPRING, isFixed: true }],
    [{ ...SPRING, segments: [[]] }],
  ],
  versus: ['all'],
  segment: ['all'],
  search: [HIDDEN, 'h'],
  dimension: ['page', 'source', 'city', 'event', 'prop:hidden', 'entry_page', 'browser', 'utm_campaign', 'region'],
  by: ['source', 'browser', 'utm_campaign'],
  names: [[HIDDEN, `/${HIDDEN}`]],
  start: [
    { kind: 'page', value: `/${HIDDEN}` },
    { kind: 'event', value: HIDDEN },
  ],
  compare: ['previous', 'year'],
  period: ['30d', 'all', '12mo', '24h'],
  metrics: [['revenue', 'unique_visitors']],
  include_imported: [true, false],
  whole: [['page', 'city', 'country']],
  of: ['orders'],
  currency: ['EUR', 'USD'],
};
const OTHERS = ['rules', 'link', 'shows', 'viewer', 'rule', 'fewest', 'isFixed', '__proto__', 'constructor'];
const triedFor = (name: string): unknown[] => TRIED[name] ?? [HIDDEN, { filters: [] }];

/** None is a count of hidden visits. */
const STATUSES = [400, 401, 403, 404];
/** The visitors, visits, views and revenue of what is hidden: 60 or more on each of ten days. Times are larger, and shown counts smaller. */
const isHiddenCount = (text: string) => {
  const number = Number(text);
  return number >= 240 && number < 1e9 && !STATUSES.includes(number);
};
function expectNothingHidden(body: string, about: string): void {
  expect(body.toLowerCase(), about).not.toContain(HIDDEN);
  const numbers = body.replaceAll(/\d{4}-\d\d-\d\d/g, '').match(/(?<![\w.-])\d+(?:\.\d+)?(?![\w.-])/g) ?? [];
  expect(numbers.filter(isHiddenCount), about).toEqual([]);
}

/** A viewer of a link may not ask more at once. */
const AT_ONCE = 6;

type Call = { name: string; input: Record<string, unknown> };
/** All at once, as a page asks. Answers arrive as lines of a stream, or as a list. */
async function askTogether(calls: readonly Call[], headers: Record<string, string>): Promise<string> {
  const names = calls.map(({ name }) => name).join(',');
  const input = Object.fromEntries(calls.map((call, index) => [index, stringify(call.input)]));
  const address = `${server.url}/trpc/${names}?batch=1&input=${encodeURIComponent(JSON.stringify(input))}`;
  const answer = await fetch(address, { headers });
  return answer.text();
}

test.each(LINKS)('no parameter of any procedure widens a link with $name', async ({ shows }) => {
  const { headers } = await sharing.linkTo({ rules: { filters: [SPRING] }, shows });
  const calls = Object.keys(SHOWN_IN).flatMap((name): Call[] => {
    const usual = {
      ...PROCEDURES[name]?.input(withoutIds(site.id)),
      ...(name.startsWith('stats.') && { period: '7d' }),
    };
    const more = PARAMETERS.filter((one) => one !== 'site_id' && one in TRIED);
    const rare = [...PARAMETERS.filter((one) => !(one in TRIED)), ...OTHERS].slice(0, sized({ short: 8, long: 1_000 }));
    const tried = [...more, ...rare].flatMap((one) => triedFor(one).map((value) => ({ ...usual, [one]: value })));
    return [usual, ...tried].map((input) => ({ name, input }));
  });
  showsRefused('share link widened', calls.length);
  for (let at = 0; at < calls.length; at += AT_ONCE) {
    const some = calls.slice(at, at + AT_ONCE);
    // What was asked comes back in messages of errors, so the words themselves are looked for one by one.
    const body = await askTogether(some, headers);
    if (!body.toLowerCase().includes(HIDDEN)) {
      expectNothingHidden(body, JSON.stringify(some));
      continue;
    }
    for (const call of some) {
      const { status, data } = await sharing.ask(call.name, call.input, headers);
      // Trends have a row for each name that was asked for, and a journey has its start.
      const echoed = 'names' in call.input ? /"name":"[^"]*"/g : /"start":\{[^}]*\}/g;
      const own = JSON.stringify(data).replaceAll(echoed, '');
      if (status === 200) expectNothingHidden(own, JSON.stringify(call));
    }
  }
});

test('neither does a header, nor a session of the owner beside it', async () => {
  const { token } = await sharing.linkTo({ rules: { filters: [SPRING] }, shows: { fewest: 1 } });
  const whole = await sharing.linkTo();
  const asked = { period: '7d', dimension: 'page', metrics: ['pageviews'] };
  const tried: Record<string, string>[] = [
    { 'x-share-token': token, cookie },
    { 'x-share-token': token, cookie: `share_token=${whole.token}; x-share-token=${whole.token}` },
    { 'x-share-token': token, 'x-footfall-account': site.account_id, authorization: `Bearer ${whole.token}` },
    { 'X-SHARE-TOKEN': token, 'sec-websocket-protocol': `share.${whole.token}` },
    { 'x-share-token': `${token}, ${whole.token}` },
    { 'x-share-token': token, 'x-forwarded-host': 'own.example', 'x-original-url': `/share/${whole.token}` },
  ];
  for (const headers of tried) {
    showsRefused('share link widened');
    const { status, data } = await sharing.ask('stats.breakdown', asked, headers);
    expect([200, 401], JSON.stringify(headers)).toContain(status);
    if (status === 200) expectNothingHidden(JSON.stringify(data), JSON.stringify(headers));
    const csv = await fetch(`${server.url}/export/${site.id}.csv?date_from=2026-11-12&date_to=2026-11-18`, { headers });
    expectNothingHidden((await csv.text()).replaceAll(/[\d-]{10}/g, ''), 'csv');
  }
});

test('nor does a message of the socket', async () => {
  const { token } = await sharing.linkTo({ rules: { filters: [SPRING] }, shows: { fewest: 1, properties: true } });
  const browser = connect(server.url, {
    transports: ['websocket'],
    reconnection: false,
    extraHeaders: { origin: server.url, cookie },
    protocols: [`share.${token}`],
  });
  const heard: unknown[] = [];
  browser.onAny((...said: unknown[]) => heard.push(said));
  expect(await browser.emitWithAck('watch', site.id)).toBe(true);
  browser.emit('watchSites');
  const about = { site_id: site.id, period: '7d', compare: 'previous', metric: 'pageviews' };
  const ofList = { ...about, metric: undefined, dimension: 'page', metrics: ['pageviews'] };
  const questions = FOLLOWED.filter((path) => path !== 'shares.piece').flatMap((path) =>
    (TRIED['filters'] ?? []).map((filters) => {
      const { metric: _, ...plain } = about;
      const own = {
        'stats.summary': plain,
        'stats.timeseries': about,
        'stats.breakdown': { ...ofList, metric: undefined },
      };
      return [path, JSON.parse(JSON.stringify({ ...own[path], filters })) as object];
    }),
  );
  showsRefused('share link widened', questions.length);
  const topics: (string | null)[] = [];
  for (let at = 0; at < questions.length; at += 8)
    topics.push(...((await browser.emitWithAck('follow', questions.slice(at, at + 8))) as (string | null)[]));
  expect(topics.filter((topic) => topic !== null)).toHaveLength(questions.length);
  await server.foot({ site: site.domain, name: 'pageview', url: `https://${site.domain}/${HIDDEN}` });
  await server.settle();
  server.clock.now += 5000;
  await pace.advance(5000);
  const told = () =>
    new Set(heard.flatMap((said) => (Array.isArray(said) && said[0] !== 'version' ? said.slice(1, 2).flat() : [])));
  await eventually(() => expect(topics.every((topic) => told().has(topic))).toBe(true));
  expect(heard.map((said) => (said as string[])[0])).not.toContain('live');
  expectNothingHidden(JSON.stringify(heard.filter((said) => (said as string[])[0] !== 'version')), 'socket');
  browser.disconnect();
});

/** The part of the dashboard that shows the names of each list of who is there now. */
const PART_OF_LIST: Record<WallList, Part> = { pages: 'pages', sources: 'sources', countries: 'places' };
const LIVE_LINKS = [
  { parts: [...PART_NAMES] },
  ...PART_NAMES.map((hidden) => ({ parts: PART_NAMES.filter((part) => part !== hidden) })),
  { parts: ['live'] as Part[] },
].flatMap(({ parts }) => [1, 3].map((fewest) => ({ parts, fewest })));

test('the live view tells no list whose part is hidden, neither at first nor when it changes', async () => {
  const other = await server.newSite();
  const live = openSharing(server, other);
  /** Four visitors, who are enough for those who see steps. */
  const come = async (page: string) => {
    for (const visitor of [1, 2, 3, 4])
      await server.foot(
        { site: other.domain, name: 'pageview', url: `https://${other.domain}${page}`, referrer: 'https://a.example/' },
        {
          'user-agent': `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/14${visitor}.0.0.0 Safari/537.36`,
        },
      );
    await server.settle();
    server.clock.now += 5000;
    await pace.advance(5000);
  };
  await come('/first');
  const watchers = await Promise.all(
    LIVE_LINKS.map(async ({ parts, fewest }) => {
      const { token, headers } = await live.linkTo({ rules: { parts }, shows: { fewest } });
      const browser = connect(server.url, {
        transports: ['websocket'],
        reconnection: false,
        extraHeaders: { origin: server.url },
        protocols: [`share.${token}`],
      });
      const heard: { number: number; list?: WallList; isWhole: boolean }[] = [];
      browser.on('live', (number, _visitors, _minutes, id) => heard.push({ number, isWhole: id !== undefined }));
      browser.on('list', (number, list, _rows, _active, id) => heard.push({ number, list, isWhole: id !== undefined }));
      expect(await browser.emitWithAck('watch', other.id)).toBe(true);
      return { parts, headers, browser, heard };
    }),
  );
  await come('/second');
  await come('/third');
  for (const { parts, headers, browser, heard } of watchers) {
    const shown = parts.includes('live') ? WALL_LIST_NAMES.filter((list) => parts.includes(PART_OF_LIST[list])) : [];
    const listsOf = (isWhole: boolean) => [
      ...new Set(heard.flatMap((one) => (one.list && one.isWhole === isWhole ? [one.list] : []))),
    ];
    await eventually(() => expect([parts, listsOf(false).sort()]).toEqual([parts, shown.toSorted()]));
    expect([parts, listsOf(true)]).toEqual([parts, shown]);
    if (!parts.includes('live')) expect(heard).toEqual([]);
    const numbers = heard.filter(({ isWhole }) => !isWhole).map(({ number }) => number);
    const [first = 0] = numbers;
    expect(numbers).toEqual(numbers.map((_, index) => first + index));
    const { status, data } = await live.ask<object>('live.snapshot', {}, headers);
    if (parts.includes('live')) expect(Object.keys(data)).toEqual(['current_visitors', 'minutes', ...shown]);
    expect([parts, status]).toEqual([parts, parts.includes('live') ? 200 : 403]);
    browser.disconnect();
  }
});

test('a link of other days has no live view, and one that ends with today loses it at midnight', async () => {
  const over = await sharing.linkTo({ rules: { period: { date_from: '2026-11-01', date_to: '2026-11-10' } } });
  expect((await sharing.ask('live.snapshot', {}, over.headers)).status).toBe(403);
  const days = await sharing.linkTo({ rules: { period: { days: 7 } } });
  expect((await sharing.ask('live.snapshot', {}, days.headers)).status).toBe(200);
  const today = new Date(server.clock.now).toISOString().slice(0, 10);
  const ending = await sharing.linkTo({ rules: { period: { date_from: today, date_to: today } } });
  const browser = connect(server.url, {
    transports: ['websocket'],
    reconnection: false,
    extraHeaders: { origin: server.url },
    protocols: [`share.${ending.token}`],
  });
  const refused = new Promise<{ message: string }>((resolve) => browser.on('refused', resolve));
  expect(await browser.emitWithAck('watch', site.id)).toBe(true);
  server.clock.now += DAY_MS;
  await pace.advance(1500);
  expect((await refused).message).toBe('This link was changed.');
  expect((await sharing.ask('live.snapshot', {}, ending.headers)).status).toBe(403);
  browser.disconnect();
});
