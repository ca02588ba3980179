import { describe, expect, test } from 'vitest';
import { ConfigError, environment, isLoopbackHost, readConfig, terminalLanguage } from '../../server/config.ts';

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
    [{ MEMORY: '512' }, 'MEMORY: must be a size such as 512m or 2g'],
    [{ MEMORY: '100m' }, 'MEMORY: must be at least 384m'],
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

test.each([
  [{}, undefined],
  [{ LANG: '' }, undefined],
  [{ LANG: 'C' }, undefined],
  [{ LANG: 'C.UTF-8' }, undefined],
  [{ LANG: 'POSIX' }, undefined],
  [{ LANG: '../../de' }, undefined],
  [{ LANG: 'de_DE.UTF-8' }, 'de-DE'],
  [{ LANG: 'de_AT@euro' }, 'de-AT'],
  [{ LANG: 'fr' }, 'fr'],
  [{ LANG: 'de_DE.UTF-8', LC_MESSAGES: 'fr_CA.UTF-8' }, 'fr-CA'],
  [{ LANG: 'de_DE.UTF-8', LC_MESSAGES: '' }, 'de-DE'],
  [{ LANG: 'de_DE.UTF-8', LC_MESSAGES: 'fr_CA.UTF-8', LC_ALL: 'C' }, undefined],
])('a terminal with %o speaks %s', (env, language) => expect(terminalLanguage(env)).toBe(language));
