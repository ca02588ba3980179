// The licences of what ships: written down, up to date with the lock file, and none that would oblige Footfall to publish its source.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { isAllowed, makeNotices, NOTICES_FILE, readBundled, readLock, shippedBy } from '../../notices.ts';

const lockOf = (packages: Record<string, object>) => ({ packages }) as unknown as ReturnType<typeof readLock>;

describe('THIRD-PARTY-NOTICES.md', () => {
  test('is up to date with the lock file: `npm run notices` generates it again', async () => {
    expect(await readFile(NOTICES_FILE, 'utf8')).toBe(makeNotices(readLock(), readBundled()));
  });

  test('has what the server needs and what the dashboard’s files contain, and none of our tools', () => {
    const names = shippedBy(readLock(), readBundled()).map(({ name }) => name);
    for (const name of [
      'better-auth',
      'chdb',
      'pg',
      'zod',
      'svelte',
      'uplot',
      'socket.io-client',
      'crawler-user-agents',
    ])
      expect(names).toContain(name);
    for (const name of ['vitest', 'vite', 'eslint', 'typescript', 'playwright-core', 'prettier'])
      expect(names).not.toContain(name);
  });

  test('finds a package where Node would, in two versions where there are two', () => {
    const lock = lockOf({
      '': { dependencies: { a: '1', b: '1' } },
      'node_modules/a': { version: '1.0.0', license: 'MIT', dependencies: { c: '2' } },
      'node_modules/a/node_modules/c': {
        version: '2.0.0',
        license: 'MIT',
        optionalDependencies: { absent: '1', d: '1' },
      },
      'node_modules/b': { version: '1.0.0', license: 'MIT', dependencies: { c: '1' } },
      'node_modules/c': { version: '1.0.0', license: 'MIT' },
      'node_modules/d': { version: '1.0.0', license: 'MIT' },
      'node_modules/unused': { version: '1.0.0', license: 'AGPL-3.0-only' },
      ...Object.fromEntries(
        [
          '@tryghost/referrer-parser',
          'cldr-subdivisions-full',
          'crawler-user-agents',
          'iso-3166',
          'minisearch',
          'web-vitals',
        ].map((name) => [`node_modules/${name}`, { version: '1.0.0', license: 'MIT' }]),
      ),
    });
    const found = shippedBy(lock, []).map(({ name, version }) => `${name} ${version}`);
    expect(found.filter((one) => /^[a-z] /.test(one))).toEqual(['a 1.0.0', 'b 1.0.0', 'c 1.0.0', 'c 2.0.0', 'd 1.0.0']);
    lock.packages['node_modules/d'] = { version: '1.0.0', license: 'AGPL-3.0-only' };
    expect(() => makeNotices(lock, [])).toThrow('These ship under a licence that is not allowed: d (AGPL-3.0-only).');
  });

  test.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0)', true],
    ['(BSD-2-Clause AND MIT)', true],
    ['SEE LICENSE IN DBIP-LICENSE (CC-BY-4.0)', true],
    ['MPL-2.0', true],
    ['GPL-3.0-only', false],
    ['AGPL-3.0-or-later', false],
    ['LGPL-2.1', false],
    ['MIT AND GPL-2.0', false],
    ['SEE LICENSE IN LICENSE', false],
    ['UNLICENSED', false],
    ['', false],
  ])('a package under "%s" may ship: %s', (license, may) => {
    expect(isAllowed(license)).toBe(may);
  });
});

test('`npm run sbom` lists every package of the lock file, in CycloneDX with its version and the hash that the lock file has', async () => {
  const root = new URL('../..', import.meta.url).pathname;
  await promisify(execFile)('npm', ['run', '--silent', 'sbom'], { cwd: root });
  const sbom = JSON.parse(await readFile(`${root}build/footfall.cdx.json`, 'utf8')) as {
    bomFormat: string;
    components: { purl: string; hashes?: unknown[] }[];
  };
  expect(sbom.bomFormat).toBe('CycloneDX');
  const listed = Map.groupBy(sbom.components, ({ purl }) => purl.split('?')[0]);
  for (const [path, { version, integrity, link }] of Object.entries(readLock().packages)) {
    if (link || !path.startsWith('node_modules/')) continue; // ours
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const found = listed.get(`pkg:npm/${name.replace('@', '%40')}@${version}`) ?? [];
    expect(found, name).not.toEqual([]);
    expect([name, found.some(({ hashes = [] }) => hashes.length > 0)]).toEqual([name, integrity !== undefined]);
  }
});
