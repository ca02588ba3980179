// The servers of Redis Cluster: each call goes to the master that has its key. Which one that is comes from the cluster, again whenever a
// server says so or fails. Every connection is one that never hangs, and a server that is gone holds up no calls to others.
import type { RedisAddress, ServerAddress } from '../../vocabulary/addresses/redis.ts';
import { type Connection, CONNECT_WITHIN_MS, type Create, openConnection, pause } from './connection.ts';
import type { Servers } from './redis.ts';
import { SLOTS, slotOf } from './slots.ts';

/** A slot moves once in a while, never three times in a row. */
const MAX_REDIRECTIONS = 3;
/** At most this often, servers are asked again who has which slots. */
const REFRESH_EVERY_MS = 250;
/** A server that has just been promoted is connected to first. */
const READY_WITHIN_MS = 1000;
/** A start waits this long for a cluster that answers but is not whole: with Redis's defaults, a fail-over takes 15 s and a little more. */
const WHOLE_WITHIN_MS = 20_000;

type Options = RedisAddress & { kind: 'cluster' };
/** From CLUSTER SLOTS: first and last slot, the master, its replicas. */
type SlotRange = [first: number, last: number, master: Named, ...replicas: Named[]];
type Named = [host: string | null, port: number];

export async function openCluster(create: Create, options: Options, wholeWithinMs = WHOLE_WITHIN_MS): Promise<Servers> {
  const { servers, access } = options;
  const slots = openSlots(create, options);
  await waitUntilWhole(slots, servers.map(nameOf).join(', '), wholeWithinMs);

  return {
    async send(command, key) {
      const owner = slots.owner(slotOf(key));
      if (owner === undefined) throw new Error('no server has this key');
      let { connection } = slots.nodeOf(addressOf(owner));
      let commands = [command];
      for (let redirections = 0; ; redirections += 1) {
        try {
          return await connection.send(...commands);
        } catch (error) {
          slots.refresh();
          const [, kind, slot, address = ''] = /^(MOVED|ASK) (\d+) (\S+)$/.exec(String((error as Error).message)) ?? [];
          if (kind === undefined || redirections === MAX_REDIRECTIONS) throw error;
          const next = slots.nodeOf(
            addressOf(address.startsWith(':') ? `${addressOf(owner).host}${address}` : address),
          );
          slots.redirected(next.name);
          await next.connection.ready(READY_WITHIN_MS);
          ({ connection } = next);
          commands = kind === 'ASK' ? [['ASKING'], command] : [command];
          if (kind === 'MOVED') slots.move(Number(slot), next.name);
        }
      }
    },
    each: (command) =>
      slots.masters().map(async (connection) => {
        try {
          return await connection.send(command);
        } catch (error) {
          slots.refresh();
          throw error;
        }
      }),
    async replicas() {
      return (await slots.replicas()).map((replica) => ({ ...replica, access }));
    },
    close: slots.close,
  };
}

async function waitUntilWhole(slots: Slots, hosts: string, wholeWithinMs: number): Promise<void> {
  for (const startedAt = performance.now(); ;) {
    try {
      await expectWhole(slots, hosts);
      return;
    } catch (error) {
      const withinMs = slots.names().length === 0 ? CONNECT_WITHIN_MS : wholeWithinMs;
      if (performance.now() - startedAt > withinMs) {
        await slots.close();
        throw error;
      }
      await pause(REFRESH_EVERY_MS); // a fail-over may be under way, or the server that was asked has not heard of its end
    }
  }
}

/** Throws a sentence for the operator while the cluster cannot take every call. */
async function expectWhole({ nodes, read, names: namesOfMasters }: Slots, hosts: string): Promise<void> {
  const failure = (sentence: string, names: Iterable<string>) =>
    new Error(`REDIS_URL: ${sentence}.`, {
      cause: [...names].map((name) => nodes.get(name)?.lastError()).find(Boolean),
    });
  await read().catch(() => {
    throw failure(`no Redis Cluster answers at ${hosts}; start it, or unset REDIS_URL`, nodes.keys());
  });
  if (namesOfMasters().includes(undefined))
    throw failure(`the Redis Cluster at ${hosts} has slots without a master`, []);
  const names = namesOfMasters().filter((name) => name !== undefined);
  const areReady = await Promise.all(names.map(async (name) => nodes.get(name)?.ready(REFRESH_EVERY_MS)));
  const silent = names.filter((_name, index) => !areReady[index]);
  if (silent.length > 0)
    throw failure(`of the Redis Cluster at ${hosts}, these masters do not answer: ${silent.join(', ')}`, silent);
}

