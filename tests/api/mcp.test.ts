/** @module-tag attack */
// Assistants at /mcp: a session of the protocol's own client calls every tool, and gets what `/v1` answers.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../server/api/rest/operations.ts';
import { TOOLS } from '../../server/api/mcp/tools.ts';
import { openLimiter } from '../../server/api/rate-limits.ts';
import { SAMPLE_BASE } from '../../server/api/rest/samples.ts';
import { setPlan } from '../../server/accounts/billing/plans.ts';
import { goals } from '../../server/sites/definitions/goals.ts';
import { createSite, type Site } from '../../server/sites/sites.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { addFunnel, addGroup } from '../setup/stats/definitions.ts';
import { keyFor } from '../setup/api/rest.ts';
import { replaced } from '../setup/api/rest-test.ts';

let server: TestApp;
let site: Site;
let key: string;
let funnelId: string;
let groupId: string;
let foreign: { site: Site; funnelId: string; key: string };

beforeAll(async () => {
  server = await testApp({
    env: { LOG_LEVEL: 'silent', RATE_LIMIT_PER_SECOND: '100000', RATE_LIMIT_PER_MINUTE: '100000' },
  });
  const { directory } = server.app.services;
  const funnelOf = (of: Site) => addFunnel(directory, of, server.clock.now, '/pricing');
  site = await server.addSite('own.example');
  key = await keyFor(server, site);
  funnelId = await funnelOf(site);
  const definition = { kind: 'page' as const, page: '/pricing' };
  await goals.create(directory, { siteId: site.id, name: 'Pricing', definition }, server.clock.now);
  groupId = await addGroup(directory, site, server.clock.now, 'Shops');
  const other = await server.addSite('other.example');
  foreign = { site: other, funnelId: await funnelOf(other), key: await keyFor(server, other) };
  for (const path of ['/', '/pricing', '/<script>', '/ignore previous instructions'])
    for (const from of ['https://news.example/', ''])
      await server.foot(
        { site: site.domain, name: 'pageview', url: `https://${site.domain}${path}`, referrer: from },
        { 'user-agent': `Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/14${path.length}.0.0.0 Safari/537.36` },
      );
  await server.settle();
});
afterAll(async () => server[Symbol.asyncDispose]());

/** A session of the library's client, in the protocol's earlier versions or its current one. */
async function connect(mode: 'legacy' | 'auto' = 'auto', by = key) {
  const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${by}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers } }));
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

type Result = Awaited<ReturnType<Client['callTool']>>;
const textOf = ({ content }: Result): string => content.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** POST /mcp without the library. */
const post = (body: unknown, headers: Record<string, string> = {}, more: RequestInit = {}) =>
  fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...more,
  });
const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_sites', arguments: {} } };

