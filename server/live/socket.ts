// The dashboards' socket. Only the server assigns rooms: it checks access first, and checks it again every few seconds.
import type { IncomingMessage, Server as HttpServer } from 'node:http';
import { Server } from 'socket.io';
import type { Event, SiteId } from '../vocabulary/event.ts';
import type { Log } from '../process/log.ts';
import type { Redis } from '../process/redis/redis.ts';
import { openAdmission, STRANGER_MS } from './admission.ts';
import type { Identify, LiveServer } from './connection.ts';
import { openFanout } from './fanout.ts';
import { type Answers, openFollowing } from './following.ts';
import { openPushes } from './pushes.ts';
import { type Schedule, scheduleTimer } from './throttle.ts';
import { type AccessOf, openWatching, warnOnFailure } from './watching.ts';
import type { Seen, Windows } from './windows.ts';

/**
 * Each tick checks access again and pushes the visitors who left. The next begins 4 s after this one began, so that a dashboard is checked
 * every 4 s, however many there are.
 */
const TICK_MS = 4000;
/** Dashboards of share links are checked more often: a link that has ended closes within two seconds. */
const GUEST_TICK_MS = 1500;
/** The shortest pause between two ticks. */
const PAUSE_MS = 500;
/** Another process that has been silent for three ticks no longer watches a site. */
const REMOTE_WATCH_MS = 3 * TICK_MS;
/** A question that is followed has at most the 6,000 characters with which it can be asked over HTTP: see `src/lib/api/client.ts`. */
const MAX_MESSAGE_BYTES = 8192;

type SocketOptions<Viewer> = {
  httpServer: HttpServer;
  windows: Pick<Windows, 'snapshot' | 'inSteps' | 'currentVisitors'>;
  redis?: Redis | undefined;
  /** Identifies the viewer who sent these headers; `x-share-token` holds the token of a share link. */
  identify: Identify<Viewer>;
  accessOf: AccessOf<Viewer>;
  sitesOf(viewer: Viewer): Promise<Seen[]>;
  answers: Answers<Viewer>;
  /** True if the viewer has only a share link, so they may be anybody. */
  isGuest(viewer: Viewer): boolean;
  /** The keyed hash of a request's address: see `process/http/address-hash.ts`. */
  addressOf(request: IncomingMessage): string | Promise<string>;
  /** True if the request comes from our own pages, with a host and a connection that may carry a session. */
  mayConnect(request: IncomingMessage): boolean;
  /** Called before dashboards hear that another process has stored events of the site. */
  onStoredElsewhere(siteId: SiteId): void;
  now(): number;
  schedule?: Schedule;
  /** The version of the dashboard that this server serves, if any. */
  version?: string | undefined;
  /** Seats of all members: see limits/connections.ts. */
  maxSockets: number;
  /** True if another part of this server answers WebSockets too, as Vite does in development. */
  sharesUpgrades?: boolean;
  log: Log;
};

export type LiveSocket = {
  /**
   * Call this once the windows hold the event, with its visit's source. Pushes immediately, but at most every 100 ms. Costs nothing for a
   * site that nobody watches.
   */
  arrived(event: Event): void;
  /** Call this once events of these sites have reached the store. */
  stored(siteIds: Iterable<SiteId>): void;
  /** Open connections of dashboards to this process. */
  openSockets(): number;
  /** Disconnects all dashboards. The HTTP server stays open. */
  close(): Promise<void>;
};

export function openSocket<Viewer>(options: SocketOptions<Viewer>): LiveSocket {
  const { redis, now, log, schedule = scheduleTimer } = options;
  let isClosed = false;
  const admission = openAdmission({ ...options, schedule });
  const fanout = redis && openFanout(redis);
  const io: LiveServer<Viewer> = new Server(options.httpServer, {
    transports: ['websocket'],
    serveClient: false,
    maxHttpBufferSize: MAX_MESSAGE_BYTES,
    connectTimeout: 2 * STRANGER_MS, // for connections that are identified but join no namespace
    pingInterval: 10_000, // closes half-open connections within 20 s
    pingTimeout: 10_000,
    destroyUpgrade: !options.sharesUpgrades,
    allowRequest: (request, answer) => {
      const reply = (isAllowed: boolean) => answer(isAllowed ? null : 'refused', isAllowed);
      if (isClosed || !options.mayConnect(request)) return reply(false);
      admission.admit(request).then(reply, (error: unknown) => {
        log.warn({ error }, 'live: identifying the viewer failed');
        reply(false);
      });
    },
    ...(fanout && { adapter: fanout.adapter }),
  });
  admission.guard(io);
  const isShared = redis !== undefined;
  const stopwatch = options.schedule && now; // a clock that is given measures too
  const following = openFollowing({ ...options, schedule, ...(stopwatch && { stopwatch }) });
  const pushes = openPushes(io, {
    ...options,
    isShared,
    watchedMs: REMOTE_WATCH_MS,
    isFollowed: following.isFollowed,
    onStored: following.stored,
    schedule,
  });
  const checkAgain = openWatching(io, { ...options, pushes, following });

  const tick = async () => {
    await checkAgain();
    following.refresh();
    await pushes.refresh();
  };
  /** Runs `work` every `everyMs`. Returns a function that stops it. */
  const repeat = (work: () => Promise<void>, everyMs: number) => {
    const next = () => {
      const startedAt = now();
      void warnOnFailure(log, work).then(() => {
        const tookMs = Math.abs(now() - startedAt);
        if (!isClosed) cancel = schedule(next, Math.max(PAUSE_MS, everyMs - tookMs));
      });
    };
    let cancel = schedule(next, everyMs);
    return () => cancel();
  };
  const ticks = [repeat(tick, TICK_MS), repeat(() => checkAgain({ guests: true }), GUEST_TICK_MS)];

  return {
    arrived: pushes.arrived,
    stored: pushes.stored,
    openSockets: () => io.engine.clientsCount,
    async close() {
      if (isClosed) return;
      isClosed = true;
      for (const stopTick of ticks) stopTick();
      pushes.stop();
      following.stop();
      io.local.disconnectSockets(true);
      await io.of('/').adapter.close();
      io.engine.close();
      fanout?.close();
    },
  };
}
