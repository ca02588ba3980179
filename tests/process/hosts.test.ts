/** @module-tag attack */
// The hosts under which the server answers: secrets never cross a network in plain HTTP, and no redirect leads to a foreign host.
import manifest from '../../package.json' with { type: 'json' };
import { once } from 'node:events';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { request } from 'node:http';
import { request as secureRequest, type Agent } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { testApp, type TestApp, PASSWORD } from '../setup/app.ts';
import { tempFolder } from '../setup/folder.ts';
import { failToStart, startServer } from '../setup/server.ts';
import { certificate } from '../setup/internet/tls.ts';
import { showsRefused } from '../setup/run/harness.ts';

type Asked = { method?: string; host: string; headers?: OutgoingHttpHeaders; body?: string; agent?: Agent };

const portOf = (server: TestApp) => (server.app.server.address() as AddressInfo).port;

async function ask(server: TestApp, path: string, { method = 'GET', host, headers, body, agent }: Asked) {
  const options = { host: '127.0.0.1', port: portOf(server), path, method, headers: { host, ...headers } };
  const asking = agent ? secureRequest({ ...options, agent }) : request({ ...options, agent: false });
  const answered = once(asking, 'response');
  asking.end(body);
  const [response] = (await answered) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, text: await text(response) };
}

const OWN = `localhost localhost:3000 LOCALHOST localhost. a.localhost:80 127.0.0.1 127.8.9.1:1 127.1 [::1] [::1]:3000
  [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1]`.split(/\s+/);
const FOREIGN =
  `stats.example stats.example. localhost.evil.example evillocalhost 127.0.0.1.evil.example 192.168.0.7 8.8.8.8:3000
  0.0.0.0 [::] [fe80::1] [::ffff:8.8.8.8] 128.0.0.1`.split(/\s+/);
const MALFORMED = [
  '[',
  ']',
  '[::1',
  'a/b',
  'a?b',
  'user@localhost',
  'loc%61lhost',
  'localhost:99999',
  'localhost:x',
  'a b',
  '999.1.1.1',
  ':80',
  '*',
];
const ADDRESSES =
  `/ /login /foot.js /foot.gif?site=own.example /footfall.tgz /trpc/session.current /v1/sites /export/x.csv /docs/
  /auth/get-session /unknown`.split(/\s+/);

const view = JSON.stringify({ site: 'own.example', name: 'pageview', url: 'https://own.example/' });
const events = (server: TestApp, host: string) =>
  ask(server, '/foot', { method: 'POST', host, headers: { 'content-type': 'text/plain' }, body: view });

function signIn(server: TestApp, origin: string, options: Omit<Asked, 'host'> = {}) {
  const headers = { 'content-type': 'application/json', origin, ...options.headers };
  const body = JSON.stringify({ email: 'owner@own.example', password: PASSWORD });
  const asked = { host: new URL(origin).host, ...options, headers, body, method: 'POST' };
  return ask(server, '/auth/sign-in/email', asked);
}

/** Whether a WebSocket is accepted, or the status of its refusal. */
async function upgrade(server: TestApp, host: string): Promise<string> {
  const socket = connect(portOf(server), '127.0.0.1');
  const key = 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13';
  socket.write(
    `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${key}\r\n\r\n`,
  );
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return first.toString().split(' ', 2)[1] ?? '';
}

describe('without BASE_URL and TLS', () => {
  test('every address is answered under the names of this machine only, and a malformed host is a 400', async () => {
    showsRefused('host headers');
    await using server = await testApp({ env: { LOG_LEVEL: 'silent' } });
    await server.addSite('own.example');
    for (const path of ADDRESSES) {
      for (const host of OWN) expect([path, host, (await ask(server, path, { host })).status]).not.toContain(403);
      for (const host of FOREIGN)
        expect([path, host, (await ask(server, path, { host })).status]).toEqual([path, host, 403]);
      for (const host of MALFORMED)
        expect([path, host, (await ask(server, path, { host })).status]).toEqual([path, host, 400]);
    }
    for (const host of OWN)
      expect([host, (await events(server, host)).status, await upgrade(server, host)]).toEqual([host, 202, '101']);
    for (const host of FOREIGN)
      expect([host, (await events(server, host)).status, await upgrade(server, host)]).toEqual([host, 403, '400']);
    for (const host of MALFORMED) expect([host, (await events(server, host)).status]).toEqual([host, 400]);
    expect((await signIn(server, 'http://stats.example')).status).toBe(403);
    expect((await signIn(server, 'http://localhost:3000')).status).toBe(200);
    const refused = JSON.parse((await ask(server, '/login', { host: 'stats.example' })).text) as { message: string };
    expect(refused.message).toContain('set BASE_URL to its https address');
    // Monitoring that asks by the machine's address is answered, and learns only the version.
    for (const path of ['/healthz', '/readyz'])
      expect((await ask(server, path, { host: '10.0.0.7:3000' })).status).toBe(200);
    const healthy = JSON.parse((await ask(server, '/healthz', { host: '10.0.0.7:3000' })).text) as object;
    expect(healthy).toEqual({ status: 'ok', version: manifest.version });
  });

  test('a forwarded host counts only where the peer is a trusted proxy', async () => {
    showsRefused('host headers', 5);
    const status = async (server: TestApp, host: string, said: string) => {
      const headers = { 'x-forwarded-host': said, 'x-forwarded-proto': 'https' };
      return (await ask(server, '/login', { host, headers })).status;
    };
    {
      await using direct = await testApp();
      expect(await status(direct, 'stats.example', 'localhost')).toBe(403);
      expect(await status(direct, 'localhost', 'stats.example')).toBe(200);
    }
    await using proxied = await testApp({ env: { TRUST_PROXY: 'loopback' } });
    expect(await status(proxied, 'localhost', 'stats.example')).toBe(403);
    expect(await status(proxied, 'localhost', '[')).toBe(400);
    expect(await status(proxied, 'localhost', 'localhost:8080')).toBe(200);
  });
});

