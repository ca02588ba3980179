// The HTTP server, with or without TLS, and how it stops.
import { readFile } from 'node:fs/promises';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Config } from '../config.ts';
import { refuseMalformed } from './respond.ts';

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

/** Every answer, whoever writes it, is of the type that it says. */
class Answer<Request extends IncomingMessage> extends ServerResponse<Request> {
  constructor(request: Request) {
    super(request);
    this.setHeader('x-content-type-options', 'nosniff');
  }
}

export async function openServer(
  config: Pick<Config, 'TLS_CERT' | 'TLS_KEY'>,
  listener: RequestListener,
  limits: typeof LIMITS = LIMITS,
): Promise<Server> {
  const plain = createHttpServer({ ...limits, ServerResponse: Answer }, listener).on('clientError', refuseMalformed);
  const tls = await readTls(config);
  if (!tls) return plain;
  const secure = createHttpsServer(
    { ...limits, ServerResponse: Answer, handshakeTimeout: limits.headersTimeout, ...tls },
    listener,
  );
  sortConnections(secure, plain, limits);
  // Before there is a channel nothing can be said through it, and what is written into it would wait for ever.
  secure.on('tlsClientError', (_error, socket) => socket.destroy());
  return secure.on('clientError', refuseMalformed);
}

/** The certificate and its key, where the server speaks TLS itself. */
export async function readTls(config: Pick<Config, 'TLS_CERT' | 'TLS_KEY'>) {
  if (!config.TLS_CERT || !config.TLS_KEY) return undefined;
  try {
    const [cert, key] = await Promise.all([readFile(config.TLS_CERT), readFile(config.TLS_KEY)]);
    return { cert, key };
  } catch (cause) {
    throw new Error('TLS_CERT and TLS_KEY: both files must be readable.', { cause });
  }
}

/** The first byte of every TLS connection: a record that holds a handshake (RFC 8446, 5.1). */
const HANDSHAKE = 22;
/** Whoever came without TLS is only told so. */
const PLAIN_MS = 5_000;

/** Who types the address without its https comes to the same port: that is answered in plain HTTP, by the same listener. */
function sortConnections(secure: Server, plain: Server, limits: typeof LIMITS): void {
  const startTls = secure.listeners('connection') as ((socket: Socket) => void)[];
  secure.removeAllListeners('connection');
  secure.on('connection', (socket: Socket) => {
    const destroy = () => socket.destroy();
    socket.on('error', destroy);
    socket.setTimeout(limits.headersTimeout, destroy);
    socket.once('readable', () => {
      const first = socket.read(1) as Buffer | null;
      if (!first) return; // it has ended
      socket.unshift(first);
      socket.setTimeout(0, destroy);
      if (first[0] === HANDSHAKE) {
        for (const start of startTls) start.call(secure, socket);
        return;
      }
      const late = setTimeout(destroy, PLAIN_MS);
      socket.once('close', () => clearTimeout(late));
      plain.emit('connection', socket);
    });
  });
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
