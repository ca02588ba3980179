/** @module-tag attack */
// The rules for outgoing requests: which addresses they reach, how many redirects they follow, and where an answer is cut off.
import { createServer, type IncomingMessage } from 'node:http';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { gzipSync, brotliCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { isPublicAddress } from '../../server/process/outgoing/addresses.ts';
import { openOutgoing } from '../../server/process/outgoing/client.ts';
import { INTERNET } from '../../server/process/outgoing/network.ts';
import { throughProxy } from '../../server/process/outgoing/proxy.ts';
import { retryAfterMs } from '../../server/process/outgoing/retry-after.ts';
import { openInternet, PUBLIC_ADDRESS } from '../setup/internet/internet.ts';
import { showsRefused } from '../setup/run/harness.ts';

const HTML = { accept: 'text/html' };

test('only addresses of the public internet are public', () => {
  const inside = [
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '100.127.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2001::1',
    '100::1',
    '3fff::1',
    '',
    'example.com',
    'localhost',
    '127.0.0.1.',
    '1.2.3.4.5',
  ];
  expect(inside.filter(isPublicAddress)).toEqual([]);
  const outside = ['1.1.1.1', '93.184.215.14', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:1.1.1.1'];
  expect(outside.filter((address) => !isPublicAddress(address))).toEqual([]);
});

test('30 addresses that lead inside are refused without one connection to this machine', async () => {
  showsRefused('requests to private addresses', 30);
  let connections = 0;
  const inner = createTcpServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  inner.listen(0, '::'); // both families
  await once(inner, 'listening');
  const { port } = inner.address() as { port: number };
  const names: Record<string, string[]> = {
    'private.example': ['10.0.0.1'],
    'loopback.example': ['127.0.0.1'],
    'six.example': ['::1'],
    'mixed.example': [PUBLIC_ADDRESS, '127.0.0.1'],
    'mapped.example': ['::ffff:127.0.0.1'],
    localhost: ['127.0.0.1'],
    'localhost.': ['127.0.0.1'],
    'sub.localhost': ['::1'],
    'metadata.google.internal': ['169.254.169.254'],
  };
  let asked = 0;
  const rebinding = () => [asked++ === 0 ? PUBLIC_ADDRESS : '127.0.0.1'];
  await using internet = await openInternet(
    (request, response) => {
      const to = new URL(request.url ?? '/', 'http://x').searchParams.get('to');
      if (to) response.writeHead(302, { location: to }).end();
      else response.end('outside');
    },
    (name) => (name === 'rebinding.example' ? rebinding() : names[name]),
  );
  const away = (to: string) => `http://redirects.example/?to=${encodeURIComponent(to)}`;
  const targets = [
    '127.1',
    '127.0.0.1',
    '0',
    '0.0.0.0',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '017700000001',
    '0177.0.0.01',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '169.254.169.254',
    '１２７.０.０.１',
    ...Object.keys(names),
  ].map((host) => `http://${host}:${port}/`);
  targets.push(
    `http://user:pw@93.184.215.14:${port}/`,
    `http://example.com@127.0.0.1:${port}/`,
    'file:///etc/passwd',
    `gopher://127.0.0.1:${port}/_INFO`,
    `ftp://127.0.0.1:${port}/`,
    `//127.0.0.1:${port}/`,
    'data:text/html,x',
    'http://93.184.215.14:6379/',
    away(`http://127.0.0.1:${port}/`),
    away(`http://localhost:${port}/`),
    away(`//[::1]:${port}/`),
    away(`http://0x7f.1:${port}/`),
    away('file:///etc/passwd'),
  );
  expect(targets.length).toBeGreaterThanOrEqual(30);
  // Any port, so that only the address stands between the target and the listener.
  const outgoing = openOutgoing({ network: internet.network, ports: [80, 443, port] });
  for (const target of targets)
    expect([target, (await outgoing.get(target, HTML)).failure]).toEqual([target, 'address_refused']);
  // A name that resolves to another address the second time: it is resolved only once.
  const { answer } = await outgoing.get('http://rebinding.example/', HTML);
  expect(answer?.body.toString()).toBe('outside');
  expect(internet.resolved.filter((name) => name === 'rebinding.example')).toHaveLength(1);
  // The real resolver knows this machine by name.
  for (const host of ['localhost', 'localhost.'])
    expect((await openOutgoing({ ports: [port] }).get(`http://${host}:${port}/`, HTML)).failure).not.toBeUndefined();
  expect(connections).toBe(0);
  // The listener would have counted a connection.
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'close');
  expect(connections).toBe(1);
  inner.close();
});

test('the connection goes to the checked address, and the request identifies only Footfall', async () => {
  await using internet = await openInternet((_request, response) => response.end('hello'));
  const { answer } = await openOutgoing({ network: internet.network }).get('http://example.com/a?b#c', HTML);
  expect(answer).toMatchObject({ status: 200, isCut: false });
  expect(internet.dialled).toEqual([`${PUBLIC_ADDRESS}:80`]);
  const [request] = internet.requests;
  expect([request?.method, request?.url]).toEqual(['GET', '/a?b']);
  expect(request?.headers).toEqual({
    host: 'example.com',
    accept: 'text/html',
    connection: 'close',
    'accept-encoding': 'gzip, deflate, br',
    'user-agent': 'Footfall (web analytics)',
  });
});

test('the next address is tried when the first does not answer', async () => {
  await using internet = await openInternet(
    (_request, response) => response.end('hello'),
    () => ['2606:4700::1111', PUBLIC_ADDRESS],
  );
  const { dial } = internet.network;
  const network = {
    ...internet.network,
    dial: (to: string, port: number, signal: AbortSignal) => dial(to, to.includes(':') ? 443 : port, signal),
  };
  const { answer } = await openOutgoing({ network }).get('http://example.com/', HTML);
  expect(answer?.body.toString()).toBe('hello');
});

test('five redirects are followed, each as a request of its own, and the sixth is not', async () => {
  showsRefused('requests to private addresses');
  await using internet = await openInternet((request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) response.end('there');
    else
      response.writeHead(308, { location: `http://hop${left}.example/${left - 1}`, 'set-cookie': 'a=b' }).end('moved');
  });
  const outgoing = openOutgoing({ network: internet.network });
  const { answer } = await outgoing.get('http://example.com/5', HTML);
  expect([answer?.url.href, answer?.body.toString()]).toEqual(['http://hop1.example/0', 'there']);
  expect(internet.resolved).toEqual(['example.com', ...[5, 4, 3, 2, 1].map((hop) => `hop${hop}.example`)]);
  expect(internet.requests.some(({ headers }) => headers.cookie !== undefined)).toBe(false);
  expect(await outgoing.get('http://example.com/6', HTML)).toMatchObject({ failure: 'too_many_redirects' });
});

