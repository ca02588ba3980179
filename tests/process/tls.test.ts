/** @module-tag attack */
// The server speaking TLS itself, and clients that come without it.
import { once } from 'node:events';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { type Agent, request as secureRequest } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { openServer } from '../../server/process/http/server.ts';
import { tempFolder } from '../setup/folder.ts';
import { startServer } from '../setup/server.ts';
import { certificate } from '../setup/internet/tls.ts';
import { showsRefused } from '../setup/run/harness.ts';

type Asked = { status: number | undefined; location: string | undefined; text: string };

async function ask(address: string, agent?: Agent, method = 'GET', body = ''): Promise<Asked> {
  const asking = agent ? secureRequest(address, { method, agent }) : plainRequest(address, { method });
  const answered = once(asking, 'response');
  asking.end(body);
  const [response] = (await answered) as [IncomingMessage];
  return { status: response.statusCode, location: response.headers.location, text: await text(response) };
}

test('with a certificate pages and the API are served over TLS, and on the same port plain HTTP is redirected or refused', async () => {
  showsRefused('plain HTTP');
  await using folder = await tempFolder();
  const { files, agent } = await certificate(folder.path);
  await using server = await startServer({ DATA_DIR: folder.path, ...files });
  const { host } = new URL(server.url);
  expect(server.url).toBe(`https://${host}`);

  expect(await ask(`https://${host}/v1/sites`, agent)).toMatchObject({ status: 401 });
  expect(await ask(`https://${host}/login`, agent)).toMatchObject({ status: 200 });
  const plain = `http://${host}`;
  expect(await ask(`${plain}/healthz`)).toMatchObject({ status: 200 });
  expect(await ask(`${plain}/login?to=a`)).toMatchObject({ status: 308, location: `https://${host}/login?to=a` });
  expect(await ask(`${plain}/share/token`)).toMatchObject({ status: 308, location: `https://${host}/share/token` });
  for (const [method, path] of [
    ['GET', '/v1/sites'],
    ['POST', '/foot'],
  ] as const) {
    const answer = await ask(plain + path, undefined, method, method === 'POST' ? '{"site":"a.example"}' : '');
    expect([answer.status, (JSON.parse(answer.text) as { error: string }).error], path).toEqual([403, 'forbidden']);
  }
  expect(await ask(`https://${host}/healthz`, agent)).toMatchObject({ status: 200 });
  agent.destroy();
  expect((await server.end('SIGTERM')).code).toBe(0);
});

test('connections that send nothing, or half of either, are closed', async () => {
  await using folder = await tempFolder();
  const { files, agent } = await certificate(folder.path);
  const soon = { headersTimeout: 2000, requestTimeout: 3000, connectionsCheckingInterval: 50 };
  const server = await openServer(files, (_request, response) => response.end('served'), soon);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cut = ['', '\x16', '\x16\x03\x01\x02\x00', 'G', 'GET / HTTP/1.1\r\nHost: a\r\nX-Half: '].map(async (bytes) => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.resume().write(bytes);
    await once(socket, 'close');
  });
  expect(await ask(`https://127.0.0.1:${port}/`, agent)).toMatchObject({ status: 200, text: 'served' });
  await Promise.all(cut);
  expect(await ask(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 200, text: 'served' });
  const malformed = connect(port, '127.0.0.1').end('no HTTP at all\r\n\r\n');
  expect(await text(malformed)).toContain('"error":"bad_request"');
  agent.destroy();
  server.closeAllConnections();
  server.close();
});
