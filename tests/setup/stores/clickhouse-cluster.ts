// The part of a ClickHouse cluster that one chDB process can be. It has no Keeper that works, no DDL queue and no second server. So a
// statement ON CLUSTER is parsed as it is, and then run here alone; the engine accepts each replicated table, but rows are in a plain one.
// Distributed tables are real: of the cluster ONE_SHARD, and of TWO_SHARDS, whose second shard answers nothing.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Session } from 'chdb';

export const ONE_SHARD = 'one_shard';
const TWO_SHARDS = 'two_shards';
/** The database with the distributed tables of TWO_SHARDS. */
export const TWO = 'two';
const REPLICATED = 'replicated';

const shard = (address: string) => {
  const [host, port] = address.split(':');
  return `<shard><internal_replication>true</internal_replication><replica><host>${host}</host><port>${port}</port></replica></shard>`;
};
/** The port makes the first address this process; nothing listens on the second. */
const [HERE, NOWHERE] = ['127.0.0.1:9000', '127.0.0.1:1'].map(shard) as [string, string];

/** `local`: which of the two shards is this process. */
const configOf = (local: 0 | 1) => `<clickhouse>
  <tcp_port>9000</tcp_port>
  <remote_servers>
    <${ONE_SHARD}>${HERE}</${ONE_SHARD}>
    <${TWO_SHARDS}>${local === 0 ? HERE + NOWHERE : NOWHERE + HERE}</${TWO_SHARDS}>
  </remote_servers>
  <zookeeper><implementation>testkeeper</implementation></zookeeper>
  <macros><shard>1</shard><replica>first</replica></macros>
</clickhouse>`;

/** Opens the engine in `path` with the clusters. Clients that are opened in the same folder afterwards have them too. */
export async function openClusterEngine(path: string, local: 0 | 1): Promise<Session> {
  await mkdir(path, { recursive: true });
  const file = join(path, 'clusters.xml');
  await writeFile(file, configOf(local));
  const session = new Session(path, { connectionArgs: [`--config-file=${file}`] });
  for (const database of [TWO, REPLICATED]) await session.queryAsync(`CREATE DATABASE IF NOT EXISTS ${database}`);
  return session;
}

type Run = (query: string) => Promise<unknown>;

/** Checks a statement with `run`, and returns what can be run here in its place; undefined if that is nothing. */
export async function forOneProcess(query: string, run: Run): Promise<string | undefined> {
  if (!/ ON CLUSTER /.test(query)) return query;
  await run(
    `EXPLAIN AST ${query.replaceAll(/\{(\w+):Array\(String\)\}/g, "['$1']").replaceAll(/\{(\w+):\w+\}/g, "'$1'")}`,
  );
  if (query.startsWith('SYSTEM SYNC REPLICA')) return undefined;
  const here = query.replace(/ ON CLUSTER \w+/, '');
  if (/ENGINE = Replicated/.test(here)) await run(here.replace('IF NOT EXISTS ', `IF NOT EXISTS ${REPLICATED}.`));
  if (/ENGINE = Distributed/.test(here))
    await run(
      here
        .replace('IF NOT EXISTS ', `IF NOT EXISTS ${TWO}.`)
        .replace(`Distributed(${ONE_SHARD}`, `Distributed(${TWO_SHARDS}`),
    );
  const front = /^ALTER TABLE (\w+)(?<!_local) /.exec(here);
  if (front) await run(here.replace('ALTER TABLE ', `ALTER TABLE ${TWO}.`));
  return here
    .replace(/Replicated(\w*)MergeTree\('[^']*', '\{replica\}'(?:, )?/, '$1MergeTree(')
    .replace(
      /replicated_deduplication_window = (\d+)(, replicated_deduplication_window_seconds = \d+)?/,
      'non_replicated_deduplication_window = $1',
    );
}
