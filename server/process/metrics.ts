// The measurements of this process for Prometheus, as a table. They are only numbers: no site, no address, no name of anybody.
import type { Counter, Gauge, Histogram } from 'prom-client';
import { Unavailable } from '../errors.ts';
import { DROP_REASONS, type DropReason } from '../vocabulary/drops.ts';

type Row = { type: 'counter' | 'gauge' | 'histogram'; help: string; labels?: readonly string[] };

export const METRICS = {
  footfall_events_accepted_total: { type: 'counter', help: 'Events that this process accepted, each once' },
  footfall_events_dropped_total: { type: 'counter', help: 'Hits that were not counted, by reason', labels: ['reason'] },
  footfall_queue_waiting_events: { type: 'gauge', help: 'Accepted events that are not stored yet' },
  footfall_queue_oldest_seconds: { type: 'gauge', help: 'Age of the oldest waiting event; 0 if none waits' },
  footfall_queue_refused_events: { type: 'gauge', help: 'Events that the store refused, until `manage replay`' },
  footfall_partition_waiting_events: { type: 'gauge', help: 'Those of a partition', labels: ['partition'] },
  footfall_partition_oldest_seconds: { type: 'gauge', help: 'Their greatest age', labels: ['partition'] },
  footfall_partition_held: {
    type: 'gauge',
    help: '1 if this process stores the events of the partition, else 0',
    labels: ['partition'],
  },
  footfall_writer_lag_seconds: { type: 'gauge', help: 'Age of the newest event of the last batch when it was stored' },
  footfall_insert_seconds: { type: 'histogram', help: 'Time of an insert into the event store' },
  footfall_insert_failures_total: { type: 'counter', help: 'Inserts that failed; the writer tries them again' },
  footfall_question_seconds: {
    type: 'histogram',
    help: 'Time of a query of the event store, waiting included, by who asks',
    labels: ['asker'],
  },
  footfall_question_failures_total: { type: 'counter', help: 'Queries that failed or were refused', labels: ['asker'] },
  footfall_workers: { type: 'gauge', help: 'Processes for HTTP in front of this one (WORKERS); 0 without them' },
  footfall_open_sockets: { type: 'gauge', help: 'Live connections of dashboards to this process' },
  footfall_job_last_success_timestamp_seconds: {
    type: 'gauge',
    help: 'When this process last ended a run of the job without a failure; 0 if never',
    labels: ['job'],
  },
  footfall_job_failures_total: { type: 'counter', help: 'Failed runs of the job in this process', labels: ['job'] },
} as const satisfies Record<string, Row>;
type Name = keyof typeof METRICS;

/** Members of an account, viewers of share links, and the server itself, for its jobs and reports. */
export const ASKERS = ['member', 'viewer', 'server'] as const;
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

type Waiting = { waiting: number; oldestAt: number | undefined };
/** What is read when Prometheus asks. What a store that is away would say is left out. */
export type Readings = {
  counts(): { accepted: number; dropped: ReadonlyMap<DropReason, number> };
  status(): Promise<Waiting & { buried: number }>;
  partitions(): { status(): Promise<Waiting>; isHeld: boolean }[];
  workers(): number;
  openSockets(): number;
};

type Rows = { events: { time: number }[]; ai_visits: { time: number }[] };
type Timed = {
  insert(rows: Rows, token: string): Promise<void>;
  query(sql: string, bound: never, asking?: { lane?: string; viewer?: string }): Promise<unknown>;
};
type Work = { name: string; run(turn: never): Promise<void> };

export type Metrics = {
  /** Returns the store, with its inserts and queries measured. */
  measured<Store extends Timed>(store: Store): Store;
  /** Returns the jobs, with their runs counted. */
  counted<Job extends Work>(jobs: readonly Job[]): Job[];
  render(readings: Readings): Promise<string>;
};

