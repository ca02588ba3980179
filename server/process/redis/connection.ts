// A connection to one Redis server that never hangs: each call is answered or rejected within ANSWER_WITHIN_MS, and a broken connection is
// replaced.
import type { createClient, RedisClientType } from 'redis';
import type { Access, ServerAddress } from '../../vocabulary/addresses/redis.ts';

/** Far longer than any call takes (well under 10 ms), and shorter than a browser waits. */
export const ANSWER_WITHIN_MS = 1500;
export const CONNECT_WITHIN_MS = 3000;

export type Create = typeof createClient;
export type Target = { url: string } | (ServerAddress & { access: Access });

export type Connection = {
  /** Sends commands one directly after the other, and resolves to the last answer. Rejects at once while there is no connection. */
  send(...commands: string[][]): Promise<unknown>;
  /** Resolves to true once it is connected, and to false after `withinMs`. */
  ready(withinMs: number): Promise<boolean>;
  /** Why the last attempt to connect failed. */
  lastError(): unknown;
  close(): Promise<void>;
};

export function openConnection(create: Create, target: Target): Connection {
  let lastError: unknown;
  let closed = false;
  let connected: Promise<boolean>;
  const connect = () => {
    const client = makeClient(create, target, { disableOfflineQueue: true });
    client.on('error', (error) => (lastError = error));
    connected = client.connect().then(
      () => true,
      () => false, // it retries forever, and rejects only if it is closed meanwhile
    );
    return client;
  };
  let client = connect();

  // TRICKY: the connection to a stopped Redis, or over a cut cable, stays open. An unanswered call therefore gives up the connection: later
  // calls fail immediately, and a new connection is ready as soon as Redis is back.
  function giveUp(hung: RedisClientType): void {
    if (closed || hung !== client) return;
    client = connect();
    hung.destroy();
  }

  return {
    async send(...commands) {
      const used = client;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => {
          reject(new Error(`Redis gave no answer within ${ANSWER_WITHIN_MS} ms`));
          giveUp(used);
        }, ANSWER_WITHIN_MS);
      });
      try {
        const answers = Promise.all(commands.map((command) => used.sendCommand(command)));
        return (await Promise.race([answers, late])).at(-1);
      } finally {
        clearTimeout(timer);
      }
    },
    ready: async (withinMs) => client.isReady || Promise.race([connected, pause(withinMs)]),
    lastError: () => lastError,
    async close() {
      if (closed) return;
      closed = true;
      const { isReady } = client;
      await Promise.race([isReady ? client.close() : undefined, pause(ANSWER_WITHIN_MS)]).catch(() => undefined);
      client.destroy();
    },
  };
}

export function makeClient(create: Create, target: Target, options: { disableOfflineQueue: boolean }): RedisClientType {
  const client: RedisClientType = create({
    // The client writes the server of `url` into `socket`: each needs a copy.
    ...('url' in target ? { url: target.url, socket: { ...SOCKET } } : clientOptions(target.access, target)),
    ...options,
    ...CLIENT,
    commandOptions: { timeout: 0 }, // the client's own timeout costs an AbortSignal per command, and ends once a command is written
  });
  client.on('error', () => undefined); // each command reports its own error
  return client;
}

const SOCKET = {
  connectTimeout: CONNECT_WITHIN_MS,
  socketTimeout: 6000, // three pings
  reconnectStrategy: (retries: number) => Math.min(50 * 2 ** Math.min(retries, 4), 500),
};
const CLIENT = {
  pingInterval: 2000, // finds a dead connection when there is no traffic
  maintNotifications: 'disabled' as const,
};

/** Returns the options of a connection to a server of a cluster, or to one that a Sentinel names. */
export function clientOptions({ tls, ...access }: Access, server?: ServerAddress) {
  const { host, port } = server ?? {};
  const where = { ...(host !== undefined && { host }), ...(port !== undefined && { port }) };
  return { ...access, ...CLIENT, socket: { ...where, ...SOCKET, ...(tls && { tls: true as const }) } };
}

export const pause = (ms: number) => new Promise<false>((resolve) => setTimeout(resolve, ms, false).unref());
