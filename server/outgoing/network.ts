// The two things that an outgoing request needs of the network. Tests put a network of their own in its place.
import { Resolver } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';

export type Network = {
  /** All addresses of a name. Rejects when there are none. */
  resolve(hostname: string, signal: AbortSignal): Promise<string[]>;
  /** A socket that connects to this very address. */
  dial(address: string, port: number): Socket;
};

export const INTERNET: Network = {
  // Not getaddrinfo: a slow name would hold one of libuv's threads, and cannot be cancelled.
  async resolve(hostname, signal) {
    const resolver = new Resolver({ timeout: 2000, tries: 2 });
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel);
    try {
      const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
      const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      if (addresses.length === 0) throw new Error(`${hostname} has no address`);
      return addresses;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  },
  dial: (host, port) => connect({ host, port }),
};
