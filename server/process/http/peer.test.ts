import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import { expect, test } from 'vitest';
import { openPeers } from './peer.ts';

const from = (remoteAddress: string, forwardedFor: string) =>
  ({ headers: { 'x-forwarded-for': forwardedFor }, socket: { remoteAddress } }) as unknown as IncomingMessage;

const ADDRESSES = [
  '0.0.0.0',
  '9.255.255.255',
  '10.0.0.0',
  '10.1.2.3',
  '10.255.255.255',
  '11.0.0.0',
  '127.0.0.1',
  '127.255.255.255',
  '128.0.0.0',
  '192.0.2.1',
  '192.0.2.127',
  '192.0.2.128',
  '255.255.255.255',
  '::1',
  '::2',
  'fd00::1',
  '2001:db8::1',
];

/** The slow, obvious answer: the network library's own list. */
function isTrusted(trusted: readonly string[], address: string): boolean {
  const list = new BlockList();
  for (const range of trusted) {
    const [network = '', bits] = range.split('/');
    if (isIPv6(network)) list.addSubnet(network, Number(bits ?? 128), 'ipv6');
    else list.addSubnet(network, Number(bits ?? 32), 'ipv4');
  }
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

test.each([
  [['127.0.0.0/8', '::1/128']],
  [['10.0.0.0/8', '192.0.2.0/25']],
  [['10.1.2.3/8']], // the network of an address
  [['192.0.2.1']],
  [['0.0.0.0/0']],
  [['::/0']],
  [['fd00::/8', '2001:db8::1']],
  [['::ffff:10.0.0.0/104']], // IPv4 addresses, written as IPv6
])('trusts the proxies of %j and no other address', (trusted) => {
  const peers = openPeers(trusted);
  for (const address of ADDRESSES) {
    // A trusted peer's header counts: the visitor is the one before the last proxy.
    const seen = peers.addressOf(from(address, '203.0.113.9'));
    const isVisitorTrusted = isTrusted(trusted, '203.0.113.9');
    const expected = isTrusted(trusted, address) && !isVisitorTrusted ? '203.0.113.9' : address;
    expect(seen, address).toBe(expected);
  }
});
