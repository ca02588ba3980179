// docs/asvs.md answers every line of the chapters that it names, and the files and tests that it names exist.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The number of lines up to level 2 in each section of ASVS 5.0 that applies. */
const SECTIONS: Record<string, number> = {
  '6.1': 3,
  '6.2': 12,
  '6.3': 4,
  '6.4': 4,
  '6.5': 5,
  '6.6': 3,
  '6.8': 4,
  '7.1': 3,
  '7.2': 4,
  '7.3': 2,
  '7.4': 5,
  '7.5': 2,
  '7.6': 2,
  '8.1': 2,
  '8.2': 3,
  '8.3': 1,
  '8.4': 1,
  '9.1': 3,
  '9.2': 4,
  '10.1': 2,
  '10.2': 2,
  '10.5': 5,
};

const ROWS = [
  ...read('docs/asvs.md').matchAll(/^\| ([\d.]+) \| (\w+) \| (.+?) \| (?:`(.+?)` )?\| (?:`(.+?)`: (.+?) )?\|$/gm),
].map(([, line = '', answer = '', what = '', file, testFile, title]) => ({
  line,
  answer,
  what,
  file,
  testFile,
  title,
}));

test('docs/asvs.md answers every line of ASVS 5.0 once', () => {
  const lines = Object.entries(SECTIONS).flatMap(([section, count]) =>
    Array.from({ length: count }, (_, index) => `${section}.${index + 1}`),
  );
  expect(ROWS.map(({ line }) => line)).toEqual(lines);
});

test('docs/asvs.md names a file and a test for every line that applies, and both exist', () => {
  for (const { line, answer, file, testFile, title } of ROWS) {
    if (answer === 'none') continue;
    expect([line, ['yes', 'partly', 'no'].includes(answer)]).toEqual([line, true]);
    expect([line, file, file !== undefined && existsSync(join(root, file))]).toEqual([line, file, true]);
    const text = testFile === undefined ? '' : read(testFile);
    expect([line, title, title !== undefined && text.includes(`'${title}'`)]).toEqual([line, title, true]);
  }
});
