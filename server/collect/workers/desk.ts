// The desk: answers the workers, in the process that owns the stores. All that hits have in common is here, so that it exists once: limits
// per address, repeated views and ids, counts of drops, and the queue.
import type { Socket } from 'node:net';
import type { Collector } from '../collector.ts';
import { Unavailable } from '../../errors.ts';
import type { Log } from '../../process/log.ts';
import type { ZoneDay } from '../../sites/salts.ts';
import type { Site } from '../../sites/sites.ts';
import type { CallName, Calls, Failure, Message, Request } from './calls.ts';
import { readFrames, writeFrame } from './frames.ts';

export type Desk = {
  /** Answers a worker on its connection. */
  take(socket: Socket): void;
  /** Tells the workers to forget the salts of days that were over at `time`. */
  forgetSalts(time: number): void;
  /** How many are connected. */
  workers(): number;
  /** Ends all connections. */
  close(): void;
};

type Options = {
  collector: Pick<Collector, 'admit'>;
  siteOf(domain: string): Promise<Site | undefined>;
  isOverQuota(site: Site): boolean;
  saltOf(day: ZoneDay): Promise<Buffer>;
  /** In hex. */
  orderSecret: string;
  onUntrustedProxy(): void;
  now(): number;
  log: Log;
};

type Handlers = { [Name in CallName]: (input: Calls[Name][0]) => Calls[Name][1] | Promise<Calls[Name][1]> };

export function openDesk(options: Options): Desk {
  const { collector, now, log } = options;
  const workers = new Set<Socket>();
  const handlers: Handlers = {
    start: () => ({ orderSecret: options.orderSecret }),
    site: async ({ domain }) => {
      const site = await options.siteOf(domain);
      return site ? { site, isOverQuota: options.isOverQuota(site) } : null;
    },
    salt: async (day) => (await options.saltOf(day)).toString('hex'),
    admit: (judged) => collector.admit(judged, now()),
    untrustedProxy: () => {
      options.onUntrustedProxy();
      return null;
    },
  };

  const answer = async ({ id, name, input }: Request): Promise<Message> => {
    try {
      return { id, output: await handlers[name](input as never) };
    } catch (error) {
      return { id, failure: toFailure(error, log) };
    }
  };

  return {
    take(socket) {
      workers.add(socket);
      socket.once('close', () => workers.delete(socket));
      readFrames(socket, (message) => {
        void answer(message as Request).then((answered) => {
          if (!socket.destroyed) writeFrame(socket, answered);
        });
      });
    },
    forgetSalts(time) {
      for (const socket of workers) writeFrame(socket, { forgetSalts: time } satisfies Message);
    },
    workers: () => workers.size,
    close() {
      for (const socket of workers) socket.destroy();
    },
  };
}

function toFailure(error: unknown, log: Log): Failure {
  if (error instanceof Unavailable) return { unavailable: error.store };
  log.error({ error }, 'a call of a worker failed');
  return { failed: error instanceof Error ? error.message : String(error) };
}
