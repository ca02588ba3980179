// The only client for addresses that people enter. It resolves a name once, refuses it unless all its addresses are public, and connects to
// an address that it checked. Each redirect of a GET is checked again; a POST follows none. It sends no cookies and no credentials of its own.
// Only addresses that the operator has configured may be private.
import { once } from 'node:events';
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type Socket } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { isPublicAddress } from './addresses.ts';
import { INTERNET, type Network } from './network.ts';

/** Why a request got no answer. */
export type Failure =
  | 'address_refused'
  | 'no_such_host'
  | 'unreachable'
  | 'certificate'
  | 'malformed'
  | 'too_many_redirects'
  | 'timeout'
  | 'busy';

export type Answer = {
  /** The address after all redirects. */
  url: URL;
  status: number;
  headers: IncomingHttpHeaders;
  /** Decompressed, and cut at `maxBytes`. */
  body: Buffer;
  isCut: boolean;
};
/** On failure, `url` is the address that failed, which may be the target of a redirect. Null if it is not a valid URL. */
export type Outcome = { answer: Answer; failure?: never } | { failure: Failure; url: URL | null; answer?: never };

/** The validators of an answer that the caller still has. A server then answers 304, without a body, unless its page has changed. */
type Known = { etag?: string | undefined; lastModified?: string | undefined };

type GetOptions = {
  accept: string;
  known?: Known;
  /** An origin from the configuration, never from people: it may be private, and on any port. */
  operators?: string | undefined;
};

/** Neither rejects: failures are part of the outcome. */
export type Outgoing = {
  get(url: string, options: GetOptions): Promise<Outcome>;
  /** Sends a body to exactly this address. A redirect is the answer: following it would send the body to an address that nobody entered. */
  post(url: string, options: { headers: Record<string, string>; body: string }): Promise<Outcome>;
  /** One request with the caller's headers, which may hold credentials. A redirect is the answer, as with `post`. */
  ask(url: string, options: Exact): Promise<Outcome>;
};

type Exact = { method: 'GET' | 'POST'; headers: Record<string, string>; body?: string | undefined };

type Options = {
  network?: Network;
  /** For the whole request, redirects included. */
  timeoutMs?: number;
  maxBytes?: number;
  /** Ports that may be reached. Other ports rarely belong to a web server. */
  ports?: readonly number[];
  /** `any`: for addresses that only the operator sets, which may be private and on any port. */
  reach?: 'public' | 'any';
  maxAtOnce?: number;
  /** Ends the requests that are under way, as their time limit would. */
  stop?: AbortSignal;
};

const USER_AGENT = 'Footfall (web analytics)';
const MAX_REDIRECTS = 5;
const MAX_ADDRESSES = 4; // tried one after the other
const CONNECT_MS = 4000;
const MAX_HEADER_BYTES = 65_536; // the content security policy of a large site alone can take 10 kB
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const DECODERS: ReadonlyMap<string, () => NodeJS.ReadWriteStream & Readable> = new Map(
  Object.entries({
    gzip: createGunzip,
    'x-gzip': createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  }),
);

/** A request with its redirects. `url` is the current address. `isExact`: a redirect is the answer. */
type Trip = Pick<GetOptions, 'operators'> & {
  url: URL | null;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string | undefined;
  isExact: boolean;
  signal: AbortSignal;
};

class Stop extends Error {
  readonly failure: Failure;
  constructor(failure: Failure, cause?: unknown) {
    super(failure, { cause });
    this.failure = failure;
  }
}

