// Measures the cost of an append to the queue with 50 concurrent callers, on both stores: `node bench/queue.ts [known]`, where `known` ids
// were appended before. Redis needs redis-server.
import { join } from 'node:path';
import { openLog } from '../server/process/log.ts';
import type { Partition, Queue } from '../server/queue/queue.ts';
import { openRedisQueue } from '../server/queue/redis/queue.ts';
import { openSqliteQueue } from '../server/queue/sqlite/queue.ts';
import { openRedis } from '../server/process/redis/redis.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { startRedis } from '../tests/setup/stores/redis.ts';
import { sampleEvent } from '../tests/setup/event.ts';
import { ofSample } from '../tests/setup/stores/queue.ts';

const EVENTS = 100_000;
const CALLERS = 50;
const BATCH = 10_000;
const [known = 0] = process.argv.slice(2).map(Number);

async function measure(form: string, queue: Queue & Partition): Promise<void> {
  for (let from = 0; from < known; from += BATCH) {
    await queue.append(eventsFrom(EVENTS + from, BATCH), sampleEvent(0).time);
    const batch = await queue.read(BATCH);
    if (batch) await queue.acknowledge(batch);
  }
  const events = eventsFrom(0, EVENTS);
  const waits: number[] = [];
  let next = 0;
  const caller = async () => {
    for (let event = events[next++]; event; event = events[next++]) {
      const from = performance.now();
      await queue.append([event], event.time);
      waits.push(performance.now() - from);
    }
  };
  const cpu = process.cpuUsage();
  const from = performance.now();
  await Promise.all(Array.from({ length: CALLERS }, caller));
  report(`${form} append`, EVENTS, performance.now() - from, process.cpuUsage(cpu));
  waits.sort((a, b) => a - b);
  console.log(`  waited p50 ${at(waits, 0.5)} ms, p99 ${at(waits, 0.99)} ms, longest ${at(waits, 1)} ms`);

  const drainCpu = process.cpuUsage();
  const drainFrom = performance.now();
  let drained = 0;
  for (let batch = await queue.read(BATCH); batch; batch = await queue.read(BATCH)) {
    drained += batch.entries.length;
    await queue.acknowledge(batch);
  }
  report(`${form} read and acknowledge`, drained, performance.now() - drainFrom, process.cpuUsage(drainCpu));
}

const eventsFrom = (from: number, count: number) => Array.from({ length: count }, (_, i) => sampleEvent(from + i));

function report(what: string, count: number, ms: number, cpu: NodeJS.CpuUsage): void {
  const perEvent = (cpu.user + cpu.system) / count;
  console.log(`${what}: ${count} events, ${Math.round((count / ms) * 1000)}/s, ${perEvent.toFixed(1)} µs CPU each`);
}

const at = (sorted: number[], part: number) =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1);

await using folder = await tempFolder();
const sqlite = await openSqliteQueue({ path: join(folder.path, 'queue.db') });
await measure('SQLite', sqlite);
await sqlite.close();

await using server = await startRedis();
const redis = await openRedis(server.url);
const before = await serverCpu();
await measure('Redis', ofSample(await openRedisQueue({ redis, log: openLog('warn') })));
console.log(`  and of Redis itself ${(((await serverCpu()) - before) / EVENTS).toFixed(1)} µs each`);
await redis.close();

async function serverCpu(): Promise<number> {
  const info = String(await redis.send('queue', ['INFO', 'cpu']));
  const seconds = [...info.matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm)].map(([, value]) => Number(value));
  return seconds.reduce((sum, value) => sum + value, 0) * 1e6;
}
