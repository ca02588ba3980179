// A first-party proxy as `docs/proxy.md` describes it, in front of the running server: what it must pass on, and what fails without it.
import { once } from 'node:events';
import { createServer, request as forward, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parse } from 'devalue';
import { expect, test } from 'vitest';
import { type Log, openLog } from '../../server/process/log.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { CHROME } from '../setup/browser/user-agent.ts';

type Recipe = { passAddress: boolean };

/** Passes `/stats/…` of a site on to Footfall, with the headers of the recipes. */
async function openProxy(server: TestApp, { passAddress }: Recipe) {
  const seen: IncomingHttpHeaders[] = [];
  const proxy = createServer((request, response) => {
    const { cookie: _, ...headers } = request.headers;
    const visitor = String(headers['x-visitor']); // stands in for the remote address of the connection
    const passed = {
      ...headers,
      host: new URL(server.url).host,
      'x-forwarded-proto': 'https',
      'x-forwarded-for': passAddress ? visitor : undefined,
    };
    seen.push(passed);
    const target = server.url + (request.url ?? '').replace(/^\/stats/, '');
    const defined = Object.fromEntries(Object.entries(passed).filter(([, value]) => value !== undefined));
    request.pipe(
      forward(target, { method: request.method, headers: defined }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      }),
    );
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/stats`,
    seen,
    [Symbol.asyncDispose]: async () => {
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

test.each([
  ['a proxy that is trusted and passes the visitor’s address', { TRUST_PROXY: 'loopback' }, true, 3, false],
  ['a proxy that TRUST_PROXY does not name: all visitors are one, and the operator is warned', {}, true, 1, true],
  ['a proxy that keeps the visitor’s address to itself: all are one', { TRUST_PROXY: 'loopback' }, false, 1, false],
])('the script and its events through %s', async (_what, env, passAddress, visitors, isWarned) => {
  const warnings: unknown[] = [];
  const log = { ...openLog('silent'), warn: (text: unknown) => void warnings.push(text) } as unknown as Log;
  await using server = await testApp({ env, log });
  const site = await server.addSite();
  await using proxy = await openProxy(server, { passAddress });
  const script = await fetch(`${proxy.url}/foot.js`);
  expect([script.status, (await script.text()).length > 2_000]).toEqual([200, true]);
  for (const visitor of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) {
    const answer = await fetch(`${proxy.url}/foot`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain', 'user-agent': CHROME, 'x-visitor': visitor, cookie: 'session=1' },
      body: JSON.stringify({ site: site.domain, name: 'pageview', url: `https://${site.domain}/${visitor}` }),
    });
    expect(answer.status).toBe(202);
  }
  await server.settle();
  const [row] = await server.app.store.query<{ visitors: string; views: string }>(
    'SELECT uniqExact(visitor_id) AS visitors, count() AS views FROM events WHERE site_id = {id:String}',
    { id: site.id },
  );
  expect([Number(row?.visitors), Number(row?.views)]).toEqual([visitors, 3]);
  expect(proxy.seen.some((headers) => 'cookie' in headers)).toBe(false);

  const cookie = await server.logIn(`owner@${site.domain}`);
  const session = await fetch(`${server.url}/trpc/session.current`, { headers: { cookie } });
  const { result } = (await session.json()) as { result: { data: string } };
  expect((parse(result.data) as { has_untrusted_proxy: boolean }).has_untrusted_proxy).toBe(isWarned);
  expect(warnings).toEqual(isWarned ? [expect.stringContaining('TRUST_PROXY does not name it')] : []); // once, not per hit
});
