// How connections end.
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { openServer } from './server.ts';

const refuse: RequestListener = (_request, response) => {
  response.writeHead(413, { 'content-length': 3 }).end('No.');
};

async function open() {
  const server = await openServer({ TLS_CERT: undefined, TLS_KEY: undefined }, refuse);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, port, [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')) };
}

test('a sender that closes the connection can finish a short body, and then reads why it was refused', async () => {
  await using at = await open();
  const socket = connect(at.port, '127.0.0.1');
  const answered = text(socket);
  let isClosed = false;
  socket.once('end', () => (isClosed = true));
  const asked = once(at.server, 'request');
  socket.write(`POST / HTTP/1.0\r\ncontent-length: 40000\r\n\r\n${'x'.repeat(100)}`);
  await asked;
  // Whatever the server sent to the first sender, it sent before this answer.
  expect((await fetch(`http://127.0.0.1:${at.port}/`, { headers: { connection: 'close' } })).status).toBe(413);
  expect(isClosed).toBe(false);
  socket.write('x'.repeat(39_900));
  expect(await answered).toMatch(/^HTTP\/1\.1 413 [^]*\r\n\r\nNo\.$/);
});

test('a long body is not waited for', async () => {
  await using at = await open();
  const socket = connect(at.port, '127.0.0.1');
  socket.write('POST / HTTP/1.0\r\ncontent-length: 70000\r\n\r\nx');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 /);
});
