// The sources of visitors: names, hosts, apps, and the names that campaigns use for them, by medium. This file defines the format of
// rows and combines the lists. If two lists have the same place, the later one here wins.
//
// - `example.com` stands for itself and its subdomains, `=example.com` for itself and `www.` only;
// - `example.{de,fr}` for both, `example.com/path` for that path and what is below it;
// - `example.*` for the name under every top-level domain, `deref-example*.com` for every label that begins like this;
// - `~example.com` for those subdomains that carry a word of the row's medium, such as `webmail7.example.com` (see FAMILY_WORDS);
// - `app:com.example` for an Android or iOS app;
// - after `|`: other names in `utm_source`, `ref` and `source` (the source's own name, with or without spaces, is always included).
import { readFileSync } from 'node:fs';
import { assistants } from './ai-assistants.ts';
import { engines } from './search-engines.ts';
import { advertisers, affiliates, audios, mails, others, shops, smallShops } from './shops-mail-ads.ts';
import { forums, networks, smallNetworks, smallVideos, videos } from './social-networks.ts';
import { newsrooms } from './news.ts';

export type SourceRow = [name: string, places: string];

export const MEDIUMS = [
  'ai',
  'search',
  'social',
  'video',
  'shopping',
  'email',
  'news',
  'paid',
  'affiliate',
  'audio',
  'referral',
] as const;
export type Medium = (typeof MEDIUMS)[number];

export type Source = { source: string; medium: Medium };

type Generated = { sources: [medium: Medium, name: string, places: string][] };

