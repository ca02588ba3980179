// Finds out who is at the other end of a connection. Forwarded headers are trusted only from known proxies.
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { isWithinV4, numberOfV4, rangeOfV4, type V4Range } from './ipv4.ts';
import { isPrivateAddress } from './private-addresses.ts';

export type Peers = {
  /** The visitor's address: the last one in X-Forwarded-For that is not a trusted proxy. */
  addressOf(request: IncomingMessage): string;
  isSecure(request: IncomingMessage): boolean;
  hostOf(request: IncomingMessage): string;
  /** True if requests come through a proxy that TRUST_PROXY does not name: all visitors then share its address and count as one. */
  readonly hasUntrustedProxy: boolean;
  /** Call this when another process has found such a proxy. */
  foundUntrustedProxy(): void;
};

type Options = { onUntrustedProxy?: () => void };

/** `trusted`: addresses, CIDR ranges, or `loopback`. `onUntrustedProxy` is called once. */
export function openPeers(trusted: readonly string[], { onUntrustedProxy }: Options = {}): Peers {
  const isProxy = openProxies(trusted);
  /** a cache of one entry: behind a proxy, nearly every request comes from the same peer as the one before */
  let last = { remote: '', peer: '', isProxy: false };
  const peerOf = (request: IncomingMessage) => {
    const remote = request.socket.remoteAddress ?? '';
    if (remote !== last.remote) {
      const peer = plainAddress(remote);
      last = { remote, peer, isProxy: isProxy(peer) };
    }
    return last;
  };
  const forwarded = (request: IncomingMessage, name: string) =>
    peerOf(request).isProxy ? listOf(request.headers[name]) : [];

  let hasUntrustedProxy = false;
  /** Visitors have public addresses, so a private address that forwards requests is the operator's own proxy. */
  const noticeProxy = (request: IncomingMessage, peer: string) => {
    if (hasUntrustedProxy || request.headers['x-forwarded-for'] === undefined || !isPrivateAddress(peer)) return;
    foundUntrustedProxy();
  };
  const foundUntrustedProxy = () => {
    if (!hasUntrustedProxy) onUntrustedProxy?.();
    hasUntrustedProxy = true;
  };

  return {
    get hasUntrustedProxy() {
      return hasUntrustedProxy;
    },
    foundUntrustedProxy,
    addressOf: (request) => {
      const { peer, isProxy: isForwarded } = peerOf(request);
      if (!isForwarded) {
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

/** Returns whether an address is in one of the ranges. False for text that is not an address. */
function openProxies(trusted: readonly string[]): (address: string) => boolean {
  const v4: V4Range[] = [];
  const v6 = new BlockList();
  let mayMapV4 = false;
  for (const range of trusted.flatMap((part) => (part === 'loopback' ? ['127.0.0.0/8', '::1/128'] : [part]))) {
    const [address = '', prefix] = range.split('/');
    if (isIPv6(address)) {
      v6.addSubnet(address, Number(prefix ?? 128), 'ipv6');
      mayMapV4 ||= address !== '::1'; // ::ffff:0:0/96 stands for IPv4 addresses
    } else v4.push(rangeOfV4(address, Number(prefix ?? 32)));
  }
  if (trusted.length === 0) return () => false;
  return (address) => {
    const family = isIP(address);
    if (family === 6) return v6.check(address, 'ipv6');
    if (family !== 4) return false;
    return isWithinV4(numberOfV4(address), v4) || (mayMapV4 && v6.check(address, 'ipv4'));
  };
}

function listOf(header: string | string[] | undefined): string[] {
  if (header === undefined) return []; // most requests have no X-Forwarded-Host, and every hit runs this
  return (Array.isArray(header) ? header.join(',') : header).split(',').flatMap((part) => part.trim() || []);
}

/** Removes brackets and a port, which some proxies add, and the IPv6 prefix of an IPv4 address. */
export function plainAddress(text: string): string {
  if (!text.includes(':')) return text;
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
  return bare.replace(/^::ffff:(?=\d+\.)/i, '');
}
