/** @module-tag attack */
// DATA_DIR is private to the server's own user, whoever created it, and whatever the umask of the shell that started the server. It belongs to
// one version.
import { chmod, chown, lstat, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DIRECTORY_FILE, openDirectory } from '../../server/directory/open.ts';
import { prepareDataFolder } from '../../server/process/data-folder.ts';
import { testApp } from '../setup/app.ts';
import { tempFolder } from '../setup/folder.ts';
import { runManage } from '../setup/processes/manage.ts';
import { failToStart, startServer } from '../setup/server.ts';
import { EARLIEST } from '../setup/stores/later-version.ts';
import { openMigrating } from '../setup/stores/migrate-store.ts';
import { showsRefused } from '../setup/run/harness.ts';

const OWNER = ['--email', 'ada@example.com', '--password', 'correct horse battery', '--plan', 'pro'];

/** Everything in the folder, itself included, that the group or others may read, write or enter; links have no modes. */
async function openTo(folder: string): Promise<string[]> {
  const paths = [folder, ...(await readdir(folder, { recursive: true })).map((name) => join(folder, name))];
  const modes = await Promise.all(
    paths.map(async (path) => ({ path, found: await lstat(path).catch(() => undefined) })),
  );
  return modes.flatMap(({ path, found }) =>
    found && !found.isSymbolicLink() && (found.mode & 0o077) !== 0
      ? [`${(found.mode & 0o777).toString(8)} ${path}`]
      : [],
  );
}

async function manage(folder: string, ...args: string[]): Promise<{ code: number | null; stderr: string }> {
  const { code, stderr } = await runManage(args, { DATA_DIR: folder, LOG_LEVEL: 'silent' });
  return { code, stderr };
}

describe('a folder that another version of Footfall has used prevents the start, with one sentence', () => {
  const sentence = (path: string) =>
    `DATA_DIR: ${path} was made by a later version of Footfall, or by one before 1.0.0: use that version.\n`;

  test('for its accounts and sites', async () => {
    await using folder = await tempFolder();
    const path = join(folder.path, DIRECTORY_FILE);
    await (await openDirectory({ path, migrations: EARLIEST })).close();
    await prepareDataFolder(folder.path);
    expect(await failToStart({ DATA_DIR: folder.path })).toEqual({
      code: 1,
      said: `Footfall did not start. ${sentence(path)}`,
    });
    expect(await manage(folder.path, 'account', 'create', ...OWNER)).toEqual({ code: 1, stderr: sentence(path) });
    await (await openDirectory({ path, migrations: EARLIEST })).close();
  });

  test('for its events', async () => {
    await using folder = await tempFolder();
    await (await testApp({ folder: folder.path }))[Symbol.asyncDispose]();
    const path = join(folder.path, 'events');
    const client = await openMigrating({ path });
    await client.insert({ table: 'migrations', values: [{ name: '002-ai-visits.sql' }], format: 'JSONEachRow' });
    await client.close();
    await prepareDataFolder(folder.path);
    expect(await failToStart({ DATA_DIR: folder.path })).toEqual({
      code: 1,
      said: `Footfall did not start. ${sentence(path)}`,
    });
  });
});

