// Measures what the jobs about alerts and sums ask the store, on large data: one site with 5 million events, and 5,000 sites with 5 million
// together, 64 days each. Prints milliseconds, and the processor time of this process, which includes the embedded engine's.
// node bench/alert-counts.ts [days of the sites] [folder to keep the events in]
import { neededDays, neededHours } from '../server/notifications/alerts/traffic.ts';
import { hourOf } from '../server/stats/answers/alert-counts.ts';
import { openStats } from '../server/stats/run.ts';
import { openSumming } from '../server/stats/days/sum-days.ts';
import { type EventStore, openStore } from '../server/store/open.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, startOfDay } from '../server/vocabulary/time/time.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { print } from './server.ts';
import { inTurns } from './turns.ts';

const [given = '64', kept] = process.argv.slice(2);
const DAYS = Number(given);
const ROWS = 5_000_000;
const SITES = 5_000;
const BIG = 'site_big';
const smallSites = Array.from({ length: SITES }, (_, number) => `site_${number}`);
/** The last minutes of a day, so that this day has events too. */
const now = startOfDay(Date.now()) - MINUTE_MS;

/** Spreads rows evenly over the sites and days; one in 20 is a sign-up, one in 100 a payment. */
const fillOf = (
  site: string,
) => `INSERT INTO events (site_id, time, event_id, name, visitor_id, visit_id, visit_started,
    bounces, visit_ms, page, entry_page, hostname, channel, source, amount, currency, day)
  WITH fromUnixTimestamp64Milli(toInt64({to:Int64} - (number * 7919) % ({days:Int64} * 86400000)), 'UTC') AS at
  SELECT ${site}, at, cityHash64(number, ${site}), multiIf(number % 100 = 7, 'purchase', number % 20 = 3, 'signup', 'pageview'),
    cityHash64(number % 9973, toDate(at)), number, 1, 1, 0, concat('/page/', toString(number % 97)), '/', 'example.com', 'Direct', '',
    if(number % 100 = 7, 9.5, 0), if(number % 100 = 7, 'EUR', ''), toDate(at)
  FROM numbers({rows:UInt64})`;

async function fill(store: EventStore): Promise<void> {
  const [held] = await store.query<{ rows: number }>('SELECT count() AS rows FROM events', {});
  if (Number(held?.rows) > 0) return;
  const bound = { to: now, days: DAYS, rows: ROWS };
  await store.derive({ sql: fillOf(`'${BIG}'`), bound });
  await store.derive({ sql: fillOf(`concat('site_', toString(number % ${SITES}))`), bound });
}

const alertsOn = (siteId: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `${siteId} ${index}`,
    siteId,
    from: now - 2 * DAY_MS,
    what:
      index % 3 === 0
        ? { maxAmount: 100_000, currency: 'EUR' }
        : {
            goal:
              index % 3 === 1
                ? ({ kind: 'event', event: 'signup', props: {} } as const)
                : ({ kind: 'page', page: '/page/1*' } as const),
          },
  }));

await using temporary = await tempFolder();
const store = await openStore({ url: undefined, path: `${kept ?? temporary.path}/events` });
await fill(store);
const fresh = () => openStats(store, () => undefined);
const stats = fresh();
const onFailed = (error: unknown) => {
  throw error;
};
const sumDays = openSumming({ store, versions: { stored: () => undefined }, onFailed });
print({ summed: await sumDays({ now: now + HOUR_MS }) });
const hour = hourOf(now);
const many = smallSites.slice(0, 500).flatMap((id) => alertsOn(id, 1));
const works = {
  changed_days_of_5001_sites: () => sumDays({ now: now + HOUR_MS }),
  counts_of_20_alerts_on_the_big_site: () => fresh().counts(alertsOn(BIG, 20), now + 1),
  counts_of_500_alerts_on_500_sites: () => fresh().counts(many, now + 1),
  the_same_counts_without_new_rows: () => stats.counts(many, now + 1),
  hours_of_the_big_site: () => stats.hours([BIG], neededHours(hour)),
  hours_of_5000_sites: () => stats.hours(smallSites, neededHours(hour)),
  present_hour_of_5000_sites: () => stats.hours(smallSites, [{ from: hour * HOUR_MS, to: now + 1 }]),
  days_of_5000_sites: () => stats.dayViews(smallSites, neededDays(hour)),
  agents_of_5000_sites: () => stats.newAgents(smallSites, { from: now - 2 * DAY_MS, to: now + 1 }),
};
for (const [name, work] of Object.entries(works)) print({ work: name, ...(await inTurns({ work }, 3)).work });
await store.close();
