// Measures how long exports of a site with 5 million events of a year take to make, how large they are, and how much memory this process takes
// together with its engine's: `node --max-semi-space-size=16 bench/exports.ts [EVENTS]`, as in `npm start`.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { createAccount } from '../server/accounts/accounts.ts';
import { askExport } from '../server/accounts/exports.ts';
import { openDirectory } from '../server/directory/open.ts';
import { receivingKey } from '../server/directory/sealing.ts';
import { openExporting } from '../server/jobs/exporting/exporting.ts';
import { openLog } from '../server/process/log.ts';
import { createSite } from '../server/sites/sites.ts';
import { openStats } from '../server/stats/run.ts';
import { openStore } from '../server/store/open.ts';
import { startOfDay } from '../server/vocabulary/time/time.ts';
import type { SiteId } from '../server/vocabulary/event.ts';
import { EXPORT_KINDS } from '../server/vocabulary/settings/exports.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { print, usageOf } from './server.ts';

const [events = 5_000_000] = process.argv.slice(2).map(Number);
const YEAR = 365;
const SITE = 'site_BENCHBENCHBENCHBENCH' as SiteId;
const now = startOfDay(Date.now());

/** Visits of four events, with pages, sources and places of different kinds. */
const FILL = `INSERT INTO events (site_id, time, event_id, name, visitor_id, visit_id, visit_started, bounces, visit_ms, page, entry_page,
    hostname, channel, source, referrer, utm_source, country, region, city, browser, browser_version, os, device, language, screen, interactive, day)
  WITH intDiv(number, 4) AS visit,
    fromUnixTimestamp64Milli(toInt64({to:Int64} - (visit * 25253) % ({days:Int64} * 86400000) + number % 4), 'UTC') AS at
  SELECT {site:String}, at, cityHash64(number), if(number % 20 = 3, 'signup', 'pageview'), cityHash64(visit), cityHash64(visit, 1),
    number % 4 = 0, 0, 20000, concat('/page/', toString(cityHash64(number) % 3000)), concat('/page/', toString(visit % 500)), 'example.com',
    ['Direct', 'Organic search', 'Referral'][visit % 3 + 1], concat('source-', toString(visit % 200)), concat('host-', toString(visit % 400), '.example/a'),
    if(visit % 10 = 0, concat('news-', toString(visit % 30)), ''), ['DE', 'FR', 'US', 'GB'][visit % 4 + 1], '', concat('City ', toString(visit % 300)),
    ['Chrome', 'Firefox', 'Safari'][visit % 3 + 1], toString(100 + visit % 40), ['Windows', 'iOS', 'Linux'][visit % 3 + 1], 'desktop', 'en-GB', 'LG', 1, toDate(at)
  FROM numbers({rows:UInt64})`;

const [, filled] = process.argv.slice(2);
await using temporary = filled === undefined ? await tempFolder() : undefined;
const folder = { path: filled ?? temporary?.path ?? '' };
const openEvents = () => openStore({ path: join(folder.path, 'events') });
if (filled !== undefined) {
  // In a process of its own: the engine keeps what filling took.
  const store = await openEvents();
  await store.derive({ sql: FILL, bound: { to: now, days: YEAR, rows: events, site: SITE } });
  await store.close();
  process.exit();
}
execFileSync(process.execPath, [import.meta.filename, String(events), folder.path]);
const directory = await openDirectory({ path: join(folder.path, 'directory.sqlite') });
const { account, user } = await createAccount(
  directory,
  { email: 'a@example.com', password: 'correct horse battery' },
  now,
);
const made = await createSite(directory, { accountId: account.id, domain: 'example.com' }, now);
await directory.db.updateTable('sites').set({ id: SITE }).where('id', '=', made.id).execute();
const store = await openEvents();

const memoryMb = async () => Math.round((await usageOf(process.pid)).memoryMb);
let most = 0;
const watching = setInterval(() => void memoryMb().then((megabytes) => (most = Math.max(most, megabytes))), 250);
const exporting = openExporting({
  directory,
  store,
  stats: openStats(store, () => undefined),
  payments: undefined,
  mail: { isOn: false, send: () => Promise.resolve(false) },
  dataDir: folder.path,
  now: () => now,
  log: openLog('warn'),
});
for (const kind of EXPORT_KINDS) {
  const recipient = kind === 'sealed' ? await receivingKey(directory, account.id, now) : null;
  const wish = { accountId: account.id, siteId: SITE, userId: user.id, kind, recipient };
  const { id } = await askExport(directory, wish, now);
  const before = await memoryMb();
  most = before;
  const startedAt = performance.now();
  await exporting.run({ signal: new AbortController().signal });
  const seconds = (performance.now() - startedAt) / 1000;
  const bytes = statSync(join(folder.path, 'exports', id)).size;
  print({ kind, events, seconds: Math.round(seconds), megabytes: Math.round(bytes / 1e6), memoryMb: most, before });
}
clearInterval(watching);
await store.close();
await directory.close();
