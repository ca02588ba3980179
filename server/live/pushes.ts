// Pushes to dashboards. All dashboards of a site that see the same lists receive the same messages: a site's snapshot is read once for all of them, compared with the
// one before, and what changed is sent to all of them at once. Those that see the site in steps are told by stepped-pushes.ts.
import type { Event, SiteId } from '../vocabulary/event.ts';
import type { Log } from '../process/log.ts';
import { countsOf, openTally } from './activity.ts';
import { dashboardsOf, send } from './broadcast.ts';
import { createAllowance, type Dashboard, type LiveServer, roomOf } from './connection.ts';
import { changedHead, changedLists, type News } from './differences.ts';
import { openOtherProcesses } from './other-processes.ts';
import { type Numbers, openSteppedPushes, sendNews, sendState } from './stepped-pushes.ts';
import { createThrottle, type Schedule } from './throttle.ts';
import type { Snapshot, Windows } from './windows.ts';

const PUSH_EVERY_MS = 100;
/** A push takes 10 µs for each dashboard. Sites with more than 2,000 get fewer, so that pushes use at most a fifth of the event loop. */
const PUSH_EVERY_MS_PER_DASHBOARD = 0.05;
/** The lists of a busy site are sent once a second: nobody can read more, and they are most of a push. Those of a quiet site go at once. */
const LISTS_PACE = { burst: 5, perSecond: 1 };
/** After `stored`, followed answers are computed again, and each dashboard asks its other questions: at once on a quiet site, every three seconds on a busy one. */
const STORED_PACE = { everyMs: 250, burst: { runs: 4, everyMs: 3000 } };

/** What the dashboards of a site have received. */
type Said = { snapshot: Snapshot; numbers: Numbers; maySendLists: () => boolean };

type Options = {
  windows: Pick<Windows, 'snapshot' | 'inSteps'>;
  /** True if other processes have dashboards too. */
  isShared: boolean;
  /** Another process that has been silent for this long no longer watches a site. */
  watchedMs: number;
  /** Called before dashboards hear that another process has stored events of the site. */
  onStoredElsewhere(siteId: SiteId): void;
  /** True if somebody follows answers about the site, who may be told nothing about who is there now. */
  isFollowed(siteId: SiteId): boolean;
  /** Called when dashboards hear that events of the site have been stored. */
  onStored(siteId: SiteId): void;
  now(): number;
  schedule: Schedule;
  log: Log;
};

export type Pushes<Viewer> = {
  arrived(event: Event): void;
  stored(siteIds: Iterable<SiteId>): void;
  /**
   * Subscribes a dashboard to the site, and sends it the current snapshot. `inSteps`: the viewer sees it in steps. `isQuiet`: the viewer only follows
   * answers.
   */
  join(socket: Dashboard<Viewer>, siteId: SiteId, options: { inSteps: boolean; isQuiet: boolean }): Promise<void>;
  /** Pushes changes that no arrival causes (visitors leave silently), and forgets sites that nobody watches. */
  refresh(): Promise<void>;
  stop(): void;
};

export function openPushes<Viewer>(io: LiveServer<Viewer>, options: Options): Pushes<Viewer> {
  const { now, schedule } = options;
  let isStopped = false;
  const pace = { everyMs: PUSH_EVERY_MS, now, schedule };
  const dashboardsOn = (siteId: SiteId) => io.of('/').adapter.rooms.get(roomOf(siteId))?.size ?? 0; // of this process
  const stepped = openSteppedPushes(io, options);
  const isWatched = (siteId: SiteId) => dashboardsOn(siteId) > 0;
  const isWatchedHere = (siteId: SiteId) => isWatched(siteId) || stepped.isWatched(siteId);
  const needsStored = (siteId: SiteId) => isWatchedHere(siteId) || options.isFollowed(siteId);
  const everyMsOf = (siteId: SiteId) => PUSH_EVERY_MS_PER_DASHBOARD * dashboardsOn(siteId);
  const announceStored = (siteId: SiteId) => {
    send(dashboardsOf(io, siteId), [['stored', { site_id: siteId }]]);
    options.onStored(siteId);
  };

  const said = openSaid<Viewer>(options, (siteId) => pushes.ask(siteId));
  function count(siteId: SiteId, counts: ReturnType<typeof countsOf>): void {
    stepped.arrived(siteId, counts);
    if (!isWatched(siteId)) return;
    if (counts) said.activity.add(siteId, counts);
    pushes.ask(siteId);
  }
  const otherProcesses = openOtherProcesses(io, {
    ...options,
    ...pace,
    onArrived: count,
    onStored: (siteId) => {
      options.onStoredElsewhere(siteId);
      announceStored(siteId);
    },
  });
  const storedPushes = createThrottle<SiteId>({ ...pace, ...STORED_PACE }, (siteId) => {
    announceStored(siteId);
    otherProcesses.stored(siteId);
  });
  const pushes = createThrottle<SiteId>({ ...pace, everyMsOf }, async (siteId): Promise<void> => {
    if (!isWatched(siteId)) return said.activity.delete(siteId);
    const snapshot = await readSnapshot(options, siteId);
    if (!snapshot || isStopped) return;
    said.tell(dashboardsOf(io, siteId), siteId, snapshot);
  });

  return {
    arrived(event) {
      const { site_id: siteId } = event;
      if (!isWatchedHere(siteId) && !otherProcesses.isWatched(siteId)) return;
      const counts = countsOf(event);
      otherProcesses.arrived(siteId, counts);
      count(siteId, counts);
    },
    stored(siteIds) {
      for (const siteId of siteIds)
        if (needsStored(siteId) || otherProcesses.isWatched(siteId)) storedPushes.ask(siteId);
    },
    async join(socket, siteId, { inSteps, isQuiet }) {
      if (!needsStored(siteId)) otherProcesses.watching([siteId]);
      if (isQuiet) return;
      if (inSteps) return stepped.join(socket, siteId);
      const isFirst = !isWatched(siteId);
      await socket.join(roomOf(siteId));
      if (isFirst) said.forget(siteId); // nothing has kept it up to date
      const state = await said.of(siteId);
      if (!state || socket.data.watched !== siteId) return;
      sendState([socket], siteId, state);
    },
    async refresh() {
      const [sites, sitesInSteps] = [watchedSites(io, { inSteps: false }), watchedSites(io, { inSteps: true })];
      otherProcesses.watching([...new Set([...sites, ...sitesInSteps])]);
      await stepped.refresh(sitesInSteps).catch(noSnapshot(options.log));
      said.forgetAllBut(sites);
      const pushNews = async (siteId: SiteId) => void ((await said.hasNews(siteId)) && pushes.ask(siteId));
      await Promise.all([...sites].map(pushNews));
      for (const throttled of [pushes, storedPushes, otherProcesses]) throttled.sweep();
    },
    stop() {
      isStopped = true;
      for (const stopped of [pushes, storedPushes, otherProcesses]) stopped.stop();
    },
  };
}

