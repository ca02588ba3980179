// The built dashboard and tracker from disk, and the headers that keep a page from doing what it should not.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import sirv from 'sirv';

const build = new URL('../../build/', import.meta.url).pathname;

export type StaticFiles = {
  /** foot.js, for pages of any origin. False where it was not built. */
  tracker(request: IncomingMessage, response: ServerResponse): boolean;
  /** A file of the app, or the app itself for whatever else a browser asks for as a page. */
  app(request: IncomingMessage, response: ServerResponse): void;
};

export function openStatic({ secure }: { secure: boolean }): StaticFiles {
  const page = existsSync(join(build, 'app/index.html'))
    ? readFileSync(join(build, 'app/index.html'), 'utf8')
    : undefined;
  const headers = pageHeaders(page ?? '', { secure });
  const files =
    page === undefined
      ? undefined
      : sirv(join(build, 'app'), { etag: true, gzip: true, brotli: true, setHeaders: cacheFor });
  const tracker = packed(join(build, 'tracker/foot.js'));

  return {
    tracker: (request, response) => {
      if (!tracker) return false;
      const common = {
        'content-type': 'text/javascript; charset=utf-8',
        // An hour: a new version reaches every page within it, and browsers ask with the ETag after it.
        'cache-control': 'public, max-age=3600',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
        vary: 'accept-encoding',
        etag: tracker.etag,
      };
      if (request.headers['if-none-match'] === tracker.etag) {
        response.writeHead(304, common).end();
        return true;
      }
      const accepted = String(request.headers['accept-encoding'] ?? '');
      const encoding = (['br', 'gzip'] as const).find((name) => accepted.includes(name));
      const body = tracker[encoding ?? 'plain'];
      response.writeHead(200, {
        ...common,
        ...(encoding && { 'content-encoding': encoding }),
        'content-length': body.length,
      });
      response.end(request.method === 'HEAD' ? undefined : body);
      return true;
    },
    app: (request, response) => {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      const sendApp = () => {
        const asset = request.url?.startsWith('/_app/') ?? false;
        if (asset || page === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) {
          const text = page === undefined ? 'The dashboard is not built: run `npm run build`.\n' : 'Not found.\n';
          response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
          return;
        }
        response.writeHead(200, {
          'content-type': 'text/html; charset=utf-8',
          'content-length': Buffer.byteLength(page),
          'cache-control': 'no-cache',
        });
        response.end(request.method === 'HEAD' ? undefined : page);
      };
      if (files && request.url !== '/') files(request, response, sendApp);
      else sendApp();
    },
  };
}

/** Scripts from here alone, and the one inline script that starts the app, by its hash. */
function pageHeaders(page: string, { secure }: { secure: boolean }): Record<string, string> {
  const hashes = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, script]) =>
      `'sha256-${createHash('sha256')
        .update(script ?? '')
        .digest('base64')}'`,
  );
  const policy = [
    "default-src 'self'",
    `script-src 'self' ${hashes.join(' ')}`.trim(),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'x-robots-tag': 'noindex',
    ...(secure && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }),
  };
}

function cacheFor(response: ServerResponse, pathname: string): void {
  response.setHeader(
    'cache-control',
    pathname.startsWith('/_app/immutable/') ? 'public, max-age=31536000, immutable' : 'no-cache',
  );
}

function packed(file: string) {
  if (!existsSync(file)) return undefined;
  const plain = readFileSync(file);
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 16)}"`;
  return { plain, br: brotliCompressSync(plain), gzip: gzipSync(plain), etag };
}
