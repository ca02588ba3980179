// Forwarding: a process that listens hands requests that it does not answer itself to another process, over a Unix socket. Each client
// connection gets a connection of its own there, which begins with a line about the client, so requests look the same in both processes.
import { Agent, type ClientRequest, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Refusal } from '../../errors.ts';
import type { Log } from '../log.ts';
import { isRead, sendError } from './respond.ts';

/** The first line of a connection: its client, or the name of something else than HTTP. */
type Greeting = { remoteAddress?: string; localAddress?: string; encrypted: boolean } | { speaks: string };

const MAX_GREETING_BYTES = 1024;
/** Headers about one connection. `connection: close` is the only one that both connections share. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']);

type Forwarder = {
  forward(incoming: IncomingMessage, response: ServerResponse): void;
  /** Forwards a connection for good, from its request to upgrade. */
  upgrade(incoming: IncomingMessage, client: Duplex, head: Buffer): void;
  /** Ends all upgraded connections. */
  close(): void;
};

/** `path` is the Unix socket of the process that answers. */
export function openForwarder(path: string, log: Log): Forwarder {
  const agents = new WeakMap<Socket, Agent>();
  const upgraded = new Set<Duplex>();

  const agentOf = (client: Socket): Agent => {
    const known = agents.get(client);
    if (known) return known;
    const agent = new OneConnection(() => greet(path, greetingOf(client)));
    agents.set(client, agent);
    client.once('close', () => agent.destroy());
    return agent;
  };

  return {
    forward(incoming, response) {
      const outgoing = request({
        agent: agentOf(incoming.socket),
        method: incoming.method,
        path: incoming.url,
        headers: requestHeadersOf(incoming) as unknown as Record<string, string>, // Node takes raw headers too
        setHost: false,
      });
      outgoing.once('response', (answer: IncomingMessage) => pass(answer, response));
      outgoing.on('error', (cause) => {
        if (!response.destroyed) sendError(response, unanswered(cause), log);
      });
      response.once('close', () => outgoing.destroy()); // nobody waits any more: the answering process must know
      sendBody(incoming, outgoing);
    },
    upgrade(incoming, client, head) {
      const server = greet(path, greetingOf(incoming.socket));
      server.write(`${headOf(incoming)}\r\n`, 'latin1');
      server.write(head);
      upgraded.add(client);
      const end = () => {
        upgraded.delete(client);
        client.destroy();
        server.destroy();
      };
      for (const one of [client, server]) one.on('error', end).on('close', end);
      client.pipe(server).pipe(client);
    },
    close() {
      for (const client of upgraded) client.destroy();
    },
  };
}

/** Opens a connection to the answering process that does not speak HTTP: `acceptForwarded` there gets its name. */
export function openSpeaking(path: string, speaks: string): Socket {
  return greet(path, { speaks });
}

/**
 * Lets a server take forwarded connections, which seem to come from their clients. Others go to `onOther`, with what they speak. Call it
 * only for a server that listens on a private socket: the line about the client is believed.
 */
export function acceptForwarded(server: Server, onOther: (socket: Socket, speaks: string) => void): void {
  const serve = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.keepAliveTimeout = 0; // the client's process decides how long an idle connection stays open
  server.on('connection', (socket: Socket) => {
    const destroy = () => socket.destroy();
    socket.on('error', destroy);
    readGreeting(socket, (greeting) => {
      if ('speaks' in greeting) {
        onOther(socket, greeting.speaks);
        return;
      }
      const { remoteAddress, localAddress, encrypted } = greeting;
      for (const [name, value] of Object.entries({ remoteAddress, localAddress, encrypted }))
        Object.defineProperty(socket, name, { value });
      for (const one of serve) one.call(server, socket);
    });
  });
}

/** Never has two connections, so that the requests of a client stay in order and belong to it. */
class OneConnection extends Agent {
  readonly #open: () => Socket;

  constructor(open: () => Socket) {
    super({ keepAlive: true, maxSockets: 1 });
    this.#open = open;
  }

