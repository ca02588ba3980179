// The socket of the dashboards. The server alone chooses rooms, after asking who sees what, and asks again every few seconds.
// A browser cannot set headers on a WebSocket: a share link's token comes as its subprotocol `share.TOKEN`, so that the upgrade says who
// it is, or in the handshake's `auth.share_token`, a moment later.
import type { IncomingHttpHeaders, IncomingMessage, Server as HttpServer } from 'node:http';
import { Server, type Socket } from 'socket.io';
import { Refusal } from '../errors.ts';
import type { Event, SiteId } from '../event.ts';
import type { Log } from '../log.ts';
import type { Redis } from '../redis.ts';
import { type Counts, countsOf, openTally } from './activity.ts';
import { openFanout } from './fanout.ts';
import { type ClientMessages, type ListName, LISTS, type ServerMessages } from './messages.ts';
import { openSeats, type Seat, type Standing } from './connection-limits.ts';
import { createThrottle, scheduleTimer, type Schedule } from './throttle.ts';
import type { Snapshot, Windows } from './windows.ts';

const PUSH_EVERY_MS = 250;
const STORED_EVERY_MS = 250;
/** Access is checked again, and visitors who left are pushed: 4 s, so that with its work it stays within 5. */
const TICK_MS = 4000;
/** After three silent ticks another process no longer watches a site. */
const REMOTE_WATCH_MS = 3 * TICK_MS;
const MAX_SOCKETS = 5000;
/** The handshake follows the upgrade at once. */
const STRANGER_MS = 3000;
/** What one connection may send: a person clicks a few times a second. */
const PACKETS = { burst: 60, perSecond: 10 };
const WATCHES = { burst: 20, perSecond: 2 };
const MAX_MESSAGE_BYTES = 2048;
const SHARE_PROTOCOL = 'share.';
const SESSION_ENDED = 'Log in again, or open a share link that is still valid.';

export type SocketOptions<Viewer> = {
  httpServer: HttpServer;
  windows: Pick<Windows, 'snapshot' | 'currentVisitors'>;
  redis?: Redis | undefined;
  /** Who sent these headers; `x-share-token` holds the token of a share link. */
  identify(headers: IncomingHttpHeaders, request: IncomingMessage): Promise<Viewer | undefined>;
  /** Why the viewer may not see the site; undefined when they may. */
  refusalOf(viewer: Viewer, siteId: SiteId): Promise<Refusal | undefined>;
  sitesOf(viewer: Viewer): Promise<SiteId[]>;
  /** Whether the viewer has a share link alone, and may be anybody. */
  isGuest(viewer: Viewer): boolean;
  /** A name for the address of a request: see `http/address-hash.ts`. */
  addressOf(request: IncomingMessage): string | Promise<string>;
  /** Whether it comes from our own pages, under a host and over a connection that may carry a session. */
  mayConnect(request: IncomingMessage): boolean;
  now(): number;
  schedule?: Schedule;
  /** Of all members: see seats.ts. */
  maxSockets?: number;
  /** True when something else on this server answers WebSockets too, as Vite does in development. */
  sharesUpgrades?: boolean;
  log: Log;
};

export type LiveSocket = {
  /** Its windows hold the event, which comes with its visit's source: pushes at once, and at most every 250 ms. Free for a site that nobody watches. */
  arrived(event: Event): void;
  /** Events of these sites reached the store. */
  stored(siteIds: Iterable<SiteId>): void;
  /** Says goodbye to all dashboards; the HTTP server stays as it is. */
  close(): Promise<void>;
};

/** What processes tell each other. */
type PeerMessages = {
  arrived: (siteId: SiteId, counts: Counts) => void;
  stored: (siteId: SiteId) => void;
  watching: (siteIds: SiteId[]) => void;
};
type Session<Viewer> = { viewer: Viewer; watched?: SiteId; watches: number; watchesSites: boolean; sitesSaid: string };
type Dashboard<Viewer> = Socket<ClientMessages, ServerMessages, PeerMessages, Session<Viewer>>;

const roomOf = (siteId: SiteId) => `site:${siteId}`;

