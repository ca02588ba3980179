/** @module-tag long */
// Invalid input is refused with the name of the field and nothing more. Hostile text is treated like any other text.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../server/api/rest/operations.ts';
import { event } from '../../server/api/rest/requests.ts';
import type { Site } from '../../server/sites/sites.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { addFunnel, addGroup } from '../setup/stats/definitions.ts';
import { NASTY_STRINGS } from '../setup/api/hostile-input.ts';
import { keyFor, type Rest, restOf } from '../setup/api/rest.ts';
import { shareOf } from '../setup/run/harness.ts';
import { fuzzRest } from '../setup/api/rest-fuzz.ts';

let server: TestApp;
let site: Site;
let key: string;
let rest: Rest;
let funnelId: string;
let groupId: string;

beforeAll(async () => {
  server = await testApp({ env: { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_PER_MINUTE: '1000000' } });
  site = await server.addSite();
  key = await keyFor(server, site);
  const { directory } = server.app.services;
  funnelId = await addFunnel(directory, site, server.clock.now);
  groupId = await addGroup(directory, site, server.clock.now);
  rest = await restOf(server, key);
});
afterAll(async () => server[Symbol.asyncDispose]());

const message = async (path: string, sent: Parameters<Rest['ask']>[1] = {}) => {
  const failure = await rest.refused(path, sent);
  expect([failure.status, failure.error], `${path} ${JSON.stringify(sent.body)} ${failure.message}`).toEqual([
    400,
    'bad_request',
  ]);
  expect(failure.message).toMatch(/^[^\n]{3,900}\.$/);
  return failure.message;
};

