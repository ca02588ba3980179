// `/footfall-VERSION.tgz`: the package that site owners install, under an address whose bytes never change.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../errors.ts';
import type { Directory } from '../directory/open.ts';
import { packageOf } from '../sites/packages.ts';

const ADDRESS = /^\/(footfall-\d[\w.-]{0,60}\.tgz)$/;
/** A few versions, some 15 kB each. */
const MAX_HELD = 8;

export type PackageDoor = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>;

export const isPackageAddress = (pathname: string): boolean => ADDRESS.test(pathname);

/** `newest` is the file name of what this server was built with. */
export function openPackages({ directory, newest }: { directory: Directory; newest: string | undefined }): {
  /** Sends on to the newest version, for people: a lock file that named this address would break with the next version. */
  newest: PackageDoor;
  version: PackageDoor;
} {
  const held = new Map<string, Buffer>();

  const read = async (name: string): Promise<Buffer | undefined> => {
    const known = held.get(name) ?? (await packageOf(directory, name));
    if (!known) return undefined;
    if (held.size >= MAX_HELD) held.clear();
    held.set(name, known);
    return known;
  };

  return {
    newest: (_request, response) => {
      if (!newest) throw new Refusal('not_found', 'The package is not built: run `npm run build`.');
      response.writeHead(302, { location: `/${newest}`, 'cache-control': 'no-cache' }).end();
      return Promise.resolve();
    },
    version: async (request, response, { pathname }) => {
      const archive = await read(ADDRESS.exec(pathname)?.[1] ?? '');
      if (!archive) throw new Refusal('not_found', 'There is no such version of the package.');
      response.writeHead(200, {
        'content-type': 'application/gzip',
        'content-length': archive.length,
        'cache-control': 'public, max-age=31536000, immutable',
      });
      response.end(request.method === 'HEAD' ? undefined : archive);
    },
  };
}
