// Finds the country, region and city of an address in a local database: no address leaves the server. The default is DB-IP's free database
// (CC BY 4.0: pages that show places link to https://db-ip.com). Operators may use another one.
import { readFile } from 'node:fs/promises';
import { isIPv4, isIPv6 } from 'node:net';
import { Reader, type Response } from 'maxmind';
import type { Place } from '../../vocabulary/event.ts';
import type { Log } from '../../process/log.ts';
import { isWithinV4, numberOfV4, rangeOfV4 } from '../../process/http/ipv4.ts';
import { PRIVATE_V4 } from '../../process/http/private-addresses.ts';
import { findPlace, NOWHERE, openPlaceTable, readRegions, type PlaceTable, type RegionCodes } from './place-table.ts';

export type Geo = {
  /** Returns an empty place for private, loopback, unknown and invalid addresses. */
  locate(address: string): Place;
  close?(): void;
  /** The provider of the data, named on pages that show places. */
  source: string;
};

type GeoOptions = {
  /** A MaxMind, DB-IP or ip-location-db file in MMDB format, used instead of the shipped one. */
  path?: string | undefined;
  log?: Pick<Log, 'warn'> | undefined;
};

/** The shipped table, read once a process: tests open hundreds of servers in one. */
let shipped: PlaceTable | undefined;

/** Opens the database. If it is missing or damaged, places stay empty, and a warning is logged once. */
export async function openGeo({ path, log }: GeoOptions): Promise<Geo> {
  const warn = (cause: unknown, message: string) => {
    if (log) log.warn({ cause, path }, message);
    else process.emitWarning(message);
  };
  try {
    if (path !== undefined) return await openOperators(path, warn);
    const table = (shipped ??= await openPlaceTable());
    return { locate: (address) => locateIn(table, address), source: 'DB-IP' };
  } catch (cause) {
    warn(cause, 'The location database could not be read: places stay empty until it is repaired.');
    return { locate: () => NOWHERE, source: '' };
  }
}

function locateIn(table: PlaceTable, address: string): Place {
  const parsed = parseAddress(address);
  if (parsed === undefined || isPrivate(parsed)) return NOWHERE;
  return findPlace(table, parsed.family, parsed.number);
}

/** `number` holds all 32 bits of an IPv4 address, or the first 48 bits of an IPv6 address. */
type ParsedAddress = { family: 'v4' | 'v6'; number: number; text: string };

/** Returns undefined for an invalid address. An IPv4 address mapped into IPv6 is parsed as IPv4. */
export function parseAddress(address: string): ParsedAddress | undefined {
  if (address.length > 64) return undefined;
  if (isIPv4(address)) return { family: 'v4', number: numberOfV4(address), text: address };
  const zone = address.indexOf('%');
  const text = (zone === -1 ? address : address.slice(0, zone)).toLowerCase();
  if (!isIPv6(text)) return undefined;
  const mapped = /^(?:0{0,4}:){1,6}:?ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(text)?.[1];
  if (mapped !== undefined) return { family: 'v4', number: numberOfV4(mapped), text: mapped };
  return { family: 'v6', number: prefixOfV6(text), text };
}

function prefixOfV6(address: string): number {
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const after = tail === '' ? 0 : tail.split(':').length + (tail.includes('.') ? 1 : 0);
    while (groups.length + after < 8) groups.push('0');
    if (tail !== '') groups.push(...tail.split(':'));
  }
  const [a = '0', b = '0', c = '0'] = groups;
  return (Number.parseInt(a, 16) * 65_536 + Number.parseInt(b, 16)) * 65_536 + Number.parseInt(c, 16);
}

/** Private and multicast networks. They have no place, even if a database wrongly lists one. */
const NOWHERE_V4 = [...PRIVATE_V4, ['224.0.0.0', 3] as const].map(([network, bits]) => rangeOfV4(network, bits));

function isPrivate({ family, number }: ParsedAddress): boolean {
  if (family === 'v4') return isWithinV4(number, NOWHERE_V4);
  const first = Math.floor(number / 2 ** 32);
  return number === 0 || first >= 0xfc00; // loopback and unspecified; unique local, link local, multicast
}

type Warn = (cause: unknown, message: string) => void;

async function openOperators(path: string, warn: Warn): Promise<Geo> {
  const [file, regions] = await Promise.all([readFile(path), readRegions()]);
  const reader = new Reader<Response>(file);
  let warned = false;
  const locate = (address: string): Place => {
    const parsed = parseAddress(address);
    if (parsed === undefined || isPrivate(parsed)) return NOWHERE;
    if (parsed.family === 'v6' && reader.metadata.ipVersion === 4) return NOWHERE;
    try {
      return placeOf(reader.get(parsed.text), regions);
    } catch (cause) {
      if (!warned) warn(cause, 'The location database is damaged: some places stay empty.');
      warned = true;
      return NOWHERE;
    }
  };
  return { locate, source: reader.metadata.databaseType };
}

type Named = { iso_code?: unknown; names?: Record<string, unknown> } | string | undefined;
type CityRecord = {
  country?: Named;
  registered_country?: Named;
  country_code?: unknown;
  subdivisions?: Named[];
  region_code?: unknown;
  state1?: unknown;
  city?: Named;
};

/** MaxMind's and DB-IP's records nest names by language; ip-location-db's and IPinfo's are flat. DB-IP has no region codes. */
function placeOf(record: unknown, regions: RegionCodes): Place {
  if (record === null || typeof record !== 'object') return NOWHERE;
  const { country, registered_country, country_code, subdivisions, region_code, state1, city } = record as CityRecord;
  const code = [country_code, codeOf(country), codeOf(registered_country)].find(isCountry) ?? '';
  const part = isText(region_code) ? region_code : codeOf(subdivisions?.[0]);
  const name = isText(state1) ? state1 : nameOf(subdivisions?.[0]);
  const region = isRegion(part) ? part : regions[code]?.[name];
  return {
    country: code,
    region: code !== '' && isRegion(region) ? `${code}-${region}` : '',
    city: nameOf(city).replace(/ \([^()]*\)$/, ''), // DB-IP appends the district
  };
}

function codeOf(named: Named): string {
  if (typeof named === 'string') return named;
  return isText(named?.iso_code) ? named.iso_code : '';
}

function nameOf(named: Named): string {
  const name = typeof named === 'string' ? named : (named?.names?.['en'] ?? Object.values(named?.names ?? {})[0]);
  return isText(name) ? name.slice(0, 100) : '';
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isCountry(value: unknown): value is string {
  return isText(value) && /^[A-Z]{2}$/.test(value);
}

function isRegion(value: unknown): value is string {
  return isText(value) && /^[A-Z0-9]{1,3}$/.test(value);
}
