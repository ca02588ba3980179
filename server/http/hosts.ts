// Under which Host a request is answered. Passwords and keys must not cross a network in plain HTTP, so without an https BASE_URL
// and without TLS only names of this machine are.
import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { type Config, isLoopbackHost } from '../config.ts';
import { Refusal } from '../errors.ts';
import { type Peers, plainAddress } from './peer.ts';

export type Hosts = {
  /**
   * Throws forbidden for a host that is not served, and bad_request for one that is malformed. Collecting carries nobody's
   * secrets: with a BASE_URL it works under any host, as a proxy of the site's own passes it on.
   */
  check(request: IncomingMessage, options?: { collects: boolean }): void;
  /** Whether a session may cross this connection: its host is served, and it is TLS where it must be. */
  maySignIn(request: IncomingMessage): boolean;
  /** The origin to which plain HTTP is redirected: BASE_URL's, or the host that was asked for where it is this server's own. */
  secureOrigin(request: IncomingMessage): string;
};

type Options = {
  config: Pick<Config, 'BASE_URL'>;
  peers: Peers;
  /** PEM of the certificate, where the server speaks TLS itself. */
  certificate: Buffer | undefined;
};

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;

export function openHosts({ config, peers, certificate }: Options): Hosts {
  const base = config.BASE_URL === undefined ? undefined : new URL(config.BASE_URL);
  const named = certificate && new X509Certificate(certificate);
  const mustBeLoopback = base ? base.protocol === 'http:' : !named;

  const check: Hosts['check'] = (request, options) => {
    if (base && (!mustBeLoopback || options?.collects)) return;
    const { hostname } = readHost(peers.hostOf(request));
    if (mustBeLoopback && !isLoopbackHost(hostname))
      throw new Refusal(
        'forbidden',
        'Footfall answers under localhost only: set BASE_URL to the https address under which people reach it.',
      );
  };

  return {
    check,
    maySignIn: (request) => {
      try {
        check(request);
      } catch {
        return false;
      }
      return mustBeLoopback || peers.isSecure(request);
    },
    secureOrigin: (request) => {
      if (base) return base.origin;
      const { host, hostname } = readHost(peers.hostOf(request));
      if (!isOwn(hostname, request, named)) throw new Refusal('forbidden', 'This is served over HTTPS only.');
      return `https://${host}`;
    },
  };
}

let last = { text: '', url: new URL('http://localhost') };

/** Nearly every request names the host of the one before. */
function readHost(text: string): URL {
  if (text !== last.text || text === '') {
    const url = HOST.test(text) ? URL.parse(`http://${text}`) : null;
    if (!url) throw new Refusal('bad_request', 'The Host header is missing or malformed.');
    last = { text, url };
  }
  return last.url;
}

/** This machine, the address that the peer has connected to, or a name of the certificate. */
function isOwn(hostname: string, request: IncomingMessage, certificate: X509Certificate | undefined): boolean {
  const name = hostname.replace(/^\[(.+)\]$/, '$1');
  if (isLoopbackHost(hostname) || name === plainAddress(request.socket.localAddress ?? '')) return true;
  const isNamed = isIP(name) ? certificate?.checkIP(name) : certificate?.checkHost(name.replace(/\.$/, ''));
  return isNamed !== undefined;
}
