// Finds the source and medium of the page that a visitor came from. Hosts are compared by whole labels (`google.com.evil.example` is not
// Google), and the most specific entry wins.
import { isPrivateHost } from '../../process/http/private-addresses.ts';
import { bytesFor } from '../../process/bounded-memory.ts';
import { remember } from '../cache.ts';
import { FAMILY_WORDS, isTopLevel, readPlaces, type Medium, type Source } from '../lists/sources.ts';
import { isReferrerSpam } from './spam.ts';
import { hostOf, parseHttp, pathOf } from '../../vocabulary/texts/url.ts';
import { MAX_ADDRESS } from '../../vocabulary/limits.ts';
import { sourceKey } from '../../vocabulary/questions/spellings.ts';
import { cut } from '../../vocabulary/texts/spelling.ts';

export type Referral = Source & {
  /** Host and path, without scheme, query and fragment. */
  referrer: string;
};

const MAX_REFERRER = 512;
const places = readPlaces();

type Read = Referral & { host: string; isSpam: boolean };

const read = remember((address): Read | null => readApp(address) ?? readPage(address), bytesFor('referrers'));

/** Returns undefined for a missing or invalid referrer, and for the site's own hosts. */
export function readReferrer(referrer: string, isOwnHost: (host: string) => boolean): Referral | undefined {
  const address = withoutQuery(referrer);
  const found = address === '' ? null : read(address);
  return found && !(found.host !== '' && isOwnHost(found.host)) ? found : undefined;
}

/** True for pages that pretend to refer visitors in order to be visited themselves. */
export function isSpam(referrer: string): boolean {
  const address = withoutQuery(referrer);
  return address !== '' && (read(address)?.isSpam ?? false);
}

