// Real pages on loopback, under any host, and a collector under stats.test that keeps what it receives.
import { once } from 'node:events';
import { type IncomingHttpHeaders, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Payload } from '../../../tracker/payload.ts';
import type { OpenBrowser } from '../../setup/browser/chromium.ts';
import { builtScript } from './script.ts';

type Post = { event: Payload; body: string; url: string; headers: IncomingHttpHeaders };

export type Site = AsyncDisposable & {
  /** What has arrived, in the order in which it was sent: one connection may overtake another. */
  readonly posts: Post[];
  /** Names of everything that the pages of `newPage` began to send, arrived or not. */
  sent(): string[];
  /** A page in its own context, which records what it sends and in which order. */
  newPage(chromium: OpenBrowser, options?: BrowserContextOptions): Promise<Page>;
  /** `http://HOST:PORT`, by default of the site. */
  origin(host?: string): string;
  /** `http://site.test:PORT/PATH`. */
  url(path: string): string;
  snippet(attributes?: string): string;
  /** Sets the answer for a path of any host. By default: a document with the snippet. */
  page(path: string, body?: string, options?: PageOptions): void;
  /** Status codes of the next answers to posts; then 202. */
  answers: number[];
  /** Resolves once the posts satisfy it. */
  posted(isEnough: (posts: Post[]) => unknown): Promise<Post[]>;
  /** Resolves with the names posted so far, once the first `count` events that were sent are there. */
  names(count: number): Promise<string[]>;
  /** Sends an event of its own from the page, and resolves with everything that was sent before it, once it has arrived. */
  postsUntilNow(page: Page): Promise<Post[]>;
  namesUntilNow(page: Page): Promise<string[]>;
  /** Serves another script. */
  text(path: string, script: string): void;
  /** Serves the script under another path, too. */
  script(path: string): void;
  /** Waits for requests of a path. */
  asked(path: string): Promise<void>;
  /** Held requests by path: each response stays open until it is released. */
  held: Map<string, ServerResponse>;
  hold(path: string): void;
  /** Answers the held request, and holds the path no longer. */
  release(path: string): void;
};

type PageOptions = {
  attributes?: string;
  status?: number;
  headers?: Record<string, string>;
  head?: string;
  bare?: true;
};

export async function openSite(): Promise<Site> {
  const script = await builtScript();
  const pages = new Map<string, { body: string; status: number; headers: Record<string, string> }>();
  const arrived: Post[] = [];
  const sent: string[] = []; // bodies
  const answers: number[] = [];
  const asked: string[] = [];
  const held = new Map<string, ServerResponse>();
  const holding = new Set<string>();
  const scripts = new Set(['/foot.js']);
  const watchers = new Set<() => void>();
  const changed = () => watchers.forEach((watch) => watch());

  const cors = { 'access-control-allow-origin': '*' };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
    const path = url.pathname;
    if (request.method === 'POST') {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        arrived.push({ event: JSON.parse(body) as Payload, body, url: url.href, headers: request.headers });
        const status = answers.shift() ?? 202;
        response.writeHead(status, { ...cors, ...(status === 503 ? { 'retry-after': '1' } : {}) }).end();
        changed();
      });
      return;
    }
    asked.push(path, path + url.search);
    changed();
    if (holding.has(path)) {
      held.set(path, response);
      return;
    }
    serve(path, response);
  });
  const serve = (path: string, response: ServerResponse) => {
    if (scripts.has(path)) {
      response.writeHead(200, { ...cors, 'content-type': 'text/javascript' }).end(script);
      return;
    }
    const page = pages.get(path);
    response.writeHead(page?.status ?? 404, { 'content-type': 'text/html', ...page?.headers });
    response.end(page?.body);
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const origin = (host = 'site.test') => `http://${host}:${port}`;
  const until = async (isDone: () => unknown): Promise<void> => {
    if (isDone()) return;
    await new Promise<void>((resolve) => {
      const watch = () => {
        if (!isDone()) return;
        watchers.delete(watch);
        resolve();
      };
      watchers.add(watch);
    });
  };
  const place = ({ body }: Post) => (sent.includes(body) ? sent.indexOf(body) : Infinity);
  const inOrder = () => arrived.toSorted((a, b) => (place(a) < place(b) ? -1 : Number(place(a) > place(b))));
  const areThere = (bodies: string[]) => bodies.every((body) => arrived.some((post) => post.body === body));
  const nameOf = ({ event }: Pick<Post, 'event'>) => event.name ?? ''; // a call without a name
  const isFence = (name: string) => name.startsWith('fence_');
  let fences = 0;

  const site: Site = {
    get posts() {
      return inOrder();
    },
    sent: () => sent.map((body) => nameOf({ event: JSON.parse(body) as Payload })),
    newPage: async (chromium, options) => {
      const context = await chromium.newContext(options);
      context.on('request', (request) => {
        const body = request.method() === 'POST' && request.postData();
        if (body) sent.push(body);
        changed();
      });
      return context.newPage();
    },
    answers,
    held,
    origin,
    url: (path) => origin() + path,
    snippet: (attributes = '') =>
      `<script async data-site="site.test" ${attributes} src="${origin('stats.test')}/foot.js"></script>`,
    page: (path, body = '', { attributes, status = 200, headers = {}, head = '', bare } = {}) => {
      const snippet = bare ? '' : site.snippet(attributes);
      const html = `<!doctype html><html><head><title>${path}</title>${head}${snippet}</head><body>${body}</body></html>`;
      pages.set(path, { body: html, status, headers });
    },
    text: (path, body) => void pages.set(path, { body, status: 200, headers: { 'content-type': 'text/javascript' } }),
    script: (path) => void scripts.add(path),
    hold: (path) => void holding.add(path),
    release: (path) => {
      holding.delete(path);
      const response = held.get(path);
      held.delete(path);
      if (response) serve(path, response);
    },
    posted: async (isEnough) => {
      await until(() => isEnough(inOrder()));
      return inOrder();
    },
    names: async (count) => {
      await until(() => arrived.length >= count && areThere(sent.slice(0, count)));
      return inOrder().map(nameOf);
    },
    postsUntilNow: async (page) => {
      const fence = `fence_${++fences}`;
      await page.evaluate((name) => window.footfall?.(name), fence);
      await until(() => {
        const last = site.sent().indexOf(fence);
        return last >= 0 && areThere(sent.slice(0, last + 1));
      });
      return inOrder().filter((post) => !isFence(nameOf(post)));
    },
    namesUntilNow: async (page) => (await site.postsUntilNow(page)).map(nameOf),
    asked: (path) => until(() => asked.includes(path)),
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return site;
}
