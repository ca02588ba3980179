// The parts that tests of the socket share: a process with a socket, and browsers that watch sites on it.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { io as connect, type Socket as Client } from 'socket.io-client';
import { expect } from 'vitest';
import { Refusal } from '../../../server/errors.ts';
import type { Event, SiteId } from '../../../server/vocabulary/event.ts';
import type { Answers } from '../../../server/live/following.ts';
import { openMemoryWindows } from '../../../server/live/memory.ts';
import { WALL_LIST_NAMES, type WallList } from '../../../server/vocabulary/settings/wall.ts';
import type { Activity, ClientMessages, ServerMessages } from '../../../server/live/messages.ts';
import { openSocket, type LiveSocket } from '../../../server/live/socket.ts';
import type { Windows } from '../../../server/live/windows.ts';
import { openLog } from '../../../server/process/log.ts';
import type { Redis } from '../../../server/process/redis/redis.ts';
import { NOTHING, type Snapshot, withHead, withList } from '../../../src/lib/live/feed.ts';
import { fakeClock, type Clock } from '../clock.ts';
import { NO_SUCH_SITE } from '../../../server/sites/sites.ts';
import { sampleEvent } from '../event.ts';

export const OWN = 'site_own' as SiteId;
export const SECOND_OWN = 'site_second' as SiteId;
export const FOREIGN = 'site_foreign' as SiteId;
export const TICK_MS = 4000;

/** The state after a message, as the dashboard keeps it. */
type Live = { site_id: string; current_visitors: number | null; minutes: number[] };
type List = {
  site_id: string;
  list: WallList;
  rows: { name: string; visitors: number }[];
  activity: Activity[];
};
export type Browser = Client<ServerMessages, ClientMessages>;