/** What each parameter accepts, and what it refuses. */
const PARAMETERS: Record<string, { good: string[]; bad: string[]; with?: string }> = {
  site_id: { good: [], bad: [] },
  page: { good: ['1', '1000'], bad: ['0', '-1', '1.5', '1e3', '+1', ' 1', 'x', '0x1', '9999999999999999', '١'] },
  per_page: { good: ['1', '100'], bad: ['0', '1001', '-1', 'all', '1,2'] },
  limit: { good: ['1', '1000'], bad: ['0', '1001', '-1', '10.0', 'NaN', 'Infinity'] },
  period: { good: ['today', '7d', '30d'], bad: ['Today', '30', '31d', 'week', 'custom ', '30d,7d'] },
  date_from: {
    good: ['2000-01-01', '2024-02-29', '2026-11-20'],
    bad: [
      '2026-02-30',
      '2026-13-01',
      '1999-12-31',
      '2026-11-21',
      '10000-01-01',
      '2026-1-1',
      '20261101',
      '2026-11-01T00:00:00Z',
      'today',
    ],
    with: 'period=custom&date_to=2026-11-20',
  },
  date_to: {
    good: ['2026-11-20', '2026-11-01'],
    bad: ['2026-10-31', '2026-11-21', '2026-02-30', '0000-00-00', '2026-11-20 '],
    with: 'period=custom&date_from=2026-11-01',
  },
  metric: { good: ['pageviews', 'visitors', 'both'], bad: ['unique_visitors', 'visits', 'BOTH', 'pageviews,visitors'] },
  metrics: {
    good: ['pageviews', 'pageviews,unique_visitors', 'events,orders,revenue'],
    bad: ['pageviews,', ',', 'pageviews,pageviews', 'pageviews;visits', 'views', 'pageviews, visits'],
  },
  currency: { good: ['EUR', 'USD'], bad: ['eur', 'EU', 'EURO', '€', '123'] },
  histogram: { good: ['lcp', 'cls'], bad: ['LCP', 'views', 'lcp,cls'] },
  interval: { good: ['day'], bad: ['year', 'days', '1d', 'Day'] },
  dimension: {
    good: ['page', 'prop:plan', 'os_version'],
    bad: ['pages', 'prop:', `prop:${'x'.repeat(65)}`, 'name', 'props'],
  },
  by: { good: ['device', 'exit_page'], bad: ['pages', 'page', 'event', 'prop:plan', 'ai_agent', ''] },
  segment: { good: [], bad: ['', 'x'.repeat(65)] },
  timezone: { good: ['UTC', 'site'], bad: ['utc', 'Europe/Berlin'] },
  include_imported: { good: ['true', 'false'], bad: ['no', '0', 'TRUE'] },
  filter: { good: [], bad: [] },
  filters: {
    good: ['[]'],
    bad: [
      '[',
      '{}',
      '"page"',
      '[{"dimension":"pages","operator":"is","values":["/"]}]',
      '[{"dimension":"country","operator":"like","values":["DE"]}]',
      '[{"dimension":"country","operator":"is","values":[]}]',
      '[{"dimension":"country","operator":"is","values":["DE"],"more":1}]',
      `[${'{"dimension":"country","operator":"is","values":["DE"]},'.repeat(20)}{"dimension":"country","operator":"is","values":["DE"]}]`,
    ],
  },
  compare: { good: ['previous', 'weekdays', 'year', 'none'], bad: ['last', 'Previous', 'previous,year'] },
  compare_from: {
    good: ['2026-11-01'],
    bad: ['2026-02-30', '1999-12-31', '2026-11-21'],
    with: 'period=7d&compare=custom&compare_to=2026-11-20',
  },
  compare_to: {
    good: ['2026-11-20'],
    bad: ['2026-10-31', '2026-11-21'],
    with: 'period=7d&compare=custom&compare_from=2026-11-01',
  },
  versus: { good: ['all'], bad: ['', 'x'.repeat(65)] },
  search: { good: ['a', '%_'], bad: ['x'.repeat(257)] },
  q: { good: ['visitors', '%_'], bad: ['x'.repeat(201)] },
  order: { good: ['name:asc', 'name:desc'], bad: ['name', 'asc', 'pages:asc', 'name:up', 'name:asc,'] },
  kind: { good: ['error', 'load'], bad: ['', 'errors', 'Error', 'error,load', '__proto__'] },
  start: { good: ['page:/', 'event:a:b'], bad: ['/', 'page:', 'goal', 'pages:/'] },
  direction: { good: ['forwards', 'backwards'], bad: ['forward', 'both'] },
  steps: { good: ['2', '6'], bad: ['1', '7', '2.5'] },
  day: { good: ['2026-11-19', '2026-02-28'], bad: ['', 'today', '2026-02-29', '1999-12-31', '2026-11-20'] },
  table: { good: ['events', 'ai_visits'], bad: ['event', 'sites'] },
  format: { good: ['ndjson', 'parquet'], bad: ['csv', 'json', ''] },
};

const queries = Object.entries(OPERATIONS).flatMap(([path, { GET: operation }]) =>
  operation ? [{ path, names: Object.keys(operation.query.shape), operation }] : [],
);
const asked = (path: string, names: string[], more: string) => {
  const base = [
    ...(names.includes('site_id') && !/(^|&)site_id=/.test(more) ? [`site_id=${site.id}`] : []),
    ...(names.includes('dimension') && !/(^|&)dimension=/.test(more) ? ['dimension=page'] : []),
    ...(names.includes('day') && !/(^|&)day=/.test(more) ? ['day=2026-11-19'] : []),
    ...(names.includes('q') && !/(^|&)q=/.test(more) ? ['q=visitors'] : []),
    ...(names.includes('start') && !/(^|&)start=/.test(more) ? ['start=page:/'] : []),
  ];
  const filled = path.replace('{site_id}', site.id).replace('{funnel_id}', funnelId).replace('{group_id}', groupId);
  return `${filled}?${[...base, more].filter(Boolean).join('&')}`;
};