describe('with BASE_URL', () => {
  const https = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '81.2.69.160' };
  const scripts = ['/foot.js', '/foot.gif?site=own.example'];

  test('events and the script pass through a site’s own proxy that keeps its Host', async () => {
    await using server = await testApp({ env: { BASE_URL: 'https://stats.example', TRUST_PROXY: 'loopback' } });
    await server.addSite('own.example');
    const headers = {
      ...https,
      'content-type': 'text/plain',
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
    };
    for (const host of ['own.example', 'www.own.example:8443', '127.0.0.1:3000']) {
      const answer = await ask(server, '/foot', { method: 'POST', host, headers, body: view });
      expect([host, answer.status]).toEqual([host, 202]);
      for (const path of scripts)
        expect([path, (await ask(server, path, { host, headers })).status]).toEqual([path, 200]);
    }
    expect((await ask(server, '/login', { host: '127.0.0.1:3000', headers })).status).toBe(200);
    // Without TLS the same requests are refused, and a page is redirected to BASE_URL whatever the host.
    expect((await events(server, 'own.example')).status).toBe(403);
    for (const host of ['evil.example', '['])
      expect((await ask(server, '/login', { host })).headers.location).toBe('https://stats.example/login');
    expect(await upgrade(server, 'stats.example')).toBe('400');
  });

  test('on this machine only collecting is answered under other hosts', async () => {
    await using server = await testApp({ env: { BASE_URL: 'http://localhost:3000' } });
    await server.addSite('own.example');
    expect((await events(server, 'own.example')).status).toBe(202);
    for (const path of scripts)
      expect([path, (await ask(server, path, { host: 'own.test' })).status]).toEqual([path, 200]);
    for (const path of ADDRESSES.filter((one) => ![...scripts, '/footfall.tgz'].includes(one)))
      expect([path, (await ask(server, path, { host: 'own.test' })).status]).toEqual([path, 403]);
  });
});

test('with TLS and no BASE_URL a missing or malformed host is a 400, and redirects lead only to names of the certificate', async () => {
  showsRefused('host headers');
  await using folder = await tempFolder();
  const names = ['DNS:stats.example', 'DNS:*.wild.example', 'IP:203.0.113.9'];
  const { files, agent } = await certificate(folder.path, { names });
  await using server = await testApp({ env: files });
  await server.addSite('own.example');

  for (const host of MALFORMED)
    for (const over of [undefined, agent]) {
      const answer = await ask(server, '/login', { host, ...(over && { agent: over }) });
      expect([host, answer.status, answer.headers.location]).toEqual([host, 400, undefined]);
    }
  const raw = 'GET /login HTTP/1.0\r\n\r\n';
  const plain = connect(portOf(server), '127.0.0.1').end(raw);
  expect(await text(plain)).toMatch(/^HTTP\/1.1 400 /);
  const secure = connectTls({ port: portOf(server), host: '127.0.0.1', rejectUnauthorized: false }).end(raw);
  expect(await text(secure)).toMatch(/^HTTP\/1.1 400 /);

  for (const host of ['stats.example', 'stats.example:8443', 'a.wild.example', '203.0.113.9', 'localhost', '127.0.0.1'])
    expect((await ask(server, '/login', { host })).headers.location).toBe(`https://${host}/login`);
  for (const host of ['evil.example', 'a.b.wild.example', '203.0.113.8', 'stats.example.evil.example']) {
    const answer = await ask(server, '/login', { host, headers: { 'x-forwarded-host': 'stats.example' } });
    expect([host, answer.status, answer.headers.location]).toEqual([host, 403, undefined]);
  }
  expect((await signIn(server, 'https://stats.example', { agent })).status).toBe(200);
  expect((await signIn(server, 'https://stats.example')).status).toBe(403); // in plain HTTP
  expect((await signIn(server, 'https://evil.example', { agent, headers: { host: 'stats.example' } })).status).toBe(
    403,
  );
  agent.destroy();
});

test('the server refuses to start on an address that other machines reach, without TLS or BASE_URL', async () => {
  await using folder = await tempFolder();
  for (const HOST of ['0.0.0.0', '::', '192.168.0.7', 'stats.example']) {
    const { code, said } = await failToStart({ DATA_DIR: folder.path, HOST });
    expect([HOST, code]).toEqual([HOST, 1]);
    expect(said).toBe(
      `Footfall did not start. HOST: ${HOST} can be reached from other machines, and passwords and keys would cross the network in plain HTTP. ` +
        'Set BASE_URL to the https address under which people reach Footfall, or TLS_CERT and TLS_KEY.\n',
    );
  }
  await using server = await startServer({ DATA_DIR: folder.path, HOST: '::1' });
  expect(server.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect((await fetch(`${server.url}/login`)).status).toBe(200);
});
