// Parses page URLs as browsers do (WHATWG), and mends what mails, servers and translations do to them on their way. Anybody may send one, so
// their length is limited.
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
  const parsed = parseHttp(withPlainAmpersands(url));
  if (!parsed) return undefined;
  return { hostname: hostOf(parsed), page: pathOf(parsed), query: parsed.searchParams };
}

/** An ampersand as HTML writes it, as such or percent-encoded: `&amp;`, `&#38;`, `%26amp%3B`. Escaped twice, it is `&amp;amp;`. */
const ESCAPED_AMPERSAND = /(&|%26)(?:amp(?:;|%3B)|(?:#|%23)(?:0*38|x0*26)(?:;|%3B))+/gi;
const STARTS_PARAMETER = /^[\w.~-]+=/;

/** Undoes the HTML escapes in the query of a link that was copied from a page's source or a mail. */
function withPlainAmpersands(url: string): string {
  const start = url.indexOf('?');
  if (start === -1 || !(url.includes('&', start) || url.includes('%26', start))) return url;
  const query = url.slice(start).replace(ESCAPED_AMPERSAND, (whole, first: string, at: number, all: string) => {
    const isSeparator = first === '&' || STARTS_PARAMETER.test(all.slice(at + whole.length, at + whole.length + 64));
    return isSeparator ? '&' : '%26';
  });
  return url.slice(0, start) + query;
}

/** Ids of sessions that servers of Java, PHP and others put into paths as a parameter. They would make a page of each visit. */
const SESSION_PARAMETER =
  /(?:;|%3B)(?:jsessionid|phpsessid|aspsessionid\w*|session_?id|sess_?id|sid|cfid|cftoken|zenid|oscsid)(?:=|%3D)[^/;]*/gi;
/** Those of ASP.NET: a segment of letters with a value each, such as `(S(lit3py55t21z5v55vlm25s55))`. */
const SESSION_SEGMENT = /\/(?:\(|%28)(?:[ASFX](?:\(|%28)[\w-]*(?:\)|%29)){1,4}(?:\)|%29)(?=\/|$)/gi;

/** The readable path of a URL, without ids of sessions. */
export function pathOf({ pathname }: URL): string {
  const isPlain = !pathname.includes('(') && !pathname.includes(';') && !pathname.includes('%');
  return readablePath(isPlain ? pathname : pathname.replace(SESSION_PARAMETER, '').replace(SESSION_SEGMENT, ''));
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

/**
 * True for the site's domain, its subdomains (such as `www.`), and the site's extra hosts (`*.` includes subdomains), also where Google
 * shows them translated.
 */
export function isHostOf(hostname: string, domain: string, extraHosts: readonly string[]): boolean {
  const bare = domain.startsWith('www.') ? domain.slice(4) : domain;
  const host = untranslated(hostname);
  if (isWithin(host, bare)) return true;
  return extraHosts.some((extra) =>
    extra.startsWith('*.') ? isWithin(host, extra.slice(2)) : [host, hostname].includes(extra.toLowerCase()),
  );
}

const TRANSLATED = '.translate.goog';

/** `my--shop-example.translate.goog` shows `my-shop.example`: dots become hyphens, and hyphens two. */
function untranslated(hostname: string): string {
  if (!hostname.endsWith(TRANSLATED)) return hostname;
  const label = hostname.slice(0, -TRANSLATED.length);
  return label.includes('.') ? hostname : label.replace(/--|-/g, (hyphens) => (hyphens === '-' ? '.' : '-'));
}

/** Compares whole labels: `notexample.com` is not within `example.com`. */
function isWithin(hostname: string, domain: string): boolean {
  return domain !== '' && (hostname === domain || hostname.endsWith(`.${domain}`));
}
