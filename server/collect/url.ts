// Addresses of pages, which anyone may send: bounded, and parsed as a browser does (WHATWG).
import { MAX_ADDRESS } from '../vocabulary/limits.ts';
import { readablePath } from '../vocabulary/spelling.ts';

export type Page = {
  /** Lower case, punycode, without port and final dot. */
  hostname: string;
  /** Path without query and fragment, readable: Unicode letters decoded, everything else percent-encoded. */
  page: string;
  query: URLSearchParams;
};

/** undefined for what is not an http or https address of at most 2,048 characters. */
export function parsePage(url: string): Page | undefined {
  const parsed = parseHttp(url);
  if (!parsed) return undefined;
  return { hostname: hostOf(parsed), page: readablePath(parsed.pathname), query: parsed.searchParams };
}

export function parseHttp(url: string): URL | undefined {
  if (url.length > MAX_ADDRESS) return undefined;
  const parsed = URL.parse(url);
  if (!parsed || (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')) return undefined;
  return hostOf(parsed) === '' ? undefined : parsed;
}

export function hostOf(url: URL): string {
  return url.hostname.endsWith('.') ? url.hostname.slice(0, -1) : url.hostname;
}

/** Whether a host is the site's: its domain, `www.` of it, a subdomain, or one that the site lists (`*.` for its subdomains). */
export function isHostOf(hostname: string, domain: string, extraHosts: readonly string[]): boolean {
  const bare = domain.startsWith('www.') ? domain.slice(4) : domain;
  if (isWithin(hostname, bare)) return true;
  return extraHosts.some((extra) =>
    extra.startsWith('*.') ? isWithin(hostname, extra.slice(2)) : hostname === extra.toLowerCase(),
  );
}

/** Whole labels only: `notexample.com` is not within `example.com`. */
function isWithin(hostname: string, domain: string): boolean {
  return domain !== '' && (hostname === domain || hostname.endsWith(`.${domain}`));
}
