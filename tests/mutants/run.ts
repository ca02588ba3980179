// `npm run test:mutants` draws 200 one-line changes ("mutants") over all rooms, tries each in a copy of the project, and prints how many the tests
// caught: the share of those that anybody can observe must be at least 85 %. SEED and COUNT draw others. `-- FILE…` tries every change of these files,
// `-- FILE:LINE…` those of a line, and fails if one survives.
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, globSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type TempFolder, tempFolder } from '../setup/folder.ts';
import { openAreas } from './area.ts';
import { type Change, changesOf, draw } from './changes.ts';
import { EQUIVALENT } from './equivalent.ts';
import type { Answer, Task } from './lane.ts';

/** Each fills a core. */
const LANES = 2;
/** Far longer than a lane takes: a change can lead to a loop without an end. */
const HANGS_MS = 900_000;
const LEAST_CAUGHT = 0.85;

type Lane = { child: ChildProcess; folder: TempFolder };
type Outcome = 'caught' | 'equivalent' | 'survived';

async function openLane(): Promise<Lane> {
  const folder = await tempFolder();
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  });
  for (const file of [...listed.split('\0').filter(existsSync), 'build', '.svelte-kit'])
    cpSync(file, join(folder.path, file), { recursive: true });
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder.path, 'node_modules'));
  return { folder, child: await start(folder.path) };
}

async function start(path: string): Promise<ChildProcess> {
  const child = fork(join(path, 'tests/mutants/lane.ts'), {
    cwd: path,
    detached: true,
    stdio: ['ignore', 'ignore', 2, 'ipc'],
  });
  await once(child, 'message');
  return child;
}

/** With the processes that it started, which one in an endless loop would leave behind. */
function kill({ child }: Lane): void {
  if (child.pid) process.kill(-child.pid, 'SIGKILL');
}

function remove(lane: Lane): void {
  if (lane.child.exitCode === null) kill(lane);
  rmSync(lane.folder.path, { recursive: true, force: true, maxRetries: 5 });
}

async function tryIn(lane: Lane, task: Task): Promise<Answer> {
  const hangs = AbortSignal.timeout(HANGS_MS);
  lane.child.send(task);
  try {
    const [answer] = (await once(lane.child, 'message', { signal: hangs })) as [Answer];
    return answer;
  } catch {
    kill(lane);
    cpSync(task.change.file, join(lane.folder.path, task.change.file));
    lane.child = await start(lane.folder.path);
    return { killer: 'a loop without an end', tried: [] };
  }
}

const asked = process.argv.slice(2);
const files = globSync('{server,src/lib,tracker}/**/*.ts').filter((file) => !/\.(test|config|d)\.ts$/.test(file));
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const count = Number(process.env['COUNT'] ?? 200);
const changes =
  asked.length > 0
    ? asked.flatMap((one) => {
        const [file = '', line] = one.split(':');
        return changesOf(file, readFileSync(file, 'utf8')).filter(
          (each) => line === undefined || each.line === Number(line),
        );
      })
    : draw(files.sort(), { seed, count });
if (asked.length === 0) console.log(`${count} changes, drawn with SEED=${seed}`);

const areaOf = openAreas();
const outcomes: Outcome[] = [];
async function outcomeOf(lane: Lane, change: Change): Promise<{ outcome: Outcome; by: string }> {
  const known = EQUIVALENT.find(({ file, text }) => file === change.file && text === change.text);
  if (known) return { outcome: 'equivalent', by: known.why };
  const { killer, tried } = await tryIn(lane, { change, area: areaOf(change) });
  return killer === undefined
    ? { outcome: 'survived', by: `${change.text}\n    ${tried.join(' ')}` }
    : { outcome: 'caught', by: killer };
}

const lanes = await Promise.all(Array.from({ length: LANES }, openLane));
process.on('exit', () => lanes.forEach(remove));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));
const next = changes.entries();
await Promise.all(
  lanes.map(async (lane) => {
    for (const [, change] of next) {
      const startedAt = Date.now();
      const { outcome, by } = await outcomeOf(lane, change);
      outcomes.push(outcome);
      const { file, line, from, to } = change;
      const seconds = Math.round((Date.now() - startedAt) / 1000);
      console.log(`${outcomes.length}. ${file}:${line}, ${from} → ${to}: ${outcome} after ${seconds} s (${by})`);
    }
  }),
);
for (const { child } of lanes) child.disconnect();
await Promise.all(lanes.map(({ child }) => once(child, 'exit')));

const caught = outcomes.filter((outcome) => outcome === 'caught').length;
const observable = outcomes.filter((outcome) => outcome !== 'equivalent').length;
const share = caught / (observable || 1);
console.log(
  `caught: ${caught} / ${observable} (${(share * 100).toFixed(1)} %), ${outcomes.length - observable} are equivalent`,
);
process.exit(share >= (asked.length > 0 ? 1 : LEAST_CAUGHT) ? 0 : 1);