test('10 MB, compressed or not, are cut off at the limit, and a compressed answer is read', async () => {
  const large = Buffer.alloc(10_000_000, 'a');
  const packed: Record<string, [string, Buffer]> = {
    '/plain': ['identity', large],
    '/gzip': ['gzip', gzipSync(large)],
    '/br': ['br', brotliCompressSync(large)],
    '/small': ['gzip', gzipSync('hello')],
  };
  await using internet = await openInternet((request, response) => {
    const [encoding, body] = packed[request.url ?? ''] ?? ['compress', Buffer.from('?')];
    response.writeHead(200, { 'content-encoding': encoding }).end(body);
  });
  const outgoing = openOutgoing({ network: internet.network, maxBytes: 100_000 });
  for (const path of ['/plain', '/gzip', '/br']) {
    const { answer } = await outgoing.get(`http://example.com${path}`, HTML);
    expect([path, answer?.body.length, answer?.isCut]).toEqual([path, 100_000, true]);
  }
  expect((await outgoing.get('http://example.com/small', HTML)).answer?.body.toString()).toBe('hello');
  expect(await outgoing.get('http://example.com/unknown', HTML)).toMatchObject({ failure: 'malformed' });
});

test('an answer that never ends is abandoned in time, and so is one that never begins', async () => {
  await using internet = await openInternet((request, response) => {
    if (request.url === '/drip') response.write('a');
  });
  const outgoing = openOutgoing({ network: internet.network, timeoutMs: 300 });
  expect(await outgoing.get('http://example.com/drip', HTML)).toMatchObject({ failure: 'timeout' });
  expect(await outgoing.get('http://example.com/silence', HTML)).toMatchObject({ failure: 'timeout' });
  const deaf = { ...internet.network, resolve: () => new Promise<never>(() => undefined) };
  expect(await openOutgoing({ network: deaf, timeoutMs: 300 }).get('http://example.com/', HTML)).toMatchObject({
    failure: 'timeout',
  });
});