  override createConnection(): Socket {
    return this.#open();
  }

  /** The client has left. Otherwise Node would open a connection for each request that waits for another, and never close it. */
  override destroy(): void {
    const queues = this.requests as Record<string, ClientRequest[]>;
    for (const [name, waiting] of Object.entries(queues)) {
      delete queues[name]; // Node fails on an empty one
      for (const one of waiting) one.destroy();
    }
    super.destroy();
  }
}

function greetingOf(client: Socket): Greeting {
  const { remoteAddress, localAddress } = client;
  return {
    ...(remoteAddress !== undefined && { remoteAddress }),
    ...(localAddress !== undefined && { localAddress }),
    encrypted: 'encrypted' in client && client.encrypted === true,
  };
}

function greet(path: string, greeting: Greeting): Socket {
  const socket = connect(path);
  socket.write(`${JSON.stringify(greeting)}\n`);
  return socket;
}

function readGreeting(socket: Socket, onGreeting: (greeting: Greeting) => void): void {
  let bytes = Buffer.alloc(0);
  const read = () => {
    for (;;) {
      const chunk = socket.read() as Buffer | null;
      if (!chunk) return;
      bytes = Buffer.concat([bytes, chunk]);
      const end = bytes.indexOf('\n');
      if (end === -1 && bytes.length <= MAX_GREETING_BYTES) continue;
      socket.off('readable', read);
      const greeting = parseGreeting(bytes.subarray(0, Math.max(0, end)));
      if (!greeting) {
        socket.destroy();
        return;
      }
      if (end + 1 < bytes.length) socket.unshift(bytes.subarray(end + 1));
      onGreeting(greeting);
      return;
    }
  };
  socket.on('readable', read);
}

/** Returns undefined for a connection of something that is not ours. */
function parseGreeting(line: Buffer): Greeting | undefined {
  try {
    return JSON.parse(line.toString('utf8')) as Greeting;
  } catch {
    return undefined;
  }
}

function requestHeadersOf(incoming: IncomingMessage): string[] {
  const { rawHeaders, headers } = incoming;
  const kept = withoutHops(rawHeaders);
  if (headers.host === undefined) kept.push('host', ''); // HTTP/1.0 allows it, and this is sent as HTTP/1.1
  // Node would otherwise send the body of some methods in chunks, even if there is none, and that of others not at all.
  if (headers['transfer-encoding'] !== undefined) kept.push('transfer-encoding', 'chunked');
  else if (headers['content-length'] === undefined && !isRead(incoming)) kept.push('content-length', '0');
  return kept;
}

function sendBody(incoming: IncomingMessage, outgoing: ClientRequest): void {
  const { headers } = incoming;
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) {
    outgoing.end();
    return;
  }
  outgoing.flushHeaders(); // the server may answer before the body comes
  incoming.pipe(outgoing);
  incoming.once('aborted', () => outgoing.destroy());
}

function pass(answer: IncomingMessage, response: ServerResponse): void {
  const headers = withoutHops(answer.rawHeaders);
  if (answer.headers.connection === 'close') headers.push('connection', 'close');
  response.sendDate = false; // the answer has its own
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers);
  response.flushHeaders(); // an answer in parts may pause after them
  answer.once('error', () => response.destroy()).once('aborted', () => response.destroy());
  answer.pipe(response);
}

function headOf({ method, url, rawHeaders }: IncomingMessage): string {
  const lines = pairsOf(rawHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${url} HTTP/1.1\r\n${lines.join('')}`;
}

const withoutHops = (raw: string[]): string[] =>
  pairsOf(raw).flatMap(([name, value]) => (HOP_BY_HOP.has(name.toLowerCase()) ? [] : [name, value]));

function pairsOf(raw: string[]): [string, string][] {
  return raw.flatMap((name, index): [string, string][] => (index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : []));
}

function unanswered(cause: unknown): Refusal {
  const message = 'Footfall cannot do this at the moment: try again in a few seconds.';
  return new Refusal('service_unavailable', message, { retryAfterSeconds: 5, cause });
}
