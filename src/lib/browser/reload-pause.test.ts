import { afterEach, expect, test, vi } from 'vitest';
import { nextReload, rememberReload } from './reload-pause';

const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 10, 20, 12);

function keep(value?: string): void {
  const kept = new Map(value === undefined ? [] : [['footfall.reloaded', value]]);
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => kept.set(key, text),
  });
}

afterEach(() => vi.unstubAllGlobals());

test('a tab that keeps finding another version reloads after 0, 1, 3, 7, 15, 31 and 63 minutes, and then each hour', () => {
  keep();
  const minutes: number[] = [];
  for (let minute = 0; minute <= 240; minute += 1) {
    const next = nextReload(START + minute * MINUTE_MS);
    if (next && rememberReload(next)) minutes.push(minute);
  }
  expect(minutes).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183]);
});

test('two hours later, or after the clock was set back, the pause is a minute again', () => {
  for (const at of [START - 120 * MINUTE_MS, START + 1]) {
    keep(JSON.stringify({ at, pauseMs: 60 * MINUTE_MS }));
    expect(nextReload(START)).toEqual({ at: START, pauseMs: MINUTE_MS });
  }
});

test('a tab without storage does not reload by itself, and one with a strange value may', () => {
  vi.stubGlobal('sessionStorage', undefined);
  expect(rememberReload({ at: START, pauseMs: MINUTE_MS })).toBe(false);
  for (const value of ['', 'null', '{}', '{"at":"now","pauseMs":1}']) {
    keep(value);
    expect(nextReload(START)).toEqual({ at: START, pauseMs: MINUTE_MS });
  }
});
