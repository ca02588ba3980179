// A cluster of ClickHouse servers (CLICKHOUSE_CLUSTER). Each table of the store is two there: NAME_local holds rows, on every replica of a
// shard, and NAME is the distributed table in front of it, which questions ask and inserts fill. All rows of a site are on one shard.
// This file renders the statements of one server, which all other files write, as those of a cluster. docs/servers.md has the reasons.
import type { ClickHouseSettings } from '@clickhouse/client';
import { SCHEMA_SETTINGS } from './rows.ts';
import type { Statements } from './server.ts';

/** `database`: of the store, on every host. */
export type Cluster = { name: string; database: string };

const LOCAL = '_local';
export const localOf = (table: string) => `${table}${LOCAL}`;

/**
 * The queue has 16 partitions, and this number modulo 16 is a site's. With 2, 4, 8 or 16 shards the rows of one batch therefore go to one
 * shard, and a site's partition and shard never change.
 */
const shardOf = (table: string) => `CRC32(${table === 'migrations' ? 'name' : 'site_id'})`;

/** An event may be delivered again long after it was stored, if the store was away meanwhile. */
const TOKENS_KEPT_S = 7 * 24 * 3600;

type Found = [string, string, string, string, string];
const CLONE = /^CREATE TABLE (\w+) CLONE AS (\w+)$/;
/** Every statement that is not in this table is the same in a cluster. */
const FORMS: [form: RegExp, render: (found: Found, cluster: Cluster, engine: string) => string[]][] = [
  [
    /^CREATE TABLE IF NOT EXISTS (\w+) (\([\s\S]*\))[^()]*?\sENGINE = (\w*)MergeTree(?:\((\w+)\))?\s([\s\S]*)$/,
    ([table, columns, kind, version, rest], cluster) => {
      const place = `'/clickhouse/tables/{shard}/{database}/${localOf(table)}', '{replica}'${version ? `, ${version}` : ''}`;
      return [
        `CREATE TABLE IF NOT EXISTS ${localOf(table)} ON CLUSTER ${cluster.name} ${columns}\nENGINE = Replicated${kind}MergeTree(${place})\n${withTokens(rest)}`,
        front(table, cluster),
      ];
    },
  ],
  [
    /^ALTER TABLE (\w+) ((?:ADD|MODIFY|DROP) COLUMN [\s\S]*)$/,
    ([table, change], { name }) =>
      [localOf(table), table].map((one) => `ALTER TABLE ${one} ON CLUSTER ${name} ${change}`),
  ],
  [
    // MODIFY SETTING is the one change that replicas do not pass on: ON CLUSTER makes it on each of them.
    /^ALTER TABLE (\w+) ([\s\S]*)$/,
    ([table, change], { name }) => [
      `ALTER TABLE ${localOf(table)} ON CLUSTER ${name} ${change.replace('mutations_sync = 1', 'mutations_sync = 2')}`,
    ],
  ],
  [/^TRUNCATE TABLE (\w+)$/, ([table], { name }) => [`TRUNCATE TABLE ${localOf(table)} ON CLUSTER ${name}`]],
  [
    /^DELETE FROM (\w+) (WHERE [\s\S]*)$/,
    ([table, where], { name }) => [`DELETE FROM ${localOf(table)} ON CLUSTER ${name} ${where}`],
  ],
  [
    // Each replica clones its own parts: a replicated table would get the rows of every replica.
    CLONE,
    ([table, source], cluster, engine) => {
      const on = `ON CLUSTER ${cluster.name}`;
      return [
        `CREATE TABLE ${localOf(table)} ${on} AS ${localOf(source)} ${engine}\nSETTINGS lightweight_mutation_projection_mode = 'rebuild'`,
        `ALTER TABLE ${localOf(table)} ${on} ATTACH PARTITION ALL FROM ${localOf(source)}`,
        front(table, cluster),
      ];
    },
  ],
  [
    /^DROP TABLE IF EXISTS (\w+(?:, \w+)*) ([\s\S]*)$/,
    ([tables, rest], { name }) =>
      tables
        .split(', ')
        .flatMap((table) => [table, localOf(table)])
        .map((one) => `DROP TABLE IF EXISTS ${one} ON CLUSTER ${name} ${rest}`),
  ],
];

/** Returns the statements that do in a cluster what `sql` does on one server. `engineOf`: that of a table on one server, of migrate.ts. */
export async function inCluster(
  sql: string,
  cluster: Cluster,
  engineOf: (table: string) => Promise<string>,
): Promise<string[]> {
  const statement = sql.replace(/^(?:\s*--.*\n)+/, '').trim();
  const [, , cloned] = CLONE.exec(statement) ?? [];
  for (const [form, render] of FORMS) {
    const found = form.exec(statement);
    if (!found) continue;
    const parts = found.slice(1).map((part = '') => part) as Found;
    return render(parts, cluster, cloned === undefined ? '' : await engineOf(cloned));
  }
  if (!/^(SELECT|INSERT)\b/.test(statement))
    throw new Error(`A statement has no form in a cluster: ${statement.slice(0, 60)}`);
  return [statement];
}

const front = (table: string, { name, database }: Cluster) =>
  `CREATE TABLE IF NOT EXISTS ${table} ON CLUSTER ${name} AS ${localOf(table)}\nENGINE = Distributed(${name}, '${database}', ${localOf(table)}, ${shardOf(table)})`;

/**
 * Only inserts with a token are recognised when they are repeated. By itself, a replicated table also drops rows that equal earlier ones,
 * even if those were deleted meanwhile.
 */
function withTokens(rest: string): string {
  const [, window] = /non_replicated_deduplication_window = (\d+)/.exec(rest) ?? [];
  if (window === undefined) return rest.replace('SETTINGS ', 'SETTINGS replicated_deduplication_window = 0, ');
  const settings = `replicated_deduplication_window = ${window}, replicated_deduplication_window_seconds = ${TOKENS_KEPT_S}`;
  return rest.replace(/non_replicated_deduplication_window = \d+/, settings);
}

/**
 * How a cluster reads. A subquery after IN or JOIN asks the local table of its shard, since all rows of a site are there, and a question
 * about one site asks only the shard of the site. A replica that has come back is not asked before it has caught up.
 */
export const READS = {
  distributed_product_mode: 'local',
  optimize_skip_unused_shards: 1,
  max_replica_delay_for_distributed_queries: '5', // seconds
  fallback_to_stale_replicas_for_distributed_queries: 0,
} satisfies ClickHouseSettings;

/** Answered well within the time limit of a request, so that the client learns what became of an insert. */
const ANSWERED_MS = 20_000;

/** How a cluster writes: an insert returns when its rows are on all replicas of their shard. */
export const WRITES = {
  ...READS,
  ...SCHEMA_SETTINGS,
  alter_sync: '2', // all replicas
  distributed_foreground_insert: 1,
  insert_deduplicate: 0,
  insert_quorum_parallel: 1,
  insert_quorum_timeout: ANSWERED_MS,
} satisfies ClickHouseSettings;

/** The system tables of all hosts, and all shards. */
export const statementsOf = ({ name, database }: Cluster): Statements => ({
  ping: `SELECT count() FROM cluster(${name}, system.one)`, // asks one replica of each shard
  masked: `SELECT DISTINCT replaceOne(parts.table, '${LOCAL}', '') AS table FROM clusterAllReplicas(${name}, system.parts) AS parts
  WHERE database = '${database}' AND active AND has_lightweight_delete AND replaceOne(parts.table, '${LOCAL}', '') IN {tables:Array(String)}`,
});
