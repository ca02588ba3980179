// Every attack, promise and fault of the closed sets has a test under its tag.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { TestModule } from 'vitest/node';
import { ATTACKS, FAULTS, PROMISES } from '../setup/run/harness.ts';
import HarnessLines from '../setup/run/harness-reporter.ts';

const root = new URL('../..', import.meta.url).pathname;
const sources = ['server', 'src', 'tests', 'tracker']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(root, folder, name)),
  )
  .filter((file) => file.endsWith('.test.ts') && !file.endsWith('harness.test.ts'))
  .map((file) => readFileSync(file, 'utf8'));

test.each([
  ['attack', 'showsRefused', ATTACKS],
  ['promise', 'showsKept', PROMISES],
  ['fault', 'showsSurvived', FAULTS],
] as const)('every %s has a test', (tag, by, members) => {
  const showing = sources.filter((text) => text.includes(`${by}(`));
  expect(members.filter((member) => !showing.some((text) => text.includes(`'${member}'`)))).toEqual([]);
  expect(showing.filter((text) => !text.includes(`@module-tag ${tag}`)).map((text) => text.slice(0, 80))).toEqual([]);
});

test('a long run reports only its own kind, and fails when a member of it is missing', () => {
  const show = (kind: string, of: string) => ({
    meta: () => ({ shown: [{ kind, of, cases: 1 }] }),
    result: () => ({ state: 'passed' }),
  });
  const last = (promises: readonly string[]) => {
    const tests = [...promises.map((of) => show('promise', of)), show('fault', FAULTS[0])];
    const print = vi.spyOn(console, 'log').mockReturnValue(undefined);
    new HarnessLines().onTestRunEnd([{ children: { allTests: () => tests } }] as unknown as TestModule[]);
    const lines = print.mock.calls.flat();
    print.mockRestore();
    const code = process.exitCode;
    process.exitCode = undefined;
    return [lines.at(-1), lines.filter((line) => String(line).includes('faults')).length, code];
  };
  vi.stubEnv('HARNESS', 'promise');
  try {
    const all = PROMISES.length;
    expect(last(PROMISES)).toEqual([`promises kept: ${all} / ${all}`, 0, undefined]);
    expect(last(PROMISES.slice(1))).toEqual([`promises kept: ${all - 1} / ${all}`, 0, 1]);
  } finally {
    vi.unstubAllEnvs();
  }
});
