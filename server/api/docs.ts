// /docs: the API's description in a page, drawn by Swagger UI from this server's own files. Works without the internet, and its
// policy lets it reach nobody else.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import { Refusal } from '../errors.ts';
import { OPENAPI_PATH } from './rest.ts';

const require = createRequire(import.meta.url);

/** Name below /docs/ → file of the package. */
const FILES: Record<string, { file: string; type: string }> = {
  'swagger-ui.js': { file: 'swagger-ui-bundle.js', type: 'text/javascript; charset=utf-8' },
  'swagger-ui.css': { file: 'swagger-ui.css', type: 'text/css; charset=utf-8' },
};

/** Keys that are typed in stay in the open page; no validator on somebody else's server is asked. */
const START = `
const dark = matchMedia('(prefers-color-scheme: dark)');
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', paint);
paint();
SwaggerUIBundle({
  url: '${OPENAPI_PATH}',
  dom_id: '#api',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: false,
});
`;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Footfall API</title>
<link rel="icon" href="/favicon.svg">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<style>body { margin: 0 } .swagger-ui .info { margin: 24px 0 }</style>
</head>
<body>
<noscript>This page needs JavaScript; the description itself is at <a href="${OPENAPI_PATH}">${OPENAPI_PATH}</a>.</noscript>
<main id="api"></main>
<script src="/docs/swagger-ui.js"></script>
<script>${START}</script>
</body>
</html>
`;

export function openDocs({ secure }: { secure: boolean }) {
  const packed = new Map<string, Packed>();
  const pack = (name: string, read: () => Buffer): Packed => {
    const known = packed.get(name);
    if (known) return known;
    const plain = read();
    const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
    const made = { plain, gzip: gzipSync(plain), etag };
    packed.set(name, made);
    return made;
  };
  const headers = {
    'content-security-policy': policy(),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'x-robots-tag': 'noindex',
    ...(secure && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }),
  };

  return (request: IncomingMessage, response: ServerResponse, url: URL): void => {
    const name = url.pathname.slice('/docs/'.length);
    const known = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
    if (name !== '' && !known) throw new Refusal('not_found', 'There is nothing at this address.');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      throw new Refusal('method_not_allowed', 'The method must be GET or HEAD.');
    }
    const { plain, gzip, etag } = pack(name, () =>
      known ? readFileSync(require.resolve(`swagger-ui-dist/${known.file}`)) : Buffer.from(PAGE),
    );
    const common = { ...headers, etag, vary: 'accept-encoding', 'cache-control': 'no-cache' };
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, common).end();
      return;
    }
    const zips = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    const body = zips ? gzip : plain;
    response.writeHead(200, {
      ...common,
      'content-type': known?.type ?? 'text/html; charset=utf-8',
      'content-length': body.length,
      ...(zips && { 'content-encoding': 'gzip' }),
    });
    response.end(body);
  };
}

type Packed = { plain: Buffer; gzip: Buffer; etag: string };

/** Its own scripts and the one inline script by its hash; styles are written into the page by Swagger UI. */
function policy(): string {
  const hash = createHash('sha256').update(START).digest('base64');
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
