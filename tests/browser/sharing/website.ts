// Another website, in whose pages a dashboard and its pieces are shown.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Its pages are these bodies, by path. `policy`: the content security policy of a page. */
export async function openWebsite(policy?: () => string) {
  const pages: Record<string, string> = {};
  const website = createServer(({ url = '' }, response) => {
    if (policy) response.setHeader('content-security-policy', policy());
    response
      .setHeader('content-type', 'text/html')
      .end(`<!doctype html><html lang="en"><title>Blog</title><body>${pages[url] ?? ''}`);
  }).listen(0, '127.0.0.1');
  await once(website, 'listening');
  const host = `127.0.0.1:${(website.address() as AddressInfo).port}`;
  const close = () => website[Symbol.asyncDispose]();
  return { pages, host, origin: `http://${host}`, [Symbol.asyncDispose]: close };
}
