// Unix sockets in DATA_DIR, which only the server's own user can open.
import { once } from 'node:events';
import { connect } from 'node:net';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { Refusal } from '../errors.ts';
import { t } from '../vocabulary/habits/messages.ts';

/** The size of `sun_path` in unix(7), without the final NUL. */
const MAX_SOCKET_PATH = 107;

/** Returns the absolute or the relative path, whichever is shorter, because the system allows only 107 bytes. */
export function socketPath(dataDir: string, file: string): string {
  const path = resolve(join(dataDir, file));
  const near = relative(process.cwd(), path);
  const shorter = Buffer.byteLength(near) < Buffer.byteLength(path) && !isAbsolute(near) ? near : path;
  if (Buffer.byteLength(shorter) > MAX_SOCKET_PATH)
    throw new Refusal(
      'bad_request',
      t('DATA_DIR: the path of its socket is too long: {path}. Choose a shorter one.', { path }),
    );
  return shorter;
}

/** Returns whether a process listens. A killed process leaves its socket file behind. */
export async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    if (isNobody(error)) return false;
    throw error;
  } finally {
    socket.destroy();
  }
}

/** True for the error of a connection to a socket at which no process listens. */
export function isNobody(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTDIR';
}
