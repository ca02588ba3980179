// Parses page URLs as browsers do (WHATWG). Anybody may send one, so their length is limited.
import { MAX_ADDRESS } from '../limits.ts';
import { readablePath } from './spelling.ts';

export type Page = {
  /** In lower case and punycode, without port and trailing dot. */
  hostname: string;
  /** Readable path without query and fragment: Unicode letters are decoded, all other characters stay percent-encoded. */
  page: string;
  query: URLSearchParams;
};

/** Returns undefined unless the text is an http or https URL of at most 2,048 characters. */
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

/** True for the site's domain, its subdomains (such as `www.`), and the site's extra hosts (`*.` includes subdomains). */
export function isHostOf(hostname: string, domain: string, extraHosts: readonly string[]): boolean {
  const bare = domain.startsWith('www.') ? domain.slice(4) : domain;
  if (isWithin(hostname, bare)) return true;
  return extraHosts.some((extra) =>
    extra.startsWith('*.') ? isWithin(hostname, extra.slice(2)) : hostname === extra.toLowerCase(),
  );
}

/** Compares whole labels: `notexample.com` is not within `example.com`. */
function isWithin(hostname: string, domain: string): boolean {
  return domain !== '' && (hostname === domain || hostname.endsWith(`.${domain}`));
}