export function openSocket<Viewer>(options: SocketOptions<Viewer>): LiveSocket {
  const { windows, redis, identify, refusalOf, sitesOf, now, log, schedule = scheduleTimer } = options;
  const { maxSockets = MAX_SOCKETS } = options;
  let isClosed = false;

  const fanout = redis && openFanout(redis);
  const io = new Server<ClientMessages, ServerMessages, PeerMessages, Session<Viewer>>(options.httpServer, {
    transports: ['websocket'],
    serveClient: false,
    maxHttpBufferSize: MAX_MESSAGE_BYTES,
    connectTimeout: 2 * STRANGER_MS, // of those that are identified, and join nothing
    pingInterval: 10_000, // half-open connections are gone within 20 s
    pingTimeout: 10_000,
    destroyUpgrade: !options.sharesUpgrades,
    allowRequest: (request, answer) => {
      const reply = (isAllowed: boolean) => answer(isAllowed ? null : 'refused', isAllowed);
      if (isClosed || !options.mayConnect(request)) return reply(false);
      admit(request).then(reply, (error: unknown) => {
        log.warn({ error }, 'live: nobody identified');
        reply(false);
      });
    },
    ...(fanout && { adapter: fanout.adapter }),
  });
  const seats = openSeats(maxSockets);
  const seatOf = new WeakMap<IncomingMessage, Seat>();
  const standingOf = (viewer: Viewer | undefined): Standing =>
    viewer === undefined
      ? { kind: 'stranger' }
      : { kind: options.isGuest(viewer) ? 'guest' : 'member', viewer: JSON.stringify(viewer) };

  /** Whoever asks for an upgrade is identified before the connection counts. */
  async function admit(request: IncomingMessage): Promise<boolean> {
    const [viewer, address] = await Promise.all([
      identify(withToken(request.headers, undefined), request),
      options.addressOf(request),
    ]);
    if (request.socket.destroyed) return false;
    // Who has too many already is told so in the handshake, and has the seat of a stranger until then.
    const seat = seats.take(standingOf(viewer), address) ?? seats.take(standingOf(undefined), address);
    if (!seat) return false;
    seatOf.set(request, seat);
    request.socket.once('close', seat.leave);
    return true;
  }

  const rooms = () => io.of('/').adapter.rooms; // of this process
  const isWatched = (siteId: SiteId) => rooms().has(roomOf(siteId));
  const watchedSites = () => new Set([...io.of('/').sockets.values()].flatMap(({ data }) => data.watched ?? []));

  // Pushes: what arrived is counted for each watched site, and goes out with the snapshot of that moment.
  const activity = openTally();
  const said = new Map<SiteId, Snapshot>();
  const pushes = createThrottle<SiteId>({ everyMs: PUSH_EVERY_MS, now, schedule }, push);
  const storedPushes = createThrottle<SiteId>({ everyMs: STORED_EVERY_MS, now, schedule }, (siteId) => {
    io.local.to(roomOf(siteId)).emit('stored', { site_id: siteId });
    if (isWatchedElsewhere(siteId)) io.serverSideEmit('stored', siteId);
  });

  async function push(siteId: SiteId): Promise<void> {
    const counts = activity.take(siteId);
    if (!isWatched(siteId)) return;
    const snapshot = await snapshotOf(siteId);
    if (!snapshot || isClosed) return;
    const before = said.get(siteId);
    said.set(siteId, snapshot);
    const room = io.local.to(roomOf(siteId));
    room.emit('live', { site_id: siteId, ...headOf(snapshot) });
    for (const list of LISTS)
      if (counts[list].length > 0 || !before || !isSame(before[list], snapshot[list]))
        room.emit('list', { site_id: siteId, list, rows: rowsOf(snapshot, list), activity: counts[list] });
  }

  /** Undefined while the windows do not answer: the next tick tries again. */
  function snapshotOf(siteId: SiteId): Promise<Snapshot | undefined> {
    return windows.snapshot(siteId, now()).catch((error: unknown) => {
      log.debug({ error }, 'live: no snapshot');
      return undefined;
    });
  }

  // Other processes: each says which sites its dashboards watch, and is told of arrivals on those only.
  const watchedElsewhere = new Map<SiteId, number>();
  const isWatchedElsewhere = (siteId: SiteId) => (watchedElsewhere.get(siteId) ?? -Infinity) > now();
  const activityElsewhere = openTally();
  const tellings = createThrottle<SiteId>({ everyMs: PUSH_EVERY_MS, now, schedule }, (siteId) => {
    const counts = activityElsewhere.take(siteId);
    if (isWatchedElsewhere(siteId)) io.serverSideEmit('arrived', siteId, counts);
  });
  io.on('arrived', (siteId, counts) => {
    if (!isWatched(siteId)) return;
    activity.add(siteId, counts);
    pushes.ask(siteId);
  });
  io.on('stored', (siteId) => void io.local.to(roomOf(siteId)).emit('stored', { site_id: siteId }));
  io.on('watching', (siteIds) => {
    for (const siteId of siteIds) watchedElsewhere.set(siteId, now() + REMOTE_WATCH_MS);
  });

  // Dashboards.
  type Connection = { request: IncomingMessage; on(name: 'packet', run: () => void): void; close(): void };
  io.engine.on('connection', (connection: Connection) => {
    const mayPass = createAllowance(PACKETS, now);
    connection.on('packet', () => {
      if (!mayPass()) connection.close();
    });
    const isStranger = () => seatOf.get(connection.request)?.standing.kind === 'stranger';
    if (isStranger()) schedule(() => void (isStranger() && connection.close()), STRANGER_MS);
  });
  io.use((socket, next) => {
    const refuse = (reason: string) => {
      next(new Error(reason));
      setImmediate(() => socket.conn.close()); // it has said why by then
    };
    identify(headersOf(socket), socket.request).then(
      (viewer) => {
        if (viewer === undefined) return refuse('unauthorized');
        if (!seatOf.get(socket.request)?.identify(standingOf(viewer))) return refuse('too_many_requests');
        socket.data = { viewer, watches: 0, watchesSites: false, sitesSaid: '' };
        next();
      },
      (error: unknown) => {
        if (error instanceof Refusal) return next(new Error(error.code));
        log.warn({ error }, 'live: nobody identified');
        refuse('service_unavailable');
      },
    );
  });
  io.on('connection', (socket) => {
    const mayWatch = createAllowance(WATCHES, now);
    socket.on('error', () => undefined); // malformed packets close the connection, nothing else
    socket.on('watch', (siteId: unknown, answer: unknown) => {
      const reply = (ok: boolean) => void (typeof answer === 'function' && answer(ok));
      if (typeof siteId !== 'string' || siteId.length > 64 || !mayWatch()) return reply(false);
      watch(socket, siteId as SiteId).then(reply, (error: unknown) => {
        log.warn({ error }, 'live: access not known');
        reply(false);
      });
    });
    socket.on('watchSites', () => {
      if (!mayWatch()) return;
      socket.data.watchesSites = true;
      socket.data.sitesSaid = '';
      void quietly(() => pushSites(socket, sitesOf(socket.data.viewer)));
    });
  });

  async function watch(socket: Dashboard<Viewer>, siteId: SiteId): Promise<boolean> {
    const turn = (socket.data.watches += 1);
    const refusal = await refusalOf(socket.data.viewer, siteId);
    if (!socket.connected || turn !== socket.data.watches) return false; // gone, or asked for another one since
    await unwatch(socket);
    if (refusal) {
      // Of a site that is not theirs they hear nothing; of one whose plan has ended, that it may be back.
      if (refusal.code === 'forbidden') socket.emit('refused', { site_id: siteId, message: refusal.message });
      return false;
    }
    socket.data.watched = siteId;
    const isFirst = !isWatched(siteId);
    await socket.join(roomOf(siteId));
    if (isFirst && redis) io.serverSideEmit('watching', [siteId]);
    const snapshot = await snapshotOf(siteId);
    if (!snapshot) return true;
    socket.emit('live', { site_id: siteId, ...headOf(snapshot) });
    for (const list of LISTS)
      socket.emit('list', { site_id: siteId, list, rows: rowsOf(snapshot, list), activity: [] });
    return true;
  }

  async function unwatch(socket: Dashboard<Viewer>): Promise<void> {
    if (socket.data.watched === undefined) return;
    await socket.leave(roomOf(socket.data.watched));
    delete socket.data.watched;
  }

  async function pushSites(socket: Dashboard<Viewer>, sites: Promise<SiteId[]>): Promise<void> {
    const counts = await windows.currentVisitors(await sites, now());
    const current_visitors = Object.fromEntries(counts);
    const text = JSON.stringify(current_visitors);
    if (text === socket.data.sitesSaid) return;
    socket.data.sitesSaid = text;
    socket.emit('sites', { current_visitors });
  }

  // Every few seconds: access again, visitors who left, sites' counters, and word to the other processes.
  async function tick(): Promise<void> {
    const known = {
      viewers: new Map<string, Promise<Viewer | undefined>>(),
      sites: new Map<string, Promise<SiteId[]>>(),
    };
    await Promise.all([...io.of('/').sockets.values()].map((socket) => quietly(() => checkAgain(socket, known))));
    const sites = watchedSites();
    if (redis && sites.size > 0) io.serverSideEmit('watching', [...sites]);
    for (const siteId of said.keys()) if (!sites.has(siteId)) said.delete(siteId);
    await Promise.all(
      [...sites].map(async (siteId) => {
        const snapshot = await snapshotOf(siteId);
        if (snapshot && !isSame(snapshot, said.get(siteId))) pushes.ask(siteId);
      }),
    );
    for (const [siteId, until] of watchedElsewhere) if (until <= now()) watchedElsewhere.delete(siteId);
    for (const throttle of [pushes, storedPushes, tellings]) throttle.sweep();
  }

  /** Sockets of one session share the answers of a tick. */
  async function checkAgain(
    socket: Dashboard<Viewer>,
    known: { viewers: Map<string, Promise<Viewer | undefined>>; sites: Map<string, Promise<SiteId[]>> },
  ): Promise<void> {
    const headers = headersOf(socket);
    const session = `${headers.cookie}\n${String(headers['x-share-token'])}`;
    const viewer = await getOrMake(known.viewers, session, () => identify(headers, socket.request));
    const watched = socket.data.watched;
    if (viewer === undefined) {
      socket.emit('refused', { site_id: watched ?? '', message: SESSION_ENDED });
      socket.disconnect(true);
      return;
    }
    socket.data.viewer = viewer;
    const refusal = watched && (await refusalOf(viewer, watched));
    if (refusal) {
      socket.emit('refused', { site_id: watched, message: refusal.message });
      if (socket.data.watched === watched) await unwatch(socket);
    }
    if (socket.data.watchesSites)
      await pushSites(
        socket,
        getOrMake(known.sites, session, () => sitesOf(viewer)),
      );
  }

  /** A store that does not answer changes nothing: what was allowed stays so until the next tick. */
  async function quietly(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log.warn({ error }, 'live: dashboards not brought up to date');
    }
  }

  let cancelTick = schedule(nextTick, TICK_MS);
  function nextTick(): void {
    void quietly(tick).then(() => {
      if (!isClosed) cancelTick = schedule(nextTick, TICK_MS);
    });
  }

  return {
    arrived(event) {
      const { site_id: siteId } = event;
      const counts = countsOf(event);
      if (isWatched(siteId)) {
        if (counts) activity.add(siteId, counts);
        pushes.ask(siteId);
      }
      if (isWatchedElsewhere(siteId)) {
        if (counts) activityElsewhere.add(siteId, counts);
        tellings.ask(siteId);
      }
    },
    stored(siteIds) {
      for (const siteId of siteIds) if (isWatched(siteId) || isWatchedElsewhere(siteId)) storedPushes.ask(siteId);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      cancelTick();
      for (const throttle of [pushes, storedPushes, tellings]) throttle.stop();
      io.local.disconnectSockets(true);
      await io.of('/').adapter.close();
      io.engine.close();
      fanout?.close();
    },
  };
}

