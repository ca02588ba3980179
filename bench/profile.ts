// Profiles POST /foot. Prints the CPU time of a request by thread under load, and for each thread of JavaScript the shares of folders and
// functions, from start to end. Profiling costs some of the speed, so only the shares count.
// node bench/profile.ts [seconds]
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tempFolder } from '../tests/setup/folder.ts';
import { load } from './load.ts';
import { makeSite, print, readStat, startServer } from './server.ts';

const root = new URL('..', import.meta.url).pathname;
const [seconds = 20] = process.argv.slice(2).map(Number);
/** The functions that are printed. */
const TOP = 25;

await using folder = await tempFolder();
const site = makeSite(folder.path);
const profiles = join(folder.path, 'profiles');
const server = await startServer(folder.path, 'build/server/main.js', {
  NODE_OPTIONS: `--cpu-prof --cpu-prof-interval=500 --cpu-prof-dir=${profiles}`,
});
await load(server.url, { domain: site.domain, seconds: 3 }); // compiles the code
const before = await threadsOf(server.pid);
const { requests } = await load(server.url, { domain: site.domain, seconds });
const after = await threadsOf(server.pid);
await server.stop();

const inUs = (cpuSeconds: number) => Number(((cpuSeconds * 1e6) / requests).toFixed(1));
const threads = new Map<string, number>();
for (const [id, { name, cpuSeconds }] of after) {
  const spent = cpuSeconds - (before.get(id)?.cpuSeconds ?? 0);
  threads.set(name, (threads.get(name) ?? 0) + spent);
}
const all = [...threads.values()].reduce((sum, spent) => sum + spent, 0);
print({ requests, cpu_us_per_request: inUs(all) });
for (const [thread, spent] of descending(threads))
  if (inUs(spent) >= 0.1) print({ thread, us_per_request: inUs(spent) });

for (const file of await readdir(profiles)) {
  const profile = JSON.parse(await readFile(join(profiles, file), 'utf8')) as Profile;
  const { folders, functions, busyUs } = readProfile(profile);
  const share = (us: number) => Number(((us / busyUs) * 100).toFixed(1));
  print({ profile: file, busy_s: Number((busyUs / 1e6).toFixed(1)) });
  for (const [name, us] of descending(folders)) if (share(us) >= 0.5) print({ folder: name, percent: share(us) });
  for (const [name, us] of descending(functions).slice(0, TOP)) print({ function: name, percent: share(us) });
}

async function threadsOf(pid: number): Promise<Map<string, { name: string; cpuSeconds: number }>> {
  const threads = new Map<string, { name: string; cpuSeconds: number }>();
  for (const id of await readdir(`/proc/${pid}/task`)) {
    const stat = await readFile(`/proc/${pid}/task/${id}/stat`, 'utf8').catch(() => '');
    if (stat === '') continue; // the thread has ended
    const { name, cpuSeconds } = readStat(stat);
    threads.set(id, { name: Number(id) === pid ? 'main thread' : name, cpuSeconds });
  }
  return threads;
}

type Frame = { functionName: string; url: string; lineNumber: number };
type Profile = {
  nodes: { id: number; callFrame: Frame; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
};

/** Time in Node's own functions belongs to the folder whose code called them. */
function readProfile({ nodes, samples, timeDeltas }: Profile) {
  const [byId, parents] = [new Map(nodes.map((node) => [node.id, node])), new Map<number, number>()];
  for (const { id, children = [] } of nodes) for (const child of children) parents.set(child, id);
  const folderOf = (id: number): string => {
    const node = byId.get(id);
    if (!node) return 'node';
    const { url, functionName } = node.callFrame;
    if (functionName === '(garbage collector)' || functionName === '(program)') return functionName;
    const [, found] = /^(node_modules\/[^/]+|[^/]+\/[^/]+)/.exec(url.split(root)[1] ?? '') ?? [];
    const parent = parents.get(id);
    return found ?? (parent === undefined ? 'node' : folderOf(parent));
  };
  const [folders, functions] = [new Map<string, number>(), new Map<string, number>()];
  let busyUs = 0;
  for (const [index, id] of samples.entries()) {
    const frame = byId.get(id)?.callFrame;
    if (!frame || frame.functionName === '(idle)') continue;
    const us = timeDeltas[index] ?? 0;
    busyUs += us;
    const folder = folderOf(id);
    folders.set(folder, (folders.get(folder) ?? 0) + us);
    const name = `${frame.functionName || '(anonymous)'} ${frame.url.split(root)[1] ?? frame.url}:${frame.lineNumber + 1}`;
    functions.set(name, (functions.get(name) ?? 0) + us);
  }
  return { folders, functions, busyUs };
}

function descending(map: Map<string, number>): [string, number][] {
  return [...map].sort(([, a], [, b]) => b - a);
}
