// `footfall`, the command line for the API: exact numbers of a real server, and a sentence for whatever goes wrong.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../../plugins/cli/footfall.mjs';
import type { Site } from '../../server/sites/sites.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { keyFor } from '../setup/api/rest.ts';

let server: TestApp;
let site: Site;
let env: { FOOTFALL_URL: string; FOOTFALL_KEY: string };

const PAGES = ['/', '/', '/', '/pricing', '/pricing', '/%1b[2Jdocs'];

beforeAll(async () => {
  server = await testApp({ env: { TRUST_PROXY: 'loopback' } });
  site = await server.addSite();
  env = { FOOTFALL_URL: server.url, FOOTFALL_KEY: await keyFor(server, site) };
  for (const [at, page] of PAGES.entries()) {
    const sent = {
      site: site.domain,
      name: 'pageview',
      url: `https://${site.domain}${page}`,
      referrer: 'https://news.example/',
    };
    await server.foot(sent, { 'x-forwarded-for': `203.0.113.${at % 4}` });
  }
  await server.foot(
    { site: site.domain, name: 'sign\u001b[31mup', url: `https://${site.domain}/` },
    { 'x-forwarded-for': '203.0.113.0' },
  );
  await server.settle();
});
afterAll(async () => server[Symbol.asyncDispose]());

/** In this process, which takes a tenth of the time. */
async function footfall(args: string[], given: Record<string, string> = env) {
  let [stdout, stderr] = ['', ''];
  const code = await run(args, {
    env: given,
    write: (part) => (stdout += part),
    complain: (part) => (stderr += part),
    isTerminal: false,
    sleep: () => Promise.reject(new Error('one answer is enough')),
  });
  return { code, stdout, stderr };
}

test('a shell starts it, and gets the exit code', async () => {
  const start = async (args: string[]) => {
    const child = spawn(process.execPath, ['plugins/cli/footfall.mjs', ...args], { env });
    const read = Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = (await once(child, 'close')) as [number];
    return [code, ...(await read)];
  };
  expect(await start(['sites'])).toEqual([0, `${site.id}  example.com\n`, '']);
  expect(await start(['everything'])).toEqual([2, '', 'No command everything: footfall --help lists them.\n']);
});

test('figures, pages and sources are those of the server', async () => {
  const figures = await footfall(['--period', 'today', '--site', site.domain]);
  expect(figures).toMatchObject({ code: 0, stderr: '' });
  const [head, totals] = figures.stdout.split('\n');
  expect([head, totals]).toEqual(['example.com, 2026-11-20 to 2026-11-20', '4 visitors, 6 page views']);
  expect(figures.stdout).toContain('2026-11-20 12:00           6 ████████████████████████\n');

  const pages = await footfall(['pages', '--period', 'today', '--limit', '2']);
  expect(pages.stdout).toBe(
    [
      'Page      page views',
      `/                  3 ${'█'.repeat(24)}`,
      `/pricing           2 ${'█'.repeat(16)}`,
      '',
    ].join('\n'),
  );
  const sources = await footfall(['sources', '--period', '24h', '--json']);
  expect(JSON.parse(sources.stdout)).toEqual([{ source: 'news.example', unique_visitors: 4 }]);
  const sites = await footfall(['sites']);
  expect(sites.stdout).toBe(`${site.id}  example.com\n`);
});

test.each(['pages', 'sources', 'countries', 'events'])('%s as JSON is the answer of the API', async (command) => {
  const { code, stdout } = await footfall([command, '--period', 'today', '--json']);
  expect(code).toBe(0);
  const rows = JSON.parse(stdout) as object[];
  expect(rows.length).toBeGreaterThan(0);
});

test('live is drawn again in place, at the pace that was asked for', async () => {
  let screen = '';
  const waits: number[] = [];
  const outside = {
    env,
    write: (part: string) => (screen += part),
    complain: (part: string) => (screen += part),
    isTerminal: true,
    sleep: (ms: number) => Promise.resolve(waits.push(ms)),
  };
  expect(await run(['live', '--times', '3', '--every', '15'], outside)).toBe(0);
  const drawn = screen.split('\x1b[H');
  expect([drawn.length, drawn[0], waits]).toEqual([4, '\x1b[2J', [15_000, 15_000]]);
  for (const one of drawn.slice(1)) expect(one).toContain('example.com, the last 60 minutes: 6 page views\n');
});

