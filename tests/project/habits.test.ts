// Numbers, dates, lists and plurals are written by server/vocabulary/habits alone: what formats by itself has the habits of somebody else.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;

const HOME = 'server/vocabulary/habits/';
/** Where something else than a text for a reader is made, and why. */
const ALLOWED: Record<string, string> = {
  'server/vocabulary/time/zones.ts': 'reads the offset of a zone from what Intl writes',
  'server/vocabulary/asking/dates.ts': 'reads how many days somebody asks for',
  'server/stats/funnels/funnel-sql.ts': 'writes SQL for the first step',
  'server/vocabulary/imports/values/places.ts': 'reads names of countries in exports of four languages',
};

const FORMATS = [
  /\bnew Intl\.(DateTimeFormat(?!\(\)\.resolvedOptions)|NumberFormat|ListFormat|PluralRules|RelativeTimeFormat|DisplayNames|DurationFormat)\b/,
  /\.toLocale(Date|Time|)String\(/,
  /['"`]en-(GB|US)['"`]/,
  /=== 1\s+\? (['"`])(?:(?!\1).)*\1\s+: ['"`]/,
  /padStart\(2, '0'\)\}:00/,
  /['"]Jan(uary)?['"], ['"]Feb/,
];
/** Values of people and of web servers, instead of texts for readers. */
const VALUES = ['server/jobs/demo/world.ts', 'server/vocabulary/imports/logs/line.ts'];

const files = ['server', 'src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|svelte)$/.test(name) && !name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`),
);
function formatsIn(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return FORMATS.flatMap((one) => [...text.matchAll(new RegExp(one, 'g'))]).map(({ 0: found, index }) => {
    return `${file}:${text.slice(0, index).split('\n').length} ${found}`;
  });
}

test('nothing but the habits makes formatters, and no other file names a locale', () => {
  const others = files.filter((file) => !file.startsWith(HOME) && !(file in ALLOWED) && !VALUES.includes(file));
  expect(others.flatMap(formatsIn)).toEqual([]);
});

test('what is allowed is still needed', () => {
  for (const file of [...Object.keys(ALLOWED), ...VALUES])
    expect([file, formatsIn(file).length > 0]).toEqual([file, true]);
});
