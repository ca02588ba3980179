// Decides who may open a socket. Each connection is identified, takes a seat, and is limited in what it may send.
import type { IncomingMessage } from 'node:http';
import { Refusal } from '../errors.ts';
import type { Log } from '../process/log.ts';
import { createAllowance, headersOf, type Identify, type LiveServer, withToken } from './connection.ts';
import { openSeats, type Seat, type Standing } from './limits/connections.ts';
import type { Schedule } from './throttle.ts';

/** A connection that has not identified itself after this time is closed. Browsers send the handshake right after the upgrade. */
export const STRANGER_MS = 3000;
/** Rate limit of one connection: people click only a few times a second. */
const PACKETS = { burst: 60, perSecond: 10 };

type Options<Viewer> = {
  identify: Identify<Viewer>;
  isGuest(viewer: Viewer): boolean;
  addressOf(request: IncomingMessage): string | Promise<string>;
  maxSockets: number;
  now(): number;
  schedule: Schedule;
  log: Log;
};

type Admission<Viewer> = {
  /** Resolves to false if the upgrade must be refused. */
  admit(request: IncomingMessage): Promise<boolean>;
  /** Makes every connection of the server identify itself. */
  guard(io: LiveServer<Viewer>): void;
};

type Connection = { request: IncomingMessage; on(name: 'packet', run: () => void): void; close(): void };

export function openAdmission<Viewer>(options: Options<Viewer>): Admission<Viewer> {
  const { identify, now, schedule, log } = options;
  const seats = openSeats(options.maxSockets);
  const seatOf = new WeakMap<IncomingMessage, Seat>();
  const standingOf = (viewer: Viewer | undefined): Standing =>
    viewer === undefined
      ? { kind: 'stranger' }
      : { kind: options.isGuest(viewer) ? 'guest' : 'member', viewer: JSON.stringify(viewer) };

  const limit = (connection: Connection) => {
    const mayPass = createAllowance(PACKETS, now);
    connection.on('packet', () => {
      if (!mayPass()) connection.close();
    });
    const isStranger = () => seatOf.get(connection.request)?.standing.kind === 'stranger';
    if (isStranger()) schedule(() => void (isStranger() && connection.close()), STRANGER_MS);
  };

  return {
    async admit(request) {
      const [viewer, address] = await Promise.all([
        identify(withToken(request.headers, undefined), request),
        options.addressOf(request),
      ]);
      if (request.socket.destroyed) return false;
      // A viewer with too many connections first gets a stranger's seat: the handshake then tells them why they are refused.
      const seat = seats.take(standingOf(viewer), address) ?? seats.take(standingOf(undefined), address);
      if (!seat) return false;
      seatOf.set(request, seat);
      request.socket.once('close', seat.leave);
      return true;
    },
    guard(io) {
      io.engine.on('connection', limit);
      io.use((socket, next) => {
        const refuse = (reason: string) => {
          next(new Error(reason));
          setImmediate(() => socket.conn.close()); // after the reason has been sent
        };
        identify(headersOf(socket), socket.request).then(
          (viewer) => {
            if (viewer === undefined) return refuse('unauthorized');
            if (!seatOf.get(socket.request)?.identify(standingOf(viewer))) return refuse('too_many_requests');
            socket.data = { viewer, watches: 0, watchesSites: false, lastSites: undefined };
            next();
          },
          (error: unknown) => {
            if (error instanceof Refusal) return next(new Error(error.code));
            log.warn({ error }, 'live: identifying the viewer failed');
            refuse('service_unavailable');
          },
        );
      });
    },
  };
}