export async function openMetrics(now: () => number): Promise<Metrics> {
  const { registry, counter, gauge, histogram } = await openMeters();
  const show = (name: Name, labels: Record<string, string>, value: number | undefined) =>
    value === undefined ? gauge(name).remove(labels) : gauge(name).set(labels, value);
  const ageOf = (time: number | undefined) => (time === undefined ? 0 : Math.max(0, now() - time) / 1000);
  for (const asker of ASKERS) {
    histogram('footfall_question_seconds').zero({ asker });
    counter('footfall_question_failures_total').inc({ asker }, 0);
  }

  return {
    measured: (store) => ({
      ...store,
      insert: async (rows: Rows, token: string) => {
        const end = histogram('footfall_insert_seconds').startTimer();
        await store.insert(rows, token).catch((error: unknown) => {
          counter('footfall_insert_failures_total').inc();
          throw error;
        });
        end();
        const newest = [...rows.events, ...rows.ai_visits].reduce((last, { time }) => Math.max(last, time), 0);
        if (newest > 0) gauge('footfall_writer_lag_seconds').set(Math.max(0, now() - newest) / 1000);
      },
      query: (...[sql, bound, asking]: Parameters<Timed['query']>) => {
        const asker = asking?.viewer === undefined ? (asking?.lane === undefined ? 'server' : 'member') : 'viewer';
        const end = histogram('footfall_question_seconds').startTimer({ asker });
        return store.query(sql, bound, asking).then(
          (rows) => {
            end();
            return rows;
          },
          (error: unknown) => {
            counter('footfall_question_failures_total').inc({ asker });
            throw error;
          },
        );
      },
    }),
    counted: (jobs) => {
      for (const { name: job } of jobs) {
        counter('footfall_job_failures_total').inc({ job }, 0);
        gauge('footfall_job_last_success_timestamp_seconds').set({ job }, 0);
      }
      return jobs.map((one) => ({
        ...one,
        run: (turn: never) =>
          one.run(turn).then(
            () => gauge('footfall_job_last_success_timestamp_seconds').set({ job: one.name }, now() / 1000),
            (error: unknown) => {
              counter('footfall_job_failures_total').inc({ job: one.name });
              throw error;
            },
          ),
      }));
    },
    render: async ({ counts, status, partitions, workers, openSockets }) => {
      const { accepted, dropped } = counts();
      const [whole, ...each] = await Promise.all([
        ifKnown(status()),
        ...partitions().map(async (one) => ({ ...one, known: await ifKnown(one.status()) })),
      ]);
      setTo(counter('footfall_events_accepted_total'), accepted);
      counter('footfall_events_dropped_total').reset();
      for (const reason of DROP_REASONS)
        counter('footfall_events_dropped_total').inc({ reason }, dropped.get(reason) ?? 0);
      show('footfall_queue_waiting_events', {}, whole?.waiting);
      show('footfall_queue_oldest_seconds', {}, whole && ageOf(whole.oldestAt));
      show('footfall_queue_refused_events', {}, whole?.buried);
      for (const [number, { known, isHeld }] of each.entries()) {
        const partition = String(number);
        show('footfall_partition_waiting_events', { partition }, known?.waiting);
        show('footfall_partition_oldest_seconds', { partition }, known && ageOf(known.oldestAt));
        gauge('footfall_partition_held').set({ partition }, isHeld ? 1 : 0);
      }
      gauge('footfall_workers').set(workers());
      gauge('footfall_open_sockets').set(openSockets());
      return registry.metrics();
    },
  };
}

/** A meter for each row of the table. Loads the library only here: without a token there are no metrics. */
async function openMeters() {
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const made = new Map<string, Counter | Gauge | Histogram>();
  for (const [name, row] of Object.entries<Row>(METRICS)) {
    const options = { name, help: row.help, labelNames: [...(row.labels ?? [])], registers: [registry] };
    if (row.type === 'counter') made.set(name, new Counter(options));
    else if (row.type === 'gauge') made.set(name, new Gauge(options));
    else made.set(name, new Histogram({ ...options, buckets: BUCKETS }));
  }
  return {
    registry,
    counter: (name: Name) => made.get(name) as Counter,
    gauge: (name: Name) => made.get(name) as Gauge,
    histogram: (name: Name) => made.get(name) as Histogram,
  };
}

async function ifKnown<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Unavailable) return undefined;
    throw error;
  }
}

function setTo(counter: Counter, value: number): void {
  counter.reset();
  counter.inc(value);
}