/** A process: its windows, its socket, and who may see what. Ada owns two sites, Bob one. Viv sees Ada's first site in steps. */
export async function startProcess(
  options: { clock?: Clock; windows?: Windows; redis?: Redis; maxSockets?: number; answers?: Answers<string> } = {},
) {
  const clock = options.clock ?? fakeClock();
  const windows = options.windows ?? openMemoryWindows();
  const sites = new Map<string, SiteId[]>([
    ['ada', [OWN, SECOND_OWN]],
    ['bob', [FOREIGN]],
    ['viv', [OWN]],
  ]);
  const inSteps = new Set(['viv']);
  const calls = { snapshot: 0, accessOf: 0, identify: 0 };
  /** Sites of which another process has stored events. */
  const storedElsewhere: SiteId[] = [];
  const httpServer = createServer((_request, response) => response.end('page'));
  httpServer.listen(0, '127.0.0.1');
  await once(httpServer, 'listening');
  const address = httpServer.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const origin = `http://127.0.0.1:${port}`;
  const socket: LiveSocket = openSocket<string>({
    httpServer,
    windows: {
      currentVisitors: windows.currentVisitors,
      inSteps: windows.inSteps,
      snapshot: (siteId, now) => {
        calls.snapshot += 1;
        return windows.snapshot(siteId, now);
      },
    },
    redis: options.redis,
    identify: (headers: IncomingHttpHeaders) => {
      calls.identify += 1;
      const name = headers['x-share-token'] === 'token-of-bob' ? 'bob' : /user=(\w+)/.exec(headers.cookie ?? '')?.[1];
      return Promise.resolve(name !== undefined && sites.has(name) ? name : undefined);
    },
    accessOf: (viewer, siteId) => {
      calls.accessOf += 1;
      const maySee = sites.get(viewer)?.includes(siteId) ?? false;
      return Promise.resolve(
        maySee
          ? { inSteps: inSteps.has(viewer), lists: WALL_LIST_NAMES }
          : { refusal: new Refusal('not_found', NO_SUCH_SITE) },
      );
    },
    answers: options.answers ?? { audienceOf: () => undefined, ask: () => Promise.reject(new Error('not followed')) },
    isGuest: (viewer) => viewer === 'bob',
    addressOf: (request) => String(request.headers['x-test-address'] ?? 'here'),
    sitesOf: (viewer) =>
      Promise.resolve((sites.get(viewer) ?? []).map((siteId) => ({ siteId, inSteps: inSteps.has(viewer) }))),
    mayConnect: ({ headers }) => headers.origin === undefined || headers.origin === origin,
    onStoredElsewhere: (siteId) => void storedElsewhere.push(siteId),
    now: clock.now,
    schedule: clock.schedule,
    maxSockets: options.maxSockets ?? 5_000,
    log: openLog('silent'),
  });
  const browsers: Browser[] = [];

  return {
    clock,
    sites,
    inSteps,
    calls,
    storedElsewhere,
    socket,
    origin,
    open(
      who: {
        cookie?: string;
        origin?: string;
        auth?: Record<string, unknown>;
        transports?: string[];
        protocols?: string[];
      } = {},
    ) {
      const extraHeaders = { ...(who.cookie && { cookie: who.cookie }), ...(who.origin && { origin: who.origin }) };
      const browser: Browser = connect(origin, {
        transports: who.transports ?? ['websocket'],
        forceNew: true,
        reconnection: false,
        extraHeaders,
        auth: who.auth ?? {},
        ...(who.protocols && { protocols: who.protocols }),
      });
      browsers.push(browser);
      const heard = {
        live: [] as Live[],
        lists: [] as List[],
        stored: [] as string[],
        sites: [] as Record<string, number | null>[],
        refused: [] as string[],
      };
      const state = { site_id: '', number: -1, snapshot: NOTHING };
      const follow = (number: number, site_id: string | undefined) => {
        // A difference must continue the message before: the tests lose none.
        if (site_id === undefined) expect(number).toBe(state.number + 1);
        state.site_id = site_id ?? state.site_id;
        state.number = number;
      };
      browser.on('live', (number, visitors, changed, siteId) => {
        follow(number, siteId);
        state.snapshot = withHead(state.snapshot, [visitors, changed]);
        const { current_visitors, minutes } = state.snapshot;
        heard.live.push({ site_id: state.site_id, current_visitors, minutes });
      });
      browser.on('list', (number, list, rows, activity, siteId) => {
        follow(number, siteId);
        state.snapshot = withList(state.snapshot, [list, rows], { isWhole: siteId !== undefined });
        heard.lists.push({
          site_id: state.site_id,
          list,
          rows: namedRows(state.snapshot, list),
          activity: activity.flatMap(([pageviews, events, ...names]) =>
            names.map((name) => ({ name, pageviews, events })),
          ),
        });
      });
      browser.on('stored', ({ site_id }) => heard.stored.push(site_id));
      browser.on('sites', ({ current_visitors }) => heard.sites.push(current_visitors));
      browser.on('refused', ({ site_id }) => heard.refused.push(site_id));
      const failed = new Promise<string>((resolve) => browser.on('connect_error', ({ message }) => resolve(message)));
      const closed = new Promise<string>((resolve) => browser.on('disconnect', (reason) => resolve(reason)));
      const watch = (siteId: unknown): Promise<unknown> => browser.emitWithAck('watch', siteId as string);
      return {
        browser,
        heard,
        failed,
        closed,
        watch,
        connected: new Promise<void>((resolve) => browser.on('connect', resolve)),
      };
    },
    /** As the collector does: into the windows, then announced. */
    async arrive(event: Event) {
      const source = await windows.record(event);
      socket.arrived({ ...event, source });
    },
    async [Symbol.asyncDispose]() {
      for (const browser of browsers) browser.disconnect();
      await socket.close();
      httpServer.closeAllConnections();
      httpServer.close();
    },
  };
}

/** The rows of a list, whatever its names are called. */
function namedRows(snapshot: Snapshot, list: WallList): { name: string; visitors: number }[] {
  return snapshot[list].map(({ visitors, ...row }) => ({ name: Object.values(row)[0] ?? '', visitors }));
}

type Process = Awaited<ReturnType<typeof startProcess>>;
export const ADA = { cookie: 'user=ada' };
export const BOB = { cookie: 'user=bob' };
export const VIV = { cookie: 'user=viv' };

export async function watching(process: Process, siteId: SiteId, who: Parameters<Process['open']>[0] = ADA) {
  const dashboard = process.open(who);
  expect(await dashboard.watch(siteId)).toBe(true);
  expect(dashboard.heard.live.length).toBe(1);
  return dashboard;
}
/** What the dashboard has received about one list, push by push. */
export const activityOf = ({ heard }: { heard: { lists: List[] } }, list: List['list'] = 'pages') =>
  heard.lists.filter((message) => message.list === list).map(({ activity }) => activity);
/** Resolves when the dashboard has received everything that was sent to it before. */
export const caughtUp = (dashboard: { watch: (siteId: unknown) => Promise<unknown> }) => dashboard.watch({});
export const eventOf = (site_id: SiteId, number: number, changes: Partial<Event> = {}) =>
  sampleEvent(number, { site_id, ...changes });
