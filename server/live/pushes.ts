// Pushes to dashboards. Arrivals are counted for each watched site, and sent together with a fresh snapshot.
import type { Event, SiteId } from '../event.ts';
import type { Log } from '../log.ts';
import { countsOf, openTally } from './activity.ts';
import { type Dashboard, type LiveServer, roomOf } from './connection.ts';
import { openOtherProcesses } from './other-processes.ts';
import { type ListName, LISTS } from './messages.ts';
import { createThrottle, type Schedule } from './throttle.ts';
import type { Snapshot, Windows } from './windows.ts';

const PUSH_EVERY_MS = 250;

type Options = {
  windows: Pick<Windows, 'snapshot'>;
  /** True if other processes have dashboards too. */
  isShared: boolean;
  /** Another process that has been silent for this long no longer watches a site. */
  watchedMs: number;
  now(): number;
  schedule: Schedule;
  log: Log;
};

export type Pushes<Viewer> = {
  arrived(event: Event): void;
  stored(siteIds: Iterable<SiteId>): void;
  /** Subscribes a dashboard to the site, and sends it the current snapshot. */
  join(socket: Dashboard<Viewer>, siteId: SiteId): Promise<void>;
  /** Pushes changes that no arrival causes (visitors leave silently), and forgets sites that nobody watches. */
  refresh(): Promise<void>;
  stop(): void;
};

export function openPushes<Viewer>(io: LiveServer<Viewer>, options: Options): Pushes<Viewer> {
  const { now, schedule } = options;
  let isStopped = false;
  const pace = { everyMs: PUSH_EVERY_MS, now, schedule };
  const isWatched = (siteId: SiteId) => io.of('/').adapter.rooms.has(roomOf(siteId)); // by this process
  const announceStored = (siteId: SiteId) => void io.local.to(roomOf(siteId)).emit('stored', { site_id: siteId });

  const activity = openTally();
  const said = new Map<SiteId, Snapshot>();
  const elsewhere = openOtherProcesses(io, {
    ...pace,
    watchedMs: options.watchedMs,
    isShared: options.isShared,
    onArrived: (siteId, counts) => {
      if (!isWatched(siteId)) return;
      activity.add(siteId, counts);
      pushes.ask(siteId);
    },
    onStored: announceStored,
  });
  const storedPushes = createThrottle<SiteId>(pace, (siteId) => {
    announceStored(siteId);
    elsewhere.stored(siteId);
  });
  const pushes = createThrottle<SiteId>(pace, async (siteId) => {
    const counts = activity.take(siteId);
    if (!isWatched(siteId)) return;
    const snapshot = await readSnapshot(options, siteId);
    if (!snapshot || isStopped) return;
    const before = said.get(siteId);
    said.set(siteId, snapshot);
    const room = io.local.to(roomOf(siteId));
    room.emit('live', { site_id: siteId, ...headOf(snapshot) });
    for (const list of LISTS)
      if (counts[list].length > 0 || !before || !isSame(before[list], snapshot[list]))
        room.emit('list', { site_id: siteId, list, rows: rowsOf(snapshot, list), activity: counts[list] });
  });

  return {
    arrived(event) {
      const { site_id: siteId } = event;
      const isWatchedHere = isWatched(siteId);
      if (!isWatchedHere && !elsewhere.isWatched(siteId)) return;
      const counts = countsOf(event);
      elsewhere.arrived(siteId, counts);
      if (!isWatchedHere) return;
      if (counts) activity.add(siteId, counts);
      pushes.ask(siteId);
    },
    stored(siteIds) {
      for (const siteId of siteIds) if (isWatched(siteId) || elsewhere.isWatched(siteId)) storedPushes.ask(siteId);
    },
    async join(socket, siteId) {
      const isFirst = !isWatched(siteId);
      await socket.join(roomOf(siteId));
      if (isFirst) elsewhere.watching([siteId]);
      const snapshot = await readSnapshot(options, siteId);
      if (!snapshot) return;
      socket.emit('live', { site_id: siteId, ...headOf(snapshot) });
      for (const list of LISTS)
        socket.emit('list', { site_id: siteId, list, rows: rowsOf(snapshot, list), activity: [] });
    },
    async refresh() {
      const sites = new Set([...io.of('/').sockets.values()].flatMap(({ data }) => data.watched ?? []));
      elsewhere.watching([...sites]);
      for (const siteId of said.keys()) if (!sites.has(siteId)) said.delete(siteId);
      await Promise.all(
        [...sites].map(async (siteId) => {
          const snapshot = await readSnapshot(options, siteId);
          if (snapshot && !isSame(snapshot, said.get(siteId))) pushes.ask(siteId);
        }),
      );
      for (const throttled of [pushes, storedPushes, elsewhere]) throttled.sweep();
    },
    stop() {
      isStopped = true;
      for (const stopped of [pushes, storedPushes, elsewhere]) stopped.stop();
    },
  };
}

/** Returns undefined if the windows do not answer: the next tick tries again. */
function readSnapshot({ windows, now, log }: Options, siteId: SiteId): Promise<Snapshot | undefined> {
  return windows.snapshot(siteId, now()).catch((error: unknown) => {
    log.debug({ error }, 'live: no snapshot');
    return undefined;
  });
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

/** Only for values that JSON represents without loss. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
