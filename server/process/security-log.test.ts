import { expect, test } from 'vitest';
import type { Log } from './log.ts';
import { openSecurityLog } from './security-log.ts';

function memoryLog() {
  const lines: unknown[] = [];
  const write =
    (level: string) =>
    (says: object, message: string): void =>
      void lines.push({ level, ...says, message });
  const log = { error: write('error'), warn: write('warn'), info: write('info'), debug: write('debug') };
  return { lines, log: log as unknown as Log };
}

test('an event is one line with its ids', () => {
  const { lines, log } = memoryLog();
  const security = openSecurityLog({ log, now: () => 0 });
  security.note('sign_in', { user_id: 'user_1', browser: 'new' });
  security.note('sign_in_refused', {});
  expect(lines).toEqual([
    { level: 'info', event: 'sign_in', user_id: 'user_1', browser: 'new', message: 'security' },
    { level: 'warn', event: 'sign_in_refused', message: 'security' },
  ]);
});

test('a rate limit that takes effect is logged at most once a minute, with the number of unlogged times', () => {
  const { lines, log } = memoryLog();
  let now = 0;
  const security = openSecurityLog({ log, now: () => now });
  for (let n = 0; n < 1_000; n += 1) security.limited('wrong_keys');
  security.limited('api_rate');
  expect(lines).toEqual([
    { level: 'warn', event: 'limit', limit: 'wrong_keys', message: 'security' },
    { level: 'warn', event: 'limit', limit: 'api_rate', message: 'security' },
  ]);
  now += 60_000;
  security.limited('wrong_keys');
  expect(lines[2]).toMatchObject({ limit: 'wrong_keys', unlogged_before: 999 });
});

test('a flood of refusals does not fill the disk', () => {
  const { lines, log } = memoryLog();
  let now = 0;
  const security = openSecurityLog({ log, now: () => now });
  for (let n = 0; n < 10_000; n += 1) security.note('key_refused', {});
  expect(lines).toHaveLength(60);
  now += 60_000;
  security.note('key_refused', {});
  expect(lines.at(-1)).toMatchObject({ event: 'key_refused', unlogged_before: 9_940 });
});
