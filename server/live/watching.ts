// A dashboard watches one site, and the visitor counts of all its sites. Access is checked on each request, and again every few seconds.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { IncomingHttpHeaders } from 'node:http';
import type { Refusal } from '../errors.ts';
import type { SiteId } from '../vocabulary/event.ts';
import type { Log } from '../process/log.ts';
import { MAX_RECORD_ID } from '../vocabulary/limits.ts';
import type { WallList } from '../vocabulary/settings/wall.ts';
import { createAllowance, type Dashboard, headersOf, type Identify, type LiveServer, roomOf } from './connection.ts';
import { type Following, MAX_FOLLOWED } from './following.ts';
import type { Pushes } from './pushes.ts';
import { type Current, currentOn, type Seen, type Windows } from './windows.ts';

const WATCHES = { burst: 20, perSecond: 2 };
/** A dashboard sends what it begins to follow in one or two messages. */
const FOLLOWS = { burst: 20, perSecond: 5 };
/** A check of 2,000 dashboards at once would hold the event loop for half a second, and the pushes to all of them. */
const CHECKED_AT_ONCE = 20;
const SESSION_ENDED = 'Log in again, or open a share link that is still valid.';
const LINK_CHANGED = 'This link was changed.';

/**
 * Why a viewer may not see a site, or whether they see it in steps (see `SteppedSnapshot`), and which lists of who is there now. `isQuiet`: they only
 * follow answers, and are told nothing about who is there now.
 */
type Shown = { refusal?: undefined; inSteps: boolean; lists: readonly WallList[]; isQuiet?: boolean };
type Access = { refusal: Refusal } | Shown;
export type AccessOf<Viewer> = (viewer: Viewer, siteId: SiteId) => Promise<Access>;

type Options<Viewer> = {
  pushes: Pick<Pushes<Viewer>, 'join'>;
  following: Pick<Following<Viewer>, 'follow' | 'unfollow' | 'leave'>;
  windows: Pick<Windows, 'currentVisitors' | 'inSteps'>;
  identify: Identify<Viewer>;
  accessOf: AccessOf<Viewer>;
  sitesOf(viewer: Viewer): Promise<Seen[]>;
  isGuest(viewer: Viewer): boolean;
  version?: string | undefined;
  now(): number;
  log: Log;
};

type CheckAgain = (which?: { guests: boolean }) => Promise<void>;

/** Answers the dashboards' messages. The returned function checks the access of dashboards again: of all, or of those with a share link. */
export function openWatching<Viewer>(io: LiveServer<Viewer>, options: Options<Viewer>): CheckAgain {
  const { pushes, following, accessOf, isGuest, log } = options;
  const siteCounts = openSiteCounts(options);

  async function watch(socket: Dashboard<Viewer>, siteId: SiteId): Promise<boolean> {
    const turn = (socket.data.watches += 1);
    const access = await accessOf(socket.data.viewer, siteId);
    if (!socket.connected || turn !== socket.data.watches) return false; // disconnected, or watches another site by now
    if (access.refusal || socket.data.watched !== siteId) following.leave(socket);
    await unwatch(socket);
    if (access.refusal) {
      // `forbidden` means that the site's plan has ended, so the viewer is told why. Another account's site is refused without a message.
      if (access.refusal.code === 'forbidden')
        socket.emit('refused', { site_id: siteId, message: access.refusal.message });
      return false;
    }
    await begin(socket, siteId, access);
    return true;
  }

  async function begin(
    socket: Dashboard<Viewer>,
    siteId: SiteId,
    { inSteps, lists, isQuiet = false }: Shown,
  ): Promise<void> {
    Object.assign(socket.data, { watched: siteId, inSteps, lists: lists.join() });
    await pushes.join(socket, siteId, { inSteps, isQuiet });
  }

  /** Access is checked for all of them at once: they are about the site that is watched. */
  async function follow(socket: Dashboard<Viewer>, questions: readonly unknown[]): Promise<(string | null)[]> {
    const { watched, viewer } = socket.data;
    if (watched === undefined) return questions.map(() => null);
    const access = await accessOf(viewer, watched);
    const isStill = socket.connected && socket.data.watched === watched;
    const mayFollow = isStill && !access.refusal && access.inSteps === socket.data.inSteps;
    return questions.map((question) => (mayFollow ? following.follow(socket, watched, question) : null));
  }

  const checkSession = openChecking({ ...options, begin, siteCounts });
  io.on('connection', (socket) => listen(socket, { ...options, watch, follow, sendSites: siteCounts.sendSites }));

  return async ({ guests } = { guests: false }) => {
    const all = [...io.of('/').sockets.values()];
    const sockets = guests ? all.filter(({ data }) => isGuest(data.viewer)) : all;
    const sessions = Map.groupBy(sockets, (socket) => (socket.data.session ??= sessionOf(headersOf(socket))));
    await inTurns([...sessions.values()], (ofOne) => warnOnFailure(log, () => checkSession(ofOne)));
  };
}

