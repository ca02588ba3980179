// Measures how long exports of other products take to import by `manage import` while events arrive, and how much memory the server takes:
// `node bench/imports.ts [ROWS] [events a second]`.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tempFolder } from '../tests/setup/folder.ts';
import { EXPORTS, writeExport } from './exported.ts';
import { makeSite, manage, OWNER, print, startServer, usageOf } from './server.ts';

const [rows = 1_000_000, perSecond = 50] = process.argv.slice(2).map(Number);
const run = promisify(execFile);

await using folder = await tempFolder();
const names = Object.keys(EXPORTS) as (keyof typeof EXPORTS)[];
const live = makeSite(folder.path, 'live.example');
for (const name of names)
  manage(folder.path, 'site', 'create', '--account', OWNER.email, '--domain', `${name}.example`);
const server = await startServer(folder.path);

const latencies: number[] = [];
async function sendOne(): Promise<void> {
  const startedAt = performance.now();
  const body = JSON.stringify({
    site: live.domain,
    name: 'pageview',
    url: `https://${live.domain}/${latencies.length % 50}`,
  });
  const headers = {
    'content-type': 'text/plain',
    'user-agent':
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    'x-forwarded-for': `203.0.${latencies.length % 200}.${latencies.length % 250}`,
  };
  await (await fetch(`${server.url}/foot`, { method: 'POST', headers, body })).arrayBuffer();
  latencies.push(performance.now() - startedAt);
}
const p99 = () =>
  Math.round((latencies.toSorted((one, other) => one - other)[Math.floor(latencies.length * 0.99)] ?? NaN) * 10) / 10;

const traffic = setInterval(() => void sendOne(), 1000 / perSecond);
await new Promise((resolve) => setTimeout(resolve, 5_000));
print({ alone: true, foot_p99_ms: p99() });
for (const name of names) {
  const file = join(folder.path, name);
  await writeExport(file, name, rows);
  latencies.length = 0;
  let memoryMb = 0;
  const watching = setInterval(
    () => void usageOf(server.pid).then((usage) => (memoryMb = Math.max(memoryMb, usage.memoryMb))),
    500,
  );
  const { cpuSeconds: cpuBefore } = await usageOf(server.pid);
  const startedAt = performance.now();
  await run(process.execPath, ['build/server/manage.js', 'import', file, '--site', `${name}.example`], {
    cwd: join(import.meta.dirname, '..'),
    env: { ...process.env, DATA_DIR: folder.path },
    maxBuffer: 64 * 1024 * 1024,
  });
  const seconds = (performance.now() - startedAt) / 1000;
  clearInterval(watching);
  const { cpuSeconds } = await usageOf(server.pid);
  print({
    name,
    rows,
    seconds: Math.round(seconds),
    rowsPerSecond: Math.round(rows / seconds),
    cpuMicrosecondsARow: Math.round(((cpuSeconds - cpuBefore) / rows) * 1e6),
    memoryMb: Math.round(memoryMb),
    foot_p99_ms: p99(),
  });
}
clearInterval(traffic);
await server.stop();
