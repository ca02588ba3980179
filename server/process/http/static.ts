// The built dashboard and tracker, with their security headers. They are read into memory (2 MB) once.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { join, relative, sep } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { lookup } from 'mrmime';
import { ERRORS_QUERY, OPT_OUT_QUERY, VITALS_QUERY } from '../../vocabulary/settings/privacy.ts';
import { policyOf } from './content-policy.ts';
import { isRead } from './respond.ts';

const BUILD = join(import.meta.dirname, '../../../build');

export type StaticFiles = {
  /** Reads what is sent, as a new build must not disturb a running server. It takes 100 ms, so not before the server can take hits. */
  read(): void;
  /** The dashboard's version. Undefined in development, and if it was not built. */
  version?: string;
  /** The path of the dashboard's font, for the Latin alphabet. Undefined like the version. */
  readonly font?: string | undefined;
  /** The path of the script of a piece in a frame: see src/embed. Undefined if it was not built. */
  readonly piece?: string | undefined;
  /**
   * Sends foot.js to pages of any origin; as `foot.js?opt-out`, the box with which visitors leave themselves out; as `foot.js?vitals`, what measures
   * speed; as `foot.js?errors`, what tells of errors; and as `foot.js?data-site=…`, what adds foot.js with the attributes of its address. They have the same path so that they pass every proxy
   * and policy that lets the tracker pass. `wishes`: what foot.js brings along. Returns false if it was not built.
   */
  tracker(request: IncomingMessage, response: ServerResponse, wishes?: Wishes): boolean;
  /** The npm package that site owners install. Its file name contains the version. */
  package?: { name: string; archive: Buffer };
  /** The template for Google Tag Manager, as it is for stats.example.com. */
  readonly tagTemplate?: string | undefined;
  /** Sends a file of the dashboard, or its index.html for any other path. */
  app(request: IncomingMessage, response: ServerResponse): void;
  /** Sends a page or a file of the documentation by its path below /docs/, or the documentation's page for unknown addresses. */
  docs(request: IncomingMessage, response: ServerResponse, path: string): void;
  /** Sends index.html with more elements in its head. */
  page(request: IncomingMessage, response: ServerResponse, options: PageOptions): void;
};

/** `framedBy`: sources of `frame-ancestors`. `theme`: null for the reader's own. `isIndexed`: robots may index it. `attributes`: of its language. */
type PageOptions = {
  head: string;
  framedBy: readonly string[];
  theme?: 'light' | 'dark' | null;
  isIndexed?: boolean;
  attributes?: string | undefined;
};

/** What a site asks for beside page views: see collect/collector.ts. */
type Wishes = { vitals: boolean; errors: boolean };
const NO_WISHES: Wishes = { vitals: false, errors: false };

type File = { type: string; etag: string; cacheControl: string; plain: Buffer; br?: Buffer; gzip?: Buffer };

/** One hour: the longest that a page may run an old version. After that, browsers revalidate with the ETag. */
const TRACKER_CACHE = 'public, max-age=3600';
/**
 * Only browsers keep the script of a measured site: a shared cache would give it to all sites. Their caches are apart for each site, so it needs no
 * `Vary: Referer`, which would fetch it again for each page of a site with a proxy.
 */
const MEASURING_CACHE = 'private, max-age=3600';
const ROBOTS = 'x-robots-tag';
const ANY_ORIGIN = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };

/** What follows is another attribute or the end. */
const ATTRIBUTES_QUERY = '?data-site=';

/** The language of src/app.html, before its script chooses the reader's. */
const ENGLISH = 'lang="en"';

/** The script that pages of others put beside their frames: src/embed/frame.ts. */
const EMBED_PATH = '/embed.js';

/** The first part of the dashboard's own addresses: the folders of src/routes. */
const OWN_PATH =
  /^\/(?:(?:confirm|email|forgot|invite|login|no-account|reset|settings|setup|share|sites|transfer|unsubscribe)(?:\/|$)|$)/;
/** A name that can be a site's domain, Unicode as browsers encode it: two labels at least. */
const SITE_PATH =
  /^\/(?:[a-z0-9-]|%[89a-f][0-9a-f])+(?:\.(?:[a-z0-9-]|%[89a-f][0-9a-f])+)*\.(?!\d+(?:\/|$))[a-z0-9%-]{2,}(?:\/|$)/i;
/** Endings of files that scanners ask for, none of them a top-level domain. */
const OF_FILE =
  /^\/[^/]*\.(?:php\d?|phtml|aspx?|jspx?|cgi|env|sql|bak|ini|log|ya?ml|json|xml|txt|db|sqlite\d?|conf|cfg|config|gz|tgz|tar|rar|7z|jar|war|pem|key|crt|htaccess|html?|js|css|map|swp|old|orig|save|lock|toml|csv|exe|dll|git)(?:\/|$)/i;

