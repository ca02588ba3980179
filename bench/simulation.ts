// Simulates the busiest hour of many sites on servers: how busy the writers and the shards of ClickHouse are, how long an event waits until it is
// stored, and how long an hour's backlog takes. Partitions, shares, batches and pace are those of the writer, and what an event and a batch cost comes
// from bench/service-times.ts. The network, the failures of a machine, and two busy sites that take turns are left out.
// node bench/simulation.ts [sites] [writers] [shards] [cores of a shard]
import { crc32 } from 'node:zlib';
import { BATCHES_AT_ONCE } from '../server/jobs/writing.ts';
import { gatherMs, MAX_BATCH } from '../server/queue/writer/writer.ts';
import { PARTITIONS } from '../server/process/redis/partitions.ts';
import { HOUR_MS, MINUTE_MS } from '../server/vocabulary/time/time.ts';
import { print } from './server.ts';

const [sites = 10_000_000, writers = 5, shards = 2, cores = 8] = process.argv.slice(2).map(Number);

/** µs of CPU (bench/service-times.ts, 2026-12-01). */
const COSTS = {
  web: 104,
  redis: 84,
  writer: { event: 21, batch: 3_600 },
  clickhouse: { event: 41, batch: 19_600 },
};
/** As in docs/scale.md: 100 page views a day, 1.6 events each, five times as many in the busiest hour as on average. */
const EVENTS_A_SECOND = (100 * 1.6 * 5) / 86_400;
const RUN_MS = 10 * MINUTE_MS;
const GIVE_UP_MS = 24 * HOUR_MS;

/** Events a millisecond in each partition. The k-th largest site has a k-th of the events of the largest one. */
const rates = new Float64Array(PARTITIONS);
let harmonic = 0;
for (let rank = 1; rank <= sites; rank += 1) harmonic += 1 / rank;
const largest = (sites * EVENTS_A_SECOND) / harmonic;
for (let rank = 1; rank <= sites; rank += 1) {
  const partition = crc32(`site_${rank}`) % PARTITIONS;
  rates[partition] = (rates[partition] ?? 0) + largest / rank / 1000;
}

type Stored = { events: number; oldestMs: number; newestMs: number };
type Part = { rate: number; writer: number; readAt: number; waitingFrom: number; wasBusy: boolean };

const total = rates.reduce((sum, rate) => sum + rate, 0) * 1000;
const steady = simulate(0);
const backlog = simulate(HOUR_MS);
const share = (us: number) => Number(((us * total) / 1e6).toFixed(1));
print({
  sites,
  events_a_second: Math.round(total),
  largest_site_a_second: Math.round(largest),
  busiest_partition_share: Number(((Math.max(...rates) * 1000) / total).toFixed(3)),
  cores_of_requests: share(COSTS.web),
  cores_of_redis: share(COSTS.redis),
  writers,
  busiest_writer: steady.busiestWriter,
  shards,
  cores,
  busiest_shard: steady.busiestShard,
  waits_ms: steady.waits,
  rows_an_insert: steady.rowsAnInsert,
  inserts_a_second: steady.insertsASecond,
  hour_of_backlog_takes_minutes:
    backlog.caughtUpMs === undefined ? 'never' : Math.round(backlog.caughtUpMs / MINUTE_MS),
});

/** `backlogMs`: for so long, nothing was stored. */
function simulate(backlogMs: number) {
  const parts = Array.from(rates, (rate, index): Part => {
    return { rate, writer: index % writers, readAt: 0, waitingFrom: -backlogMs, wasBusy: false };
  });
  const threads = new Float64Array(writers); // when each writer's thread is free
  const rooms = Array.from({ length: writers }, () => new Float64Array(BATCHES_AT_ONCE));
  const shardCores = Array.from({ length: shards }, () => new Float64Array(cores));
  const busyUs = { writers: new Float64Array(writers), shards: new Float64Array(shards) };
  const stored: Stored[] = [];
  let caughtUpMs: number | undefined;
  const until = backlogMs > 0 ? GIVE_UP_MS : RUN_MS;
  let end = 0;
  for (;;) {
    const part = parts.reduce((first, one) => (one.readAt < first.readAt ? one : first));
    if (part.readAt > until) break;
    const room = rooms[part.writer] as Float64Array;
    const place = earliest(room);
    const readAt = Math.max(part.readAt, room[place] as number);
    const waiting = Math.floor((readAt - part.waitingFrom) * part.rate);
    if (waiting === 0) {
      part.wasBusy = false;
      part.readAt = part.waitingFrom + 1 / part.rate + 0.001;
      continue;
    }
    const events = Math.min(waiting, MAX_BATCH);
    const shard = parts.indexOf(part) % shards;
    const prepared = occupy(threads, part.writer, readAt, COSTS.writer, events, busyUs.writers, part.writer);
    const engine = shardCores[shard] as Float64Array;
    const done = occupy(engine, earliest(engine), prepared, COSTS.clickhouse, events, busyUs.shards, shard);
    room[place] = done;
    const newest = part.waitingFrom + events / part.rate;
    stored.push({ events, oldestMs: done - part.waitingFrom, newestMs: done - newest });
    part.waitingFrom = newest;
    part.wasBusy = true;
    const busy = parts.filter(({ writer, wasBusy }) => writer === part.writer && wasBusy).length;
    const left = (done - newest) * part.rate;
    part.readAt = left >= MAX_BATCH ? done : done + gatherMs(events, busy);
    end = Math.max(end, done);
    if (parts.every(({ waitingFrom }) => done - waitingFrom < 5_000)) {
      caughtUpMs ??= done;
      if (backlogMs > 0) break;
    }
  }
  const rows = stored.reduce((sum, { events }) => sum + events, 0);
  return {
    caughtUpMs,
    waits: { p50: quantile(stored, 0.5), p99: quantile(stored, 0.99) },
    rowsAnInsert: Math.round(rows / stored.length),
    insertsASecond: Math.round((1000 * stored.length) / end),
    busiestWriter: Number((Math.max(...busyUs.writers) / 1000 / end).toFixed(2)),
    busiestShard: Number((Math.max(...busyUs.shards) / 1000 / end / cores).toFixed(2)),
  };
}

function earliest(free: Float64Array): number {
  return free.indexOf(Math.min(...free));
}

/** Takes a core for a batch, from `from` on or once it is free. Returns when it has finished. */
function occupy(
  free: Float64Array,
  core: number,
  from: number,
  cost: { event: number; batch: number },
  events: number,
  busyUs: Float64Array,
  of: number,
): number {
  const us = cost.batch + cost.event * events;
  busyUs[of] = (busyUs[of] ?? 0) + us;
  const done = Math.max(from, free[core] ?? 0) + us / 1000;
  free[core] = done;
  return done;
}

/** The wait that a share of all events does not exceed. Those of a batch have arrived evenly. */
function quantile(stored: readonly Stored[], of: number): number {
  const STEPS = 20;
  const samples = stored
    .flatMap(({ events, oldestMs, newestMs }) =>
      Array.from({ length: STEPS }, (_, step) => ({
        ms: newestMs + ((oldestMs - newestMs) * step) / (STEPS - 1),
        weight: events / STEPS,
      })),
    )
    .toSorted((one, other) => one.ms - other.ms);
  let left = of * samples.reduce((sum, { weight }) => sum + weight, 0);
  const found = samples.find(({ weight }) => (left -= weight) <= 0);
  return Math.round(found?.ms ?? 0);
}
