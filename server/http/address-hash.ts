// A name for an address that nobody can turn back, for limits that count by address. It is kept in memory or Redis alone.
// The key comes from the secret of the UTC day: all processes agree on it, and it is destroyed with its day.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { dayOf } from '../vocabulary/time.ts';

export type AddressHash = {
  /** 64 bits in hex. A promise only when the key of the day has to be read first. */
  of(address: string, now: number): string | Promise<string>;
};

export function openAddressHash(secretOf: (day: string) => Promise<Buffer>): AddressHash {
  let known: { day: string; key: KeyObject } | undefined;
  const readKey = async (day: string) => {
    const key = createSecretKey(
      createHmac('sha256', await secretOf(day))
        .update('addresses')
        .digest(),
    );
    known = { day, key };
    return key;
  };
  return {
    of: (address, now) => {
      const day = dayOf(now);
      if (known?.day === day) return hashOf(known.key, address);
      return readKey(day).then((key) => hashOf(key, address));
    },
  };
}

function hashOf(key: KeyObject, address: string): string {
  return createHmac('sha256', key).update(networkOf(address)).digest('hex').slice(0, 16);
}

/** An IPv6 customer has a whole /64, and may use another of its addresses for each request. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [bare = ''] = address.split('%', 1); // without the zone
  const [head = '', tail = ''] = bare.split('::');
  const left = groupsOf(head);
  const right = groupsOf(tail);
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** IPv4 at the end takes the room of two groups, and is never part of the first four. */
function groupsOf(text: string): string[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
