// Recognises what an owner leaves out of a site's numbers. Own visits are known by a keyed hash of the network that they come from: the address
// itself is never stored.
import { createHmac, randomBytes } from 'node:crypto';
import { networkOf } from '../process/http/address-hash.ts';
import { type LeftOut, leftOutIn, withNetwork, withoutNetwork } from '../sites/left-out.ts';
import { matchesPattern, pathSegments, readPattern } from '../vocabulary/texts/page-patterns.ts';

type Settings = Readonly<Record<string, unknown>>;

type Matcher = {
  isOwn(address: string): boolean;
  isCountry(code: string): boolean;
  isHost(hostname: string): boolean;
  isPage(page: string): boolean;
};

const compiled = new WeakMap<Settings, Matcher>();

/** Undefined if the site leaves nothing out. Compiled rules are cached together with the site's settings. */
export function leftOutOf(settings: Settings): Matcher | undefined {
  const known = compiled.get(settings);
  if (known) return known;
  const stored = leftOutIn(settings);
  if (!stored) return undefined;
  const matcher = compile(stored);
  compiled.set(settings, matcher);
  return matcher;
}

function compile({ countries, pages, hostnames, networks, key }: LeftOut): Matcher {
  const own = new Set(networks);
  const patterns = pages.map(readPattern);
  return {
    isOwn: (address) => own.size > 0 && own.has(networkHash(key, address)),
    isCountry: (code) => countries.includes(code),
    isHost: (hostname) => hostnames.includes(hostname),
    isPage: (page) => {
      const segments = pathSegments(page);
      return patterns.some((pattern) => matchesPattern(pattern, segments));
    },
  };
}

/** 128 bits in hex, of an IPv4 address or of the /64 of an IPv6 address. */
function networkHash(key: string, address: string): string {
  return createHmac('sha256', key).update(networkOf(address)).digest('hex').slice(0, 32);
}

/** Returns the settings of a site that leaves out visits from the network of `address`. */
export function leaveOut(settings: Settings, address: string): Record<string, unknown> {
  const key = leftOutIn(settings)?.key || randomBytes(32).toString('hex');
  return withNetwork(settings, { network: networkHash(key, address), key });
}

/** Returns the settings of a site that counts visits from the network of `address` again. */
export function countAgain(settings: Settings, address: string): Record<string, unknown> {
  return withoutNetwork(settings, networkHash(leftOutIn(settings)?.key ?? '', address));
}