test('live goes on when the server is away for a while', async () => {
  let [screen, said, asked] = ['', '', 0];
  using other = await openAnswering((request, response) => {
    const isSites = request.url?.startsWith('/v1/sites') === true;
    if (!isSites) asked += 1;
    // The second drawing meets the restart: each asks for minutes, pages and sources.
    if (asked === 4) return void response.writeHead(503).end('{"message":"A store does not answer."}');
    response.end(JSON.stringify({ data: isSites ? [{ id: 'site_1', domain: 'example.com' }] : [] }));
  });
  const code = await run(['live', '--times', '3'], {
    env: { ...env, FOOTFALL_URL: other.url },
    write: (part) => (screen += part),
    complain: (part) => (said += part),
    isTerminal: false,
    sleep: () => Promise.resolve(),
  });
  expect([code, screen.split('the last 60 minutes').length - 1, said]).toEqual([0, 2, 'A store does not answer.\n']);
});

test.each([
  ['no address', { FOOTFALL_URL: '' }, [], 2, /^Set FOOTFALL_URL to the address of Footfall/],
  ['an address that is none', { FOOTFALL_URL: 'file:///etc' }, [], 2, /^FOOTFALL_URL must be an address/],
  ['no key', { FOOTFALL_KEY: '' }, [], 2, /^Set FOOTFALL_KEY to an API key/],
  ['a wrong key', { FOOTFALL_KEY: 'ffk_wrong' }, [], 1, /^Footfall does not know the key in FOOTFALL_KEY/],
  [
    'a server that is away',
    { FOOTFALL_URL: 'http://127.0.0.1:9' },
    [],
    1,
    /^Footfall at http:\/\/127\.0\.0\.1:9 cannot be reached: .+\.\n$/,
  ],
  ['an unknown command', {}, ['everything'], 2, /^No command everything/],
  ['an unknown option', {}, ['--sites', 'x'], 2, /^Unknown option '--sites'/],
  ['an unknown site', {}, ['--site', 'other.example'], 2, /^No site other\.example\. There are: example\.com\.\n$/],
  ['an unknown period', {}, ['pages', '--period', 'fortnight'], 1, /period/],
  ['a pace that is too fast', {}, ['live', '--every', '1'], 2, /^--every must be a whole number from 10/],
])('%s is a sentence, not a stack', async (_what, changed, args, code, message) => {
  const answer = await footfall(args, { ...env, ...changed });
  expect([answer.code, answer.stdout]).toEqual([code, '']);
  expect(answer.stderr).toMatch(message);
  expect(answer.stderr).not.toContain('    at ');
});

/** A server that answers everything with the same. */
async function openAnswering(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const other = createServer(answer);
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  return { url, [Symbol.dispose]: () => void other.close() };
}

test.each([
  [429, { 'retry-after': '7' }, '{}', 'Too many requests: try again in 7 seconds.\n'],
  [200, {}, '<html>', 'ORIGIN answered 200, but not as Footfall does: check FOOTFALL_URL.\n'],
  [
    302,
    { location: 'https://elsewhere.example/' },
    '',
    'ORIGIN leads to https://elsewhere.example/: set FOOTFALL_URL to the address of Footfall.\n',
  ],
  [500, {}, '{"message":"Broken\\u001b]0;x\\u0007."}', 'Broken ]0;x .\n'],
])('an answer of %i says what to do', async (status, headers, body, message) => {
  using other = await openAnswering((_request, response) => void response.writeHead(status, headers).end(body));
  const { code, stderr } = await footfall([], { ...env, FOOTFALL_URL: other.url });
  expect([code, stderr]).toEqual([1, message.replace('ORIGIN', other.url)]);
});

test('names with escapes of terminals reach no terminal, and programs unchanged', async () => {
  const hostile = '/\u001b[2J\u009b31m\u202e\u0007a\ud800\n\u{e0041}';
  const rows = { data: [{ id: 'site_1', domain: hostile, page: hostile, pageviews: 1 }] };
  using other = await openAnswering((_request, response) => void response.end(JSON.stringify(rows)));
  const given = { ...env, FOOTFALL_URL: other.url };
  const [shown, listed, json] = await Promise.all([
    footfall(['pages'], given),
    footfall(['sites'], given),
    footfall(['pages', '--json'], given),
  ]);
  for (const { code, stdout } of [shown, listed, json]) {
    expect(code).toBe(0);
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\ufffd]/u);
  }
  expect(JSON.parse(json.stdout)).toEqual(rows.data);
  expect(shown.stdout.split('\n').length).toBe(3);
});