function generated(): Generated['sources'] {
  const text = readFileSync(new URL('referrers.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as Generated).sources;
}

/** Words too common in campaign tags to mean the source of that name. */
const WORDS = new Set(
  (
    'atlas beacons beeline become bento blackbox blog blogs bolt campsite care charter cici clix commander crawler deluxe dia dodo eo exa flix ' +
    'bauhaus douglas hema obi action forums free frontier gather glean holmes hr is julius koji komi later mamma max merlin minds monica milkshake my nami note orange pro rabbit shop ' +
    'skynet solo spaces stan target telstra time venice video virgin vodafone voila whirlpool alexandria bip flock front imo lark matrix pillar revolt session tusk twist wire wiki witch www yam zoek zoeken'
  ).split(' '),
);

/** A place that is a whole host, without wildcards or a path. */
const HOST = /^=?[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;

function nameOf(host: string): string {
  return host.split('.')[0] ?? '';
}

/** Rows of hosts whose name in reports is the host that was visited: each place of a list, with braces and asterisks, is one source. */
const namedByHost = (list: string): SourceRow[] =>
  words(list)
    .flatMap(expand)
    .map((place) => [place.replace('.*', ''), place]);

const groups: [Medium, SourceRow[]][] = [
  ['social', smallNetworks.split(' ').map((host) => [host, `${host}|${nameOf(host)}`])],
  ['social', namedByHost(forums)],
  ['video', namedByHost(smallVideos)],
  ['shopping', namedByHost(smallShops)],
  ['referral', others],
  ['paid', advertisers],
  ['affiliate', affiliates],
  ['audio', audios],
  ['news', newsrooms],
  ['email', mails],
  ['shopping', shops],
  ['video', videos],
  ['social', networks],
  ['search', engines],
  ['ai', assistants],
];

/**
 * Words in the host names of providers' services: their mail, search and shop hosts change often. They are searched for in the subdomain in
 * this order: `mail-search.example.com` is mail.
 */
export const FAMILY_WORDS = {
  email:
    /mail|messagerie|correo|poczta|\bpost(?:a|e|fach)?\b|inbox|zimbra|roundcube|horde|\bowa\b|deref|navigator|\b3c\b/,
  shopping: /shop|preis|vergleich|prezz|\bprix|preci|compar|compras|achat|einkauf|produkt/,
  search:
    /\bsuch|(?<!re)search|busca|pesquisa|recherche|lemoteur|szukaj|cerca|hledej|hledat|keres|arama|zoek|\bhaku\b|\bsok\b/,
} as const;
type FamilyMedium = keyof typeof FAMILY_WORDS;

/** The hosts, apps and names of sources, by how they are matched. A later entry overwrites an earlier one. */
type Places = {
  hosts: Map<string, Source>;
  exactHosts: Map<string, Source>;
  /** Keyed by host. Each list has the longest path first. */
  paths: Map<string, { path: string; source: Source }[]>;
  apps: Map<string, Source>;
  /** Keyed by the provider's domain, then by medium. */
  families: Map<string, Partial<Record<FamilyMedium, Source>>>;
  /** Keyed by the name that stands under any top-level domain. */
  anywhere: Map<string, Source>;
  /** For hosts with any other asterisk; matched against whole domains. */
  patterns: { pattern: RegExp; source: Source }[];
  /** Keyed by the name in lower case. */
  names: Map<string, Source>;
  /** The first host of each source, keyed by the source's name. */
  homes: Map<string, string>;
};

export function readPlaces(): Places {
  const places: Places = {
    hosts: new Map(),
    exactHosts: new Map(),
    paths: new Map(),
    apps: new Map(),
    families: new Map(),
    anywhere: new Map(),
    patterns: [],
    names: new Map(),
    homes: new Map(),
  };
  for (const [medium, source, list] of generated()) add(places, { medium, source }, list);
  for (const [medium, rows] of groups) for (const [source, list] of rows) add(places, { medium, source }, list);
  for (const list of places.paths.values()) list.sort((a, b) => b.path.length - a.path.length);
  return places;
}

function add(places: Places, source: Source, list: string): void {
  const [spots = '', names = ''] = list.split('|');
  const all = words(spots).flatMap(expand);
  for (const place of all) addPlace(places, source, place);
  const home = all.find((place) => HOST.test(place));
  if (home !== undefined) places.homes.set(source.source, home.replace('=', ''));
  const own = source.source.toLowerCase();
  for (const name of [own, own.replace(/[^\p{L}\p{N}]/gu, ''), ...words(names)])
    if (!WORDS.has(name)) places.names.set(name, source);
}

function addPlace(places: Places, source: Source, place: string): void {
  if (place.startsWith('app:')) {
    places.apps.set(place.slice(4).toLowerCase(), source);
  } else if (place.startsWith('=')) {
    places.exactHosts.set(place.slice(1), source);
  } else if (place.startsWith('~')) {
    const domain = place.slice(1);
    places.families.set(domain, { ...places.families.get(domain), [familyMedium(source)]: source });
  } else if (/^[a-z0-9-]+\.\*$/.test(place)) {
    places.anywhere.set(place.slice(0, -2), source);
  } else if (place.includes('*')) {
    places.patterns.push({ pattern: patternOf(place), source });
  } else if (place.includes('/')) {
    const slash = place.indexOf('/');
    const host = place.slice(0, slash);
    const known = places.paths.get(host);
    const entry = { path: place.slice(slash), source };
    if (known) known.push(entry);
    else places.paths.set(host, [entry]);
  } else {
    places.hosts.set(place, source);
  }
}

function familyMedium({ source, medium }: Source): FamilyMedium {
  if (Object.hasOwn(FAMILY_WORDS, medium)) return medium as FamilyMedium;
  throw new Error(`${source}: there are no words for hosts of the medium ${medium}.`);
}

/** A top-level domain, with or without `co.` or `com.` before it. */
const TOP_LEVEL = String.raw`(?:com?\.)?[a-z]{2,24}`;
const WHOLE_TOP_LEVEL = new RegExp(`^${TOP_LEVEL}$`);
export const isTopLevel = (domain: string): boolean => WHOLE_TOP_LEVEL.test(domain);

/** A final `.*` stands for a top-level domain, any other asterisk for the rest of a label. */
function patternOf(place: string): RegExp {
  const isAnywhere = place.endsWith('.*');
  const name = (isAnywhere ? place.slice(0, -2) : place).replaceAll('.', '\\.').replaceAll('*', '[a-z0-9-]*');
  return new RegExp(`^${name}${isAnywhere ? `\\.${TOP_LEVEL}` : ''}$`);
}

/** `a.{b,c}` → `a.b`, `a.c`, for any number of braces. */
function expand(place: string): string[] {
  const found = /^([^{]*)\{([^}]*)\}(.*)$/.exec(place);
  if (!found) return [place];
  const [, before = '', choices = '', after = ''] = found;
  return choices.split(',').flatMap((choice) => expand(`${before}${choice}${after}`));
}

function words(text: string): string[] {
  return text.split(' ').filter(Boolean);
}
