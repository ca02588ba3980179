// A network behind the operator's HTTP proxy. Names are still resolved here, and the proxy is asked for the address that was checked, never
// for a name: it could resolve that to another address.
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { hostInUrl } from '../../config.ts';
import type { Network } from './network.ts';

/** `proxy`: an http or https address, with the user name and password that it may need. */
export function throughProxy(network: Network, proxy: string): Network {
  const { protocol, hostname, port, username, password } = new URL(proxy);
  const isTls = protocol === 'https:';
  const { request } = isTls ? https : http;
  const user = [username, password].map(decodeURIComponent).join(':');
  return {
    ...network,
    dial: async (address, to, signal) => {
      const target = `${hostInUrl(address)}:${to}`;
      const asking = request({
        method: 'CONNECT',
        path: target,
        signal,
        agent: false,
        host: hostname.replace(/^\[(.*)\]$/, '$1'),
        port: port || (isTls ? 443 : 80),
        headers: {
          host: target,
          ...(username !== '' && { 'proxy-authorization': `Basic ${Buffer.from(user).toString('base64')}` }),
        },
      });
      asking.end();
      const [answer, socket] = (await once(asking, 'connect')) as [IncomingMessage, Socket];
      if (answer.statusCode === 200) return socket;
      socket.on('error', () => undefined).destroy();
      throw new Error(`the proxy answered ${answer.statusCode}`);
    },
  };
}
