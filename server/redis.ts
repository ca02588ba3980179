// One connection to Redis that never hangs: each call is answered or rejected as Unavailable within ANSWER_WITHIN_MS, and a broken
// connection is replaced.
import { createHash } from 'node:crypto';
import type { createClient, RedisClientType } from 'redis';
import { Unavailable } from './errors.ts';

/** Far longer than any call takes (well under 10 ms), and shorter than a browser waits. */
const ANSWER_WITHIN_MS = 1500;
const CONNECT_WITHIN_MS = 3000;

export type Script = { readonly text: string; readonly sha: string; readonly keys: number };

/** The first `keys` arguments of the script are keys. */
export function luaScript(keys: number, text: string): Script {
  return { text, keys, sha: createHash('sha1').update(text).digest('hex') };
}

export type Redis = {
  /** Sends one command. Throws every failure as Unavailable, with its cause. */
  send(store: Unavailable['store'], args: string[]): Promise<unknown>;
  run(store: Unavailable['store'], script: Script, args: string[]): Promise<unknown>;
  /** A separate connection for libraries, which queues commands while Redis is unavailable. The caller closes it. */
  separate(): RedisClientType;
  close(): Promise<void>;
};

/** Throws a sentence for the operator if nothing answers at the address. */
export async function openRedis(url: string): Promise<Redis> {
  const { createClient } = await import('redis'); // loaded only when needed: it takes 17 MB
  const connectable = (options: { disableOfflineQueue: boolean }) => makeClient(createClient, url, options);
  let client = connectable({ disableOfflineQueue: true });
  await connectFirst(client, url);
  let closed = false;

  // TRICKY: the connection to a stopped Redis, or over a cut cable, stays open. An unanswered call therefore gives up the connection: later
  // calls fail immediately, and a new connection is ready as soon as Redis is back.
  function giveUp(hung: RedisClientType): void {
    if (closed || hung !== client) return;
    client = connectable({ disableOfflineQueue: true });
    hung.destroy();
    client.connect().catch(() => undefined); // retries forever, and rejects only if closed meanwhile
  }

  async function send(store: Unavailable['store'], args: string[]): Promise<unknown> {
    const used = client;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(new Unavailable(store, new Error(`Redis gave no answer within ${ANSWER_WITHIN_MS} ms`)));
        giveUp(used);
      }, ANSWER_WITHIN_MS);
    });
    try {
      return await Promise.race([used.sendCommand(args), late]);
    } catch (cause) {
      throw cause instanceof Unavailable ? cause : new Unavailable(store, cause);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    send,
    async run(store, { text, sha, keys }, args) {
      try {
        return await send(store, ['EVALSHA', sha, String(keys), ...args]);
      } catch (error) {
        // Redis forgets scripts when it restarts.
        if (!String(error instanceof Error && error.cause).includes('NOSCRIPT')) throw error;
        return await send(store, ['EVAL', text, String(keys), ...args]);
      }
    },
    separate: () => connectable({ disableOfflineQueue: false }),
    async close() {
      if (closed) return;
      closed = true;
      const ready = client.isReady;
      await Promise.race([ready ? client.close() : undefined, pause(ANSWER_WITHIN_MS)]).catch(() => undefined);
      client.destroy();
    },
  };
}

function makeClient(
  create: typeof createClient,
  url: string,
  options: { disableOfflineQueue: boolean },
): RedisClientType {
  const client: RedisClientType = create({
    url,
    ...options,
    pingInterval: 2000, // finds a dead connection when there is no traffic
    socket: {
      connectTimeout: CONNECT_WITHIN_MS,
      socketTimeout: 6000, // three pings
      reconnectStrategy: (retries) => Math.min(50 * 2 ** Math.min(retries, 4), 500),
    },
    commandOptions: { timeout: 0 }, // the client's own timeout costs an AbortSignal per command, and ends once a command is written
    maintNotifications: 'disabled',
  });
  client.on('error', () => undefined); // each command reports its own error
  return client;
}

async function connectFirst(client: RedisClientType, url: string): Promise<void> {
  let lastError: unknown;
  client.on('error', (error) => (lastError = error));
  const connected = client.connect().then(() => true);
  if (await Promise.race([connected.catch(() => false), pause(CONNECT_WITHIN_MS)])) return;
  client.destroy();
  const { host } = new URL(url); // the rest may hold a password
  throw new Error(`REDIS_URL: no Redis answers at ${host}; start it, or unset REDIS_URL.`, { cause: lastError });
}

const pause = (ms: number) => new Promise<false>((resolve) => setTimeout(resolve, ms, false).unref());