test('failures have distinct names and are never thrown', async () => {
  const odd = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
  odd.listen(0, '127.0.0.1');
  await once(odd, 'listening');
  const { port } = odd.address() as { port: number };
  const reaching = (host: number) => ({
    ...INTERNET,
    resolve: () => Promise.resolve([PUBLIC_ADDRESS]),
    dial: () => connect(host, '127.0.0.1'),
  });
  const nowhere = { ...INTERNET, resolve: () => Promise.reject(new Error('no such host')) };
  const get = (network: typeof INTERNET, url: string) => openOutgoing({ network }).get(url, HTML);
  expect(await get(nowhere, 'http://example.com/')).toMatchObject({ failure: 'no_such_host' });
  expect(await get(reaching(1), 'http://example.com/')).toMatchObject({ failure: 'unreachable' });
  expect(await get(reaching(port), 'http://example.com/')).toMatchObject({ failure: 'malformed' });
  expect(await get(reaching(port), 'https://example.com/')).toMatchObject({ failure: 'certificate' });
  expect(await get(reaching(port), 'nonsense')).toMatchObject({ failure: 'address_refused' });
  odd.close();
});

test('only a few requests run at a time', async () => {
  const held = createServer();
  await using internet = await openInternet((request, response) => void held.emit('request', request, response));
  const outgoing = openOutgoing({ network: internet.network, maxAtOnce: 2 });
  const waiting: (() => void)[] = [];
  const both = new Promise<void>((resolve) => {
    held.on('request', (_request, response) => {
      waiting.push(() => void (response as { end(text: string): void }).end('done'));
      if (waiting.length === 2) resolve();
    });
  });
  const first = [1, 2].map(() => outgoing.get('http://example.com/', HTML));
  await both;
  expect(await outgoing.get('http://example.com/', HTML)).toMatchObject({ failure: 'busy' });
  for (const end of waiting) end();
  expect((await Promise.all(first)).map(({ answer }) => answer?.body.toString())).toEqual(['done', 'done']);
  held.removeAllListeners('request').on('request', (_request, response) => void (response as { end(): void }).end());
  expect((await outgoing.get('http://example.com/', HTML)).answer?.status).toBe(200);
});

test('a POST sends its body to the address itself, and a redirect is its answer', async () => {
  showsRefused('requests to private addresses');
  const bodies: string[] = [];
  await using internet = await openInternet((request, response) => {
    request.on('data', (chunk: Buffer) => bodies.push(chunk.toString()));
    request.on('end', () => response.writeHead(307, { location: 'http://127.0.0.1/inside' }).end('moved'));
  });
  const outgoing = openOutgoing({ network: internet.network });
  const sent = { headers: { accept: '*/*', 'content-type': 'application/json' }, body: '{"a":"é"}' };
  const { answer } = await outgoing.post('http://example.com/hook', sent);
  expect([answer?.status, answer?.headers.location]).toEqual([307, 'http://127.0.0.1/inside']);
  expect(bodies).toEqual(['{"a":"é"}']);
  const [request] = internet.requests;
  expect([request?.method, request?.headers['content-length'], internet.resolved]).toEqual([
    'POST',
    '10',
    ['example.com'],
  ]);
  expect(await outgoing.post('http://127.0.0.1/', sent)).toMatchObject({ failure: 'address_refused' });
});

