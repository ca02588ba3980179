import { availableParallelism } from 'node:os';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../config.ts';
import { workersOf } from './count.ts';

describe('the number of workers', () => {
  const GB = 1e9;

  test.each([
    // cores, memory, workers
    [1, 64 * GB, 1],
    [2, 64 * GB, 1],
    [3, 64 * GB, 2],
    [4, 64 * GB, 3],
    [5, 64 * GB, 4],
    [64, 64 * GB, 4],
    [8, 3.9 * GB, 3],
    [8, 1.5 * GB, 1],
    [8, 0.5 * GB, 1],
  ])(
    'is one less than the cores, within 4 and one per GB: %i cores with %i bytes have %i',
    (cores, memoryBytes, of) => {
      expect(workersOf(readConfig({}), { cores, memoryBytes })).toBe(of);
      expect(workersOf(readConfig({ WORKERS: '' }), { cores, memoryBytes })).toBe(of);
    },
  );

  test('is that of this machine by default', () => {
    const found = workersOf(readConfig({}));
    expect(found).toBeGreaterThanOrEqual(1);
    expect(found).toBeLessThanOrEqual(Math.max(1, availableParallelism() - 1));
  });

  test('is what WORKERS says, whatever the machine has', () => {
    const small = { cores: 1, memoryBytes: 0.5 * GB };
    expect(workersOf(readConfig({ WORKERS: '1' }), { cores: 8, memoryBytes: 64 * GB })).toBe(1);
    expect(workersOf(readConfig({ WORKERS: '7' }), small)).toBe(7);
    expect(() => readConfig({ WORKERS: '0' })).toThrow('WORKERS: ');
    expect(() => readConfig({ WORKERS: '65' })).toThrow('WORKERS: ');
    expect(() => readConfig({ WORKERS: 'all' })).toThrow('WORKERS: must be a whole number');
  });

  test('is 1 for a process that takes no events, and in development, whatever WORKERS says', () => {
    const machine = { cores: 8, memoryBytes: 64 * GB };
    const shared = { CLICKHOUSE_URL: 'http://localhost:8123', REDIS_URL: 'redis://localhost' };
    expect(workersOf(readConfig({ ...shared, ROLE: 'writer', WORKERS: '7' }), machine)).toBe(1);
    expect(workersOf(readConfig({ NODE_ENV: 'development', WORKERS: '7' }), machine)).toBe(1);
  });
});
