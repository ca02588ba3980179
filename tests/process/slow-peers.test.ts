/** @module-tag fault */
// Slow peers: clients that hold connections without sending, and a database that accepts queries and answers none.
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { KyselyPlugin } from 'kysely';
import { describe, expect, test } from 'vitest';
import { Unavailable } from '../../server/errors.ts';
import { openServer } from '../../server/process/http/server.ts';
import { unavailable } from '../../server/directory/unavailable.ts';
import { createAccount } from '../../server/accounts/accounts.ts';
import { PATIENCE } from '../../server/directory/postgres.ts';
import { PASSWORD, testApp } from '../setup/app.ts';
import { caller, testAuth } from '../setup/accounts/auth.ts';
import { NOON } from '../setup/clock.ts';
import { testDirectory } from '../setup/directory.ts';
import { eventually } from '../setup/eventually.ts';
import { startPostgres } from '../setup/stores/postgres.ts';
import { showsSurvived, sized } from '../setup/run/harness.ts';

describe('silent connections', () => {
  /** What each has sent before it falls silent. */
  const SILENT: Record<string, string> = {
    nothing: '',
    'half a header': 'POST /foot HTTP/1.1\r\nHost: a\r\nX-Half: ',
    'half a body': 'POST /foot HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 5000\r\n\r\n{',
    'one request, then half of the next': 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /healthz HT',
    'one request, then nothing': 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n',
  };
  const listener: RequestListener = (request, response) => {
    request.resume();
    if (request.method === 'GET') response.end();
  };

  test('are closed, hundreds of them, while others are answered', async () => {
    showsSurvived('500 connections that send slowly');
    showsSurvived('2,000 half-open sockets');
    const ofEachKind = sized({ short: 50, long: 500 });
    // Requests get longer than a slow machine takes to send and to read one. A client that is told of less than a second keeps no connection.
    const soon = { headersTimeout: 2000, requestTimeout: 3000, connectionsCheckingInterval: 50, keepAliveTimeout: 200 };
    const server = await openServer({ TLS_CERT: undefined, TLS_KEY: undefined }, listener, soon);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const silent = Object.values(SILENT).flatMap((bytes) => Array.from({ length: ofEachKind }, () => bytes));
    const cut = silent.map(async (bytes) => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      socket.resume().write(bytes);
      await once(socket, 'close');
    });
    for (let n = 0; n < 20; n += 1) expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    await Promise.all(cut);
    await eventually(async () =>
      expect(await new Promise((resolve) => server.getConnections((_, open) => resolve(open)))).toBeLessThan(2),
    );
    server.closeAllConnections();
    server.close();
  });

  test('are closed within half a minute, and idle ones outlast those of proxies', async () => {
    await using server = await testApp();
    expect(server.app.server).toMatchObject({
      headersTimeout: 10_000,
      requestTimeout: 20_000,
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: 65_000,
    });
  });
});

describe('a PostgreSQL that hangs', () => {
  test('answers 503 with Retry-After, and everything works when it resumes', async () => {
    await using postgres = await startPostgres({ own: true });
    await using server = await testApp({ env: { DATABASE_URL: postgres.url, LOG_LEVEL: 'silent' } });
    const site = await server.addSite('own.example');
    const cookie = await server.logIn('owner@own.example');
    const send = async (id: string) => {
      const { status, headers } = await server.foot({
        site: site.domain,
        name: 'pageview',
        url: `https://${site.domain}/${id}`,
        id,
      });
      return `${status} ${headers.get('retry-after')}`;
    };
    expect(await send('before')).toBe('202 null');
    const { db } = server.app.services.directory;
    const { sql } = await import('kysely');
    postgres.pause(); // new connections wait
    // Connections that were open are answered: the senders are turned away.
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where pid != pg_backend_pid()`
      .execute(db)
      .catch(() => undefined);
    await sql`select pg_terminate_backend(pg_backend_pid())`.execute(db).catch(() => undefined);
    server.clock.now += 2000;
    expect(await Promise.all(['one', 'two', 'three'].map(send))).toEqual(['503 5', '503 5', '503 5']);
    const asked = await fetch(`${server.url}/trpc/session.current`, { headers: { cookie } });
    expect([asked.status, asked.headers.get('retry-after')]).toEqual([503, '5']);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
    postgres.resume();
    await eventually(async () => {
      server.clock.now += 2000;
      expect(await Promise.all(['one', 'two', 'three'].map(send))).toEqual(['202 null', '202 null', '202 null']);
    });
    await server.settle();
    const rows = await server.app.store.query(
      'SELECT page, count() AS copies FROM events GROUP BY page ORDER BY page',
      {},
    );
    expect(rows.map((row) => Object.values(row as object).map(String))).toEqual([
      ['/before', '1'],
      ['/one', '1'],
      ['/three', '1'],
      ['/two', '1'],
    ]);
  });

  test('delays nobody for more than five seconds', () => {
    expect(PATIENCE.connectionTimeoutMillis + PATIENCE.query_timeout).toBeLessThanOrEqual(5_000);
  });

  test('does not affect sign-in when it hangs for one query and answers the next', async () => {
    await using directory = await testDirectory('sqlite');
    const who = { email: 'ada@example.com', password: PASSWORD };
    await createAccount(directory, who, NOON);
    let isHung = false;
    const fails: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: ({ result }) =>
        isHung ? Promise.reject(unavailable(new Error('no answer'))) : Promise.resolve(result),
    };
    const hanging = { ...directory, db: directory.db.withPlugin(fails) }; // its ping is answered
    const auth = await testAuth(hanging);
    const { setCookies } = await auth.signIn(who, caller());
    const cookie = setCookies.map((text) => text.split(';')[0]).join('; ');
    expect(await auth.identify({ cookie })).toMatchObject({ email: 'ada@example.com' });
    isHung = true;
    await expect(auth.identify({ cookie })).rejects.toThrow(Unavailable);
    await expect(auth.signIn(who, caller())).rejects.toThrow(Unavailable);
    isHung = false;
    expect(await auth.identify({ cookie })).toMatchObject({ email: 'ada@example.com' });
  });
});
