// The parts that tests of the queue share: a queue in each form that can be opened again, and a child process that works on one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { Unavailable } from '../../../server/errors.ts';
import type { Recorded, SiteId } from '../../../server/vocabulary/event.ts';
import { openLog } from '../../../server/process/log.ts';
import { PARTITIONS, partitionOf } from '../../../server/process/redis/partitions.ts';
import { namesOf } from '../../../server/queue/redis/layouts.ts';
import type { Partition, Queue } from '../../../server/queue/queue.ts';
import { openRedisQueue, type RedisQueue } from '../../../server/queue/redis/queue.ts';
import { openSqliteQueue } from '../../../server/queue/sqlite/queue.ts';
import type { Redis } from '../../../server/process/redis/redis.ts';
import type { TestRedis } from './redis.ts';
import { sampleEvent, SITE } from '../event.ts';
import { tempFolder } from '../folder.ts';

/** A queue that can be opened again, as after a restart; deleted at the end. */
export type Form = AsyncDisposable & {
  open: () => Promise<Queue & Partition>;
  /** Appends a text to the closed queue, as a damaged disk or another program may leave it. */
  damage: (text: string) => Promise<void>;
  childArgs: string[];
};
const log = openLog('silent');

export async function sqliteForm(options: { behind?: number } = {}): Promise<Form> {
  const folder = await tempFolder();
  const path = join(folder.path, 'queue.db');
  const opened: (Queue & Partition)[] = [];
  return {
    childArgs: ['sqlite', path, JSON.stringify(options)],
    async open() {
      for (const queue of opened.splice(0)) await queue.close(); // only one process at a time may have it
      const queue = await openSqliteQueue({ path, ...options });
      opened.push(queue);
      return queue;
    },
    async damage(text) {
      for (const queue of opened.splice(0)) await queue.close();
      using file = new DatabaseSync(path);
      file.prepare('INSERT INTO waiting (count, entries) VALUES (1, ?)').run(`${text}\n`);
    },
    async [Symbol.asyncDispose]() {
      for (const queue of opened) await queue.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

let lastPrefix = 0;

export function redisForm(server: TestRedis, redis: Redis): Form {
  const prefix = `test${lastPrefix++}`;
  return {
    childArgs: ['redis', server.url, prefix],
    open: async () => ofSample(await openRedisQueue({ redis, log, prefix })),
    async damage(text) {
      const { stream = '' } = namesOf(prefix, PARTITIONS)[partitionOf(SITE)] ?? {};
      await redis.send('queue', ['XADD', stream, '*', 'e', text], stream);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

export const numbers = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);
export const events = (from: number, count: number) => numbers(from, count).map((number) => sampleEvent(number));
export const idsOf = (entries: Recorded[]) => entries.map(({ event_id }) => event_id);
export const isUnavailable = (error: unknown) => error instanceof Unavailable && error.store === 'queue';

/** The ids of the first `count` sites of a partition. */
export const sitesOf = (partition: number, count: number): SiteId[] =>
  numbers(0, 10_000)
    .map((number) => `site_${number}` as SiteId)
    .filter((site) => partitionOf(site) === partition)
    .slice(0, count);

/** The ids of `count` sites of each partition, by partition. */
export const sitesPerPartition = (count: number): SiteId[] =>
  numbers(0, PARTITIONS).flatMap((partition) => sitesOf(partition, count));

/** How many partitions each writer holds, the smallest number first. */
export async function sharesOf(redis: Redis): Promise<number[]> {
  const names = namesOf('footfall', PARTITIONS);
  const tokens = await Promise.all(names.map(({ lease }) => redis.send('queue', ['GET', lease])));
  const held = tokens.filter((token) => token !== null);
  return [...Map.groupBy(held, (token) => token).values()].map(({ length }) => length).sort((a, b) => a - b);
}

/** The queue, of which the partition of the sample events is read. */
export const ofSample = (queue: RedisQueue): Queue & Partition => ({ ...queue, ...queue.of(SITE) });

export async function drain(queue: Partition): Promise<Recorded[]> {
  const entries: Recorded[] = [];
  for (let batch = await queue.read(1000); batch; batch = await queue.read(1000)) {
    entries.push(...batch.entries);
    await queue.acknowledge(batch);
  }
  return entries;
}

/** The lines that a child prints, and a way to kill it. */
export function startChild(args: string[], options: { shell?: string } = {}) {
  const command = [process.execPath, join(import.meta.dirname, 'queue-process.ts'), ...args];
  const child = options.shell
    ? spawn('/bin/sh', ['-c', `${options.shell}; exec "$@"`, 'sh', ...command], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
    : spawn(command[0] ?? '', command.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const reader = createInterface(child.stdout);
  reader.on('line', (line) => lines.push(line));
  const gone = once(child, 'exit');
  return {
    lines,
    pid: child.pid ?? 0,
    async until(done: (lines: string[]) => boolean) {
      while (!done(lines))
        await Promise.race([once(reader, 'line'), gone.then(() => Promise.reject(new Error('gone')))]);
    },
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  };
}
export const acknowledged = (lines: string[]) =>
  lines.filter((line) => line.startsWith('+ ')).map((line) => Number(line.slice(2)));
