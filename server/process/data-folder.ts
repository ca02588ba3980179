// Keeps DATA_DIR readable by the server's own user only, since it holds keys, sessions and events. Entry points set `umask 0077` for new
// files. For files that an earlier start, a copy or a restored backup left readable, this module removes the permissions of other users.
import { access, chmod, constants, lstat, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../config.ts';

/** Permissions of the group and of others. */
const OTHERS = 0o077;
/** Lines of the security log for commands that ran without a server. */
export const SECURITY_FILE = 'security.log';
/** Names of Footfall's own files. */
const OURS =
  /^(control\.sock$|(w|workers)-[0-9a-f]+\.sock$|security\.log$|events$|exports(?:-making)?$|backup-files$|upgrade-backup$|\w+\.sqlite)/;
/** Hidden files, and the folder that every freshly formatted disk has. */
const IGNORED = /^(\.|lost\+found$)/;

/**
 * Creates the folder if it is missing, and takes away others' permissions for it and its content. Returns whether others had any.
 * Throws a ConfigError if the folder is not writable, or if its permissions cannot be changed.
 */
export async function prepareDataFolder(dataDir: string): Promise<{ wasOpen: boolean }> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const path = await realpath(dataDir).catch(() => dataDir);
    throw new ConfigError(`DATA_DIR: ${path} is not writable: give it to this user, or choose another folder.`, {
      cause,
    });
  }
  const folder = await realpath(dataDir);
  const names = await readdir(folder);
  const isFolderOpen = isOpen((await stat(folder)).mode);
  const foreign = names.find((name) => !OURS.test(name) && !IGNORED.test(name));
  // Closing a folder that others use would break it for them, for example with DATA_DIR=/tmp.
  if (isFolderOpen && foreign !== undefined)
    throw new ConfigError(
      `DATA_DIR: other users can read ${folder}, which also holds other files (${foreign}): choose a folder of its own, or close this one with \`chmod go= '${folder}'\`.`,
    );
  // Follows links at the top level, since an operator may link another disk here. Deeper links point into these folders.
  const entries = await Promise.all(
    names.filter((name) => OURS.test(name)).map((name) => realpath(join(folder, name)).catch(() => join(folder, name))), // gone, or leads nowhere
  );
  const areOpen = await Promise.all(entries.map(async (path) => isOpen((await found(path))?.mode ?? 0)));
  const wasOpen = names.length > 0 && (isFolderOpen || areOpen.includes(true));
  // Children before parents: if the start is killed half-way, the next one still finds the folder open and starts over.
  if (wasOpen) for (const path of entries) await closeTree(path);
  await close(folder);
  return { wasOpen };
}

async function closeTree(path: string): Promise<void> {
  const below = (await found(path))?.isDirectory() ? await readdir(path).catch(() => []) : [];
  for (const name of below) await closeTree(join(path, name));
  await close(path);
}

async function close(path: string): Promise<void> {
  const before = await found(path);
  if (!before || before.isSymbolicLink() || !isOpen(before.mode)) return;
  let cause: unknown;
  await chmod(path, before.mode & 0o7777 & ~OTHERS).catch((error: unknown) => (cause = error));
  const after = await found(path); // some file systems ignore permissions silently
  if (after && isOpen(after.mode))
    throw new ConfigError(
      `DATA_DIR: other users can read ${path}, and this user cannot change that: ask its owner to close it with \`chmod go= '${path}'\`, or choose another folder.`,
      { cause },
    );
}

/** Returns undefined if the file no longer exists: a running server may delete files. */
function found(path: string) {
  return lstat(path).catch(() => undefined);
}

function isOpen(mode: number): boolean {
  return (mode & OTHERS) !== 0;
}