/** Whether the dashboard has a page there. What scanners try is 404, so that nobody takes the dashboard for what they look for. */
const isAppPath = (pathname: string): boolean =>
  OWN_PATH.test(pathname) || (SITE_PATH.test(pathname) && !OF_FILE.test(pathname));

export function openStatic(build = BUILD): StaticFiles {
  const folder = join(build, 'app');
  let all: ReadonlyMap<string, File> | undefined;
  const files = () => (all ??= filesOf(folder));
  const page = readIfBuilt(join(folder, 'index.html'));
  const version = readIfBuilt(join(folder, '_app/version.json'));
  const text = page?.plain.toString('utf8') ?? '';
  const headers = pageHeaders(text);
  const built = readPackage(join(build, 'package'));
  const trackers = openTrackers(join(build, 'tracker'));
  const pathOf = (pattern: RegExp) => [...files().keys()].find((path) => pattern.test(path));

  const app: StaticFiles['app'] = (request, response) => {
    const { url = '/' } = request;
    const pathname = url.split('?', 1)[0] ?? '/';
    const isAsset = pathname.startsWith('/_app/');
    const file = files().get(pathname) ?? (isAsset || !isAppPath(pathname) ? undefined : page);
    if (file && isRead(request)) {
      sendFile(request, response, file, pathname === EMBED_PATH ? ANY_ORIGIN : headers);
      return;
    }
    if (page && isRead(request) && !isAsset) {
      response.writeHead(404, { ...headers, 'content-type': page.type, 'content-length': page.plain.length });
      response.end(request.method === 'HEAD' ? undefined : page.plain);
      return;
    }
    const why = page ? 'Not found.\n' : 'The dashboard is not built: run `npm run build`.\n';
    response.writeHead(404, { ...headers, 'content-type': 'text/plain; charset=utf-8' }).end(why);
  };

  const trackerOf = (query: string, { vitals, errors }: Wishes): File | undefined => {
    if (query === OPT_OUT_QUERY) return files().get('/opt-out.js');
    if (query === VITALS_QUERY) return trackers?.vitals;
    if (query === ERRORS_QUERY) return trackers?.errors;
    if (query.startsWith(ATTRIBUTES_QUERY)) return files().get('/attributes.js');
    if (vitals) return errors ? trackers?.both : trackers?.measuring;
    return errors ? trackers?.reporting : trackers?.plain;
  };

  return {
    read: files,
    ...(version && { version: (JSON.parse(version.plain.toString('utf8')) as { version: string }).version }),
    tracker: (request, response, wishes = NO_WISHES) => {
      const file = trackerOf(/\?.*/s.exec(request.url ?? '')?.[0] ?? '', wishes);
      if (file) sendFile(request, response, file, ANY_ORIGIN);
      return file !== undefined;
    },
    get font() {
      return pathOf(/geist-latin-wght-normal\.[^.]+\.woff2$/);
    },
    get piece() {
      return pathOf(/\/embed\/piece\.[^.]+\.js$/);
    },
    ...(built && { package: built }),
    get tagTemplate() {
      return files().get('/footfall-gtm.tpl')?.plain.toString('utf8');
    },
    app,
    docs: docsOf(join(build, 'docs')),
    page: (request, response, { head, framedBy, theme, isIndexed, attributes = ENGLISH }) => {
      if (!page || !isRead(request)) {
        app(request, response);
        return;
      }
      const spoken = text.replace(ENGLISH, () => attributes);
      const themed = theme ? spoken.replace('<html ', () => `<html data-asked-theme="${theme}" `) : spoken;
      const found = isIndexed ? themed.replace(/<meta name="robots"[^>]*>/, '') : themed;
      const html = found.replace('</head>', () => `${head}\n  </head>`);
      const { [ROBOTS]: robots = '', ...others } = pageHeaders(text, { framedBy });
      const own = { 'content-type': page.type, 'cache-control': 'no-store', 'content-length': Buffer.byteLength(html) };
      response.writeHead(200, { ...others, ...(!isIndexed && { [ROBOTS]: robots }), ...own });
      response.end(request.method === 'HEAD' ? undefined : html);
    },
  };
}

const docsOf =
  (folder: string): StaticFiles['docs'] =>
  (request, response, path) => {
    const pages = filesOf(folder); // read once somebody asks
    const file = pages.get(`/${path || 'index'}.html`) ?? pages.get(`/${path}`);
    if (file) {
      sendFile(request, response, file, DOCS_HEADERS);
      return;
    }
    const { type, plain } = pages.get('/404.html') ?? DOCS_MISSING;
    const headers = { ...DOCS_HEADERS, 'content-type': type, 'content-length': plain.length };
    response.writeHead(404, headers).end(request.method === 'HEAD' ? undefined : plain);
  };

