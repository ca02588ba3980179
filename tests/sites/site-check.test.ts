// The waiting page's check of a site: each finding, from a page that has exactly that fault.
import type { RequestListener } from 'node:http';
import { parse, stringify } from 'devalue';
import { describe, expect, test } from 'vitest';
import { allowsConnection, allowsScript, parsePolicies } from '../../server/sites/checks/content-policy.ts';
import { readPage } from '../../server/sites/checks/page.ts';
import { checkSite } from '../../server/sites/checks/site.ts';
import { openOutgoing } from '../../server/process/outgoing/client.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { openInternet } from '../setup/internet/internet.ts';

type Finding = Awaited<ReturnType<typeof checkSite>>;

const SCRIPT = new URL('https://stats.example.net/foot.js');
const SNIPPET = `<script async data-site="example.com" src="${SCRIPT.href}"></script>`;
const SITE = { domain: 'example.com', extra_hosts: ['example.org'] };

type Page = { html?: string; headers?: Record<string, string>; status?: number };
const page = (html: string, headers: Record<string, string> = {}): Page => ({ html, headers });
const policy = (text: string, html = SNIPPET) => page(html, { 'content-security-policy': text });

/** The findings on a site with this front page. */
async function findingOf(served: Page, site = SITE): Promise<Finding> {
  const serve: RequestListener = (_request, response) =>
    void response
      .writeHead(served.status ?? 200, { 'content-type': 'text/html', ...served.headers })
      .end(served.html ?? '');
  await using internet = await openInternet(serve);
  return await checkSite(openOutgoing({ network: internet.network }), { site, script: SCRIPT });
}

const FINE: Finding = { name: 'nothing_wrong' };
const blocked = (directive: 'script-src' | 'connect-src', place: 'header' | 'meta' = 'header'): Finding => ({
  name: 'blocked_by_policy',
  directive,
  place,
});

const CASES: Record<string, { pages: Page[]; finding: Finding }> = {
  'nothing is wrong': {
    pages: [
      page(`<!doctype html><head>${SNIPPET}</head>`),
      page(SNIPPET.replace('async', 'defer').replace('"example.com"', '"Example.COM"')),
      page(`<base href="https://stats.example.net/"><script data-site=example.com src=foot.js></script>`),
      // Through the site's own server, under another name.
      page('<script data-site="example.com" src="/stats/f.js"></script>'),
      page(`<script>var s = document.createElement('script'); s.src = '${SCRIPT.href}';</script>`),
      page('<html data-site="example.com"><script type="module" src="/app.js"></script>'),
      policy("script-src 'self' https://stats.example.net; connect-src stats.example.net"),
      policy("default-src 'self' *.example.net"),
      policy("script-src 'nonce-abc' 'strict-dynamic'", SNIPPET.replace('<script', '<script nonce="abc"')),
      policy("script-src-elem https:; script-src 'none'; connect-src *"),
      page(SNIPPET, { 'content-security-policy-report-only': "default-src 'none'" }),
      page(`<meta http-equiv="Content-Security-Policy" content="img-src 'none'">${SNIPPET}`),
    ],
    finding: FINE,
  },
  'there is no snippet': {
    pages: [
      page('<h1>Hello</h1>'),
      page(`<!-- ${SNIPPET} -->`),
      page(`<textarea>${SNIPPET}</textarea>`),
      page('<script src="/app.js"></script>'),
      page(`<script async src="${SCRIPT.href}?opt-out"></script>`), // the box alone
    ],
    finding: { name: 'no_snippet' },
  },
  'the snippet names another domain': {
    pages: [page(SNIPPET.replace('example.com', 'exmaple.com'))],
    finding: { name: 'other_domain', domain: 'exmaple.com' },
  },
  'the snippet names no domain': {
    pages: [page(SNIPPET.replace('data-site="example.com"', ''))],
    finding: { name: 'other_domain', domain: '' },
  },
  'the snippet is of another server': {
    pages: [
      page('<script async data-site="example.com" src="https://old.example.net/foot.js"></script>'),
      page('<script async src="https://old.example.net/foot.js"></script>'),
    ],
    finding: { name: 'other_server', origin: 'https://old.example.net' },
  },
  'the policy blocks the script': {
    pages: [
      policy("default-src 'self'"),
      policy("script-src 'self' https://stats.example.net:8443"),
      policy("script-src 'self' https://stats.example.net/js/"),
      policy("script-src 'strict-dynamic' https://stats.example.net 'nonce-abc'"),
      policy("script-src *, script-src 'none'"),
    ],
    finding: blocked('script-src'),
  },
  'the policy blocks the script, said in the page': {
    pages: [page(`<meta http-equiv="content-security-policy" content="script-src 'self'">${SNIPPET}`)],
    finding: blocked('script-src', 'meta'),
  },
  'the policy blocks what the script sends': {
    pages: [
      policy("script-src https:; connect-src 'self'"),
      policy("default-src 'self'; script-src stats.example.net"),
      policy('script-src *; connect-src https://stats.example.net/other'),
    ],
    finding: blocked('connect-src'),
  },
  'the site redirects to a host that is not its own': {
    pages: [
      { status: 301, headers: { location: 'http://elsewhere.example/' } }, // an endless loop of redirects
      { status: 302, headers: { location: 'https://elsewhere.example/login' } },
    ],
    finding: { name: 'redirected', host: 'elsewhere.example' },
  },
  'the page is an error': { pages: [{ status: 503 }], finding: { name: 'error_status', status: 503 } },
  'the page is not HTML': { pages: [page('{}', { 'content-type': 'application/json' })], finding: { name: 'no_html' } },
};

