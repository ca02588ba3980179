// Measures how fast the writer stores a standing queue, with embedded stores: events of some minutes ago, and of two hours ago, whose visits
// are no longer in memory.
// node bench/drain.ts [events]
import { openApp } from '../server/app.ts';
import { readConfig } from '../server/config.ts';
import { BLANK_EVENT, type Event, type EventId, PAGEVIEW, type VisitorId } from '../server/vocabulary/event.ts';
import type { SiteId } from '../server/vocabulary/event.ts';
import { openLog } from '../server/process/log.ts';
import { HOUR_MS, MINUTE_MS } from '../server/vocabulary/time/time.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { cpuMs, makeSite, print } from './server.ts';

const [events = 200_000] = process.argv.slice(2).map(Number);
const GROUP = 1_000;

for (const [age, ms] of Object.entries({ minutes: 5 * MINUTE_MS, hours: 2 * HOUR_MS })) {
  await using folder = await tempFolder();
  const site = makeSite(folder.path);
  const app = await openApp({
    config: readConfig({ DATA_DIR: folder.path, LOG_LEVEL: 'error' }),
    log: openLog('error'),
  });
  const now = Date.now();
  for (let from = 0; from < events; from += GROUP) {
    const group = Array.from({ length: GROUP }, (_, index) => eventOf(site.id as SiteId, from + index, now - ms));
    await app.queue.append(group, now);
  }
  const [before, startedAt] = [await cpuMs(), performance.now()];
  await app.writer.drain();
  const took = performance.now() - startedAt;
  const cpu = (await cpuMs()) - before;
  const [stored] = await app.store.query<{ rows: string }>('SELECT toString(count()) AS rows FROM events', {});
  if (Number(stored?.rows) !== events) throw new Error(`${stored?.rows} of ${events} events were stored.`);
  print({
    age,
    events,
    per_second: Math.round((events / took) * 1000),
    cpu_us_an_event: Math.round((1000 * cpu) / events),
  });
  await app.close();
}

/** Two page views of each visitor. */
function eventOf(site_id: SiteId, number: number, time: number): Event {
  const hex = (value: number) => value.toString(16).padStart(16, '0');
  return {
    ...BLANK_EVENT,
    site_id,
    time: time + number,
    name: PAGEVIEW,
    hostname: 'example.com',
    page: `/page/${number % 997}`,
    event_id: hex(number + 1) as EventId,
    visitor_id: hex((number >> 1) + 1) as VisitorId,
    interactive: true,
  };
}
