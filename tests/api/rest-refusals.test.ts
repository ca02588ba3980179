/** @module-tag fault */
// Refusals: their order and form, and the answer when the server itself fails.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect } from 'vitest';
import { METHODS, OPERATIONS } from '../../server/api/rest/operations.ts';
import { setPlan } from '../../server/accounts/billing/plans.ts';
import type { Rest } from '../setup/api/rest.ts';
import { replaced, test } from '../setup/api/rest-test.ts';
import { showsSurvived } from '../setup/run/harness.ts';

describe('checks run in a fixed order', () => {
  test('key, plan, rate, path, method, content type, size, fields, existence', async ({
    server,
    site,
    rest,
    event,
  }) => {
    const big = JSON.stringify(event({ props: { a: 'x'.repeat(40_000) } }));
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const foreign = { site_id: 'site_0000000000000000' };
    // Each line has all later faults as well: the first check decides.
    const steps: [number, string, Parameters<Rest['ask']>[1]][] = [
      [401, '/v1/nowhere', { key: null, body: big, headers: form }],
      [401, '/v1/events', { key: 'ff_wrong', body: big, headers: form }],
      [404, '/v1/nowhere', { body: big, headers: form }],
      [405, '/v1/events', { method: 'PUT', body: big, headers: form }],
      [415, '/v1/events', { body: big, headers: form }],
      [413, '/v1/events', { body: big }],
      [400, '/v1/events', { body: event({ ...foreign, name: 'Bad' }) }],
      [404, '/v1/events', { body: event(foreign) }],
      [400, '/v1/stats?site_id=site_0000000000000000&period=x', {}],
      [404, '/v1/stats?site_id=site_0000000000000000', {}],
    ];
    for (const [status, path, sent] of steps) expect((await rest.refused(path, sent)).status, path).toBe(status);
    await setPlan(server.app.services.directory, { accountId: site.account_id, plan: 'starter' }, server.clock.now);
    server.clock.now += 2000;
    expect((await rest.refused('/v1/nowhere', { body: big, headers: form })).status).toBe(403);
  });

  test('a path that does not support the method lists the methods that it does', async ({ site, rest }) => {
    for (const [path, operations] of Object.entries(OPERATIONS)) {
      const asked = path.replace('{site_id}', site.id);
      const methods = METHODS.filter((one) => one in operations);
      const allowed = [...methods.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : one)), 'OPTIONS'].join(', ');
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (method in operations) continue;
        const { status, headers } = await rest.ask(asked, { method });
        expect([status, headers.get('allow')], `${method} ${path}`).toEqual([
          method === 'OPTIONS' ? 204 : 405,
          allowed,
        ]);
      }
    }
  });
});

test('bytes that are not HTTP are refused in the same form', async ({ server }) => {
  const answers = await Promise.all(
    [
      'nonsense\r\n\r\n',
      'GET /v1/sites HTTP/1.1\r\nA B: c\r\n\r\n',
      `GET / HTTP/1.1\r\nX: ${'x'.repeat(64 * 1024)}\r\n\r\n`,
    ].map((text) => rawAnswer(server.url, text)),
  );
  for (const answer of answers) {
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({
      error: 'bad_request',
      message: 'The request is not well-formed HTTP, or it arrived too slowly.',
      status: 400,
    });
  }
});

function rawAnswer(url: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text));
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => (answer += chunk));
    socket.on('end', () => resolve(answer));
    socket.on('error', reject);
  });
}

test('a client that offers an upgrade to HTTP/2 is answered in HTTP/1.1', async ({ server, key }) => {
  const headers = { authorization: `Bearer ${key}`, connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c' };
  const asking = request(`${server.url}/v1/sites`, { headers }).end();
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  answer.resume();
  expect([answer.statusCode, answer.headers['ratelimit-limit']]).toEqual([200, '100000']);
});

test('an internal error is a bare 500, with its request id in the header and in the log', async ({
  server,
  site,
  rest,
}) => {
  showsSurvived('throw or rejected promise in one handler');
  const { windows, log } = server.app.services;
  const logged: unknown[] = [];
  using _log = replaced(log, 'error', (fields: unknown) => void logged.push(fields));
  using _windows = replaced(windows, 'snapshot', () => Promise.reject(new Error('secret')));
  const { status, headers, text } = await rest.ask(`/v1/live?site_id=${site.id}`);
  expect([status, text.includes('secret')]).toEqual([500, false]);
  const id = headers.get('x-request-id');
  expect(text).toContain(id);
  expect(logged).toEqual([{ error: new Error('secret'), request_id: id }]);
});
