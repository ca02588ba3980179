// Every attack, promise and fault of the closed sets has a test under its tag.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ATTACKS, FAULTS, PROMISES } from './setup/harness.ts';

const root = new URL('..', import.meta.url).pathname;
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