type Slots = ReturnType<typeof openSlots>;

/** Which server has which slots, and the connections to the servers. */
function openSlots(create: Create, { servers, access }: Options) {
  const nodes = new Map<string, Connection>();
  /** Slot → the name of its master in `nodes`. */
  let owners: (string | undefined)[] = [];
  let replicas: ServerAddress[] = [];
  /** Servers to which calls were redirected since the slots were last read, such as a master to which its first slot is moving. */
  const redirected = new Set<string>();
  let closed = false;

  const nodeOf = ({ host, port }: ServerAddress): { name: string; connection: Connection } => {
    if (closed) throw new Error('the connection is closed');
    const name = nameOf({ host, port });
    const connection = nodes.get(name) ?? openConnection(create, { host, port, access });
    nodes.set(name, connection);
    return { name, connection };
  };

  /** Asks the servers one after the other, first those that are connected; the first that answers tells. */
  const read = async () => {
    const names = [...new Set([...nodes.keys(), ...servers.map(nameOf)])];
    for (const [name, withinMs] of [0, READY_WITHIN_MS].flatMap((ms) => names.map((name) => [name, ms] as const))) {
      const asked = addressOf(name);
      const { connection } = nodeOf(asked);
      if (!(await connection.ready(withinMs))) continue;
      const ranges = (await connection.send(['CLUSTER', 'SLOTS']).catch(() => undefined)) as SlotRange[] | undefined;
      if (!ranges || ranges.length === 0) continue;
      const next = new Array<string | undefined>(SLOTS);
      // A server that does not know its own name says nothing: it is the one that was asked.
      const readName = ([host, port]: Named) => ({ host: host || asked.host, port });
      for (const [first, last, master] of ranges) next.fill(nodeOf(readName(master)).name, first, last + 1);
      owners = next;
      replicas = ranges.flatMap(([, , , ...others]) => others.map(readName));
      closeOthers();
      return;
    }
    throw new Error('no server of the cluster answers');
  };
  /** Closes connections to servers that have left the cluster, or have become replicas: they would be made again and again. */
  const closeOthers = () => {
    const used = new Set([...owners, ...redirected]);
    redirected.clear();
    for (const [name, connection] of nodes) {
      if (used.has(name)) continue;
      nodes.delete(name);
      void connection.close();
    }
  };
  let refreshing: Promise<unknown> | undefined;
  const refresh = () => {
    refreshing ??= read()
      .catch(() => undefined)
      .then(() => pause(REFRESH_EVERY_MS))
      .finally(() => (refreshing = undefined));
  };

  const masters = () => [...new Set(owners)].flatMap((name) => nodes.get(name ?? '') ?? []);
  const close = async () => {
    closed = true;
    await Promise.all([...nodes.values()].map((connection) => connection.close()));
  };

  return {
    nodes,
    /** The names of the masters; undefined among them if slots have none. */
    names: () => [...new Set(owners)],
    read,
    owner: (slot: number) => owners[slot],
    nodeOf,
    refresh,
    redirected: (name: string) => void redirected.add(name),
    move: (slot: number, name: string) => void (owners[slot] = name),
    masters,
    async replicas(): Promise<ServerAddress[]> {
      await read();
      return replicas;
    },
    close,
  };
}

const nameOf = ({ host, port }: ServerAddress) => `${host}:${port}`;

/** The host of an IPv6 address has colons of its own. */
function addressOf(name: string): ServerAddress {
  const end = name.lastIndexOf(':');
  return { host: name.slice(0, end), port: Number(name.slice(end + 1)) };
}
