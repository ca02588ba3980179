// DATA_DIR holds keys, sessions and events: it is for the server's own user alone. Entry points set `umask 0077` before anything is
// written; this closes what an earlier start, a copy or a restored backup left open to others.
import { access, chmod, constants, lstat, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from './config.ts';

/** Permissions of the group and of others. */
const OTHERS = 0o077;
/** What Footfall keeps here. */
const OURS = /^(control\.sock$|events$|\w+\.sqlite)/;
/** What any folder or disk may hold, and nobody keeps there on purpose. */
const ANYWHERE = /^(\.|lost\+found$)/;

/**
 * Makes the folder where it is missing, and closes it to other users with all that is in it. Returns whether others could read
 * something of it until now. Throws a ConfigError where it cannot be used, or cannot be closed.
 */
export async function prepareDataFolder(dataDir: string): Promise<{ wasOpen: boolean }> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const path = await realpath(dataDir).catch(() => dataDir);
    throw new ConfigError(`DATA_DIR: ${path} may not be written to; give it to this user, or choose another folder.`, {
      cause,
    });
  }
  const folder = await realpath(dataDir);
  const names = await readdir(folder);
  const isFolderOpen = isOpen((await stat(folder)).mode);
  const foreign = names.find((name) => !OURS.test(name) && !ANYWHERE.test(name));
  // To close what others use as well would break it for them: DATA_DIR=/tmp, for one.
  if (isFolderOpen && foreign !== undefined)
    throw new ConfigError(
      `DATA_DIR: other users can read ${folder}, which holds other things too (${foreign}); choose a folder of its own, or close this one with \`chmod go= '${folder}'\`.`,
    );
  // A disk of its own may be linked in here; deeper links lead to what is here anyway.
  const entries = await Promise.all(
    names.filter((name) => OURS.test(name)).map((name) => realpath(join(folder, name)).catch(() => join(folder, name))), // gone, or leads nowhere
  );
  const areOpen = await Promise.all(entries.map(async (path) => isOpen((await found(path))?.mode ?? 0)));
  const wasOpen = names.length > 0 && (isFolderOpen || areOpen.includes(true));
  // Children before their parents: a start that is killed half-way finds the folder still open, and begins again.
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
  const after = await found(path); // some disks know no permissions, and say nothing
  if (after && isOpen(after.mode))
    throw new ConfigError(
      `DATA_DIR: other users can read ${path}, and this user cannot change that; have its owner close it with \`chmod go= '${path}'\`, or choose another folder.`,
      { cause },
    );
}

/** Undefined for what has gone since: the server may be at work here. */
function found(path: string) {
  return lstat(path).catch(() => undefined);
}

function isOpen(mode: number): boolean {
  return (mode & OTHERS) !== 0;
}
