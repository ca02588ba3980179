// Measures POST /foot at a steady rate while the events are spread over thousands of sites.
// node bench/many-domains.ts [sites] [events per second] [seconds]
import { createAccount } from '../server/accounts/accounts.ts';
import { DIRECTORY_FILE, openDirectory } from '../server/directory/open.ts';
import { createSite } from '../server/sites/sites.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { load } from './load.ts';
import { OWNER, print, startServer, usageOf } from './server.ts';

const [sites = 5000, rate = 800, seconds = 20] = process.argv.slice(2).map(Number);
const WARM_SECONDS = 3;
const domains = Array.from({ length: sites }, (_, number) => `site-${number}.example.com`);

await using folder = await tempFolder();
const directory = await openDirectory({ path: `${folder.path}/${DIRECTORY_FILE}` });
const now = Date.now();
const { account } = await createAccount(directory, { ...OWNER, status: 'active' }, now);
for (const domain of domains) await createSite(directory, { accountId: account.id, domain }, now);
await directory.close();

const server = await startServer(folder.path);
await load(server.url, { domain: domains.slice(0, 1), seconds: WARM_SECONDS, rate }); // the engine starts with the first event
const before = await usageOf(server.pid);
const foot = await load(server.url, { domain: domains, seconds, rate });
const after = await usageOf(server.pid);
await server.stop();
print({
  sites,
  ...foot,
  server_cpu_share: Number(((after.cpuSeconds - before.cpuSeconds) / seconds).toFixed(2)),
  server_memory_mb: Math.round(after.memoryMb),
});