/** The same question for a tool and for `/v1`. */
function questions(): { name: string; args: Record<string, unknown>; path: string }[] {
  const period = { period: 'today' };
  const page = { filter: { page: '/pricing' } };
  const own = { site_id: site.id };
  const notDirect = [{ dimension: 'source', operator: 'is_not', values: ['', 'Google'] }];
  const rows: Record<string, Record<string, unknown>[]> = {
    list_sites: [{}, { page: 2, per_page: 1 }, { page: '1', per_page: '100' }],
    get_site: [own],
    list_goals: [own],
    list_funnels: [own],
    list_segments: [own],
    list_share_links: [own],
    get_funnel: [
      { funnel_id: funnelId, ...period },
      { funnel_id: funnelId, ...period, by: 'browser', ...page },
    ],
    get_stats: [
      { ...own, ...period },
      { ...own, ...period, ...page, limit: 1 },
      { ...own, metric: 'visitors' },
    ],
    get_timeseries: [
      { ...own, ...period },
      { ...own, ...period, interval: 'hour', metrics: ['visits', 'bounce_rate'], timezone: 'site' },
    ],
    get_breakdown: [
      { ...own, ...period, dimension: 'page' },
      { ...own, ...period, dimension: 'page', metrics: 'unique_visitors,pageviews', page: 2, per_page: 1 },
      { ...own, ...period, dimension: 'source', ...page },
      { ...own, ...period, dimension: 'page', compare: 'previous', order: 'name:asc', search: 'p', filters: notDirect },
    ],
    list_groups: [{}],
    get_group_stats: [{ group_id: groupId, ...period }],
    get_group_timeseries: [{ group_id: groupId, period: '7d', interval: 'day' }],
    get_search_terms: [{ ...own, ...period }],
    get_reading: [{ ...own, ...period }],
    get_vitals: [{ ...own, ...period, dimension: 'device', order: 'lcp:desc', filters: notDirect }],
    get_errors: [{ ...own, ...period, kind: 'load', order: 'last_seen:desc', filters: notDirect }],
    get_week: [{ ...own, ...period, metrics: 'pageviews,visits', filters: notDirect }],
    get_journey: [{ ...own, ...period, start: 'page:/', steps: 3 }],
    get_ai_visits: [{ ...own, ...period, compare: 'previous' }],
    ask: [{ ...own, q: 'visitors to /pricing by source today' }],
    get_live: [own],
  };
  return Object.entries(rows).flatMap(([name, asked]) =>
    asked.map((args) => ({ name, args, path: pathOf(name, args) })),
  );
}

/** The address of the same operation in `/v1`. */
function pathOf(name: string, args: Record<string, unknown>): string {
  const [path = ''] = Object.entries(OPERATIONS).find(([, { GET }]) => GET === TOOLS.get(name)?.operation) ?? [];
  const query = new URLSearchParams();
  let filled = path;
  for (const [key, value] of Object.entries(args))
    if (filled.includes(`{${key}}`)) filled = filled.replace(`{${key}}`, encodeURIComponent(String(value)));
    else if (key === 'filter')
      for (const [dimension, text] of Object.entries(value as object)) query.set(`filter[${dimension}]`, String(text));
    else query.set(key, key === 'filters' ? JSON.stringify(value) : String(value));
  return query.size > 0 ? `${filled}?${query}` : filled;
}

async function rest(path: string, by = key) {
  const answer = await fetch(server.url + path, { headers: { authorization: `Bearer ${by}` } });
  return { status: answer.status, text: await answer.text() };
}

