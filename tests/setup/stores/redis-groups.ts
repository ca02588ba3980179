// Redis Cluster and Redis Sentinel for a test, from Debian's redis-server: three masters, with a replica each if asked for; or a master, its
// replica and three Sentinels.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram } from '../run/apt-packages.mjs';
import { eventually } from '../eventually.ts';
import { tempFolder } from '../folder.ts';
import { freePort, type Running, startProgram } from '../processes/process.ts';
import { askRedis, startRedis, type TestRedis } from './redis.ts';

/** After this time without an answer, the others hold a server for dead. On a busy machine a living one may be silent for a second. */
const DEAD_AFTER_MS = { cluster: '5000', sentinel: '1000' };

export type RedisCluster = AsyncDisposable & { url: string; masters: TestRedis[]; replicas: TestRedis[] };

export async function startRedisCluster({ replicas: hasReplicas = false } = {}): Promise<RedisCluster> {
  const start = async () => {
    const bus = String(await freePort());
    const config = { 'cluster-enabled': 'yes', 'cluster-port': bus, 'cluster-node-timeout': DEAD_AFTER_MS.cluster };
    return { ...(await startRedis({ config })), bus };
  };
  const nodes: (TestRedis & { bus: string })[] = [];
  for (let n = 0; n < (hasReplicas ? 6 : 3); n += 1) nodes.push(await start()); // one after the other: each takes a free port
  const [first, ...others] = nodes;
  if (!first) throw new Error('no node');
  const [masters, replicas] = [nodes.slice(0, 3), nodes.slice(3)];
  for (const { port, bus } of others) await askRedis(first.port, 'CLUSTER', 'MEET', '127.0.0.1', String(port), bus);
  for (const [n, { port }] of masters.entries()) {
    const [from, to] = [n, n + 1].map((part) => Math.floor((16_384 * part) / 3)) as [number, number];
    await askRedis(port, 'CLUSTER', 'ADDSLOTSRANGE', String(from), String(to - 1));
  }
  const everybody = (fact: string) =>
    eventually(async () => {
      for (const { port } of nodes)
        if (!(await askRedis(port, 'CLUSTER', 'INFO')).includes(fact)) throw new Error(`no ${fact}`);
    });
  await everybody(`cluster_known_nodes:${nodes.length}`);
  for (const [n, { port }] of replicas.entries()) {
    const id = await askRedis(masters[n]?.port ?? 0, 'CLUSTER', 'MYID');
    await askRedis(port, 'CLUSTER', 'REPLICATE', id);
  }
  await everybody('cluster_state:ok');
  for (const { port } of replicas)
    await eventually(async () => {
      if (!(await askRedis(port, 'INFO', 'replication')).includes('master_link_status:up')) throw new Error('no link');
    });
  return {
    url: `redis+cluster://${masters.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    masters,
    replicas,
    [Symbol.asyncDispose]: async () => {
      for (const node of nodes) await node[Symbol.asyncDispose]();
    },
  };
}

/**
 * Kills a master once its replica has all that it accepted: what it accepted in the last moment may be lost otherwise. Meanwhile callers that
 * write wait.
 */
export async function killReplicated({ port, kill }: TestRedis): Promise<void> {
  await askRedis(port, 'CLIENT', 'PAUSE', '60000', 'WRITE');
  await eventually(async () => {
    const said = await askRedis(port, 'INFO', 'replication');
    const [, own] = /master_repl_offset:(\d+)/.exec(said) ?? [];
    if (own === undefined || !said.includes(`,offset=${own},`)) throw new Error(said);
  });
  await kill();
}

export type RedisSentinel = AsyncDisposable & { url: string; master: TestRedis; replica: TestRedis };

export async function startRedisSentinel(): Promise<RedisSentinel> {
  const path = findProgram('redis-server') ?? '';
  const master = await startRedis();
  const replica = await startRedis({ config: { replicaof: `127.0.0.1 ${master.port}` } });
  await eventually(async () => {
    if (!(await askRedis(replica.port, 'INFO', 'replication')).includes('master_link_status:up'))
      throw new Error('no link');
  });
  const folder = await tempFolder();
  const sentinels: (Running & { port: number })[] = [];
  for (let n = 0; n < 3; n += 1) {
    const port = await freePort();
    const file = join(folder.path, `sentinel-${n}.conf`);
    const lines = [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${folder.path}`,
      `sentinel monitor mymaster 127.0.0.1 ${master.port} 2`,
      `sentinel down-after-milliseconds mymaster ${DEAD_AFTER_MS.sentinel}`,
      'sentinel failover-timeout mymaster 5000',
    ];
    await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
    const isReady = () =>
      askRedis(port, 'PING').then(
        (said) => said === 'PONG',
        () => false,
      );
    sentinels.push({ port, ...(await startProgram({ path, args: [file, '--sentinel'], isReady })) });
  }
  // They find each other and the replica through the master.
  for (const { port } of sentinels)
    await eventually(async () => {
      const facts = await askRedis(port, 'INFO', 'sentinel');
      if (!/slaves=1,sentinels=3/.test(facts)) throw new Error(facts);
    });
  return {
    url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/mymaster`,
    master,
    replica,
    [Symbol.asyncDispose]: async () => {
      for (const sentinel of sentinels) await sentinel.kill();
      for (const server of [replica, master]) await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