export function openOutgoing(options: Options = {}): Outgoing {
  const {
    network = INTERNET,
    timeoutMs = 10_000,
    maxBytes = 524_288,
    ports = [80, 443],
    reach = 'public',
    maxAtOnce = 16,
    stop,
  } = options;
  let underWay = 0;

  async function follow(trip: Trip): Promise<Answer> {
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const { url } = trip;
      if (!url || !mayAsk(url, isOperators(url, trip) ? undefined : ports)) throw new Stop('address_refused');
      const response = await ask(url, trip);
      const { statusCode: status = 0, headers } = response;
      if (trip.isExact || headers.location === undefined || !REDIRECTS.includes(status)) {
        const read = await readBody(response, maxBytes);
        return { url, status, headers, ...read };
      }
      response.destroy();
      trip.url = URL.parse(headers.location, url);
    }
    throw new Stop('too_many_redirects');
  }

  const isOperators = ({ origin }: URL, { operators }: Trip): boolean => reach === 'any' || origin === operators;

  async function ask(url: URL, trip: Trip): Promise<IncomingMessage> {
    const { signal } = trip;
    const isTls = url.protocol === 'https:';
    const addresses = await addressesOf(url.hostname, network, signal);
    if (!isOperators(url, trip) && !addresses.every(isPublicAddress)) throw new Stop('address_refused');
    const socket = await connectToOne(addresses, Number(url.port) || (isTls ? 443 : 80), { network, signal });
    return isTls ? askOver(await secure(socket, url.hostname, signal), url, trip) : askOver(socket, url, trip);
  }

  async function send(start: string, asked: Omit<Trip, 'url' | 'signal'>): Promise<Outcome> {
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(stop ? [stop] : [])]);
    const trip: Trip = { ...asked, url: URL.parse(start), signal };
    if (underWay >= maxAtOnce) return { failure: 'busy', url: trip.url };
    underWay += 1;
    const isLate = new Promise<never>((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(new Stop('timeout'))),
    );
    try {
      return { answer: await Promise.race([follow(trip), isLate]) };
    } catch (error) {
      if (signal.aborted) return { failure: 'timeout', url: trip.url };
      return { failure: error instanceof Stop ? error.failure : 'malformed', url: trip.url };
    } finally {
      underWay -= 1;
    }
  }

  return {
    get: (url, { accept, known = {}, operators }) =>
      send(url, {
        method: 'GET',
        isExact: false,
        operators,
        headers: {
          accept,
          ...(known.etag !== undefined && { 'if-none-match': known.etag }),
          ...(known.lastModified !== undefined && { 'if-modified-since': known.lastModified }),
        },
      }),
    post: (url, { headers, body }) => send(url, { method: 'POST', isExact: true, headers, body }),
    ask: (url, exact) => send(url, { ...exact, isExact: true }),
  };
}

/** `ports`: undefined for all of them. */
function mayAsk(url: URL, ports: readonly number[] | undefined): boolean {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return false;
  if (url.username !== '' || url.password !== '') return false;
  return url.port === '' || ports === undefined || ports.includes(Number(url.port));
}

/** The URL parser has already normalised odd spellings such as 0x7f.1. */
async function addressesOf(hostname: string, network: Network, signal: AbortSignal): Promise<string[]> {
  const literal = bareHost(hostname);
  if (isIP(literal) !== 0) return [literal];
  return network.resolve(hostname, signal).catch((cause: unknown) => {
    throw new Stop('no_such_host', cause);
  });
}

/** Removes the brackets of an IPv6 address. */
function bareHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

async function connectToOne(
  addresses: string[],
  port: number,
  { network, signal }: { network: Network; signal: AbortSignal },
): Promise<Socket> {
  let reason: unknown;
  for (const address of addresses.slice(0, MAX_ADDRESSES)) {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]);
    const dialled = network.dial(address, port, patience);
    try {
      if (!(dialled instanceof Promise)) await once(dialled, 'connect', { signal: patience });
      return await dialled;
    } catch (error) {
      reason = error;
      if (!(dialled instanceof Promise)) dialled.on('error', () => undefined).destroy();
      if (signal.aborted) break;
    }
  }
  throw new Stop('unreachable', reason);
}

async function secure(socket: Socket, hostname: string, signal: AbortSignal): Promise<Socket> {
  const host = hostname.replace(/\.$/, '');
  const isName = isIP(bareHost(hostname)) === 0;
  const secured = connectTls({
    socket,
    host: bareHost(host),
    ...(isName && { servername: host }),
    ALPNProtocols: ['http/1.1'],
  });
  try {
    await once(secured, 'secureConnect', { signal });
    return secured;
  } catch (cause) {
    secured.on('error', () => undefined).destroy();
    socket.destroy();
    throw new Stop('certificate', cause);
  }
}

/** Sends the request over a connection to an address that was checked. */
async function askOver(
  socket: Socket,
  url: URL,
  { method, headers, body, signal }: Pick<Trip, 'method' | 'headers' | 'body' | 'signal'>,
): Promise<IncomingMessage> {
  const { request } = url.protocol === 'https:' ? https : http;
  // TRICKY: no `agent`, not even false: an agent would open its own connection, to an address that was not checked.
  const asking = request(url, {
    method,
    createConnection: () => socket,
    headers: { host: url.host, 'user-agent': USER_AGENT, 'accept-encoding': 'gzip, deflate, br', ...headers },
    signal,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  asking.end(body);
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  asking.on('error', () => undefined); // the response stream reports it
  return response;
}

/** Counts decompressed bytes and stops at `maxBytes`, so that a small compressed answer cannot fill the memory. */
async function readBody(response: IncomingMessage, maxBytes: number): Promise<Pick<Answer, 'body' | 'isCut'>> {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? '';
  const decoder = DECODERS.get(encoding);
  if (encoding !== '' && encoding !== 'identity' && !decoder) {
    response.destroy();
    throw new Stop('malformed');
  }
  // the loop below receives any error of the pipeline
  const source: Readable = decoder ? pipeline(response, decoder(), () => undefined) : response;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) break; // ends the connection too
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), isCut: length > maxBytes };
}
