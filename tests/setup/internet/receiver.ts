// Receivers of webhooks for one test: real servers with TLS under names of a simulated internet, `await using receivers = await openReceivers(answer)`.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { Network } from '../../../server/process/outgoing/network.ts';
import { tempFolder } from '../folder.ts';
import { openInternet, PUBLIC_ADDRESS } from './internet.ts';
import { certificate } from './tls.ts';

export type Received = { url: string; headers: IncomingHttpHeaders; body: string };
export type Receivers = AsyncDisposable & {
  network: Network;
  /** What was sent, in order. */
  received: Received[];
  /** Names that were resolved, in order. */
  resolved: string[];
  /** Where the receivers really listen, and their certificate, for other processes. */
  port: number;
  certificate: string;
};

/** Nothing listens here. */
const CLOSED_ADDRESS = '93.184.215.15';
/** A server that speaks no TLS. */
const PLAIN_ADDRESS = '93.184.215.16';
const NAMES: Record<string, string[]> = {
  'closed.example': [CLOSED_ADDRESS],
  'plain.example': [PLAIN_ADDRESS],
  'inside.example': ['127.0.0.1'],
  'nowhere.example': [],
};

/** The names above behave as they say. All others reach `answer`; the certificate is valid for names under `hooks.example`. */
export async function openReceivers(
  answer: (received: Received, response: ServerResponse) => void,
): Promise<Receivers> {
  const folder = await tempFolder();
  const { files } = await certificate(folder.path, { names: ['DNS:*.hooks.example'] });
  const [cert, key] = await Promise.all([readFile(files.TLS_CERT, 'utf8'), readFile(files.TLS_KEY, 'utf8')]);
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, cert]);
  const received: Received[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = { url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString('utf8') };
      received.push(one);
      answer(one, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const internet = await openInternet(
    (_request, response) => response.end(),
    (name) => NAMES[name],
  );
  const dial: Network['dial'] = (address, asked, signal) =>
    address === PUBLIC_ADDRESS && asked === 443
      ? connect(port, '127.0.0.1')
      : internet.network.dial(address, address === PLAIN_ADDRESS ? 80 : asked, signal);
  return {
    network: { ...internet.network, dial },
    received,
    resolved: internet.resolved,
    port,
    certificate: cert,
    async [Symbol.asyncDispose]() {
      setDefaultCACertificates(trusted);
      server.closeAllConnections();
      server.close();
      await internet[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