/** What the dashboards of each site have received. `askAgain`: has what must wait now pushed soon. */
function openSaid<Viewer>(options: Options, askAgain: (siteId: SiteId) => void) {
  const activity = openTally();
  const said = new Map<SiteId, Said>();
  const begin = (siteId: SiteId, snapshot: Snapshot): Said => {
    const maySendLists = createAllowance(LISTS_PACE, options.now);
    const fresh = { snapshot, numbers: new Map<string, number>(), maySendLists };
    said.set(siteId, fresh);
    return fresh;
  };

  /** The lists wait for the next push if they were sent a moment ago. */
  function changes(siteId: SiteId, before: Said, snapshot: Snapshot): News {
    const head = changedHead(before.snapshot, snapshot);
    const { pages, sources, countries } = before.snapshot;
    before.snapshot = { ...snapshot, pages, sources, countries };
    if (!activity.has(siteId) && isSame(before.snapshot, snapshot)) return { head, lists: [] };
    if (!before.maySendLists()) {
      askAgain(siteId);
      return { head, lists: [] };
    }
    const lists = changedLists(before.snapshot, snapshot, activity.take(siteId));
    before.snapshot = snapshot;
    return { head, lists };
  }

  return {
    activity,
    tell(dashboards: Dashboard<Viewer>[], siteId: SiteId, snapshot: Snapshot): void {
      const before = said.get(siteId);
      if (before) return sendNews(dashboards, before.numbers, changes(siteId, before, snapshot));
      if (activity.has(siteId)) askAgain(siteId);
      sendState(dashboards, siteId, begin(siteId, snapshot));
    },
    async of(siteId: SiteId): Promise<Said | undefined> {
      const known = said.get(siteId);
      if (known) return known;
      const snapshot = await readSnapshot(options, siteId);
      return said.get(siteId) ?? (snapshot && begin(siteId, snapshot));
    },
    async hasNews(siteId: SiteId): Promise<boolean> {
      const snapshot = await readSnapshot(options, siteId);
      return snapshot !== undefined && !isSame(snapshot, said.get(siteId)?.snapshot);
    },
    forget: (siteId: SiteId) => void said.delete(siteId),
    forgetAllBut(sites: ReadonlySet<SiteId>): void {
      for (const kept of [said, activity])
        for (const siteId of kept.keys()) if (!sites.has(siteId)) kept.delete(siteId);
    },
  };
}

function watchedSites<Viewer>(io: LiveServer<Viewer>, { inSteps }: { inSteps: boolean }): Set<SiteId> {
  const watchers = [...io.of('/').sockets.values()].map(({ data }) => data);
  return new Set(watchers.flatMap((one) => (one.watched && (one.inSteps ?? false) === inSteps ? [one.watched] : [])));
}

/** Returns undefined if the windows do not answer: the next tick tries again. */
function readSnapshot({ windows, now, log }: Options, siteId: SiteId): Promise<Snapshot | undefined> {
  return windows.snapshot(siteId, now()).catch(noSnapshot(log));
}

const noSnapshot = (log: Log) => (error: unknown) => {
  log.debug({ error }, 'live: no snapshot');
  return undefined;
};

/** Only for values that JSON represents without loss. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
