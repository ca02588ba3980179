// Addresses and host names of a private machine or network, which the internet cannot reach.
import { BlockList, isIP } from 'node:net';

/** This host, private, shared (CGNAT), loopback and link-local ranges (RFC 6890). */
export const PRIVATE_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const;
/** Loopback and unspecified, unique local and link-local ranges. */
const PRIVATE_V6 = [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
] as const;
const ranges = new BlockList();
for (const [address, prefix] of PRIVATE_V4) ranges.addSubnet(address, prefix, 'ipv4');
for (const [address, prefix] of PRIVATE_V6) ranges.addSubnet(address, prefix, 'ipv6');

/** Names that no public site has: those of RFC 6761, 6762, 8375 and 9476, `.internal`, and names that home routers and offices use. */
const NAME = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|private|test|invalid|home\.arpa)$/;

/** `address` must have no brackets. Returns false for text that is not an address. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && ranges.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** `host` as a URL writes it, with IPv6 in brackets. Names without a dot count as private. */
export function isPrivateHost(host: string): boolean {
  const address = host.startsWith('[') ? host.slice(1, -1) : host;
  if (isIP(address) !== 0) return isPrivateAddress(address);
  return !host.includes('.') || NAME.test(host);
}
