// A release: its version in every file that says it, its notes, and checksums that others can check with their own programs.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { generateKeyPairSync } from 'node:crypto';
import { appendFile, cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { BUILT, seal, setVersion } from '../../deploy/release.ts';
import { tempFolder } from '../setup/folder.ts';

const root = new URL('../../', import.meta.url).pathname;
const FILES = ['package.json', 'package-lock.json', 'CHANGELOG.md'];
const NEXT = `## 9.1.0 - unreleased\n\n- One thing.\n\n## 8.0.0 - 2026-01-01\n\n- Another.\n`;

async function checkout() {
  const folder = await tempFolder();
  for (const file of FILES) await cp(join(root, file), join(folder.path, file));
  return folder;
}

test('its version is in the package, twice in the lock file, and the changelog has its day', async () => {
  await using folder = await checkout();
  const read = (file: string) => readFile(join(folder.path, file), 'utf8');
  const before = await read('package-lock.json');
  await writeFile(join(folder.path, 'CHANGELOG.md'), NEXT);
  expect(setVersion(folder.path, '9.1.0', '2026-12-24')).toBe('## 9.1.0 - 2026-12-24\n\n- One thing.\n\n');
  expect(await read('CHANGELOG.md')).toBe(NEXT.replace('unreleased', '2026-12-24'));
  expect((JSON.parse(await read('package.json')) as { version: string }).version).toBe('9.1.0');
  const lock = JSON.parse(await read('package-lock.json')) as {
    version: string;
    packages: Record<string, { version: string }>;
  };
  expect([lock.version, lock.packages['']?.version]).toEqual(['9.1.0', '9.1.0']);
  // No version of a dependency that happens to be the same has changed.
  expect((await read('package-lock.json')).split('"9.1.0"').length - before.split('"9.1.0"').length).toBe(2);
});

test('is refused for what is no version, one before, or one that the changelog does not have or has released', async () => {
  await using folder = await checkout();
  for (const version of ['1.0', 'v1.0.0', '1.0.0-rc.1', '0.9.9', '']) {
    const message = `${version} must be a version such as 1.2.0, and not before ${manifest.version}.`;
    expect(() => setVersion(folder.path, version, '2026-12-24'), version).toThrow(message);
  }
  await writeFile(join(folder.path, 'CHANGELOG.md'), NEXT);
  for (const version of ['9.2.0', '8.0.0'])
    expect(() => setVersion(folder.path, version, '2026-12-24'), version).toThrow('CHANGELOG.md must have a section');
});

test('it has every plugin and client that a server offers, each under a name of its own', () => {
  const offered = readdirSync(join(root, 'build/app')).filter((name) => /^footfall.*\.(zip|py|tpl|tgz)$/.test(name));
  expect(offered.length).toBeGreaterThanOrEqual(2);
  // the one that has the address of the server it comes from
  expect(offered.filter((name) => !(`build/app/${name}` in BUILT))).toEqual(['footfall-gtm.tpl']);
  expect(Object.keys(BUILT).filter((file) => !existsSync(join(root, file)) && !file.endsWith('.cdx.json'))).toEqual([]);
  const names = Object.values(BUILT).map((nameOf) => nameOf('9.1.0'));
  expect(new Set(names).size).toBe(names.length);
});

test('its checksums and their signature are right for sha256sum and OpenSSL, until a file changes', async () => {
  await using folder = await tempFolder();
  const inFolder = (name: string) => join(folder.path, name);
  for (const name of ['a.tar.gz', 'NOTES.md']) await writeFile(inFolder(name), name);
  const { publicKey, privateKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  seal(folder.path, privateKey);
  await writeFile(inFolder('key.pem'), publicKey);
  const run = (program: string, ...args: string[]) => promisify(execFile)(program, args, { cwd: folder.path });
  const check = () => run('sha256sum', '--check', '--strict', 'SHA256SUMS');
  const verify = () =>
    run('openssl', ...'pkeyutl -verify -pubin -inkey key.pem -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig'.split(' '));
  expect((await check()).stdout).toBe('NOTES.md: OK\na.tar.gz: OK\n');
  expect((await verify()).stdout).toContain('Verified Successfully');
  await appendFile(inFolder('a.tar.gz'), 'x');
  await expect(check()).rejects.toThrow();
  await appendFile(inFolder('SHA256SUMS'), 'x');
  await expect(verify()).rejects.toThrow();
});
