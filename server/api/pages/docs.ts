// /docs: the API's documentation, rendered by Swagger UI from this server's own files. It works offline, and its content security policy
// allows requests to this server only. Below it, from /docs/ on, are the guides of this version: docs/site/ builds them.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import { checkIsRead } from '../../process/http/respond.ts';
import type { StaticFiles } from '../../process/http/static.ts';
import { OPENAPI_PATH } from '../rest/handler.ts';

const require = createRequire(import.meta.url);

/** Path below /docs/ → file in swagger-ui-dist. */
const FILES: Record<string, { file: string; type: string }> = {
  'swagger-ui.js': { file: 'swagger-ui-bundle.js', type: 'text/javascript; charset=utf-8' },
  'swagger-ui.css': { file: 'swagger-ui.css', type: 'text/css; charset=utf-8' },
};

/** API keys typed into the page are not stored. Without `validatorUrl: null`, Swagger UI would send the document to its own server. */
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

/**
 * Makes code readable, and hides controls that offer no choice: there is only one media type and one server, and errors share their
 * headers.
 */
const STYLE = `
body { margin: 0; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 20px; max-width: 1460px; box-sizing: border-box; margin: 0 auto;
  padding: 12px 20px; font: 14px/1.5 system-ui, sans-serif; }
.bar a { display: inline-flex; align-items: center; min-height: 32px; gap: 8px; color: #3b4151; text-decoration: none; }
.bar a:hover { text-decoration: underline; }
.bar a:first-child { margin-right: auto; font-size: 16px; font-weight: 600; }
.dark-mode .bar a { color: #e4e6e6; }
.swagger-ui .info { margin: 32px 0 0; }
.swagger-ui .scheme-container { padding: 8px 0 16px; box-shadow: none; background: none; }
.swagger-ui .servers-title, .swagger-ui .servers, .swagger-ui .info__license, .swagger-ui .response-col_links,
.swagger-ui .response-controls, .swagger-ui .markdown p:empty, .swagger-ui .renderedMarkdown p:empty,
.swagger-ui .response[data-code^="3"] .headers-wrapper, .swagger-ui .response[data-code^="4"] .headers-wrapper,
.swagger-ui .response[data-code^="5"] .headers-wrapper { display: none; }
.swagger-ui .markdown code, .swagger-ui .renderedMarkdown code { color: inherit !important; font-weight: 500;
  padding: 1px 4px; background: rgb(127 127 127 / 16%) !important; }
.swagger-ui .markdown pre, .swagger-ui .renderedMarkdown pre { overflow-x: auto; margin: 6px 0 10px; padding: 12px 14px;
  border-radius: 6px; background: rgb(127 127 127 / 14%); color: inherit; }
.swagger-ui .markdown pre code, .swagger-ui .renderedMarkdown pre code { display: block; padding: 0;
  background: none !important; font-weight: 400; line-height: 1.5; white-space: pre; overflow-wrap: normal; }
.swagger-ui details, .swagger-ui summary { color: #3b4151; font-size: 14px; }
.dark-mode .swagger-ui details, .dark-mode .swagger-ui summary { color: #e4e6e6; }
.swagger-ui summary { cursor: pointer; padding: 4px 0; font-weight: 600; }
.swagger-ui .parameters-col_name { padding-right: 16px; white-space: nowrap; }
.swagger-ui .parameters-col_description textarea { height: 5em; min-height: 0; }
@media (max-width: 640px) {
  body { overflow-wrap: anywhere; }
  .swagger-ui .wrapper { padding: 0 12px; }
  .swagger-ui .opblock .opblock-summary-method { min-width: 60px; padding: 6px 0; }
  .swagger-ui table.parameters, .swagger-ui table.parameters > tbody, .swagger-ui table.parameters > tbody > tr,
  .swagger-ui table.parameters > tbody > tr > td { display: block; width: auto; }
  .swagger-ui table.parameters > thead { display: none; }
  .swagger-ui .parameters-col_description input, .swagger-ui .parameters-col_description select { max-width: 100%; }
}
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
<style>${STYLE}</style>
</head>
<body>
<noscript>This page needs JavaScript; the description itself is at <a href="${OPENAPI_PATH}">${OPENAPI_PATH}</a>.</noscript>
<header class="bar">
<a href="/docs/"><img src="/favicon.svg" width="28" height="28" alt="">Footfall documentation</a>
<a href="/docs/api.html">API reference to read and search</a>
</header>
<main id="api"></main>
<script src="/docs/swagger-ui.js"></script>
<script>${START}</script>
</body>
</html>
`;

export function openDocs(files: Pick<StaticFiles, 'docs'>) {
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
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'x-robots-tag': 'noindex',
  };

  return (request: IncomingMessage, response: ServerResponse, { pathname }: URL): void => {
    checkIsRead(request, response);
    const name = pathname.slice('/docs/'.length);
    const known = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
    if (!known && pathname !== '/docs') {
      files.docs(request, response, name);
      return;
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

/** Allows this server's scripts and, by hash, the one inline script. Swagger UI writes inline styles, so those are allowed. */
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
