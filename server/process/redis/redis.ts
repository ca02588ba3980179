// Redis for the rest of the server: one server, Redis Cluster, or the master that Sentinel names, whatever REDIS_URL says. No call hangs:
// each is answered or rejected as Unavailable.
import { createHash } from 'node:crypto';
import { Unavailable } from '../../errors.ts';
import { type RedisAddress, readRedisAddress } from '../../vocabulary/addresses/redis.ts';
import { openCluster } from './cluster.ts';
import { CONNECT_WITHIN_MS, type Create, openConnection, type Target } from './connection.ts';
import { openPushClient, type PushClient } from './push-client.ts';
import { openSentinel } from './sentinel.ts';

export type Script = { readonly text: string; readonly sha: string; readonly keys: number };

/** The first `keys` arguments of the script are keys, at least one: in Redis Cluster, it runs where the first one is. */
export function luaScript(keys: number, text: string): Script {
  return { text, keys, sha: createHash('sha1').update(text).digest('hex') };
}

export type Redis = {
  /**
   * Sends one command to the server that has the key `near`, by default the command's first argument. Throws every failure as Unavailable,
   * with its cause.
   */
  send(store: Unavailable['store'], args: string[], near?: string): Promise<unknown>;
  /** Sends one command to each server that takes writes. */
  each(store: Unavailable['store'], args: string[]): Promise<unknown[]>;
  /** The same, and to those replicas that answer. */
  everywhere(store: Unavailable['store'], args: string[]): Promise<unknown[]>;
  /** Throws Unavailable if no server answers. Resolves to `partly` if some do not, so that a part of the sites cannot be served. */
  ping(store: Unavailable['store']): Promise<'partly' | undefined>;
  run(store: Unavailable['store'], script: Script, args: string[]): Promise<unknown>;
  /** A separate connection for libraries, which queues commands while Redis is unavailable. The caller closes it. */
  separate(): PushClient;
  close(): Promise<void>;
};

/** The servers behind an address. Their calls throw what the client does. */
export type Servers = {
  send(command: string[], key: string): Promise<unknown>;
  /** The answers of all that take writes. */
  each(command: string[]): Promise<unknown>[];
  /** Those that may take over from them. */
  replicas(): Promise<Target[]>;
  close(): Promise<void>;
};

/** Throws a sentence for the operator if nothing answers at the address. */
export async function openRedis(url: string): Promise<Redis> {
  const address = readRedisAddress(url);
  const library = await import('redis'); // loaded only when needed: it takes 17 MB
  const servers = await openServers(library.createClient, address);

  const asUnavailable = async <Answer>(store: Unavailable['store'], answer: Promise<Answer>): Promise<Answer> => {
    try {
      return await answer;
    } catch (cause) {
      throw new Unavailable(store, cause);
    }
  };
  const send: Redis['send'] = (store, args, near = args[1] ?? '') => asUnavailable(store, servers.send(args, near));

  const each: Redis['each'] = (store, args) => asUnavailable(store, Promise.all(servers.each(args)));

  return {
    send,
    each,
    everywhere: async (store, args) => {
      const replicas = await asUnavailable(store, servers.replicas());
      const said = await Promise.all(replicas.map((replica) => askOnce(library.createClient, replica, args)));
      return [...(await each(store, args)), ...said.flat()];
    },
    ping: async (store) => {
      const asked = servers.each(['PING']);
      await asUnavailable(store, Promise.any(asked));
      const answers = await Promise.allSettled(asked);
      return answers.some(({ status }) => status === 'rejected') ? 'partly' : undefined;
    },
    async run(store, { text, sha, keys }, args) {
      const [near = ''] = args;
      try {
        return await send(store, ['EVALSHA', sha, String(keys), ...args], near);
      } catch (error) {
        // Redis forgets scripts when it restarts.
        if (!String(error instanceof Error && error.cause).includes('NOSCRIPT')) throw error;
        return await send(store, ['EVAL', text, String(keys), ...args], near);
      }
    },
    separate: () => openPushClient(library, address),
    close: () => servers.close(),
  };
}

async function openServers(create: Create, address: RedisAddress): Promise<Servers> {
  if (address.kind === 'cluster') return openCluster(create, address);
  if (address.kind === 'sentinel') return openSentinel(create, address);
  const connection = openConnection(create, address);
  if (!(await connection.ready(CONNECT_WITHIN_MS))) {
    await connection.close();
    const { host } = new URL(address.url); // the rest may hold a password
    throw new Error(`REDIS_URL: no Redis answers at ${host}; start it, or unset REDIS_URL.`, {
      cause: connection.lastError(),
    });
  }
  return {
    send: (command) => connection.send(command),
    each: (command) => [connection.send(command)],
    replicas: () => Promise.resolve([]),
    close: () => connection.close(),
  };
}

/** The answer of a server that nothing else is asked of; empty if there is none. */
async function askOnce(create: Create, target: Target, command: string[]): Promise<unknown[]> {
  const connection = openConnection(create, target);
  try {
    return (await connection.ready(CONNECT_WITHIN_MS)) ? [await connection.send(command)] : [];
  } catch {
    return [];
  } finally {
    await connection.close();
  }
}
