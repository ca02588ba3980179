import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MAX_ADDRESS, MAX_BATCH, MAX_HEADER, MAX_KEY, MAX_NAME, MAX_PROPS, MAX_VALUE } from './limits.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8').replace(/\s+/g, ' ');

test("the tracker's README states the limits of what is sent", () => {
  const readme = read('tracker/README.md');
  expect(readme).toContain(`| \`name\` | text of at most ${MAX_NAME} characters`);
  expect(readme).toContain(
    `| \`props\` | at most ${MAX_PROPS}; keys of 1 to ${MAX_KEY} characters; values are texts of at most ${MAX_VALUE} characters`,
  );
  expect(readme).toContain(`\`url\` and \`action\` are cut to ${MAX_VALUE} characters`);
});

test('the middleware, which ships separately and imports nothing, stays within the limits of the server', () => {
  const reporter = read('tracker/server/reporter.ts').replaceAll('_', '');
  expect(reporter).toContain(`const BATCH = ${MAX_BATCH};`);
  expect(reporter).toContain(`const MAXURL = ${MAX_ADDRESS};`);
  expect(reporter).toContain(`const MAXHEADER = ${MAX_HEADER};`);
});
