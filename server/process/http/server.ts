// The HTTP server, with or without TLS, and how it stops.
import { readFile } from 'node:fs/promises';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { finished } from 'node:stream';
import type { Config } from '../../config.ts';
import { hasShortBody } from './body.ts';
import { refuseMalformed } from './respond.ts';

/** Timeouts that close the connections of slow or silent clients, so that others can use them. */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 20_000, // includes the body, which has at most 256 KiB
  connectionsCheckingInterval: 2_000, // a connection is closed at most this much late; Node's default is 30 s
  keepAliveTimeout: 65_000, // most proxies keep connections for 60 s, and the proxy has to close first
  maxHeaderSize: 32 * 1024,
  // Java's client offers HTTP/2 in each request (`Upgrade: h2c`) and accepts an HTTP/1.1 answer, so only WebSockets are upgraded.
  shouldUpgradeCallback: (request: IncomingMessage) => request.headers.upgrade?.toLowerCase() === 'websocket',
};

const NOSNIFF = { 'x-content-type-options': 'nosniff' } as const;
type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * Sends `nosniff` with every answer, so that no handler can forget it. Every answer passes through `writeHead`, even one without headers of
 * its own. The constructor is not the place: after a `setHeader`, Node checks and stores all other headers one by one.
 */
class Answer<Request extends IncomingMessage> extends ServerResponse<Request> {
  override writeHead(status: number, ...rest: (string | Headers | undefined)[]): this {
    const [headers] = rest;
    if (typeof headers === 'object' && !Array.isArray(headers))
      return super.writeHead(status, { ...headers, ...NOSNIFF });
    for (const [name, value] of Object.entries(NOSNIFF)) this.setHeader(name, value);
    return super.writeHead(status, ...(rest as [string, Headers]));
  }

  /**
   * Reads the rest of a short body before the connection closes, as it does after each request of some proxies, such as nginx by default.
   * A proxy that still writes to a closed connection misses the answer, and sends 502 in its place.
   */
  override end(...rest: unknown[]): this {
    const { req } = this;
    const end = () => super.end(...(rest as [unknown]));
    if (req.complete || this.shouldKeepAlive || !hasShortBody(req.headers)) return end();
    finished(req.resume(), end);
    return this;
  }
}

export async function openServer(
  config: Pick<Config, 'TLS_CERT' | 'TLS_KEY'>,
  listener: RequestListener,
  given: Partial<typeof LIMITS> = {},
): Promise<Server> {
  const limits = { ...LIMITS, ...given };
  const plain = createHttpServer({ ...limits, ServerResponse: Answer }, listener).on('clientError', refuseMalformed);
  const tls = await readTls(config);
  if (!tls) return plain;
  const secure = createHttpsServer(
    { ...limits, ServerResponse: Answer, handshakeTimeout: limits.headersTimeout, ...tls },
    listener,
  );
  sortConnections(secure, plain, limits);
  // Without a TLS channel no error can be sent, and written bytes would wait forever.
  secure.on('tlsClientError', (_error, socket) => socket.destroy());
  return secure.on('clientError', refuseMalformed);
}

/** Returns the certificate and its key, or undefined if the server does not speak TLS itself. */
export async function readTls(config: Pick<Config, 'TLS_CERT' | 'TLS_KEY'>) {
  if (!config.TLS_CERT || !config.TLS_KEY) return undefined;
  try {
    const [cert, key] = await Promise.all([readFile(config.TLS_CERT), readFile(config.TLS_KEY)]);
    return { cert, key };
  } catch (cause) {
    throw new Error('TLS_CERT and TLS_KEY: a file cannot be read. Both files must be readable.', { cause });
  }
}

/** The first byte of every TLS connection: a handshake record (RFC 8446, 5.1). */
const HANDSHAKE = 22;
/** How long a plain HTTP connection to the TLS port may stay open. It only gets a redirect or a refusal. */
const PLAIN_MS = 5_000;

/** People who type the address without https send plain HTTP to the TLS port. Their requests go to the same listener. */
function sortConnections(secure: Server, plain: Server, limits: typeof LIMITS): void {
  const startTls = secure.listeners('connection') as ((socket: Socket) => void)[];
  secure.removeAllListeners('connection');
  secure.on('connection', (socket: Socket) => {
    const destroy = () => socket.destroy();
    socket.on('error', destroy);
    socket.setTimeout(limits.headersTimeout, destroy);
    socket.once('readable', () => {
      const first = socket.read(1) as Buffer | null;
      if (!first) return; // the client closed the connection
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

/** Accepts no new connections, and gives running requests five seconds to finish. */
export async function stopServer(server: Server): Promise<void> {
  if (!server.listening) return;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    // A busy keep-alive connection would otherwise stay open until it is cut off.
    server.prependListener('request', (_request, response: ServerResponse) =>
      response.setHeader('connection', 'close'),
    );
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), 5_000).unref();
  });
}
