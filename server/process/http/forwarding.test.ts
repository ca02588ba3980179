import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, afterEach, expect, test } from 'vitest';
import { openLog } from '../log.ts';
import { tempFolder } from '../../../tests/setup/folder.ts';
import { acceptForwarded, openForwarder, openSpeaking } from './forwarding.ts';

const disposed = new AsyncDisposableStack();
afterAll(() => disposed.disposeAsync());
const closing: Server[] = [];
afterEach(() => {
  for (const server of closing.splice(0)) server.close().closeAllConnections();
});

/** A server behind another one that forwards everything. Returns the latter's port. */
async function behind(answer: RequestListener) {
  const folder = disposed.use(await tempFolder());
  const path = join(folder.path, 'x.sock');
  const others: string[] = [];
  const server = createServer(answer);
  acceptForwarded(server, (_socket, speaks) => others.push(speaks));
  server.listen(path);
  await once(server, 'listening');
  const forwarder = openForwarder(path, openLog('silent'));
  const front = createServer(forwarder.forward).on('upgrade', forwarder.upgrade).listen(0, '127.0.0.1');
  await once(front, 'listening');
  closing.push(server, front);
  const { port } = front.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, server, path, others, forwarder };
}

/** Sends bytes over one connection, and returns what comes back until the connection ends. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

test('a request arrives with its method, target, headers and body, from the address of its client', async () => {
  const { port } = await behind((incoming, response) => {
    void text(incoming).then((body) => {
      const { method, url, rawHeaders, socket } = incoming;
      const { remoteAddress, localAddress } = socket;
      response.end(JSON.stringify({ method, url, rawHeaders, body, remoteAddress, localAddress }));
    });
  });
  const head = 'PUT //a/../b?x=%zz HTTP/1.1\r\nHost: other.example\r\nX-One: 1\r\nx-one: 2\r\n';
  const answer = await exchange(port, `${head}Content-Length: 3\r\nConnection: close\r\n\r\nabc`);
  const [, sent = ''] = answer.split('\r\n\r\n');
  const end = sent.slice(sent.indexOf('{'), sent.lastIndexOf('}') + 1);
  const rawHeaders = ['Host', 'other.example', 'X-One', '1', 'x-one', '2', 'Content-Length', '3'];
  const address = { remoteAddress: '127.0.0.1', localAddress: '127.0.0.1' };
  const { rawHeaders: arrived, ...rest } = JSON.parse(end) as { rawHeaders: string[] };
  expect(rest).toEqual({ method: 'PUT', url: '//a/../b?x=%zz', body: 'abc', ...address });
  expect(arrived.slice(0, rawHeaders.length)).toEqual(rawHeaders);
  expect(arrived.slice(rawHeaders.length)).toEqual(['Connection', 'keep-alive']);
});

test('a client cannot pretend to be another one: only the first line of a connection is believed', async () => {
  const { port } = await behind((incoming, response) => response.end(incoming.socket.remoteAddress));
  const greeting = JSON.stringify({ remoteAddress: '203.0.113.7', encrypted: true });
  expect(await exchange(port, `${greeting}\nGET / HTTP/1.1\r\nHost: a\r\n\r\n`)).toMatch(/^HTTP\/1.1 400 /);
});

test('an answer arrives with its status, repeated headers and body, without those of the inner connection', async () => {
  const { port } = await behind((_incoming, response) => {
    response.writeHead(418, 'Short and stout', ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-Tea', 'pot']);
    response.write('one,');
    setImmediate(() => response.end('two'));
  });
  const answer = await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head.split('\r\n')[0]).toBe('HTTP/1.1 418 Short and stout');
  const names = head
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(':')[0]?.toLowerCase());
  expect(names.toSorted()).toEqual(['connection', 'date', 'set-cookie', 'set-cookie', 'transfer-encoding', 'x-tea']);
  expect(head).toContain('Set-Cookie: a=1\r\nSet-Cookie: b=2');
  expect(`${body}\r\n\r\n`).toBe('4\r\none,\r\n3\r\ntwo\r\n0\r\n\r\n');
});

test('a request without a body arrives without one, whatever its method', async () => {
  const { port } = await behind(({ headers }, response) => {
    response.end(JSON.stringify([headers['content-length'] ?? '0', headers['transfer-encoding'] ?? 'none']));
  });
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'])
    expect(await exchange(port, `${method} / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)).toContain(
      '["0","none"]',
    );
});

test('HEAD, 304, and HTTP/1.0 without a host are answered as by the server itself', async () => {
  const { port } = await behind((incoming, response) => {
    if (incoming.url === '/304') response.writeHead(304).end();
    else response.writeHead(200, { 'content-length': 4 }).end(incoming.method === 'HEAD' ? undefined : 'body');
  });
  expect(await exchange(port, 'HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toMatch(
    /^HTTP\/1.1 200 OK\r\n(?=[^]*content-length: 4)[^]*\r\n\r\n$/,
  );
  expect(await exchange(port, 'GET /304 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1.1 304 /);
  expect(await exchange(port, 'GET / HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 [^]*\r\n\r\nbody$/);
});

test('bodies larger than any buffer pass in both directions, with and without a length', async () => {
  const { url } = await behind((incoming, response) => void incoming.pipe(response));
  const body = Buffer.alloc(3_000_000, 'x');
  for (const headers of [{ 'content-length': String(body.length) }, { 'transfer-encoding': 'chunked' }]) {
    const sent = request(url, { method: 'POST', headers });
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect((await buffer(answer)).equals(body)).toBe(true);
  }
});

test('requests of one connection come in order, and those of other connections do not wait for them', async () => {
  const held = Promise.withResolvers<undefined>();
  const { port, url } = await behind((incoming, response) => {
    if (incoming.url === '/held') void held.promise.then(() => response.end('1'));
    else response.end(incoming.url);
  });
  const both = exchange(
    port,
    'GET /held HTTP/1.1\r\nHost: a\r\n\r\nGET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  );
  expect(await (await fetch(`${url}/other`)).text()).toBe('/other');
  held.resolve(undefined);
  expect((await both).indexOf('/next')).toBeGreaterThan((await both).indexOf('\r\n\r\n1'));
});

test('an answer before the end of the body arrives, and closes the connection if the server does', async () => {
  const { port } = await behind((_incoming, response) => response.writeHead(413, { connection: 'close' }).end('no'));
  const socket = connect(port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n');
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1.1 413 [^]*connection: close[^]*no/i);
});

test('the server learns that a client has left', async () => {
  const left = Promise.withResolvers<undefined>();
  const { port } = await behind((_incoming, response) => {
    response.write('x');
    response.once('close', () => left.resolve(undefined));
  });
  const socket = connect(port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(socket, 'data');
  socket.destroy();
  await left.promise;
});

test('a client that leaves while its requests wait for each other leaves no connection behind', async () => {
  const { port, server } = await behind(() => undefined);
  const open = promisify(server.getConnections.bind(server));
  let asked = 0;
  server.on('request', () => (asked += 1));
  for (let n = 1; n <= 5; n += 1) {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3));
    await expect.poll(() => asked).toBe(n);
    socket.destroy();
  }
  await expect.poll(() => open()).toBe(0);
});

test('an upgraded connection carries bytes both ways, until the forwarder closes', async () => {
  const { port, server, forwarder } = await behind(() => undefined);
  server.on('upgrade', (incoming, socket, head) => {
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n\r\n${incoming.headers['x-one'] as string} ${head.toString()}`);
    socket.on('data', (bytes) => socket.write(bytes));
  });
  const socket = connect(port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-One: 1\r\n\r\nhead');
  let got = '';
  socket.on('data', (chunk) => (got += chunk.toString()));
  await expect.poll(() => got).toContain('1 head');
  socket.write('echo');
  await expect.poll(() => got).toContain('echo');
  forwarder.close();
  await once(socket, 'close');
});

test('without the other process, requests get 503; a connection that speaks something else is handed over', async () => {
  const { url, server, path, others } = await behind((_incoming, response) => response.end());
  const stranger = connect(path);
  stranger.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'); // not ours: it is closed
  expect(await text(stranger)).toBe('');
  openSpeaking(path, 'hits');
  await expect.poll(() => others).toEqual(['hits']);
  server.close().closeAllConnections();
  const answer = await fetch(url);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
});