type Checks<Viewer> = Options<Viewer> & {
  begin(socket: Dashboard<Viewer>, siteId: SiteId, shown: Shown): Promise<void>;
  siteCounts: ReturnType<typeof openSiteCounts<Viewer>>;
};

/** Returns what checks the access of the sockets of one session. */
function openChecking<Viewer>({
  following,
  identify,
  accessOf,
  sitesOf,
  isGuest,
  log,
  begin,
  siteCounts,
}: Checks<Viewer>) {
  async function change(socket: Dashboard<Viewer>, access: Access): Promise<void> {
    const { watched } = socket.data;
    if (watched === undefined) return;
    if (access.refusal) socket.emit('refused', { site_id: watched, message: access.refusal.message });
    following.leave(socket, { isTold: !access.refusal });
    await unwatch(socket);
    if (!access.refusal) await begin(socket, watched, access);
  }

  /** Ten thousand viewers of a link are one session: what has not changed costs each of them next to nothing. */
  return async function checkSession(sockets: readonly Dashboard<Viewer>[]): Promise<void> {
    const [first] = sockets;
    if (!first) return;
    const viewer = await identify(headersOf(first), first.request);
    if (viewer === undefined) return inTurns(sockets, (socket) => close(socket, SESSION_ENDED));
    const watched = new Set<SiteId>();
    for (const { data } of sockets) if (data.watched !== undefined) watched.add(data.watched);
    const accesses = new Map<SiteId, Access>();
    for (const siteId of watched) accesses.set(siteId, await accessOf(viewer, siteId));
    const counts = sockets.some(({ data }) => data.watchesSites)
      ? await siteCounts.countSites(sitesOf(viewer))
      : undefined;
    const isSame = openComparison<Viewer>(viewer);
    await inTurns(sockets, (socket) => {
      const { data } = socket;
      if (!socket.connected) return;
      const hasChanged = !isSame(data.viewer);
      if (hasChanged) following.leave(socket, { isTold: true });
      if (hasChanged && isGuest(viewer)) return close(socket, LINK_CHANGED); // the page asks what it shows now
      data.viewer = viewer; // sockets of one session share it from now on
      if (counts && data.watchesSites) siteCounts.pushSites(socket, counts);
      const access = data.watched && accesses.get(data.watched); // a site that is watched since was checked a moment ago
      if (access && (access.refusal || access.inSteps !== data.inSteps))
        return warnOnFailure(log, () => change(socket, access));
    });
  };
}

function close<Viewer>(socket: Dashboard<Viewer>, message: string): void {
  socket.emit('refused', { site_id: socket.data.watched ?? '', message });
  socket.disconnect(true);
}

/** Those for which `work` returns nothing are not waited for. */
async function inTurns<One>(all: readonly One[], work: (one: One) => Promise<void> | void): Promise<void> {
  for (let done = 0; done < all.length; done += CHECKED_AT_ONCE) {
    if (done > 0) await nextTurn();
    const begun = all.slice(done, done + CHECKED_AT_ONCE).flatMap((one) => work(one) ?? []);
    if (begun.length > 0) await Promise.all(begun);
  }
}

type Doors<Viewer> = Pick<Options<Viewer>, 'following' | 'version' | 'now' | 'log'> & {
  watch(socket: Dashboard<Viewer>, siteId: SiteId): Promise<boolean>;
  follow(socket: Dashboard<Viewer>, questions: readonly unknown[]): Promise<(string | null)[]>;
  sendSites(socket: Dashboard<Viewer>): Promise<void>;
};

