/** @module-tag attack */
// The CSV export through the running server: its exact form, hostile names, who may download it, and what it costs.
import Papa from 'papaparse';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { setPlan } from '../../server/accounts/billing/plans.ts';
import { createSegment } from '../../server/sites/definitions/segments.ts';
import { createShareLink, revokeShareLink } from '../../server/sites/sharing/share.ts';
import type { Site } from '../../server/sites/sites.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { makeEvent } from '../setup/event.ts';
import { NASTY_STRINGS } from '../setup/api/hostile-input.ts';
import { keyFor } from '../setup/api/rest.ts';
import { showsRefused } from '../setup/run/harness.ts';

let server: TestApp;
let site: Site;
let cookie: string;
let serial = 0;

beforeAll(async () => {
  server = await testApp({ env: { LOG_LEVEL: 'silent' } });
});
afterAll(async () => server[Symbol.asyncDispose]());
beforeEach(async () => {
  site = await server.newSite();
  cookie = await server.logIn(`owner@${site.domain}`);
});

const DAYS = 'date_from=2026-11-19&date_to=2026-11-20';
const file = (query = DAYS, headers: Record<string, string> = { cookie }, init: RequestInit = {}) =>
  fetch(`${server.url}/export/${site.id}.csv?${query}`, { ...init, headers });
const record = async (...events: Parameters<typeof makeEvent>[0][]) => {
  const made = events.map((event) =>
    makeEvent({ site_id: site.id, time: server.clock.now, id: String((serial += 1)), ...event }),
  );
  await server.app.collector.record(made, server.clock.now);
  await server.settle();
};
const refusal = async (answer: Response) => {
  const body = (await answer.json()) as { error: string; message: string; status: number };
  expect(Object.keys(body)).toEqual(['error', 'message', 'status']);
  expect(body.status).toBe(answer.status);
  return body;
};