describe('a parameter', () => {
  test('has a row in this test', () => {
    expect(new Set(queries.flatMap(({ names }) => names))).toEqual(new Set(Object.keys(PARAMETERS)));
  });

  test('is refused, and named, when it is missing, empty, given twice or wrong', async () => {
    let [tried, turn] = [0, 0];
    for (const { path, names, operation } of queries)
      for (const name of names.filter((parameter) => parameter !== 'filter')) {
        const { good = [], bad = [], with: along = '' } = PARAMETERS[name] ?? {};
        const required = !operation.query.pick({ [name]: true }).safeParse({}).success;
        if (required) {
          const without = asked(path, names, along).replace(new RegExp(`([?&])${name}=[^&]*&?`), '$1');
          expect(await message(without)).toMatch(new RegExp(`^${name}: is required and must be `));
        }
        const start = new RegExp(`^${name}: `);
        expect(await message(asked(path, names, `${along}&${name}=`))).toBe(
          `${name}: must not be empty: give a value${required ? '' : ' or leave it out'}.`,
        );
        expect(await message(asked(path, names, `${along}&${name}=1&${name}=1`))).toBe(
          `${name}: is given twice: give it only once.`,
        );
        expect(await message(asked(path, names, `${along}&${name}[]=1`))).toMatch(/^\w+\[\]: is not known here, only /);
        const isLong = path.endsWith('breakdown') || name === 'limit' || path === '/v1/sites';
        for (const text of bad) {
          if (name === 'per_page' && text === '1001' && !isLong) continue;
          tried += 1;
          expect(await message(asked(path, names, `${along}&${name}=${encodeURIComponent(text)}`)), text).toMatch(
            start,
          );
        }
        for (const text of shareOf(good, { of: 2, turn: (turn += 1) })) {
          // measured page views have no properties
          if (path === '/v1/stats/vitals' && name === 'dimension' && text.startsWith('prop:')) continue;
          const { status } = await rest.ask(asked(path, names, `${along}&${name}=${encodeURIComponent(text)}`));
          expect(status, `${path} ${name}=${text}`).toBe(200);
        }
      }
    expect(tried).toBeGreaterThan(100);
  });

  test('that does not exist is refused, and named, on every path', async () => {
    for (const { path, names } of queries) {
      expect(await message(asked(path, names, 'foo=1'))).toMatch(/^foo: is not known here, /);
      expect(await message(asked(path, names, '__proto__=1'))).toMatch(/^__proto__: is not known here, /);
    }
    const body = { site_id: site.id, name: 'x', url: 'https://example.com/' };
    expect(await message('/v1/events?foo=1', { body })).toMatch(/^foo: /);
  });

  test('is accepted only with the period that it belongs to', async () => {
    for (const { path, names } of queries.filter(({ names }) => names.includes('period'))) {
      for (const name of ['date_from', 'date_to'])
        expect(await message(asked(path, names, `period=7d&${name}=2026-11-01`))).toBe(
          `${name}: is allowed only with period=custom.`,
        );
      expect(await message(asked(path, names, 'date_to=2026-11-01'))).toBe(
        'date_to: is allowed only with period=custom.',
      );
      expect(await message(asked(path, names, 'period=custom'))).toBe('date_from: is required when period=custom.');
      expect(await message(asked(path, names, 'period=custom&date_from=2026-11-01'))).toBe(
        'date_to: is required when period=custom.',
      );
    }
  });

  test('that is a filter names a dimension, once, and fits what is counted', async () => {
    const path = `/v1/stats?site_id=${site.id}`;
    for (const name of [
      'filter',
      'filter[]',
      'filter[pages]',
      'filter[page',
      'filter[prop:]',
      'filter[__proto__]',
      'FILTER[page]',
    ])
      expect((await message(`${path}&${encodeURIComponent(name)}=x`)).startsWith(`${name}: `), name).toBe(true);
    expect(await message(`${path}&filter[page]=`)).toMatch(/^filter\[page\]: must not be empty/);
    expect(await message(`${path}&filter[page]=a&filter[page]=b`)).toMatch(/^filter\[page\]: is given twice/);
    expect(await message(`${path}&filter[page]=${'x'.repeat(2049)}`)).toMatch(
      /^filter\[page\]: must be text of 1 to 2048/,
    );
    expect(await message(`${path}&filter[ai_agent]=GPTBot`)).toMatch(/^filter\[ai_agent\]: can be combined only with/);
    const many = Array.from({ length: 21 }, (_, n) => `filter[prop:${n}]=x`).join('&');
    expect(await message(`${path}&${many}`)).toBe('filter: at most 20 filters are allowed.');
    const json = (filters: unknown) => message(`${path}&filters=${encodeURIComponent(JSON.stringify(filters))}`);
    expect(await json([{ dimension: 'page', operator: 'like', values: ['/'] }])).toMatch(/^filters: operator must be /);
    expect(await json([null])).toBe('filters: must be a list of filters in JSON.');
    const list = `/v1/stats/breakdown?site_id=${site.id}`;
    expect(await message(`${list}&dimension=page&metrics=ai_visits`)).toMatch(/^metrics: /);
    expect(await message(`${list}&dimension=page&metrics=bounce_rate`)).toMatch(/^metrics: /);
    expect(await message(`${list}&dimension=ai_agent&filter[page]=/`)).toMatch(/^filter\[page\]: /);
  });

  test('with hostile text is refused by name, or answered like text that nobody ever sent', async () => {
    let turn = 0;
    for (const { path, names } of queries)
      for (const name of names)
        for (const text of shareOf(NASTY_STRINGS, { of: 8, turn: (turn += 1) })) {
          const parameter = name === 'filter' ? 'filter[page]' : name;
          const { status, body = {} } = await rest.ask(
            asked(path, names, `${encodeURIComponent(parameter)}=${encodeURIComponent(text.toWellFormed())}`),
          );
          const said = (body as { message?: string }).message ?? '';
          expect([200, 400, 404], said).toContain(status);
          if (status === 200) expect(JSON.stringify(body)).not.toMatch(/"pageviews":[1-9]/);
          else if (status === 400) expect(said.startsWith(name)).toBe(true);
          else expect(['site_id', 'segment', 'versus']).toContain(name);
        }
  });
});

