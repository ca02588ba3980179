// The master that Redis Sentinel names. Its address is asked for again every second, and whenever a call fails, so that calls go to the new
// master as soon as the Sentinels have promoted it.
import type { RedisAddress, ServerAddress } from '../../vocabulary/addresses/redis.ts';
import { ANSWER_WITHIN_MS, type Connection, CONNECT_WITHIN_MS, type Create, openConnection } from './connection.ts';
import type { Servers } from './redis.ts';

const ASK_EVERY_MS = 1000;
const ASK_WITHIN_MS = 1000;

type Options = RedisAddress & { kind: 'sentinel' };

export async function openSentinel(
  create: Create,
  { servers, name, access, sentinelAccess }: Options,
): Promise<Servers> {
  const sentinels = servers.map((server) => openConnection(create, { ...server, access: sentinelAccess }));
  let master: (ServerAddress & { connection: Connection }) | undefined;
  let closed = false;

  /** The first Sentinel that answers, beginning with the one that did last time. */
  const ask = async (command: string): Promise<unknown> => {
    for (const sentinel of [...sentinels]) {
      if (!(await sentinel.ready(ASK_WITHIN_MS))) continue;
      const answer = await sentinel.send(['SENTINEL', command, name]).catch(() => undefined);
      if (answer === undefined) continue;
      sentinels.sort((a, b) => Number(b === sentinel) - Number(a === sentinel));
      return answer;
    }
    return undefined;
  };
  const askForMaster = async (): Promise<ServerAddress | undefined> => {
    const answer = await ask('get-master-addr-by-name');
    if (answer === undefined) return undefined;
    if (!Array.isArray(answer)) throw new Error(`the Sentinels know no master named ${name}`);
    return { host: String(answer[0]), port: Number(answer[1]) };
  };
  const follow = async () => {
    const found = await askForMaster();
    if (!found || closed || (found.host === master?.host && found.port === master.port)) return;
    const old = master?.connection;
    master = { ...found, connection: openConnection(create, { ...found, access }) };
    await old?.close();
  };
  let following: Promise<void> | undefined;
  const followOnce = () => (following ??= follow().finally(() => (following = undefined)));
  const inBackground = () => void followOnce().catch(() => undefined);

  const close = async () => {
    closed = true;
    clearInterval(timer);
    const connections = [...(master ? [master.connection] : []), ...sentinels];
    await Promise.all(connections.map((connection) => connection.close()));
  };
  const timer = setInterval(inBackground, ASK_EVERY_MS);
  timer.unref();
  const failed = async (reason: string) => {
    await close();
    throw new Error(reason, { cause: sentinels[0]?.lastError() });
  };
  const hosts = servers.map(({ host, port }) => `${host}:${port}`).join(', ');
  const unknown = await followOnce().then(
    () => undefined,
    (error: unknown) => String(error instanceof Error ? error.message : error),
  );
  if (unknown !== undefined) await failed(`REDIS_URL: ${unknown}.`);
  if (!master) return failed(`REDIS_URL: no Sentinel answers at ${hosts}; start it, or unset REDIS_URL.`);
  if (!(await current(master).connection.ready(CONNECT_WITHIN_MS)))
    await failed(`REDIS_URL: the master of ${name} does not answer.`);

  const send = async (command: string[]) => {
    try {
      return await current(master).connection.send(command);
    } catch (error) {
      inBackground(); // also when a former master says READONLY
      throw error;
    }
  };
  const replicas = async () => {
    const answer = ((await ask('replicas')) ?? []) as { ip: string; port: string }[];
    return answer.map(({ ip, port }) => ({ host: ip, port: Number(port), access }));
  };
  return { send, each: (command) => [send(command)], replicas, close };
}

function current<Master>(master: Master | undefined): Master {
  if (!master) throw new Error(`no master was found within ${ANSWER_WITHIN_MS} ms`);
  return master;
}