describe('the file', () => {
  test('has a header and a row a day, oldest first, with lists by count and then by name', async () => {
    await record(
      { visitor: 'a', page: '/b', referrer: 'news.example/1' },
      { visitor: 'a', page: '/a' },
      { visitor: 'b', page: '/a', referrer: 'a.example/' },
      { visitor: 'b', page: '/a', name: 'signup' },
      { visitor: '', page: '/a', name: 'renewal' },
      { visitor: '', page: '/a', name: 'renewal' },
      { visitor: 'c', page: '/x;y "z"', time: server.clock.now - DAY_MS },
    );
    const answer = await file('date_from=2026-11-18&date_to=2026-11-20');
    expect(await answer.text()).toBe(
      [
        'Date,Pageviews,Unique visitors,Top pages,Referrers,Custom event counts',
        '2026-11-18,0,0,,,',
        '2026-11-19,1,1,"""/x;y \\""z\\"""": 1",,',
        '2026-11-20,3,2,/a: 2; /b: 1,a.example/: 1; news.example/1: 1,renewal: 2; signup: 1',
        '',
      ].join('\r\n'),
    );
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="${site.domain}_2026-11-18_2026-11-20.csv"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    const head = await file(DAYS, { cookie }, { method: 'HEAD' });
    expect([head.status, await head.text(), head.headers.get('content-type')]).toEqual([
      200,
      '',
      'text/csv; charset=utf-8; header=present',
    ]);
  });

  test('lists at most a hundred names of each kind a day', async () => {
    await record(
      ...Array.from({ length: 150 }, (_, n) => ({
        visitor: '',
        name: 'pageview',
        page: `/${String(n).padStart(3, '0')}`,
      })),
    );
    const { data } = Papa.parse<string[]>(await (await file('date_from=2026-11-20&date_to=2026-11-20')).text());
    const names = data[1]?.[3]?.split('; ') ?? [];
    expect([names.length, names[0], names.at(-1)]).toEqual([100, '/000: 1', '/099: 1']);
  });

  test('contains nothing that a spreadsheet would run, and reads back as it was, whatever names people send', async () => {
    showsRefused('formulas in CSV', NASTY_STRINGS.length);
    const starts = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
    const names = [
      ...starts.map((start) => `${start}1+1`),
      '=HYPERLINK("http://evil.example";"x")',
      'a,b',
      'a"b',
      'a\r\nb',
      'a; b: 2',
      '\ufeffx',
      '\u202eabc',
      ...NASTY_STRINGS.filter((text) => text !== '' && text.isWellFormed()),
    ];
    for (const [index, name] of names.entries()) {
      const time = server.clock.now - (index + 1) * DAY_MS;
      await server.app.collector.record(
        [makeEvent({ site_id: site.id, time, visitor: '', name, page: `/${index}`, id: `n${serial}${index}` })],
        time,
      );
    }
    await server.settle();
    const from = new Date(server.clock.now - (names.length + 1) * DAY_MS).toISOString().slice(0, 10);
    const text = await (await file(`date_from=${from}&date_to=2026-11-19`)).text();
    const { data, errors } = Papa.parse<string[]>(text.replace(/\r\n$/, ''), { newline: '\r\n' });
    expect([errors, data.length, new Set(data.map((row) => row.length))]).toEqual([[], names.length + 2, new Set([6])]);
    const cells = data
      .slice(2)
      .map((row) => row[5] ?? '')
      .reverse();
    const expected = names.map((name) => {
      const cell = `${/[;"]/.test(name) ? JSON.stringify(name) : name}: 1`;
      return /^[=+\-@\t\r\n＝＋－＠]/.test(cell) ? `'${cell}` : cell;
    });
    expect(cells).toEqual(expected);
    expect(cells.filter((cell) => /^[=+\-@\t\r\n＝＋－＠]/.test(cell))).toEqual([]);
  });

  test('accepts the API’s filters', async () => {
    await record({ visitor: 'a', page: '/a', country: 'DE' }, { visitor: 'b', page: '/b', country: 'FR' });
    const [, row] = Papa.parse<string[]>(
      await (await file('date_from=2026-11-20&date_to=2026-11-20&filter[country]=FR')).text(),
    ).data;
    expect(row).toEqual(['2026-11-20', '1', '1', '/b: 1', '', '']);
  });

  test('accepts the dashboard’s filters, with any operator, several values, and segments', async () => {
    await record(
      ...['DE', 'FR', 'FR', 'ES'].map((country, number) => ({ visitor: `v${number}`, page: `/${number}`, country })),
    );
    const definition = [{ dimension: 'page' as const, operator: 'contains' as const, values: ['/2', '/3'] }];
    const { directory } = server.app.services;
    const own = { siteId: site.id, owner: null, name: 'Late', filters: definition };
    const segment = await createSegment(directory, own, server.clock.now);
    const pagesOf = async (filters: object[]) => {
      const asked = new URLSearchParams({
        date_from: '2026-11-20',
        date_to: '2026-11-20',
        filters: JSON.stringify(filters),
      });
      const [, row] = Papa.parse<string[]>(await (await file(asked.toString())).text()).data;
      return row?.slice(1, 4);
    };
    const country = (operator: string, ...values: string[]) => ({ dimension: 'country', operator, values });
    expect(await pagesOf([country('is', 'DE', 'ES')])).toEqual(['2', '2', '/0: 1; /3: 1']);
    expect(await pagesOf([country('is_not', 'FR')])).toEqual(['2', '2', '/0: 1; /3: 1']);
    expect(await pagesOf(definition)).toEqual(['2', '2', '/2: 1; /3: 1']);
    expect(
      await pagesOf([{ dimension: 'segment', operator: 'is', values: [segment.id] }, country('is', 'FR')]),
    ).toEqual(['1', '1', '/2: 1']);
  });

  test('of all days since 2000 needs no more memory than one of a quarter', async () => {
    await record({ visitor: 'a' });
    const { stats } = server.app.services;
    const { askedBy } = stats;
    const asked: number[] = [];
    stats.askedBy = (asking) => {
      const lanes = askedBy(asking);
      const days: typeof lanes.days = (question, of, range) => {
        asked.push((range.to - range.from) / DAY_MS);
        return lanes.days(question, of, range);
      };
      return { ...lanes, days };
    };
    const lines = (await (await file('date_from=2000-01-01&date_to=2026-11-20')).text()).split('\r\n');
    stats.askedBy = askedBy;
    expect([lines.length, lines[1], lines.at(-2)]).toEqual([9823, '2000-01-01,0,0,,,', '2026-11-20,1,1,/: 1,,']);
    expect(asked).toEqual([expect.closeTo(72, -2)]); // only the last part: nothing happened before it
  });
});