function withoutQuery(referrer: string): string {
  const bounded = referrer.length > MAX_ADDRESS ? referrer.slice(0, MAX_ADDRESS) : referrer;
  const end = bounded.search(/[?#]/);
  return end === -1 ? bounded : bounded.slice(0, end);
}

/** The referrer of an app, such as `android-app://com.example/`: see https://developer.chrome.com/blog/referrer-for-android-apps. */
const APP = /^(?:android|ios)-app:\/\/(?:\d+\/)?([a-z0-9_][\w.-]{1,127})/i;

function readApp(address: string): Read | null {
  const id = APP.exec(address)?.[1];
  if (id === undefined) return null;
  const name = id.toLowerCase();
  const known = sourceOfApp(name) ?? (address.startsWith('ios') ? places.names.get(name) : undefined);
  return { host: '', isSpam: false, referrer: id, source: known?.source ?? id, medium: known?.medium ?? 'referral' };
}

/**
 * Finds an app's source in the list of apps, or by its id if that is a web host (m.facebook.com), or by its maker's domain, with which most
 * ids begin (com.facebook.katana). iOS apps send their URL scheme instead (fb).
 */
function sourceOfApp(id: string): Source | undefined {
  return places.apps.get(id) ?? sourceOfHost(id) ?? sourceOfHost(id.split('.').reverse().join('.'));
}

/** An ordinary word is a service only before another name: `ad.nl` and `posta.com.tr` are newspapers. */
const OF_A_NAME = String.raw`\.(?!(?:com?|org|net|gov|ac)\.[a-z]{2}$)[^.]+\.[^.]`;

/** Mail of a provider, and links in its mail, also below a listed domain. */
const MAIL = new RegExp(
  String.raw`^(?:web-?mail|roundcube|zimbra|horde)\d{0,2}\.|^(?:click|links?|trk|track)\.(?:e|em|e?mail|mailings?|news|newsletter|mg)\d?\.|` +
    String.raw`^(?:mail|e-?mail|owa|outlook|sogo|correo|poczta|posta|messagerie)\d{0,2}${OF_A_NAME}`,
);

/**
 * What the first label of an unlisted host says: software that companies, universities and volunteers run themselves, views of networks
 * that others run, and servers of ads.
 */
const SERVICES: readonly { medium: Medium; label: RegExp }[] = [
  { medium: 'email', label: MAIL },
  {
    medium: 'search',
    label: new RegExp(
      String.raw`^(?:searx(?:ng)?|searxes|whoogle|4get|yacy|librex|librey|metager)\d{0,2}\.|` +
        String.raw`^(?!.*\.(?:edu|gov|int|mil)$)(?:(?:web|meta)?search|suche|szukaj|busca(?:r|dor)?|recherche|arama|zoeken)\d{0,2}${OF_A_NAME}`,
    ),
  },
  { medium: 'ai', label: /^(?:open-?webui|librechat|lobe-?chat|perplexica|anythingllm|big-agi|morphic)\d{0,2}\./ },
  {
    medium: 'video',
    label: new RegExp(String.raw`^(?:peertube|invidious|piped|viewtube)\d{0,2}\.|^tube\d{0,2}${OF_A_NAME}`),
  },
  {
    // the domain .social belongs to networks, nearly all of them of the fediverse
    medium: 'social',
    label:
      /^(?:mattermost|rocket-?chat|zulip|element|mastodon|mstdn|masto|lemmy|pixelfed|misskey|sharkey|firefish|iceshrimp|akkoma|pleroma|gotosocial|friendica|hubzilla|bookwyrm|[km]bin|piefed|nitter|redlib|libreddit|teddit)\d{0,2}\.|\.social$/,
  },
  {
    medium: 'paid',
    label: new RegExp(
      String.raw`^(?:ads?|adserv(?:er|ing)?|adclick|adfarm|adx|dsp|ssp|rtb|banners?)\d{0,3}${OF_A_NAME}`,
    ),
  },
];

const mediumOfService = (host: string): Medium => SERVICES.find(({ label }) => label.test(host))?.medium ?? 'referral';

function readPage(address: string): Read | null {
  const url = parseHttp(address);
  if (!url) return null;
  const host = hostOf(url);
  if (isPrivateHost(host)) return null; // pages on a local machine or in a private network are not referrers
  // some apps send their id as if it were a host: https://com.example.app/
  const known = sourceOfHost(host, url.pathname) ?? places.apps.get(host);
  const path = pathOf(url);
  return {
    host,
    isSpam: isReferrerSpam(host),
    referrer: cut(host + (path === '/' ? '' : path), MAX_REFERRER),
    source: known?.source ?? withoutWww(host),
    medium: known?.medium ?? mediumOfService(host),
  };
}

function withoutWww(host: string): string {
  return host.startsWith('www.') ? host.slice(4) : host;
}

/** Finds the source of a host, by the host itself or a domain above it; undefined for unlisted hosts. */
function sourceOfHost(host: string, path = '/'): Source | undefined {
  const bare = withoutWww(host);
  for (let domain = bare; ; domain = domain.slice(domain.indexOf('.') + 1)) {
    const byPath = places.paths.get(domain)?.find((entry) => isBelow(path, entry.path));
    if (byPath) return byPath.source;
    const exact = domain === bare ? places.exactHosts.get(bare) : undefined;
    if (exact) return exact;
    const known = memberOfFamily(bare, domain) ?? places.hosts.get(domain) ?? namedAnywhere(domain);
    if (known) return domain !== bare && known.medium !== 'email' && MAIL.test(bare) ? mailOf(known) : known;
    if (!domain.includes('.')) return undefined;
  }
}

/** Recognises an unlisted subdomain of a known provider: its mail, shop or search. */
function memberOfFamily(host: string, domain: string): Source | undefined {
  const family = places.families.get(domain);
  const subdomain = host.slice(0, host.length - domain.length);
  for (const medium of Object.keys(FAMILY_WORDS) as (keyof typeof FAMILY_WORDS)[])
    if (family?.[medium] && FAMILY_WORDS[medium].test(subdomain)) return family[medium];
  return undefined;
}

const mailOf = ({ source }: Source): Source => ({ source, medium: 'email' });

/** Recognises a known name under another top-level domain, or with another number in it. */
function namedAnywhere(domain: string): Source | undefined {
  const dot = domain.indexOf('.');
  const known = places.anywhere.get(domain.slice(0, dot));
  if (known && isTopLevel(domain.slice(dot + 1))) return known;
  return places.patterns.find(({ pattern }) => pattern.test(domain))?.source;
}

function isBelow(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
}

/** Words that campaigns add to the name of a source without meaning another source. */
const ADDITION =
  /^(.+?)[-_ .+]?(?:(ads?|adwords|advertising|paid)|organic|social|app|mobile|page|feed|stories|story|post|bio|group|shop)$/;
const ADS = new Set(['adwords', 'gads', 'msads', 'adcenter']);

/** `paid` if the name stands for the source's ads, such as facebook_ads or adwords. */
export type NamedSource = Source & { paid: boolean };

const byName = remember((name): NamedSource | null => {
  const [, shorter = '', ads] = ADDITION.exec(name) ?? [];
  const stem = shorter.length > 1 ? places.names.get(shorter) : undefined;
  const known = places.names.get(name) ?? places.names.get(name.replace(/[\s_]+/g, '-'));
  if (known) return { ...known, paid: ADS.has(name) || (ads !== undefined && stem?.source === known.source) };
  if (!name.includes('.')) return stem ? { ...stem, paid: ads !== undefined } : null;
  const address = URL.parse(name.includes('://') ? name : `http://${name}`);
  const place = (address && sourceOfHost(hostOf(address), address.pathname)) ?? sourceOfApp(name);
  return place ? { ...place, paid: false } : null;
}, bytesFor('sources'));

/** Finds the source that a campaign tag names, by name, host or app; undefined for unknown tags. */
export function sourceOfName(tag: string): NamedSource | undefined {
  return tag === '' || tag.length > 255 ? undefined : (byName(tag.toLowerCase()) ?? undefined);
}

/** Returns the name under which visits count here whose source another product calls by this name. */
export const sourceNamed = (name: string): string =>
  homeOfSource(name) === undefined ? (sourceOfName(name)?.source ?? sourceKey(name)) : name;

/** Returns the main host of a listed source, by the source's name in reports. */
export function homeOfSource(source: string): string | undefined {
  return places.homes.get(source);
}