/** Answers the messages of one dashboard. They come from anybody, so their shapes and their number are checked. */
function listen<Viewer>(
  socket: Dashboard<Viewer>,
  { following, version, now, log, watch, follow, sendSites }: Doors<Viewer>,
): void {
  if (version !== undefined) socket.emit('version', version);
  const mayWatch = createAllowance(WATCHES, now);
  const mayFollow = createAllowance(FOLLOWS, now);
  socket.on('error', () => undefined); // a malformed packet only closes its connection
  socket.on('watch', (siteId: unknown, answer: unknown) => {
    const reply = (ok: boolean) => void (typeof answer === 'function' && answer(ok));
    if (typeof siteId !== 'string' || siteId.length > MAX_RECORD_ID || !mayWatch()) return reply(false);
    watch(socket, siteId as SiteId).then(reply, (error: unknown) => {
      log.warn({ error }, 'live: access could not be checked');
      reply(false);
    });
  });
  socket.on('watchSites', () => {
    if (!mayWatch()) return;
    socket.data.watchesSites = true;
    socket.data.lastSites = undefined;
    void warnOnFailure(log, () => sendSites(socket));
  });
  socket.on('follow', (questions: unknown, answer: unknown) => {
    if (!Array.isArray(questions) || questions.length > MAX_FOLLOWED || typeof answer !== 'function') return;
    const reply = (topics: (string | null)[]) => void answer(topics);
    const refuse = () => reply(questions.map(() => null));
    if (!mayFollow()) return refuse();
    follow(socket, questions).then(reply, (error: unknown) => {
      log.warn({ error }, 'live: access could not be checked');
      refuse();
    });
  });
  socket.on('unfollow', (topics: unknown) => following.unfollow(socket, topics));
  socket.on('disconnect', () => following.leave(socket));
  socket.on('rest', () => {
    socket.data.watches += 1; // a `watch` that is still being checked has no effect
    socket.data.watchesSites = false;
    following.leave(socket);
    void warnOnFailure(log, () => unwatch(socket));
  });
}

/** The current visitors of the sites on a list. */
function openSiteCounts<Viewer>({ windows, sitesOf, now }: Pick<Options<Viewer>, 'windows' | 'sitesOf' | 'now'>) {
  const countSites = async (sites: Promise<Seen[]>): Promise<Current> => currentOn(windows, await sites, now());

  function pushSites(socket: Dashboard<Viewer>, counts: Current): void {
    const last = socket.data.lastSites;
    socket.data.lastSites = counts;
    const changed = [...counts].filter(([siteId, visitors]) => visitors !== (last?.get(siteId) ?? 0));
    if (last && changed.length === 0) return;
    socket.emit('sites', { current_visitors: Object.fromEntries(changed), ...(!last && { is_whole: true }) });
  }

  const sendSites = async (socket: Dashboard<Viewer>) =>
    pushSites(socket, await countSites(sitesOf(socket.data.viewer)));

  return { countSites, pushSites, sendSites };
}

/** Runs `work`. If a store does not answer, access stays as it was until the next check. */
export async function warnOnFailure(log: Log, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.warn({ error }, 'live: dashboards were not updated');
  }
}

async function unwatch<Viewer>(socket: Dashboard<Viewer>): Promise<void> {
  if (socket.data.watched === undefined) return;
  await socket.leave(roomOf(socket.data.watched, { inSteps: socket.data.inSteps ?? false }));
  delete socket.data.watched;
  delete socket.data.inSteps;
  delete socket.data.lists;
}

const sessionOf = (headers: IncomingHttpHeaders) => `${headers.cookie}\n${String(headers['x-share-token'])}`;

/** Tells whether another viewer is the same. Each that is the same is compared once. */
function openComparison<Viewer>(viewer: Viewer): (other: Viewer) => boolean {
  const text = JSON.stringify(viewer);
  const same = new Set<Viewer>();
  return (other) => {
    if (!same.has(other) && JSON.stringify(other) === text) same.add(other);
    return same.has(other);
  };
}
