// A keyed hash of an address, for limits per address. It is irreversible, and kept only in memory or Redis. Its key is derived from the
// day's secret, which all processes share and which is destroyed when the UTC day is over.
import { createHmac, hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { dayOf } from '../../vocabulary/time/time.ts';

export type AddressHash = {
  /** 64 bits in hex. Returns a promise only while the day's key is not loaded yet. */
  of(address: string, now: number): string | Promise<string>;
};

export function openAddressHash(secretOf: (day: string) => Promise<Buffer>): AddressHash {
  let current: { day: string; key: string } | undefined;
  const readKey = async (day: string) => {
    const key = createHmac('sha256', await secretOf(day))
      .update('addresses')
      .digest('hex');
    current = { day, key };
    return key;
  };
  return {
    of: (address, now) => {
      const day = dayOf(now);
      if (current?.day === day) return hashOf(current.key, address);
      return readKey(day).then((key) => hashOf(key, address));
    },
  };
}

/**
 * SHA-256 over the key and the network in one call, since every hit runs this: it takes a quarter of an HMAC's time. Such a hash could be
 * extended by someone who knows all of it, but three quarters are cut off here.
 */
function hashOf(key: string, address: string): string {
  return hash('sha256', key + networkOf(address), 'hex').slice(0, 16);
}

/**
 * Returns an IPv4 address as it is, and an IPv6 address as its /64: a customer usually has a whole /64 and can use a new address for each
 * request.
 */
export function networkOf(address: string): string {
  if (!address.includes(':') || !isIPv6(address)) return address; // isIPv6 alone is slow
  const [bare = ''] = address.split('%', 1); // without the zone
  const [head = '', tail = ''] = bare.split('::');
  const left = groupsOf(head);
  const right = groupsOf(tail);
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** An IPv4 address at the end stands for two groups. Their value does not matter: only the first four groups are used. */
function groupsOf(text: string): string[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
