// Serves `/footfall-VERSION.tgz`, the npm package that site owners install. The content at an address never changes.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../../errors.ts';
import type { Directory } from '../../directory/open.ts';
import { packageOf } from '../../sites/packages.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const ADDRESS = /^\/(footfall-\d[\w.-]{0,60}\.tgz)$/;
const MAX_CACHED = 8; // about 15 kB each

type PackageHandler = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>;

export const isPackageAddress = (pathname: string): boolean => ADDRESS.test(pathname);

/** `newest` is the file name of the package that this server was built with. */
export function openPackages({ directory, newest }: { directory: Directory; newest: string | undefined }): {
  /** Redirects people to the newest version. Lock files need the versioned address, whose content stays the same. */
  newest: PackageHandler;
  version: PackageHandler;
} {
  const cache = new Map<string, Buffer>();

  const read = async (name: string): Promise<Buffer | undefined> => {
    const archive = cache.get(name) ?? (await packageOf(directory, name));
    if (!archive) return undefined;
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(name, archive);
    return archive;
  };

  return {
    newest: (_request, response) => {
      if (!newest) throw new Refusal('not_found', t('The package is not built: run `npm run build`.'));
      response.writeHead(302, { location: `/${newest}`, 'cache-control': 'no-cache' }).end();
      return Promise.resolve();
    },
    version: async (request, response, { pathname }) => {
      const archive = await read(ADDRESS.exec(pathname)?.[1] ?? '');
      if (!archive) throw new Refusal('not_found', t('There is no such version of the package.'));
      response.writeHead(200, {
        'content-type': 'application/gzip',
        'content-length': archive.length,
        'cache-control': 'public, max-age=31536000, immutable',
      });
      response.end(request.method === 'HEAD' ? undefined : archive);
    },
  };
}
