// A process that tries changes one after the other, in a copy of the project. Vitest stays open, so that a file of tests takes a second or two.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { createVitest } from 'vitest/node';
import type { Area } from './area.ts';
import { type Change, changed } from './changes.ts';

export type Task = { change: Change; area: Area };
/** `killer`: the tests that noticed. `tried`: all that were run. */
export type Answer = { killer: string | undefined; tried: string[] };

/** Far longer than a test takes: what waits for something that a change prevents need not wait as long as in other runs. */
const TEST_MS = 120_000;
const BUILT = 'build';
const KEPT = 'build-without-a-change';

const vitest = await createVitest('test', {
  watch: false,
  retry: 0,
  bail: 1,
  maxWorkers: 1,
  testTimeout: TEST_MS,
  reporters: [{}],
  silent: true,
});
const files = new Map((await vitest.globTestSpecifications()).map((one) => [one.moduleId, one]));

/** Whether all of them pass. No files pass, too. */
async function passes(tests: readonly string[]): Promise<boolean> {
  const specifications = tests.flatMap((test) => files.get(resolve(test)) ?? []);
  if (specifications.length === 0) return true;
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  const ran = testModules.filter(({ moduleId }) => specifications.some((one) => one.moduleId === moduleId));
  return unhandledErrors.length === 0 && ran.length === specifications.length && ran.every((one) => one.ok());
}

/** Files of tests that have passed, with whatever change. Before that, one that fails says nothing. */
const sound = new Set<string>();

/** Builds the dashboard beside the one without a change, which is kept. */
async function build(): Promise<boolean> {
  cpSync(BUILT, KEPT, { recursive: true });
  const run = promisify(execFile)('node_modules/.bin/vite', ['build']);
  return run.then(
    () => true,
    () => false,
  );
}

function swapBuilds(): void {
  renameSync(BUILT, `${BUILT}-moved`);
  renameSync(KEPT, BUILT);
  renameSync(`${BUILT}-moved`, KEPT);
}

async function tryChange({ change, area }: Task): Promise<Answer> {
  const source = readFileSync(change.file, 'utf8');
  const tried: string[] = [];
  const write = (text: string) => {
    writeFileSync(change.file, text);
    vitest.invalidateFile(resolve(change.file));
  };
  const passesWithout = async (tests: readonly string[]) => {
    const isBuilt = existsSync(KEPT);
    write(source);
    if (isBuilt) swapBuilds();
    const isPassed = await passes(tests);
    if (isBuilt) swapBuilds();
    write(changed(change, source));
    return isPassed;
  };
  write(changed(change, source));
  try {
    for (const tests of [area.unit, ...[...area.whole, ...area.browser].map((test) => [test])]) {
      const needsBuild = area.browser.includes(tests[0] ?? '') && !change.file.startsWith('tracker/');
      if (needsBuild && !existsSync(KEPT) && !(await build())) return { killer: 'vite build', tried };
      tried.push(...tests);
      if (await passes(tests)) for (const test of tests) sound.add(test);
      else if (tests.every((test) => sound.has(test)) || (await passesWithout(tests)))
        return { killer: tests.join(' '), tried };
      else console.error(`${tests.join(' ')} fails without a change: its answers do not count.`);
    }
    return { killer: undefined, tried };
  } finally {
    write(source);
    if (existsSync(KEPT)) {
      rmSync(BUILT, { recursive: true });
      renameSync(KEPT, BUILT);
    }
  }
}

process.on('message', (task: Task) => {
  void tryChange(task).then((answer) => process.send?.(answer));
});
process.on('disconnect', () => void vitest.close().then(() => process.exit()));
process.send?.('open');
