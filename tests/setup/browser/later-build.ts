// The build of a later version: the same dashboard under other file names, so that after an update the files of the earlier one are gone.
import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tempFolder } from '../folder.ts';

export const BUILD = join(import.meta.dirname, '../../../build');

export async function laterBuild(): Promise<AsyncDisposable & { path: string; version: string }> {
  const folder = await tempFolder();
  const app = join(folder.path, 'app');
  await cp(join(BUILD, 'app'), app, { recursive: true });
  const files = (await readdir(app, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('/marks-'))
    .map((entry) => ({ name: entry.name, path: join(entry.parentPath, entry.name) }));
  const { version } = JSON.parse(await readFile(join(app, '_app/version.json'), 'utf8')) as { version: string };
  const renamed = new Map([[version, `later-${version}`]]);
  for (const { name, path } of files) {
    const hash = path.includes('/immutable/') ? /(?:^|\.)([\w-]{7,8})\.\w+$/.exec(name)?.[1] : undefined;
    if (hash) renamed.set(hash, `later-${hash}`);
  }
  const later = (text: string) => text.replaceAll(anyOf, (found) => renamed.get(found) ?? found);
  const anyOf = new RegExp([...renamed.keys()].join('|'), 'g');
  for (const { name, path } of files) {
    if (/\.(br|gz)$/.test(name)) {
      await rm(path);
      continue;
    }
    if (/\.(js|css|html|json)$/.test(name)) await writeFile(path, later(await readFile(path, 'utf8')));
    await rename(path, join(path, '..', later(name)));
  }
  const messages = join(app, '_app/immutable/messages-');
  await rename(messages + version, messages + later(version));
  return {
    path: folder.path,
    version: `later-${version}`,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