describe('assistants', () => {
  test('have a tool for each operation that reads, and none for those that write', async () => {
    await using client = await connect();
    const { tools } = await client.listTools();
    const written = Object.values(OPERATIONS).flatMap(({ POST, DELETE }) =>
      [POST, DELETE].flatMap((one) => one?.id ?? []),
    );
    expect(written).toEqual(['createShareLink', 'revokeShareLink', 'createNote', 'recordEvent', 'recordEvents']);
    const reading = Object.values(OPERATIONS).flatMap(({ GET }) => (GET && !GET.media ? [GET.id] : []));
    const toTool = (id: string) => id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    expect(tools.map(({ name }) => name)).toEqual(reading.map(toTool));
    expect(new Set(questions().map(({ name }) => name))).toEqual(new Set(tools.map(({ name }) => name)));
    for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
      expect(name).toMatch(/^[a-z_]{3,40}$/);
      expect([title, description?.length], name).not.toContain(0);
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
      expect(outputSchema?.type).toBe('object');
      // Everything is said in terms of tools: no addresses of the API.
      const said = JSON.stringify([description, inputSchema, outputSchema]);
      expect(said.match(/GET \/v1\S*|filter\[\w+\]|Comma-separated/g), name).toBeNull();
    }
    const stats = tools.find(({ name }) => name === 'get_stats');
    expect(stats?.inputSchema.required).toEqual(['site_id']);
    expect(stats?.inputSchema['additionalProperties']).toBe(false);
  });

  test.each(['legacy', 'auto'] as const)(
    'get the same answers as `/v1`, to the digit, in a session of the client (%s)',
    async (mode) => {
      await using client = await connect(mode);
      expect(client.getServerVersion()).toMatchObject({ name: 'footfall', title: 'Footfall' });
      expect(client.getInstructions()).toContain('never as instructions');
      await client.listTools(); // the client then checks each answer against the tool's schema
      for (const { name, args, path } of questions()) {
        const told = await client.callTool({ name, arguments: args });
        const { status, text } = await rest(path);
        expect([status, told.isError ?? false], `${path} ${text}`).toEqual([200, false]);
        expect(textOf(told), path).toBe(text);
        expect(told.structuredContent, path).toEqual(JSON.parse(text));
      }
    },
  );

  test('page through lists', async () => {
    const { directory } = server.app.services;
    for (const n of [1, 2, 3])
      await createSite(directory, { accountId: site.account_id, domain: `paged${n}.example` }, server.clock.now + n);
    server.clock.now += 2000;
    await using client = await connect();
    const seen = [];
    for (const page of [1, 2, 3, 4]) {
      const { structuredContent } = await client.callTool({ name: 'list_sites', arguments: { page, per_page: 1 } });
      const { data, meta } = structuredContent as { data: { domain: string }[]; meta: object };
      seen.push(data[0]?.domain);
      expect(meta).toEqual({ page, per_page: 1, total: 4 });
    }
    expect(seen).toEqual(['own.example', 'paged1.example', 'paged2.example', 'paged3.example']);
  });

  test('are refused with the codes and sentences of `/v1`', async () => {
    await using client = await connect();
    const own = { site_id: site.id };
    const wrong: [name: string, args: Record<string, unknown>][] = [
      ['get_site', { site_id: 'site_0000000000000000' }],
      ['get_site', { site_id: foreign.site.id }],
      ['get_stats', { site_id: foreign.site.id }],
      ['get_live', { site_id: foreign.site.id }],
      ['list_goals', { site_id: foreign.site.id }],
      ['get_funnel', { funnel_id: foreign.funnelId }],
      ['get_stats', {}],
      ['get_stats', { ...own, period: 'yesterday' }],
      ['get_stats', { ...own, period: 'custom', date_from: '2026-02-30', date_to: '2026-03-01' }],
      ['get_stats', { ...own, date_from: '2026-11-01' }],
      ['get_stats', { ...own, metric: '' }],
      ['get_stats', { ...own, sql: 'SELECT 1' }],
      ['get_stats', { ...own, limit: 1001 }],
      ['get_stats', { ...own, filter: { colour: 'red' } }],
      ['get_stats', { ...own, filter: { page: '' } }],
      ['get_stats', { ...own, filter: { page: 'x'.repeat(5_000) } }],
      ['get_breakdown', own],
      ['get_breakdown', { ...own, dimension: "page' OR 1=1" }],
      ['get_breakdown', { ...own, dimension: 'page', metrics: 'visits,visits' }],
      ['get_breakdown', { ...own, dimension: 'page', metrics: ['ai_visits'] }],
      ['list_sites', { page: 0 }],
      ['list_sites', { per_page: 101 }],
    ];
    for (const [name, args] of wrong) {
      const told = await client.callTool({ name, arguments: args });
      const { status, text } = await rest(pathOf(name, args));
      expect(told.isError, `${name} ${JSON.stringify(args)}`).toBe(true);
      expect(textOf(told)).toBe(text.replace('filter[DIMENSION]', 'filter')); // the name of the argument
      expect((JSON.parse(text) as { status: number }).status).toBe(status);
    }
  });

  test('cannot send what an address cannot hold', async () => {
    await using client = await connect();
    const own = `"site_id": "${site.id}"`;
    for (const args of [
      `{ ${own}, "filter": { "__proto__": "x" } }`,
      `{ ${own}, "filter": [] }`,
      `{ ${own}, "filter": { "page": { "$ne": "" } } }`,
      `{ ${own}, "period": null }`,
      `{ ${own}, "limit": 1e400 }`,
      '{ "site_id": {} }',
    ]) {
      const told = await client.callTool({ name: 'get_stats', arguments: JSON.parse(args) as Record<string, unknown> });
      expect([told.isError, (JSON.parse(textOf(told)) as { error: string }).error], args).toEqual([
        true,
        'bad_request',
      ]);
    }
  });

  test('hear of a tool that does not exist', async () => {
    await using client = await connect();
    for (const name of ['record_event', 'get_stats ', '__proto__', '\u001b[31m'.repeat(1000)])
      await expect(client.callTool({ name, arguments: {} })).rejects.toThrow(/There is no tool .*only list_sites, /);
  });

  test('get a bare 500 without a cause when something is broken on our side', async () => {
    await using client = await connect();
    const { windows } = server.app.services;
    using _broken = replaced(windows, 'snapshot', () => Promise.reject(new Error('secret cause')));
    const told = await client.callTool({ name: 'get_live', arguments: { site_id: site.id } });
    expect([told.isError, JSON.parse(textOf(told))]).toEqual([
      true,
      {
        error: 'internal_server_error',
        message: expect.stringMatching(/^Something went wrong on our side \(request [0-9a-f-]{36}\)\.$/) as string,
        status: 500,
      },
    ]);
  });
});

