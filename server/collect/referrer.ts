// The page that a visitor came from: which source it is, and of what medium. Hosts are matched by whole labels
// (`google.com.evil.example` is not Google), the more exact place first.
import { remember } from './cache.ts';
import { readPlaces, type Source } from './lists/sources.ts';
import { cut, hostOf, parseHttp, readablePath } from './url.ts';

export type Referral = Source & {
  /** Host and path, without scheme, query and fragment. */
  referrer: string;
};

const MAX_REFERRER = 512;
const places = readPlaces();

type Read = Referral & { host: string };

const read = remember((address): Read | null => readApp(address) ?? readPage(address), 5_000);

/** undefined for none, for what is no address, and for the site's own hosts. */
export function readReferrer(referrer: string, isOwnHost: (host: string) => boolean): Referral | undefined {
  const address = withoutQuery(referrer);
  const found = address === '' ? null : read(address);
  return found && !(found.host !== '' && isOwnHost(found.host)) ? found : undefined;
}

function withoutQuery(referrer: string): string {
  const bounded = referrer.length > 2_048 ? referrer.slice(0, 2_048) : referrer;
  const end = bounded.search(/[?#]/);
  return end === -1 ? bounded : bounded.slice(0, end);
}

/** https://developer.chrome.com/blog/referrer-for-android-apps: `android-app://com.example/`. */
const APP = /^(?:android|ios)-app:\/\/(?:\d+\/)?([a-z0-9_][\w.-]{1,127})/i;

function readApp(address: string): Read | null {
  const id = APP.exec(address)?.[1];
  if (id === undefined) return null;
  const name = id.toLowerCase();
  // Some give their web address as their id (m.facebook.com), iOS the scheme of their links (fb).
  const known =
    places.apps.get(name) ?? sourceOfHost(name) ?? (address.startsWith('ios') ? places.names.get(name) : undefined);
  return { host: '', referrer: id, source: known?.source ?? id, medium: known?.medium ?? 'referral' };
}

/** Where companies and universities keep their own web mail. */
const WEBMAIL = /^(?:web-?mail|mail|e-?mail|roundcube|zimbra|owa|horde|correo|poczta|posta|messagerie)\d{0,2}\./;

function readPage(address: string): Read | null {
  const url = parseHttp(address);
  if (!url) return null;
  const host = hostOf(url);
  const known = sourceOfHost(host, url.pathname);
  return {
    host,
    referrer: cut(host + (url.pathname === '/' ? '' : readablePath(url.pathname)), MAX_REFERRER),
    source: known?.source ?? withoutWww(host),
    medium: known?.medium ?? (WEBMAIL.test(host) ? 'email' : 'referral'),
  };
}

function withoutWww(host: string): string {
  return host.startsWith('www.') ? host.slice(4) : host;
}

/** The source whose host or domain this is; undefined for hosts that no list knows. */
export function sourceOfHost(host: string, path = '/'): Source | undefined {
  const exact = places.exactHosts.get(host);
  for (let domain = host; ; domain = domain.slice(domain.indexOf('.') + 1)) {
    const byPath = places.paths.get(domain)?.find((entry) => isBelow(path, entry.path));
    if (byPath) return byPath.source;
    if (domain === host && exact) return exact;
    const known = places.hosts.get(domain);
    if (known) return known;
    if (!domain.includes('.')) return undefined;
  }
}

function isBelow(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
}

/** What campaigns add to a source's name without making it another. */
const ADDITION =
  /^(.+?)[-_ .+]?(?:ads?|adwords|advertising|paid|organic|social|app|mobile|page|feed|stories|story|post|bio|group|shop)$/;

const byName = remember((name): Source | null => {
  const known = places.names.get(name) ?? places.names.get(name.replace(/[\s_]+/g, '-'));
  if (known) return known;
  const address = name.includes('.') ? URL.parse(name.includes('://') ? name : `http://${name}`) : null;
  if (address) return sourceOfHost(hostOf(address), address.pathname) ?? null;
  const shorter = ADDITION.exec(name)?.[1];
  return (shorter !== undefined && shorter.length > 1 && places.names.get(shorter)) || null;
}, 2_000);

/** The source that a campaign's tag names, by name or by host; undefined for tags of one's own. */
export function sourceOfName(tag: string): Source | undefined {
  return tag === '' || tag.length > 255 ? undefined : (byName(tag.toLowerCase()) ?? undefined);
}
