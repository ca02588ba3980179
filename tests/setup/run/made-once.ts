// What a run makes once, when a test first asks for it: global.ts answers on a socket, which the workers inherit the path of.
import { request } from 'node:http';
import { text } from 'node:stream/consumers';

const SOCKET = 'FOOTFALL_TEST_SHARED';
export type Shared = 'postgres' | 'stores';

/** Set by global.ts. */
export function shareOn(socketPath: string): void {
  process.env[SOCKET] = socketPath;
}

/** The answer for that name; undefined outside of a run. */
export async function askShared(name: Shared): Promise<string | undefined> {
  const socketPath = process.env[SOCKET];
  if (socketPath === undefined) return undefined;
  return new Promise((resolve, reject) => {
    request({ socketPath, path: `/${name}` }, (response) => {
      text(response).then((body) => (response.statusCode === 200 ? resolve(body) : reject(new Error(body))), reject);
    })
      .on('error', reject)
      .end();
  });
}
