// Pushes to dashboards that see a site in steps: not when something happens, but with the ticks of the socket, once several visitors have come, moved
// or left. What happened until then is sent together, each list for itself.
import type { SiteId } from '../vocabulary/event.ts';
import { type Counts, openTally } from './activity.ts';
import { dashboardsOf, type Message, send } from './broadcast.ts';
import { type Dashboard, type LiveServer, roomOf } from './connection.ts';
import { changedHead, changedLists, type News, wholeState } from './differences.ts';
import type { List } from './messages.ts';
import type { SteppedSnapshot, Windows } from './windows.ts';

/** Stored numbers leave out the arrivals of the last ten seconds (see stats/disclosure/steps.ts), so they follow a step later. */
const STORED_AFTER_MS = 12_000;

type Said = { snapshot: SteppedSnapshot; numbers: Numbers };

type Options = {
  windows: Pick<Windows, 'inSteps'>;
  /** Called when dashboards may ask for stored numbers again: the answers that they follow are then asked anew. */
  onStored(siteId: SiteId): void;
  now(): number;
};

type SteppedPushes<Viewer> = {
  isWatched(siteId: SiteId): boolean;
  arrived(siteId: SiteId, counts: Counts | undefined): void;
  /** Subscribes a dashboard to the site, and sends it what is shown now. */
  join(socket: Dashboard<Viewer>, siteId: SiteId): Promise<void>;
  /** Pushes the steps of these sites, and forgets all others. */
  refresh(sites: ReadonlySet<SiteId>): Promise<void>;
};

export function openSteppedPushes<Viewer>(
  io: LiveServer<Viewer>,
  { windows, onStored, now }: Options,
): SteppedPushes<Viewer> {
  const activity = openTally();
  const said = new Map<SiteId, Said>();
  /** When dashboards ask for stored numbers again. */
  const storedAt = new Map<SiteId, number>();
  const isWatched = (siteId: SiteId) =>
    (io.of('/').adapter.rooms.get(roomOf(siteId, { inSteps: true }))?.size ?? 0) > 0;
  const watchersOf = (siteId: SiteId) => dashboardsOf(io, siteId, { inSteps: true });

  const begin = async (siteId: SiteId): Promise<Said> => {
    const snapshot = await windows.inSteps(siteId, now());
    activity.take(siteId);
    const fresh = said.get(siteId) ?? { snapshot, numbers: new Map<string, number>() };
    said.set(siteId, fresh);
    return fresh;
  };

  const pushStep = async (siteId: SiteId): Promise<void> => {
    const known = said.get(siteId);
    if (!known) return;
    const snapshot = await windows.inSteps(siteId, now());
    const before = known.snapshot;
    known.snapshot = snapshot;
    const head = changedHead(before, snapshot);
    const isStep = snapshot.stepped_at !== before.stepped_at;
    const counts = isStep ? activity.take(siteId) : undefined;
    // With too few visitors there is nothing to say about what they did.
    const lists = counts && snapshot.current_visitors !== null ? changedLists(before, snapshot, counts) : [];
    const emptied = counts && snapshot.current_visitors === null && before.current_visitors !== null;
    if (emptied) return sendState(watchersOf(siteId), siteId, known);
    sendNews(watchersOf(siteId), known.numbers, { head, lists });
    if (isStep) storedAt.set(siteId, now() + STORED_AFTER_MS);
  };

  return {
    isWatched,
    arrived(siteId, counts) {
      if (counts && isWatched(siteId)) activity.add(siteId, counts);
    },
    async join(socket, siteId) {
      if (!isWatched(siteId)) said.delete(siteId); // nothing has kept it up to date
      await socket.join(roomOf(siteId, { inSteps: true }));
      const state = said.get(siteId) ?? (await begin(siteId));
      if (socket.data.watched === siteId) sendState([socket], siteId, state);
    },
    async refresh(sites) {
      for (const kept of [said, storedAt, activity])
        for (const siteId of kept.keys()) if (!sites.has(siteId)) kept.delete(siteId);
      await Promise.all([...sites].map(pushStep));
      for (const [siteId, at] of storedAt) {
        if (now() < at) continue;
        storedAt.delete(siteId);
        send(watchersOf(siteId), [['stored', { site_id: siteId }]]);
        onStored(siteId);
      }
    },
  };
}

/** The number of the last message, for those who see the same lists. */
export type Numbers = Map<string, number>;

/** Tells each dashboard what has changed in what it sees. */
export function sendNews<Viewer>(dashboards: Dashboard<Viewer>[], numbers: Numbers, { head, lists }: News): void {
  for (const [shown, alike] of Map.groupBy(dashboards, shownTo)) {
    let number = numbers.get(shown) ?? 0;
    send(alike, [
      ...(head ? [['live', (number += 1), ...head] as Message] : []),
      ...lists.filter(isIn(shown)).map((list): Message => ['list', (number += 1), ...list]),
    ]);
    numbers.set(shown, number);
  }
}

/** The whole state, for dashboards that begin to watch. */
export function sendState<Viewer>(
  dashboards: Dashboard<Viewer>[],
  siteId: SiteId,
  { snapshot, numbers }: { snapshot: Omit<SteppedSnapshot, 'stepped_at'>; numbers: Numbers },
): void {
  const { head, lists } = wholeState(snapshot);
  for (const [shown, alike] of Map.groupBy(dashboards, shownTo)) {
    const number = numbers.get(shown) ?? 0;
    send(alike, [
      ['live', number, ...head, siteId],
      ...lists.filter(isIn(shown)).map((list): Message => ['list', number, ...list, siteId]),
    ]);
  }
}

const shownTo = <Viewer>({ data }: Dashboard<Viewer>): string => data.lists ?? '';
const isIn = (shown: string) => {
  const names = shown.split(',');
  return ([name]: List) => names.includes(name);
};