function headOf({ current_visitors, minutes }: Snapshot) {
  return { current_visitors, minutes };
}

function rowsOf(snapshot: Snapshot, list: ListName): { name: string; visitors: number }[] {
  switch (list) {
    case 'pages':
      return snapshot.pages.map(({ page: name, visitors }) => ({ name, visitors }));
    case 'sources':
      return snapshot.sources.map(({ source: name, visitors }) => ({ name, visitors }));
    case 'countries':
      return snapshot.countries.map(({ country: name, visitors }) => ({ name, visitors }));
  }
}

/** Of what JSON says whole. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function headersOf(socket: Pick<Socket, 'handshake'>): IncomingHttpHeaders {
  const { headers, auth } = socket.handshake;
  return withToken(headers, (auth as Record<string, unknown> | undefined)?.['share_token']);
}

/** The headers with a share link's token where the doors look for it. */
function withToken(headers: IncomingHttpHeaders, given: unknown): IncomingHttpHeaders {
  const protocols = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
  const token = given ?? protocols.find((name) => name.startsWith(SHARE_PROTOCOL))?.slice(SHARE_PROTOCOL.length);
  return typeof token === 'string' ? { ...headers, 'x-share-token': token } : headers;
}

/** A bucket that fills by the second: false when it is empty. */
function createAllowance(rate: { burst: number; perSecond: number }, now: () => number): () => boolean {
  let left = rate.burst;
  let filledAt = now();
  return () => {
    const time = now();
    left = Math.min(rate.burst, left + (Math.max(0, time - filledAt) * rate.perSecond) / 1000);
    filledAt = time;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}

function getOrMake<Value>(known: Map<string, Value>, key: string, make: () => Value): Value {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}