function sendFile(request: IncomingMessage, response: ServerResponse, file: File, headers: OutgoingHttpHeaders): void {
  const common = { ...headers, 'cache-control': file.cacheControl, etag: file.etag, vary: 'accept-encoding' };
  if (request.headers['if-none-match'] === file.etag) {
    response.writeHead(304, common).end();
    return;
  }
  const accepted = String(request.headers['accept-encoding'] ?? '');
  const encoding = (['br', 'gzip'] as const).find((name) => file[name] && accepted.includes(name));
  const body = file[encoding ?? 'plain'] ?? file.plain;
  response.writeHead(200, {
    ...common,
    'content-type': file.type,
    'content-length': body.length,
    ...(encoding && { 'content-encoding': encoding }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** `measuring`: foot.js with what loads `vitals`; `reporting`: with `errors`; `both`: with both. */
const SCRIPTS = {
  plain: ['foot.js', TRACKER_CACHE],
  vitals: ['foot-vitals.js', TRACKER_CACHE],
  errors: ['foot-errors.js', TRACKER_CACHE],
  measuring: ['foot-measuring.js', MEASURING_CACHE],
  reporting: ['foot-reporting.js', MEASURING_CACHE],
  both: ['foot-measuring-reporting.js', MEASURING_CACHE],
} as const;
type Trackers = Record<keyof typeof SCRIPTS, File>;

function openTrackers(folder: string): Trackers | undefined {
  const built = Object.entries(SCRIPTS).map(([name, [file, cacheControl]]) => ({
    name,
    path: join(folder, file),
    cacheControl,
  }));
  if (!built.every(({ path }) => existsSync(path))) return undefined;
  return Object.fromEntries(
    built.map(({ name, path, cacheControl }) => [name, pack(path, { cacheControl })]),
  ) as Trackers;
}

function readPackage(folder: string): StaticFiles['package'] {
  const name = existsSync(folder) && readdirSync(folder).find((one) => one.endsWith('.tgz'));
  return name ? { name, archive: readFileSync(join(folder, name)) } : undefined;
}

const readIfBuilt = (path: string): File | undefined =>
  existsSync(path) ? pack(path, { cacheControl: 'no-cache' }) : undefined;

/** What this process has read. Tests open hundreds of servers in one. */
const known = new Map<string, { version: number; files: Map<string, File> }>();

function filesOf(folder: string): Map<string, File> {
  const version = statSync(join(folder, 'index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const before = known.get(folder);
  if (before?.version === version) return before.files;
  const files = readFolder(folder);
  known.set(folder, { version, files });
  return files;
}

/** Names of immutable files change with their content. */
const cacheControlOf = (address: string) =>
  /^\/(_app\/immutable|assets)\//.test(address) ? 'public, max-age=31536000, immutable' : 'no-cache';

/** Returns all files of a folder, by their path in the URL. */
function readFolder(folder: string): Map<string, File> {
  if (!existsSync(folder)) return new Map();
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile() && !/\.(br|gz)$/.test(entry.name))
      .map((entry) => {
        const file = join(entry.parentPath, entry.name);
        const address = `/${relative(folder, file).split(sep).join('/')}`;
        return [address, pack(file, { cacheControl: cacheControlOf(address) })];
      }),
  );
}

/**
 * Prepares a file for sending. Uses the build's compressed copies if there are any, otherwise compresses the file here. Pictures and fonts
 * are compressed already: trying again would take a second of each start.
 */
function pack(file: string, options: { cacheControl: string }): File {
  const described = describe(file, options);
  if (!isText(described.type)) return described;
  const built = (suffix: string, compress: (bytes: Buffer) => Buffer) =>
    existsSync(file + suffix) ? readFileSync(file + suffix) : compress(described.plain);
  return { ...described, br: built('.br', brotliCompressSync), gzip: built('.gz', gzipSync) };
}

const isText = (type: string) => /^text\/|javascript|json|svg/.test(type);

function describe(file: string, { cacheControl }: { cacheControl: string }): File {
  const plain = readFileSync(file);
  const type = lookup(file) ?? 'application/octet-stream';
  return {
    type: isText(type) ? `${type}; charset=utf-8` : type,
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    cacheControl,
    plain,
  };
}

function pageHeaders(page: string, options?: Pick<PageOptions, 'framedBy'>): Record<string, string> {
  return {
    ...policyOf(page, options),
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    [ROBOTS]: 'noindex',
  };
}

const DOCS_HEADERS = pageHeaders('');
const DOCS_MISSING = {
  type: 'text/plain; charset=utf-8',
  plain: Buffer.from('The documentation is not built: run `npm run docs`.\n'),
};
