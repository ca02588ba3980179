// The network functions that outgoing requests need: DNS and TCP. Tests replace them with a network of their own.
import { Resolver } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';

export type Network = {
  /** All addresses of a name. Rejects if it has none. */
  resolve(hostname: string, signal: AbortSignal): Promise<string[]>;
  /** The TXT records of a name, each in one piece. Empty if it has none; rejects if its servers do not answer. */
  resolveTxt(hostname: string, signal: AbortSignal): Promise<string[]>;
  /** Connects to exactly this address, without another lookup. A socket is still connecting; that of a promise is connected. */
  dial(address: string, port: number, signal: AbortSignal): Socket | Promise<Socket>;
};

/** The name exists without TXT records, or does not exist. */
const NO_RECORDS = new Set(['ENODATA', 'ENOTFOUND']);

export const INTERNET: Network = {
  // Does not use getaddrinfo: a slow lookup would block one of libuv's threads and could not be cancelled.
  resolve: (hostname, signal) =>
    withResolver(signal, async (resolver) => {
      const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
      const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      if (addresses.length === 0) throw new Error(`${hostname} has no address`);
      return addresses;
    }),
  resolveTxt: (hostname, signal) =>
    withResolver(signal, async (resolver) => {
      try {
        return (await resolver.resolveTxt(hostname)).map((parts) => parts.join(''));
      } catch (error) {
        if (NO_RECORDS.has((error as NodeJS.ErrnoException).code ?? '')) return [];
        throw error;
      }
    }),
  dial: (host, port) => connect({ host, port }),
};

async function withResolver<T>(signal: AbortSignal, ask: (resolver: Resolver) => Promise<T>): Promise<T> {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel);
  try {
    return await ask(resolver);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