describe('no other user of the machine can read what is in DATA_DIR', () => {
  test('after `manage` created it before the first start, or when it existed, and the server has written to it', async () => {
    showsRefused('data folder readable by others');
    expect(process.umask() & 0o077).not.toBe(0o077); // otherwise the processes below would be private because of the shell
    await using place = await tempFolder();
    const folder = join(place.path, 'data');
    await mkdir(folder, { mode: 0o755 });
    await chmod(folder, 0o755);
    expect(await manage(folder, 'account', 'create', ...OWNER)).toEqual({ code: 0, stderr: '' });
    expect(await openTo(folder)).toEqual([]);
    await manage(folder, 'site', 'create', '--account', 'ada@example.com', '--domain', 'example.com');

    await using server = await startServer({ DATA_DIR: folder });
    const sent = { site: 'example.com', name: 'pageview', url: 'https://example.com/' };
    const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x64; rv:142.0) Gecko/20100101 Firefox/142.0' };
    const answer = await fetch(`${server.url}/foot`, { method: 'POST', headers: browser, body: JSON.stringify(sent) });
    expect(answer.status).toBe(202);
    // Through the control socket, and with table parts and write-ahead logs that the engines create.
    expect(await manage(folder, 'seed', '--days', '3', '--visits', '20')).toMatchObject({ code: 0 });
    expect(await openTo(folder)).toEqual([]);
    await server.end('SIGTERM');
    expect(await openTo(folder)).toEqual([]);
    expect((await readdir(folder)).sort()).toEqual(expect.arrayContaining(['directory.sqlite', 'events']));
  });

  test('an open folder of an earlier version is closed at the start, down to the last file', async () => {
    showsRefused('data folder readable by others');
    await using place = await tempFolder();
    const folder = join(place.path, 'data');
    {
      await using app = await testApp({ folder });
      await app.addSite();
    }
    const below = (await readdir(folder, { recursive: true })).map((name) => join(folder, name));
    for (const path of [folder, ...below]) {
      const found = await lstat(path);
      if (!found.isSymbolicLink()) await chmod(path, found.isDirectory() ? 0o755 : 0o644);
    }
    await using server = await startServer({ DATA_DIR: folder });
    expect(await openTo(folder)).toEqual([]);
    expect(server.output()).toContain('other users of this machine could read DATA_DIR: they no longer can');
  });

  test('a folder linked in from another disk is closed too, and a private one is left alone', async () => {
    await using place = await tempFolder();
    const [folder, disk] = [join(place.path, 'data'), join(place.path, 'disk')];
    for (const path of [folder, disk]) await mkdir(path, { mode: 0o755 });
    await writeFile(join(disk, 'part.bin'), 'rows', { mode: 0o644 });
    await symlink(disk, join(folder, 'events'));
    expect(await prepareDataFolder(folder)).toEqual({ wasOpen: true });
    expect(await openTo(folder)).toEqual([]);
    expect(await openTo(disk)).toEqual([]);
    expect(await prepareDataFolder(folder)).toEqual({ wasOpen: false });
  });

  test('a folder that others may enter, as one made for a volume, is closed', async () => {
    showsRefused('data folder readable by others');
    await using place = await tempFolder();
    await mkdir(join(place.path, 'lost+found')); // as a mounted disk has it
    await chmod(place.path, 0o777);
    await prepareDataFolder(place.path);
    expect((await stat(place.path)).mode & 0o777).toBe(0o700);
  });

  test('a folder that also holds other things is left as it is, and the start is refused', async () => {
    await using place = await tempFolder();
    const folder = join(place.path, 'home');
    await mkdir(folder);
    await chmod(folder, 0o755);
    await writeFile(join(folder, 'letter.txt'), '');
    const sentence = `DATA_DIR: other users can read ${folder}, which also holds other files (letter.txt): choose a folder of its own, or close this one with \`chmod go= '${folder}'\`.`;
    expect(await failToStart({ DATA_DIR: folder })).toEqual({ code: 1, said: `Footfall did not start. ${sentence}\n` });
    expect(await manage(folder, 'account', 'create', ...OWNER)).toEqual({ code: 1, stderr: `${sentence}\n` });
    expect(await readdir(folder)).toEqual(['letter.txt']);
    expect((await stat(folder)).mode & 0o777).toBe(0o755);
    // Once the folder is closed to others, the operator decides what else it contains.
    await chmod(folder, 0o700);
    expect(await prepareDataFolder(folder)).toEqual({ wasOpen: false });
  });

  test.skipIf(process.getuid?.() !== 0)(
    'a folder that is open to others and belongs to another user prevents the start',
    async () => {
      await using place = await tempFolder();
      await chmod(place.path, 0o711);
      const folder = join(place.path, 'data');
      await mkdir(folder);
      await chown(folder, 65_533, 65_534);
      await chmod(folder, 0o770);
      const { code, said } = await failToStart({ DATA_DIR: folder }, { user: { uid: 65_534, gid: 65_534 } });
      expect({ code, said }).toEqual({
        code: 1,
        said: `Footfall did not start. DATA_DIR: other users can read ${folder}, and this user cannot change that: ask its owner to close it with \`chmod go= '${folder}'\`, or choose another folder. (EPERM: operation not permitted, chmod '${folder}')\n`,
      });
    },
  );
});