describe('access', () => {
  test('is for members and share links of the site, and nobody else', async () => {
    const { directory } = server.app.services;
    const link = await createShareLink(directory, { siteId: site.id, name: 'all' }, server.clock.now);
    const other = await server.addSite(`other-${site.domain}`);
    const strangers = await server.logIn(`owner@${other.domain}`);
    const foreign = await createShareLink(directory, { siteId: other.id, name: 'all' }, server.clock.now);
    const unknown = await (
      await fetch(`${server.url}/export/site_0000000000000000.csv?${DAYS}`, { headers: { cookie } })
    ).text();
    expect((await file()).status).toBe(200);
    expect((await file(DAYS, { 'x-share-token': link.token })).status).toBe(200);
    const others: Record<string, string>[] = [{ cookie: strangers }, { 'x-share-token': foreign.token }];
    for (const headers of others) {
      const answer = await file(DAYS, headers);
      expect([answer.status, await answer.text()]).toEqual([404, unknown]);
    }
    const nobody: Record<string, string>[] = [
      {},
      { cookie: 'footfall_session=x' },
      { 'x-share-token': 'x' },
      { authorization: `Bearer ${await keyFor(server, site)}` },
    ];
    for (const headers of nobody) expect((await refusal(await file(DAYS, headers))).error).toBe('unauthorized');
    await revokeShareLink(directory, { siteId: site.id, linkId: link.id }, server.clock.now);
    expect((await file(DAYS, { 'x-share-token': link.token })).status).toBe(401);
  });

  test('is given on every plan, and after the plan has ended', async () => {
    const { directory } = server.app.services;
    for (const change of [{ plan: 'starter' }, { status: 'cancelled' }, { status: 'expired' }] as const) {
      await setPlan(directory, { accountId: site.account_id, ...change }, server.clock.now);
      expect((await file()).status, JSON.stringify(change)).toBe(200);
    }
  });
});

test('an invalid field is refused by name', async () => {
  for (const [query, message] of [
    ['', /^date_from: is required and must be a date/],
    ['date_from=2026-11-19', /^date_to: is required and must be a date/],
    ['date_from=2026-02-30&date_to=2026-11-20', /^date_from: must be a date that exists/],
    ['date_from=2026-11-20&date_to=2026-11-19', /^date_to: must be the same as date_from or later/],
    ['date_from=2026-11-20&date_to=2026-11-21', /^date_to: must be today/],
    ['date_from=1999-12-31&date_to=2026-11-20', /^date_from: must be 2000-01-01 or later/],
    [`${DAYS}&date_to=2026-11-20`, /^date_to: is given twice/],
    [`${DAYS}&period=7d`, /^period: is not known here, only date_from, date_to, filter\[DIMENSION\]/],
    [`${DAYS}&filter[ai_agent]=x`, /^filter\[ai_agent\]: can be combined only with metrics of AI visits/],
    [`${DAYS}&filters=[`, /^filters: must be a list of filters in JSON/],
    [`${DAYS}&filters={}`, /^filters: /],
    [`${DAYS}&filters=[{"dimension":"page","operator":"like","values":["x"]}]`, /^filters: /],
    [`${DAYS}&filters=[{"dimension":"ai_agent","operator":"is","values":["x"]}]`, /^filters: can be combined only/],
    [`${DAYS}&share=x`, /^share: is not known here/],
  ] as const) {
    const { status, message: said } = await refusal(await file(query));
    expect([status, said]).toEqual([400, expect.stringMatching(message)]);
  }
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const answer = await file(DAYS, { cookie }, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  }
  for (const path of ['/export', '/export/', '/export/x', '/export/a/b.csv', `/export/${site.id}.CSV`])
    expect((await fetch(server.url + path, { headers: { cookie } })).status, path).toBe(404);
});
