import { availableParallelism } from 'node:os';
import { describe, expect, test } from 'vitest';
import { ConfigError, environment, isLoopbackHost, readConfig, workersOf } from './config.ts';

describe('the environment', () => {
  test('may be empty', () => {
    expect(readConfig({})).toMatchObject({
      PORT: 3000,
      HOST: '127.0.0.1',
      DATA_DIR: './data',
      ROLE: 'all',
      TRUST_PROXY: [],
    });
  });

  test('treats an empty value as missing, for each variable', () => {
    const empty = Object.fromEntries(Object.keys(environment.shape).map((name) => [name, '']));
    expect(readConfig(empty)).toEqual(readConfig({}));
  });

  test.each([
    [{ PORT: 'x' }, 'PORT: must be a port from 0 to 65535'],
    [{ ROLE: 'king' }, 'ROLE: '],
    [{ TRUST_PROXY: 'nginx' }, 'TRUST_PROXY: must be `loopback` or a list of CIDR ranges'],
    [{ DATABASE_URL: 'mysql://x/y' }, 'DATABASE_URL: must be an address such as postgres://'],
    [{ DATABASE_URL: 'postgres://a,,b/x' }, 'DATABASE_URL: must be an address such as postgres://'],
    [{ DATABASE_URL: 'postgres://a,b/x?target_session_attrs=any' }, 'DATABASE_URL: needs a server that accepts writes'],
    [{ TLS_CERT: '/cert.pem' }, 'TLS_CERT and TLS_KEY go together'],
    [{ BASE_URL: 'http://stats.example.com' }, 'BASE_URL: must be https unless it names this machine'],
    [{ CLICKHOUSE_URL: 'redis://x' }, 'CLICKHOUSE_URL: must be an address such as http://'],
    [{ CLICKHOUSE_URL: 'http://a:8123,b:8123' }, 'CLICKHOUSE_URL: several hosts are those of a cluster'],
    [{ CLICKHOUSE_CLUSTER: 'footfall' }, 'CLICKHOUSE_CLUSTER: needs CLICKHOUSE_URL'],
    [{ CLICKHOUSE_URL: 'http://a:8123', CLICKHOUSE_CLUSTER: "x' y" }, 'CLICKHOUSE_CLUSTER: must be a name'],
    [{ ROLE: 'web' }, 'ROLE=web: needs stores that processes can share: set CLICKHOUSE_URL and REDIS_URL.'],
    [{ RATE_LIMIT_PER_MINUTE: '0' }, 'RATE_LIMIT_PER_MINUTE: '],
  ])('with %o is refused with a sentence that says what to do', (env, message) => {
    expect(() => readConfig(env)).toThrow(ConfigError);
    expect(() => readConfig(env)).toThrow(message);
  });

  test('recognises the names of this machine', () => {
    expect(
      ['localhost', 'a.localhost', '127.0.0.1', '[::1]', 'example.com', '127.example.com'].map(isLoopbackHost),
    ).toEqual([true, true, true, true, false, false]);
  });
});

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
