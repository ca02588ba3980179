// A simulated internet for one test: names have public addresses, and connecting to one reaches a server of the test. Private addresses are
// really connected to, so that a listener on this machine counts what should never have been sent.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { isPublicAddress } from '../../../server/process/outgoing/addresses.ts';
import type { Network } from '../../../server/process/outgoing/network.ts';

export const PUBLIC_ADDRESS = '93.184.215.14';

type Internet = AsyncDisposable & {
  network: Network;
  /** Names that were resolved, and public addresses that were connected to, in order. */
  resolved: string[];
  dialled: string[];
  requests: IncomingMessage[];
};

/** `answer` serves every public address, on the ports for plain HTTP. `names` says what a name resolves to, by default PUBLIC_ADDRESS; `texts` its TXT records. */
export async function openInternet(
  answer: RequestListener,
  names: (hostname: string) => string[] | undefined = () => undefined,
  texts: (hostname: string) => string[] = () => [],
): Promise<Internet> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  const port = await listen(server);
  const resolved: string[] = [];
  const dialled: string[] = [];
  return {
    requests,
    resolved,
    dialled,
    network: {
      resolve: (hostname) => {
        resolved.push(hostname);
        const addresses = names(hostname) ?? [PUBLIC_ADDRESS];
        return addresses.length > 0 ? Promise.resolve(addresses) : Promise.reject(new Error('no such host'));
      },
      resolveTxt: (hostname) => Promise.resolve(texts(hostname)),
      dial: (address, asked) => {
        if (!isPublicAddress(address)) return connect({ host: address, port: asked });
        dialled.push(`${address}:${asked}`);
        // Nothing listens on port 1: these servers speak no TLS.
        return connect({ host: '127.0.0.1', port: asked === 443 ? 1 : port });
      },
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
