// Who is at the other end: the peer's address, and what proxies say of it, believed only from proxies that are trusted.
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { isPrivateAddress } from './private-addresses.ts';

export type Peers = {
  /** The visitor's address: the right-most forwarded one that is not a trusted proxy. */
  addressOf(request: IncomingMessage): string;
  isSecure(request: IncomingMessage): boolean;
  hostOf(request: IncomingMessage): string;
  /** Whether a proxy stands in front that TRUST_PROXY does not name: all visitors then have its address, and are counted as one. */
  readonly hasUntrustedProxy: boolean;
};

type Options = { onUntrustedProxy?: () => void };

/** `trusted`: addresses, CIDR ranges, or `loopback`. `onUntrustedProxy` is told once. */
export function openPeers(trusted: readonly string[], { onUntrustedProxy }: Options = {}): Peers {
  const proxies = new BlockList();
  for (const range of trusted.flatMap((part) => (part === 'loopback' ? ['127.0.0.0/8', '::1/128'] : [part]))) {
    const [address = '', prefix] = range.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    proxies.addSubnet(address, prefix === undefined ? (family === 'ipv6' ? 128 : 32) : Number(prefix), family);
  }
  const isProxy = (address: string) => {
    const family = trusted.length === 0 ? 0 : isIP(address);
    return family !== 0 && proxies.check(address, family === 6 ? 'ipv6' : 'ipv4');
  };
  const peerOf = (request: IncomingMessage) => plainAddress(request.socket.remoteAddress ?? '');
  const forwarded = (request: IncomingMessage, name: string) =>
    isProxy(peerOf(request)) ? listOf(request.headers[name]) : [];

  let hasUntrustedProxy = false;
  /** Visitors come from public addresses; who forwards for others from a private one is the operator's own proxy. */
  const noticeProxy = (request: IncomingMessage, peer: string) => {
    if (hasUntrustedProxy || request.headers['x-forwarded-for'] === undefined || !isPrivateAddress(peer)) return;
    hasUntrustedProxy = true;
    onUntrustedProxy?.();
  };

  return {
    get hasUntrustedProxy() {
      return hasUntrustedProxy;
    },
    addressOf: (request) => {
      const peer = peerOf(request);
      if (!isProxy(peer)) {
        noticeProxy(request, peer);
        return peer;
      }
      const chain = listOf(request.headers['x-forwarded-for']).map(plainAddress);
      return chain.findLast((address) => isIP(address) !== 0 && !isProxy(address)) ?? peer;
    },
    isSecure: (request) =>
      (request.socket as Partial<TLSSocket>).encrypted === true ||
      forwarded(request, 'x-forwarded-proto').at(-1)?.toLowerCase() === 'https',
    hostOf: (request) => forwarded(request, 'x-forwarded-host').at(-1) ?? request.headers.host ?? '',
  };
}

function listOf(header: string | string[] | undefined): string[] {
  return (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').flatMap((part) => part.trim() || []);
}

/** IPv4 written as IPv6 is one address; brackets and a port, as some proxies write them, are none of it. */
export function plainAddress(text: string): string {
  if (!text.includes(':')) return text;
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
  return bare.replace(/^::ffff:(?=\d+\.)/i, '');
}
