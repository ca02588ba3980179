// The HTTP server, with or without TLS, and how it stops.
import { readFile } from 'node:fs/promises';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Config } from '../config.ts';

/** Who sends slowly, or nothing at all, holds a connection that others could use. */
export const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 20_000, // with its body: the largest is 256 KiB
  connectionsCheckingInterval: 2_000, // so much later than that they are cut; by default it is 30 s
  keepAliveTimeout: 65_000, // longer than proxies keep theirs, which is 60 s with most: who closes first must not be this one
  maxHeaderSize: 32 * 1024,
  // Java's client offers HTTP/2 with each request (`Upgrade: h2c`), and takes an ordinary answer; only the socket is for upgrades.
  shouldUpgradeCallback: (request: IncomingMessage) => request.headers.upgrade?.toLowerCase() === 'websocket',
};

export async function openServer(
  config: Pick<Config, 'TLS_CERT' | 'TLS_KEY'>,
  listener: RequestListener,
  limits: typeof LIMITS = LIMITS,
): Promise<Server> {
  if (!config.TLS_CERT || !config.TLS_KEY) return createHttpServer(limits, listener);
  const [cert, key] = await Promise.all([readFile(config.TLS_CERT), readFile(config.TLS_KEY)]).catch(
    (cause: unknown) => {
      throw new Error('TLS_CERT and TLS_KEY: both files must be readable.', { cause });
    },
  );
  return createHttpsServer({ ...limits, cert, key }, listener);
}

/** No new connections; requests under way get five seconds. */
export async function stopServer(server: Server): Promise<void> {
  if (!server.listening) return;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    // Connections that are never idle would be kept alive until they are cut.
    server.prependListener('request', (_request, response: ServerResponse) =>
      response.setHeader('connection', 'close'),
    );
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), 5_000).unref();
  });
}