describe('a body', () => {
  const good = () => ({ site_id: site.id, name: 'signup', url: 'https://example.com/' });
  const BAD: Record<string, unknown[]> = {
    site_id: [null, 1, true, [], {}, '', 'x'.repeat(65)],
    name: [
      null,
      1,
      [],
      '',
      'Signup',
      'sign up',
      '_a',
      'a_',
      'a__b',
      'é',
      'a-b',
      'a'.repeat(65),
      'a\n',
      'pageview',
      'engagement',
    ],
    url: [
      null,
      1,
      {},
      '',
      '/path',
      'example.com',
      '//example.com/',
      'ftp://example.com/',
      'javascript:alert(1)',
      'http:',
      'https://',
      'https://[',
      `https://e.com/${'a'.repeat(2048)}`,
    ],
    props: [null, 1, 'x', true, [], [['a', 1]], Object.fromEntries(Array.from({ length: 31 }, (_, n) => [n, n]))],
    revenue: [null, 1, '29 EUR', true, [], [1, 'EUR']],
    order_id: [null, 1001, '', ' ', '\u200b', true, [], {}, 'x'.repeat(65)],
  };

  const OPTIONAL = ['props', 'revenue', 'order_id'];
  const BAD_REVENUE = {
    amount: [null, '29', true, [], 1_000_000_001, -1_000_000_001, undefined],
    currency: [null, '', 'eur', 'EURO', 978, undefined],
    vat: [1],
  };

  test('whose revenue is wrong names the part of it', async () => {
    for (const [name, values] of Object.entries(BAD_REVENUE))
      for (const value of values) {
        const revenue = { amount: 29, currency: 'EUR', [name]: value };
        const said = await message('/v1/events', { body: { ...good(), revenue } });
        expect(said).toMatch(
          new RegExp(`^revenue\\.${name}: (is required and )?(must be |is not known here, only amount, currency)`),
        );
      }
  });

  test('is refused with the name of the field that is missing, wrong or unknown', async () => {
    for (const [name, values] of Object.entries(BAD)) {
      for (const value of values)
        expect(await message('/v1/events', { body: { ...good(), [name]: value } })).toMatch(
          new RegExp(`^${name}: must `),
        );
      if (!OPTIONAL.includes(name))
        expect(await message('/v1/events', { body: { ...good(), [name]: undefined } })).toMatch(
          new RegExp(`^${name}: is required and must `),
        );
    }
    for (const name of ['visitor', 'time', 'Name', 'constructor', '']) {
      const body = { ...good(), [name]: 1 };
      expect(await message('/v1/events', { body })).toBe(
        `${name}: is not known here, only ${Object.keys(event.shape).join(', ')}.`,
      );
    }
    const proto = `{"__proto__":1,${JSON.stringify(good()).slice(1)}`;
    expect(await message('/v1/events', { body: proto })).toMatch(/^__proto__: /);
  });

  test('whose props are not strings or numbers names the key', async () => {
    for (const value of [null, true, false, [], {}, ['a'], { a: 1 }, 'x'.repeat(513)])
      expect(await message('/v1/events', { body: { ...good(), props: { plan: 'pro', bad: value } } })).toBe(
        'props.bad: must be a string of at most 512 characters or a finite number.',
      );
    const text = (props: string) => JSON.stringify(good()).replace(/}$/, `,"props":${props}}`);
    expect(await message('/v1/events', { body: text('{"big":1e400}') })).toMatch(/^props\.big: /);
    expect(await message('/v1/events', { body: text('{"__proto__":"x"}') })).toMatch(/^props\.__proto__: /);
    for (const keyOf of ['', 'x'.repeat(65), '\0'])
      expect(await message('/v1/events', { body: { ...good(), props: { [keyOf]: 1 } } })).toMatch(/^props\./);
  });

  test('that is not a JSON object is refused', async () => {
    for (const body of [
      '',
      '{',
      '[]',
      'null',
      '1',
      '"x"',
      '{"a":1}}',
      '\ufeff{}',
      '['.repeat(10_000),
      '{"a":'.repeat(5_000),
    ])
      await message('/v1/events', { body });
    const [before = '', after = ''] = JSON.stringify({ ...good(), props: { plan: '|' } }).split('|');
    for (const bytes of [[0xff, 0xfe], [0xc3], [0xe9], [0xed, 0xa0, 0x80]]) {
      const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
      expect(await message('/v1/events', { body })).toBe('The body must be JSON in UTF-8.');
    }
    const { status } = await rest.refused('/v1/events', { body: good(), headers: { 'content-type': 'text/plain' } });
    expect(status).toBe(415);
    const zipped = await rest.refused('/v1/events', { body: good(), headers: { 'content-encoding': 'gzip' } });
    expect(zipped.status).toBe(415);
  });

  test('may be 32 KiB long and not a byte more', async () => {
    const padded = (length: number) => JSON.stringify(good()).padEnd(length, ' ');
    expect((await rest.ask('/v1/events', { body: padded(32_768) })).status).toBe(202);
    expect((await rest.refused('/v1/events', { body: padded(32_769) })).status).toBe(413);
    expect((await rest.refused('/v1/events', { body: padded(2_000_000) })).status).toBe(413);
  });
});

test('a fuzz of 2,000 requests causes no 5xx and no malformed answer, and everything accepted is counted', async () => {
  await server.settle();
  const count = async () => {
    await server.settle();
    const [row] = await server.app.store.query<{ rows: string }>('SELECT count() AS rows FROM events', {});
    return Number(row?.rows);
  };
  const before = await count();
  const report = await fuzzRest({ url: server.url, key, siteId: site.id }, { requests: 2000, seed: 4 });
  expect(report.wrong).toEqual([]);
  for (const status of [200, 202, 400, 401, 404, 405, 415])
    expect(report.statuses[status], `${status}`).toBeGreaterThan(0);
  expect((await count()) - before).toBe(report.accepted);
});