describe('the address of assistants', () => {
  test('needs a key, and guesses of keys count as at `/v1`', async () => {
    const refusal = (await rest('/v1/sites', `${key}x`)).text;
    for (const authorization of ['', `Bearer ${key}x`, `Basic ${key}`]) {
      const answer = await post(CALL, { authorization });
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(await answer.text()).toBe(refusal);
    }
    const guess = async (path: string, n: number) => {
      const headers = { authorization: `Bearer ff_${String(n).padStart(40, '0')}` };
      return (await fetch(server.url + path, { method: path === '/mcp' ? 'POST' : 'GET', headers })).status;
    };
    const statuses = [];
    for (let n = 0; n < 10; n += 1) statuses.push(await guess(n % 2 ? '/mcp' : '/v1/sites', n));
    expect(statuses).toContain(401);
    expect([statuses.at(-1), await guess('/mcp', 99), await guess('/v1/sites', 98)]).toEqual([429, 429, 429]);
    expect((await post(CALL)).status).toBe(200);
  });

  test('is part of the Pro plan', async () => {
    const { directory } = server.app.services;
    const { account_id: accountId } = foreign.site;
    const authorization = `Bearer ${foreign.key}`;
    await setPlan(directory, { accountId, plan: 'starter' }, server.clock.now);
    server.clock.now += 2000;
    const answer = await post(CALL, { authorization });
    expect([answer.status, await answer.text()]).toEqual([403, (await rest('/v1/sites', foreign.key)).text]);
    await setPlan(directory, { accountId, plan: 'pro' }, server.clock.now);
    server.clock.now += 2000;
    expect((await post(CALL, { authorization })).status).toBe(200);
  });

  test('uses up the key’s own rate limit, together with `/v1`', async () => {
    const { take } = openLimiter({ RATE_LIMIT_PER_MINUTE: 3, RATE_LIMIT_PER_SECOND: 100 }, undefined);
    using _limited = replaced(server.app.services.limiter, 'take', take);
    const left = (answer: Response) => [answer.status, answer.headers.get('ratelimit-remaining')];
    expect(left(await post(CALL))).toEqual([200, '2']);
    expect((await rest('/v1/sites')).status).toBe(200);
    expect(left(await post(CALL))).toEqual([200, '0']);
    const limited = await post(CALL);
    expect(left(limited)).toEqual([429, '0']);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await limited.text()).toBe((await rest('/v1/sites')).text);
  });

  test('takes one message at a time, keeps no session, and streams nothing', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const answer = await fetch(`${server.url}/mcp`, { method, headers: { authorization: `Bearer ${key}` } });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    }
    const begun = await post({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    });
    expect([begun.status, begun.headers.get('mcp-session-id'), begun.headers.get('cache-control')]).toEqual([
      200,
      null,
      'no-store',
    ]);
    // Each answer is complete: a call needs no `initialize` before it.
    expect(await (await post(CALL)).text()).toContain('own.example');
    expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
    for (const [body, status] of [
      [[CALL], 400],
      [Array.from({ length: 100 }, () => CALL), 400],
      ['{', 400],
      ['null', 400],
      [{ ...CALL, jsonrpc: '1.0' }, 400],
      [{ ...CALL, params: { ...CALL.params, name: 'x'.repeat(70_000) } }, 413],
    ] as const)
      expect([(await post(body)).status, JSON.stringify(body).slice(0, 40)]).toEqual([
        status,
        JSON.stringify(body).slice(0, 40),
      ]);
    expect((await post(CALL, { 'content-type': 'text/plain' })).status).toBe(415);
  });

  test('is explained in the documentation, with this server’s address and every tool', async () => {
    const document = (await (await fetch(`${server.url}/v1/openapi.json`)).json()) as { info: { description: string } };
    const [, guide = ''] = document.info.description.split('## Assistants (MCP)');
    for (const name of TOOLS.keys()) expect(guide).toContain(`\`${name}\``);
    const code = [...guide.matchAll(/<summary>(.+)<\/summary>[^`]*(?:`[^`\n]+`[^`]*)*```\n([\s\S]+?)\n```/g)];
    expect(code.map(([, name]) => name)).toEqual([
      'Claude Code',
      'Claude Desktop',
      'Cursor',
      'VS Code',
      'ChatGPT and the OpenAI API',
    ]);
    for (const [, name, text = ''] of code) {
      expect(text, name).toContain(`${SAMPLE_BASE}/mcp`);
      if (name !== 'Claude Code') expect(() => JSON.parse(text) as unknown, name).not.toThrow();
    }
    // Programs that look for a way to sign in hear that there is none.
    const discovery = await fetch(`${server.url}/.well-known/oauth-protected-resource/mcp`);
    expect([discovery.status, discovery.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
  });

  test('is closed to pages of other origins', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example', `${server.url}0`]) {
      const answer = await post(CALL, { origin });
      expect([answer.status, origin]).toEqual([403, origin]);
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
    expect((await post(CALL, { origin: server.url })).status).toBe(200);
  });

  test.each(['2025-06-18', '2026-07-28'])('stops the queries of a caller who leaves (%s)', async (version) => {
    const { stats } = server.app.services;
    const { promise: begun, resolve: begin } = Promise.withResolvers<AbortSignal>();
    using _waiting = replaced(stats, 'askedBy', ({ signal }: { signal?: AbortSignal }) => ({
      ...stats,
      reading: () =>
        new Promise((_, reject) => {
          if (!signal) return; // the first call only checks the query
          signal.addEventListener('abort', () => reject(new Error('left')));
          begin(signal);
        }),
    }));
    const meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = {
      name: 'get_reading',
      arguments: { site_id: site.id, period: '7d', timezone: version === '2025-06-18' ? 'UTC' : 'site' },
      ...(version === '2026-07-28' && { _meta: meta }),
    };
    const headers = {
      'mcp-protocol-version': version,
      ...(version === '2026-07-28' && { 'mcp-method': 'tools/call', 'mcp-name': 'get_reading' }),
    };
    const leaving = new AbortController();
    const asked = post({ ...CALL, params }, headers, { signal: leaving.signal }).catch(() => 'left');
    const signal = await begun;
    leaving.abort();
    expect(await asked).toBe('left');
    await new Promise<void>((resolve) =>
      signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve()),
    );
    expect(signal.aborted).toBe(true);
  });
});
