import { describe, expect, test } from 'vitest';
import { networkOf, openAddressHash } from './address-hash.ts';

const NOON = Date.UTC(2026, 10, 20, 12);
const DAY_MS = 86_400_000;
const secretOf = (day: string) => Promise.resolve(Buffer.from(`the secret of ${day}`));

describe('the network of an address', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::2:3:4:5:6', '2001:db8:0:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
    ['', ''],
  ])('%s', (address, network) => expect(networkOf(address)).toBe(network));
});

describe('the hash of an address', () => {
  test('is the same in every process on a day and for a whole /64, and does not reveal the address', async () => {
    const [one, other] = [openAddressHash(secretOf), openAddressHash(secretOf)];
    const hash = await one.of('2001:db8:1:2::1', NOON);
    expect(hash).toMatch(/^[0-9a-f]{16}$/);
    expect(await other.of('2001:db8:1:2:ffff::9', NOON)).toBe(hash);
    expect(await other.of('2001:db8:1:3::1', NOON)).not.toBe(hash);
    expect(await one.of('203.0.113.7', NOON)).not.toBe(await one.of('203.0.113.8', NOON));
  });

  test('changes with the day and with the secret', async () => {
    const hashes = openAddressHash(secretOf);
    const foreign = openAddressHash(() => Promise.resolve(Buffer.from('another one')));
    const today = await hashes.of('203.0.113.7', NOON);
    expect(await hashes.of('203.0.113.7', NOON + DAY_MS)).not.toBe(today);
    expect(await hashes.of('203.0.113.7', NOON)).toBe(today);
    expect(await foreign.of('203.0.113.7', NOON)).not.toBe(today);
  });

  test('returns at once when the key of the day is loaded', async () => {
    const hashes = openAddressHash(secretOf);
    const first = await hashes.of('203.0.113.7', NOON);
    expect(hashes.of('203.0.113.7', NOON + 1)).toBe(first);
  });
});