test('a page that has not changed is not sent again', async () => {
  await using internet = await openInternet((request, response) => {
    const { 'if-none-match': etag, 'if-modified-since': since } = request.headers;
    const isKnown = etag === '"a"' || since === 'Fri, 20 Nov 2026 12:00:00 GMT';
    response.writeHead(isKnown ? 304 : 200, { etag: '"a"', 'retry-after': '30' }).end(isKnown ? '' : 'page');
  });
  const outgoing = openOutgoing({ network: internet.network });
  const get = async (known?: { etag?: string; lastModified?: string }) => {
    const { answer } = await outgoing.get('http://example.com/feed', { ...HTML, ...(known && { known }) });
    return [answer?.status, answer?.body.toString(), answer && retryAfterMs(answer, 0)];
  };
  expect(await get()).toEqual([200, 'page', 30_000]);
  expect(await get({ etag: '"a"' })).toEqual([304, '', 30_000]);
  expect(await get({ lastModified: 'Fri, 20 Nov 2026 12:00:00 GMT' })).toEqual([304, '', 30_000]);
  expect(await get({ etag: '"b"' })).toEqual([200, 'page', 30_000]);
});

test.each([
  ['120', 120_000],
  ['0.35', 350],
  ['Fri, 20 Nov 2026 12:00:10 GMT', 10_000],
  ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
  ['soon', undefined],
  ['-5', undefined],
  ['9'.repeat(30), undefined],
  ['', undefined],
])('Retry-After: %j', (text, ms) => {
  expect(retryAfterMs({ headers: { 'retry-after': text } }, Date.UTC(2026, 10, 20, 12))).toBe(ms);
});

test('a proxy is asked for the checked address, never for a name, and for nothing inside', async () => {
  showsRefused('requests to private addresses');
  await using internet = await openInternet(
    (request, response) => response.end(`hello ${request.headers.host}`),
    (name) => (name === 'inside.example' ? ['10.0.0.1'] : undefined),
  );
  const asked: unknown[] = [];
  let refuses = false;
  const proxy = createServer();
  proxy.on('connect', (request: IncomingMessage, socket: Socket) => {
    asked.push([request.url, request.headers['proxy-authorization']]);
    if (refuses) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const target = internet.network.dial(PUBLIC_ADDRESS, 80, AbortSignal.timeout(10_000)) as Socket;
    socket.on('error', () => target.destroy()).write('HTTP/1.1 200 OK\r\n\r\n');
    socket
      .pipe(target)
      .on('error', () => socket.destroy())
      .pipe(socket);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as { port: number };
  const network = throughProxy(internet.network, `http://ada:p%40ss@127.0.0.1:${port}`);
  const outgoing = openOutgoing({ network });
  const { answer } = await outgoing.get('http://example.com/', HTML);
  expect(answer?.body.toString()).toBe('hello example.com');
  const credentials = `Basic ${Buffer.from('ada:p@ss').toString('base64')}`;
  expect(asked).toEqual([[`${PUBLIC_ADDRESS}:80`, credentials]]);
  for (const url of ['http://inside.example/', 'http://127.0.0.1/', `http://[::1]:${port}/`])
    expect(await outgoing.get(url, HTML)).toMatchObject({ failure: 'address_refused' });
  expect(asked).toHaveLength(1);
  refuses = true;
  expect(await outgoing.get('http://example.com/', HTML)).toMatchObject({ failure: 'unreachable' });
  const nowhere = throughProxy(internet.network, 'http://127.0.0.1:1');
  expect(await openOutgoing({ network: nowhere }).get('http://example.com/', HTML)).toMatchObject({
    failure: 'unreachable',
  });
  proxy.close();
});
