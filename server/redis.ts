// One connection to Redis that never hangs: a call is answered, or rejected as Unavailable, within ANSWER_WITHIN_MS, and it heals itself.
import { createHash } from 'node:crypto';
import type { createClient, RedisClientType } from 'redis';
import { Unavailable } from './errors.ts';

/** Far above what any call here takes (well under 10 ms), and below what a browser waits for. */
export const ANSWER_WITHIN_MS = 1500;
const CONNECT_WITHIN_MS = 3000;

export type Script = { readonly text: string; readonly sha: string; readonly keys: number };

/** `keys` says how many of the arguments are keys. */
export function luaScript(keys: number, text: string): Script {
  return { text, keys, sha: createHash('sha1').update(text).digest('hex') };
}

export type Redis = {
  /** One command. Whatever goes wrong is Unavailable, with the cause. */
  send(store: Unavailable['store'], args: string[]): Promise<unknown>;
  run(store: Unavailable['store'], script: Script, args: string[]): Promise<unknown>;
  /** A connection of its own that waits while Redis is away, for libraries that expect one; its owner closes it. */
  separate(): RedisClientType;
  close(): Promise<void>;
};

/** Throws a sentence for the operator when nothing answers at the address. */
export async function openRedis(url: string): Promise<Redis> {
  const { createClient } = await import('redis'); // 17 MB that a server on embedded stores does without
  const connectable = (options: { disableOfflineQueue: boolean }) => makeClient(createClient, url, options);
  let client = connectable({ disableOfflineQueue: true });
  await connectFirst(client, url);
  let closed = false;

  // TRICKY: a Redis that is stopped, or behind a cut cable, keeps its connection open. After an unanswered call the
  // connection is given up, so that later calls are refused at once and a new one is ready the moment Redis is back.
  function giveUp(hung: RedisClientType): void {
    if (closed || hung !== client) return;
    client = connectable({ disableOfflineQueue: true });
    hung.destroy();
    client.connect().catch(() => undefined); // only when closed meanwhile: it tries for ever
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
        // A Redis that was restarted has forgotten its scripts.
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
    commandOptions: { timeout: 0 }, // its own one is an AbortSignal for each command, and ends once a command is written
    maintNotifications: 'disabled',
  });
  client.on('error', () => undefined); // told to the caller of each command
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
