// The events that the benchmarks of queries share: 91 days of the demo site's traffic on one site.
// All of them take the same arguments: [visits a day; 10500, the default, makes 5 million events] [folder to keep the events in]
// [times: that many visitors like each] [quarters: that many times the 91 days, one before the other].
// A kept folder is filled once, which takes some minutes; the next benchmark opens it as it is. Copies are made by the engine, in seconds.
import type { SiteId } from '../server/vocabulary/event.ts';
import { writeSeed } from '../server/operator/seed/demo.ts';
import { type EventStore, openStore } from '../server/store/open.ts';
import { openVersions } from '../server/stats/answer-cache.ts';
import { openSumming } from '../server/stats/days/sum-days.ts';
import { DAY_MS, dayOf, startOfDay } from '../server/vocabulary/time/time.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { cpuMs, makeSite, manage, print } from './server.ts';

const DAYS = 91;

type Traffic = AsyncDisposable & {
  /** A data folder, with the account of `OWNER` in server.ts. */
  folder: string;
  site: { id: SiteId; domain: string };
  store: EventStore;
  /** Closes the store, so that a server can open the folder. */
  close(): Promise<void>;
};

export async function openTraffic(): Promise<Traffic> {
  const [visits = '10500', kept, times = '1', quarters = '1'] = process.argv.slice(2);
  const temporary = await tempFolder();
  const folder = kept ?? temporary.path;
  const site = siteOf(folder);
  const store = await openStore({ url: undefined, path: `${folder}/events` });
  if ((await count(store)) === 0) {
    const startedAt = performance.now();
    const options = { siteId: site.id, domain: site.domain, days: DAYS, visitsPerDay: Number(visits) };
    const run = { onProgress: () => undefined, signal: new AbortController().signal };
    await writeSeed(store, { ...options, now: Date.now(), seed: 1 }, run);
    await multiply(store, { times: Number(times), quarters: Number(quarters) });
    print({ filled_in_s: Math.round((performance.now() - startedAt) / 1000) });
  }
  print({ events: await count(store) });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await store.close();
    isOpen = false;
  };
  return {
    folder,
    site,
    store,
    close,
    [Symbol.asyncDispose]: async () => {
      await close();
      await temporary[Symbol.asyncDispose]();
    },
  };
}

/** Copies the events of a store: `times` as many visitors a day, and `quarters` times as many days. */
async function multiply(store: EventStore, { times, quarters }: { times: number; quarters: number }): Promise<void> {
  const copies = times * quarters;
  if (copies === 1) return;
  const ids = ['event_id', 'visitor_id', 'visit_id', 'order_id', 'order_event'];
  const anew = ids.map((name) => `if(${name} = 0, 0, cityHash64(${name}, copy)) AS ${name}`);
  const back = 'toIntervalDay(intDiv(copy, {times:UInt32}) * {days:UInt32})';
  const months = await store.query<{ month: number }>(
    'SELECT DISTINCT toYYYYMM(time) AS month FROM events ORDER BY month',
    {},
  );
  // A month's copies lie in that month and in earlier ones, which are copied already.
  for (const { month } of months)
    await store.derive({
      sql: `INSERT INTO events SELECT * EXCEPT (copy) REPLACE (${anew.join(', ')}, time - ${back} AS time, day - ${back} AS day)
        FROM (SELECT *, arrayJoin(range(1, {copies:UInt32})) AS copy FROM events WHERE toYYYYMM(time) = {month:UInt32})`,
      bound: { copies, times, days: DAYS, month },
    });
}

/** Sums the closed days and writes their visits. A run ends after 40 seconds, as in a server. */
export async function sumClosedDays(store: EventStore): Promise<void> {
  const onFailed = (error: unknown) => {
    throw error;
  };
  const sumDays = openSumming({ store, versions: openVersions(), onFailed });
  const [startedAt, before] = [performance.now(), await cpuMs()];
  let summed = 0;
  for (let run = 1; run > 0; summed += run) run = await sumDays({ now: Date.now() });
  const seconds = (ms: number) => Math.round(ms / 1000);
  if (summed > 0)
    print({
      summed_days: summed,
      summed_in_s: seconds(performance.now() - startedAt),
      summing_cpu_s: seconds((await cpuMs()) - before),
    });
}

async function count(store: EventStore): Promise<number> {
  const [counted] = await store.query<{ rows: number }>('SELECT count() AS rows FROM events', {});
  return Number(counted?.rows);
}

function siteOf(folder: string): Traffic['site'] {
  const { accounts } = manage(folder, 'list') as { accounts: { sites: Traffic['site'][] }[] };
  return accounts[0]?.sites[0] ?? (makeSite(folder) as Traffic['site']);
}

/** The site as queries know it. */
export const SITE = { currency: null, proposed_currency: null, max_amount: 100_000, timezone: null };

/** A question about the last whole days, and the same range bound for a bare query. */
export function lastDays(siteId: SiteId, days: number) {
  const to = startOfDay(Date.now());
  const from = to - days * DAY_MS;
  return {
    question: {
      site_id: siteId,
      period: 'custom' as const,
      compare: 'none' as const,
      filters: [],
      date_from: dayOf(from),
      date_to: dayOf(to - 1),
    },
    bound: { site_id: siteId, from, to },
  };
}
