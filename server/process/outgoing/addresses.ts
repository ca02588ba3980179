// Decides which addresses an outgoing request may reach: only those of the public internet.
import ipaddr from 'ipaddr.js';

const GLOBAL_IPV6 = ipaddr.IPv6.parse('2000::'); // the only block that IANA assigns to the public internet

/** False for private, loopback, link-local, shared (CGNAT), multicast and reserved addresses, and for IPv6 addresses that embed one. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text); // ::ffff:127.0.0.1 becomes 127.0.0.1
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_IPV6, 3)) return false;
  return address.range() === 'unicast';
}
