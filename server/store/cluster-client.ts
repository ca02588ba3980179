// A client for a cluster of ClickHouse servers. Its callers write the statements of one server.
import { engineOf } from './migrate.ts';
import { type Cluster, inCluster, localOf, WRITES } from './cluster.ts';
import type { Client, ClientOptions } from './hosts.ts';
import { PURGED_TABLES, TABLES } from './rows.ts';

type Asked = Parameters<Client['command']>[0];
type OpenedCluster = Cluster & {
  open(options: ClientOptions): Client;
  /** Waits until each replica has all rows of the writer that any of them has. */
  settle(client: Client): Promise<void>;
};

/** A mutation with a subquery: each replica would answer it for itself, at another time. */
const STALE = /^DELETE FROM (\w+) WHERE ([\s\S]+) AND (\w+) NOT IN (\(SELECT [\s\S]+\))$/;

/** The same, for rows that are kept in another table: their ids are given to the replicas. */
const CHOSEN = /^DELETE FROM (\w+) WHERE ([\s\S]+) AND (event_id) IN (\(SELECT [\s\S]+\))$/;
/** ZooKeeper takes statements of at most a megabyte. */
const IDS_A_DELETION = 20_000;

/** `openClient` opens a client of any host. */
export async function openCluster(
  name: string,
  openClient: (options: ClientOptions) => Client,
): Promise<OpenedCluster> {
  const caller = openClient({ request_timeout: 30_000 });
  try {
    const answer = await caller.query({ query: 'SELECT currentDatabase() AS database', format: 'JSONEachRow' });
    const [row] = await answer.json<{ database: string }>();
    const cluster: Cluster = { name, database: row?.database ?? '' };
    if (!/^\w+$/.test(cluster.database)) throw new Error('CLICKHOUSE_URL: the name of its database must be one word.');
    await countReplicas(caller, name);
    return {
      ...cluster,
      open: (options) => clientOf(openClient(withTimes(options)), cluster),
      settle: async (client) => {
        for (const table of [...Object.keys(TABLES), ...Object.values(PURGED_TABLES)])
          await client.exec({ query: `SYSTEM SYNC REPLICA ON CLUSTER ${name} ${localOf(table)} LIGHTWEIGHT` });
      },
    };
  } finally {
    await caller.close();
  }
}

/** A statement on all hosts is answered before the client gives up. */
const withTimes = (options: ClientOptions): ClientOptions => ({
  ...options,
  clickhouse_settings: {
    ...WRITES,
    distributed_ddl_task_timeout: String(Math.floor(options.request_timeout / 1000) - 5),
    ...options.clickhouse_settings,
  },
});

function clientOf(client: Client, cluster: Cluster): Client {
  let replicas: number | undefined;
  /** Also after a replica was taken out of the cluster: an insert that failed has the number read again. */
  const withQuorum = async <Answer>(
    insert: (quorum: { insert_quorum: string }) => Promise<Answer>,
  ): Promise<Answer> => {
    replicas ??= await countReplicas(client, cluster.name);
    try {
      return await insert({ insert_quorum: String(replicas) });
    } catch (error) {
      replicas = undefined;
      throw error;
    }
  };
  const run = (query: string, { clickhouse_settings, ...asked }: Omit<Asked, 'query'>) =>
    query.startsWith('INSERT')
      ? withQuorum((quorum) =>
          client.command({ ...asked, query, clickhouse_settings: { ...clickhouse_settings, ...quorum } }),
        )
      : client.command({ ...asked, query, ...(clickhouse_settings && { clickhouse_settings }) });

  return {
    query: (asked) => client.query(asked),
    exec: (asked) => client.exec(asked),
    insert: (asked) =>
      withQuorum((quorum) =>
        client.insert({ ...asked, clickhouse_settings: { ...asked.clickhouse_settings, ...quorum } }),
      ),
    close: () => client.close(),
    command: async ({ query, ...asked }) => {
      const named = query.replace('{table:Identifier}', () => nameOf(asked.query_params));
      const stale = STALE.exec(named);
      if (stale) return deleteStale(stale.slice(1) as [string, string, string, string], asked);
      const chosen = CHOSEN.exec(named);
      if (chosen) return deleteChosen(chosen.slice(1) as [string, string, string, string], asked);
      for (const statement of await inCluster(named, cluster, engineOf)) await run(statement, asked);
    },
  };

  async function deleteChosen(
    [table, where, column, chosen]: [string, string, string, string],
    { query_params = {}, ...asked }: Omit<Asked, 'query'>,
  ): Promise<void> {
    const query = `SELECT DISTINCT toString(${column}) AS value FROM ${table} WHERE ${where} AND ${column} IN ${chosen}`;
    const answer = await client.query({ query, query_params, format: 'JSONEachRow' });
    const ids = (await answer.json<{ value: string }>()).map(({ value }) => BigInt(value).toString());
    for (let start = 0; start < ids.length; start += IDS_A_DELETION) {
      const some = ids.slice(start, start + IDS_A_DELETION).join(', ');
      const deletion = `DELETE FROM ${table} WHERE ${where} AND ${column} IN (${some})`;
      for (const statement of await inCluster(deletion, cluster, engineOf))
        await run(statement, { ...asked, query_params });
    }
  }

  /** Asks which values are left over, and then deletes their rows: what was stored in between stays. */
  async function deleteStale(
    [table, where, column, inForce]: [string, string, string, string],
    asked: Omit<Asked, 'query'>,
  ): Promise<void> {
    const { query_params = {} } = asked;
    const query = `SELECT DISTINCT ${column} AS value FROM ${table} WHERE ${where} AND ${column} NOT IN ${inForce}`;
    const answer = await client.query({ query, query_params, format: 'JSONEachRow' });
    const stale = (await answer.json<{ value: string }>()).map(({ value }) => value);
    if (stale.length === 0) return;
    const deletion = `DELETE FROM ${table} WHERE ${where} AND ${column} IN {stale:Array(String)}`;
    for (const statement of await inCluster(deletion, cluster, engineOf))
      await run(statement, { ...asked, query_params: { ...query_params, stale } });
  }
}

function nameOf(params: Record<string, unknown> = {}): string {
  const { table } = params;
  if (typeof table !== 'string' || !/^\w+$/.test(table)) throw new Error('A statement lacks its table.');
  return table;
}

type Shard = { shard: number; replicas: number; replicated: number };

/** Returns the number of replicas of each shard. Throws if the cluster is unknown, or not one that the store can use. */
async function countReplicas(client: Client, name: string): Promise<number> {
  const answer = await client.query({
    query: `SELECT toUInt32(shard_num) AS shard, toUInt32(count()) AS replicas, toUInt32(min(internal_replication)) AS replicated
      FROM system.clusters WHERE cluster = {cluster:String} GROUP BY shard_num ORDER BY shard`,
    query_params: { cluster: name },
    format: 'JSONEachRow',
  });
  const shards = await answer.json<Shard>();
  const [first] = shards;
  if (!first) throw new Error(`CLICKHOUSE_CLUSTER: ClickHouse knows no cluster ${name}: see its remote_servers.`);
  if (shards.some(({ replicated }) => replicated === 0))
    throw new Error(`CLICKHOUSE_CLUSTER: each shard of ${name} needs internal_replication in remote_servers.`);
  if (shards.some(({ replicas }) => replicas !== first.replicas))
    throw new Error(`CLICKHOUSE_CLUSTER: all shards of ${name} need the same number of replicas.`);
  return first.replicas;
}
