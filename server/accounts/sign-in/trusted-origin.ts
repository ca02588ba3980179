// Only our own pages may send requests that change something.
import type { IncomingHttpHeaders } from 'node:http';
import { isLoopbackHost } from '../../config.ts';

type Origins = {
  /**
   * True if a request that changes something, or a socket, comes from our own pages: its Origin must be BASE_URL's. Without BASE_URL, its
   * Origin must be the host that the request was sent to, and over plain HTTP that must be a loopback host. A request without an Origin
   * does not come from a browser, so it carries nobody's cookies.
   */
  isTrusted(headers: IncomingHttpHeaders): boolean;
  /** True if a page of this origin may be ours, whatever host was requested. */
  mayBeOwn(origin: string): boolean;
};

export function openOrigins({ base, hasTls }: { base: URL | undefined; hasTls: boolean }): Origins {
  /** Without BASE_URL, a page of any host is ours if the connection uses TLS: the browser has checked the certificate. */
  const mayBeOwn = (origin: string) => {
    const isOverTls = base === undefined && hasTls && origin.startsWith('https:');
    const usesLoopback = base === undefined || isLoopbackHost(base.hostname);
    return isOverTls || (usesLoopback && isLoopbackOrigin(origin));
  };
  return {
    mayBeOwn,
    isTrusted: (headers) => {
      const { origin } = headers;
      if (origin === undefined) return headers['sec-fetch-site'] !== 'cross-site';
      if (origin === base?.origin) return true;
      return mayBeOwn(origin) && URL.parse(origin)?.host === headers.host?.toLowerCase();
    },
  };
}

function isLoopbackOrigin(origin: string): boolean {
  const url = URL.parse(origin);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === origin && isLoopbackHost(url.hostname);
}
