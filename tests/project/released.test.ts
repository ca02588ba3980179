// Semantic versions: what a release promised to those who build on it holds in every later version with the same major number.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { testApp } from '../setup/app.ts';
import { tempFolder } from '../setup/folder.ts';
import { startPostgres } from '../setup/stores/postgres.ts';
import { ARCHIVES, type Form, LATER, numbersOf, unpack } from './released/data.ts';
import { promised, REQUIRED } from './released/promised.ts';

const folder = new URL('released/', import.meta.url);
const majorOf = (version: string) => version.split('.')[0];
const releases = readdirSync(folder).flatMap((file) => (file.endsWith('.txt') ? [file.replace('.txt', '')] : []));
const FORMS = Object.keys(ARCHIVES) as Form[];
const now = promised();

/** The changes that break whoever relies on `before`: lines that are gone, and new demands on what was there already. */
function brokenBy(before: readonly string[], after: readonly string[]): string[] {
  const isDemand = (line: string) => line.endsWith(REQUIRED);
  const [old, fresh] = [new Set(before), new Set(after)];
  const gone = before.filter((line) => !isDemand(line) && !fresh.has(line));
  /** `api POST /v1/events body.site_id` is part of `api POST /v1/events body`. Parts of what is new may demand what they want. */
  const isOfOld = (line: string) => {
    const whole = line.replace(REQUIRED, '').replace(/^(.+)[. ][^. ]+$/, '$1');
    return old.has(whole) || old.has(`${whole}: object`);
  };
  return [...gone, ...after.filter((line) => isDemand(line) && !old.has(line) && isOfOld(line))];
}

test.each(releases.filter((release) => majorOf(release) === majorOf(manifest.version)))(
  'nothing that %s promised is gone, and nothing more is demanded',
  (release) => {
    const before = readFileSync(new URL(`${release}.txt`, folder), 'utf8')
      .trim()
      .split('\n');
    expect(before.length).toBeGreaterThan(2000);
    expect(brokenBy(before, now)).toEqual([]);
  },
);

test.each(releases.flatMap((release) => FORMS.map((form) => [release, form] as const)))(
  'the data of %s, with its directory in %s, opens with equal numbers',
  async (release, form) => {
    await using place = await tempFolder();
    await using postgres = form === 'postgres' ? await startPostgres() : undefined;
    const archive = new URL(`${release}.${ARCHIVES[form]}`, folder).pathname;
    await unpack(archive, { folder: place.path, databaseUrl: postgres?.url });
    const env = postgres && { DATABASE_URL: postgres.url };
    await using app = await testApp({ folder: place.path, now: LATER, ...(env && { env }) });
    const told = JSON.parse(readFileSync(new URL(`${release}.numbers.json`, folder), 'utf8')) as unknown;
    expect(await numbersOf(app)).toEqual(told);
  },
);

test('this version has its list', () => {
  expect(releases).toContain(manifest.version);
});

test('a field that goes, another type and a new demand are noticed, and what is added is not', () => {
  const before = [
    'api GET /v1/a',
    'api GET /v1/a ?b',
    'api GET /v1/a 200.c: string',
    'manage x',
    'manage x --y',
    'manage x --y required',
  ];
  expect(brokenBy(before, before)).toEqual([]);
  expect(
    brokenBy(before, [
      ...before,
      'api GET /v1/a ?d',
      'api GET /v1/new',
      'api GET /v1/new ?e required',
      'api GET /v1/a ?f[]: object',
      'api GET /v1/a ?f[].g required',
    ]),
  ).toEqual([]);
  expect(
    brokenBy(
      before,
      before.filter((line) => !line.endsWith(REQUIRED)),
    ),
  ).toEqual([]);
  const after = [
    'api GET /v1/a',
    'api GET /v1/a ?b',
    'api GET /v1/a ?b required',
    'api GET /v1/a 200.c: number',
    'manage x',
    'manage x --y',
  ];
  expect(brokenBy(before, after)).toEqual(['api GET /v1/a 200.c: string', 'api GET /v1/a ?b required']);
});