describe('a check of a site says', () => {
  for (const [what, { pages, finding }] of Object.entries(CASES))
    test(what, async () => {
      for (const served of pages) expect([served, await findingOf(served)]).toEqual([served, finding]);
    });

  test('why there is no answer', async () => {
    await using internet = await openInternet(
      (_request, response) => response.end(),
      (name) => ({ 'inside.example': ['10.0.0.1'], 'gone.example': [] })[name],
    );
    const check = (domain: string) => {
      const site = { domain, extra_hosts: [] };
      return checkSite(openOutgoing({ network: internet.network }), { site, script: SCRIPT });
    };
    expect(await check('inside.example')).toEqual({ name: 'no_answer', failure: 'address_refused' });
    expect(await check('gone.example')).toEqual({ name: 'no_answer', failure: 'no_such_host' });
    for (const domain of ['localhost', 'app.localhost', 'printer.local'])
      expect(await check(domain)).toEqual({ name: 'local' });
    expect(internet.dialled).toEqual([]);
  });

  test('what it finds behind a redirect to www. and to a host that the site lists', async () => {
    for (const host of ['www.example.com', 'example.org']) {
      await using internet = await openInternet((request, response) => {
        if (request.headers.host === host) response.setHeader('content-type', 'text/html').end(SNIPPET);
        else response.writeHead(301, { location: `http://${host}/` }).end();
      });
      expect(await checkSite(openOutgoing({ network: internet.network }), { site: SITE, script: SCRIPT })).toEqual(
        FINE,
      );
    }
  });
});

test('a policy’s sources match as the specification says', () => {
  const url = new URL('https://stats.example.net/foot.js');
  const at = (source: string, page = 'https://example.com/') =>
    parsePolicies(`connect-src ${source}`).every((each) => allowsConnection(each, { url, page: new URL(page) }));
  const yes = ['*', 'https:', 'http:', 'stats.example.net', '*.example.net', 'https://stats.example.net:443', '*:*'];
  yes.push('http://stats.example.net', 'STATS.example.net', 'stats.example.net/foot.js', 'https://*.example.net/');
  const no = ["'none'", "'self'", '', 'example.net', '*.stats.example.net', 'wss:', 'https://stats.example.net:8443'];
  no.push('stats.example.net/foot', 'stats.example.net/js/', 'data:', '*.net.example', 'xstats.example.net');
  expect(yes.filter((source) => !at(source))).toEqual([]);
  expect(no.filter((source) => at(source))).toEqual([]);
  expect(at("'self'", 'https://stats.example.net/')).toBe(true);
  const [hashed] = parsePolicies("script-src 'sha256-abc='");
  const loading = { url, page: new URL('https://example.com/') };
  expect(hashed && allowsScript(hashed, { ...loading, integrity: 'sha256-abc=' })).toBe(true);
  expect(hashed && allowsScript(hashed, loading)).toBe(false);
});

test('a page that opens a megabyte of elements is read in a moment', () => {
  const url = new URL('https://example.com/');
  const units = ['<svg>', '<svg></math>', '<a>', '<a></b>', '<table><tr><td>', '<a b ', '<', '<!--', '<script>', '&'];
  for (const unit of units) {
    const html = unit.repeat(1_048_576 / unit.length);
    const started = performance.now();
    expect(readPage(`${SNIPPET}${html}`, url).scripts).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(5000); // far above the usual time; without a bound on its depth it is 49 s
  }
});

/** The waiting page's requests, as its owner sends them. */
async function ask(server: TestApp & { cookie: string }, name: string, input: object) {
  const headers = { 'content-type': 'application/json', origin: server.url, cookie: server.cookie };
  const text = JSON.stringify(stringify(input));
  const answer = await (name === 'sites.check'
    ? fetch(`${server.url}/trpc/${name}`, { method: 'POST', headers, body: text })
    : fetch(`${server.url}/trpc/${name}?input=${encodeURIComponent(text)}`, { headers }));
  const { result } = (await answer.json()) as { result?: { data: string } };
  return { status: answer.status, data: result && (parse(result.data) as Record<string, unknown>) };
}

test('the server fetches the owner’s page at most ten times a minute for an account', async () => {
  await using internet = await openInternet((_request, response) =>
    response.setHeader('content-type', 'text/html').end(SNIPPET),
  );
  await using server = await testApp({ network: internet.network });
  const site = await server.addSite('example.com');
  const owner = { ...server, cookie: await server.logIn('owner@example.com') };
  const input = { site_id: site.id, script: SCRIPT.href };
  const answers = await Promise.all(Array.from({ length: 12 }, () => ask(owner, 'sites.check', input)));
  expect(answers.filter(({ status }) => status === 200).map(({ data }) => data)).toEqual(Array(10).fill(FINE));
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
  expect((await ask(owner, 'sites.check', { ...input, script: 'file:///foot.js' })).status).toBe(400);
});

test('the owner is told for ten minutes which host or name was dropped', async () => {
  await using server = await testApp();
  const site = await server.addSite('example.com');
  const owner = { ...server, cookie: await server.logIn('owner@example.com') };
  const stray = async () => (await ask(owner, 'sites.arrivals', { site_id: site.id })).data?.['stray'];
  expect(await stray()).toEqual({});
  await server.foot({ site: 'exmaple.com', name: 'pageview', url: 'https://www.example.com/' });
  await server.foot({ site: 'example.com', name: 'pageview', url: 'https://staging.example.net/' });
  expect(await stray()).toEqual({ foreign_host: 'staging.example.net', other_domain: 'exmaple.com' });
  server.clock.now += 600_000;
  expect(await stray()).toEqual({});
});
