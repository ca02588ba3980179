// Measures the job that finds accounts above their monthly quota (QUOTA=drop): the events of this month, spread over many accounts.
// node bench/quota.ts [accounts] [events]
import { insertAccount, prepareAccount } from '../server/accounts/accounts.ts';
import { openDirectory, DIRECTORY_FILE } from '../server/directory/open.ts';
import { createSite, sitesUnderQuota } from '../server/sites/sites.ts';
import { countMonths } from '../server/stats/answers/month.ts';
import { openStats } from '../server/stats/run.ts';
import { openStore } from '../server/store/open.ts';
import { startOfMonth } from '../server/vocabulary/time/time.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { OWNER, print } from './server.ts';
import { interleaved } from './interleaved.ts';

const [accounts = 1000, events = 5_000_000] = process.argv.slice(2).map(Number);
const now = Date.now();

await using folder = await tempFolder();
const directory = await openDirectory({ path: `${folder.path}/${DIRECTORY_FILE}` });
const person = await prepareAccount({ ...OWNER, status: 'active' });
const sites: string[] = [];
for (let number = 0; number < accounts; number += 1) {
  const { account } = await insertAccount(directory.db, { ...person, email: `owner-${number}@example.com` }, now);
  const site = await createSite(directory, { accountId: account.id, domain: `site-${number}.example.com` }, now);
  sites.push(site.id);
}

const store = await openStore({ url: undefined, path: `${folder.path}/events` });
await store.derive({
  sql: `INSERT INTO events (site_id, time, event_id, name, visitor_id, visit_id, page, hostname, day)
    WITH fromUnixTimestamp64Milli(toInt64({from:Int64} + (number * 7919) % ({to:Int64} - {from:Int64})), 'UTC') AS at
    SELECT {sites:Array(String)}[number % {count:UInt64} + 1], at, cityHash64(number), 'pageview', cityHash64(number % 9973), number,
      concat('/page/', toString(number % 97)), 'example.com', toDate(at)
    FROM numbers({rows:UInt64})`,
  bound: { from: startOfMonth(now), to: now, sites, count: accounts, rows: events },
});
const stats = openStats(store, () => undefined);
const counted = await countMonths(stats, await sitesUnderQuota(directory), now);
const sum = [...counted.values()].reduce((total, of) => total + of, 0);
if (sum !== events) throw new Error(`${sum} of ${events} events were counted.`);
const { quota } = await interleaved(
  { quota: async () => countMonths(stats, await sitesUnderQuota(directory), now) },
  7,
);
print({ accounts, events, ...quota });
await store.close();
await directory.close();
