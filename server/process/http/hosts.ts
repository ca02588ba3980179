// Decides which Host headers are served. Passwords and keys must not cross a network in plain HTTP, so without TLS and without an https
// BASE_URL only names of this machine are allowed.
import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { type Config, isLoopbackHost } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import { type Peers, plainAddress } from './peer.ts';

export type Hosts = {
  /**
   * Throws forbidden for a host that is not served, and bad_request for a malformed one. Events carry no secrets: with a BASE_URL they are
   * accepted under any host, because a site's own proxy may pass on its own Host header.
   */
  check(request: IncomingMessage, options?: { collects: boolean }): void;
  /** True if session cookies may cross this connection: the host is served, and the connection is encrypted or local. */
  maySignIn(request: IncomingMessage): boolean;
  /**
   * Returns the target of redirects from plain HTTP: BASE_URL, or else the requested host if it is this server's. Throws forbidden if it is
   * not.
   */
  secureOrigin(request: IncomingMessage): string;
};

type Options = {
  config: Pick<Config, 'BASE_URL'>;
  peers: Peers;
  /** PEM of the certificate, if the server speaks TLS itself. */
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
        'Footfall is served only under localhost: to use another name, set BASE_URL to its https address.',
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
      if (!isOwn(hostname, request, named)) throw new Refusal('forbidden', 'This is served only over HTTPS.');
      return `https://${host}`;
    },
  };
}

/** a cache of one entry: nearly every request names the same host as the one before */
let last = { text: '', url: new URL('http://localhost') };

function readHost(text: string): URL {
  if (text !== last.text || text === '') {
    const url = HOST.test(text) ? URL.parse(`http://${text}`) : null;
    if (!url) throw new Refusal('bad_request', 'The Host header is missing or malformed.');
    last = { text, url };
  }
  return last.url;
}

/** True for names of this machine, the local address of the connection, and names in the certificate. */
function isOwn(hostname: string, request: IncomingMessage, certificate: X509Certificate | undefined): boolean {
  const name = hostname.replace(/^\[(.+)\]$/, '$1');
  if (isLoopbackHost(hostname) || name === plainAddress(request.socket.localAddress ?? '')) return true;
  const isNamed = isIP(name) ? certificate?.checkIP(name) : certificate?.checkHost(name.replace(/\.$/, ''));
  return isNamed !== undefined;
}
