// The socket of a dashboard. Messages about a site are differences, numbered one after the other: whoever misses one asks for everything again.
import { io } from 'socket.io-client';
import { type FollowedAnswers, type LiveSocket, openFollowed } from './followed';
import type { Live } from './live.svelte';
import { compareVersion } from '../browser/update.svelte';
import { CALM, NOTHING, orderOf, withActivity, withHead, withList } from './feed';

export type Connection = { open(): void; watch(): void; rest(): void; wake(): void; close(): void };

export function connect(live: Live, shareToken: string | undefined): Connection {
  const socket: LiveSocket = io({
    transports: ['websocket'],
    ...(shareToken && { protocols: [`share.${shareToken}`] }), // the only thing that a browser can send with the upgrade
    timeout: 8000, // for one attempt; the default of 20 s is long for someone watching
    reconnectionDelay: 500,
    reconnectionDelayMax: 5000,
  });
  const followed = openFollowed(socket, live);
  /** The last message about the site; undefined while its whole state is awaited. */
  let last: number | undefined;
  /** The site's numbers were asked for before its events are heard of: they are asked for once more, for what was stored in between. */
  let isNew = true;
  /** Counts what was asked, since an answer may arrive after the next question. */
  let asked = 0;

  function watch(): void {
    last = undefined;
    const { siteId } = live;
    if (!socket.connected || live.isResting || siteId === undefined) return;
    const own = (asked += 1);
    followed.expect();
    socket.emit('watch', siteId, (isWatching) => {
      if (own !== asked) return;
      if (!isWatching) {
        followed.pause();
        live.connection = 'offline';
        return;
      }
      followed.begin();
      if (isNew) live.bump();
      isNew = false;
    });
  }

  function start(): void {
    if (live.isResting) return;
    socket.emit('watchSites');
    watch();
  }

  function follows(message: { number: number; site_id: string | undefined }): boolean {
    const order = orderOf(message, last);
    if (order === 'lost') watch();
    const isUsed = order === 'whole' ? message.site_id === live.siteId : order === 'next';
    if (isUsed) last = message.number;
    return isUsed;
  }

  listen(socket, { live, followed, follows, start });

  return {
    open: () => void socket.connect(),
    watch: () => {
      followed.pause();
      isNew = true;
      watch();
    },
    rest: () => {
      followed.pause();
      last = undefined;
      asked += 1;
      if (socket.connected) socket.emit('rest');
    },
    wake: start,
    close: () => {
      followed.close();
      socket.disconnect();
    },
  };
}

type Doors = {
  live: Live;
  followed: FollowedAnswers;
  /** True if the message replaces what the dashboard has, or continues it. */
  follows(message: { number: number; site_id: string | undefined }): boolean;
  start(): void;
};

function listen(socket: LiveSocket, { live, followed, follows, start }: Doors): void {
  socket.on('connect', () => {
    const wasOffline = live.connection === 'offline';
    live.connection = 'online';
    start();
    if (!wasOffline) return;
    live.reconnections += 1;
    live.bump();
  });
  socket.on('disconnect', (reason) => {
    live.connection = 'offline';
    followed.pause();
    if (reason === 'io server disconnect') socket.connect(); // Socket.IO does not reconnect by itself after this
  });
  socket.on('connect_error', () => (live.connection = 'offline'));
  socket.on('version', compareVersion);
  socket.on('live', (number, current_visitors, minutes, site_id) => {
    if (!follows({ number, site_id }) || live.siteId === undefined) return;
    live.count(live.siteId, current_visitors);
    live.snapshot = withHead(live.snapshot ?? NOTHING, [current_visitors, minutes]);
  });
  socket.on('list', (number, list, rows, activity, site_id) => {
    if (!follows({ number, site_id })) return;
    live.snapshot = withList(live.snapshot ?? NOTHING, [list, rows], { isWhole: site_id !== undefined });
    if (activity.length > 0) live.feed = withActivity(live.feed ?? CALM, list, activity, Date.now());
  });
  socket.on('stored', ({ site_id }) => {
    if (site_id === live.siteId) live.bump();
  });
  // Refreshing makes the page or its queries show the reason.
  socket.on('refused', () => {
    followed.pause();
    live.refusals += 1;
    live.bump();
  });
  socket.on('sites', ({ current_visitors, is_whole }) => {
    live.currentVisitors = is_whole ? current_visitors : { ...live.currentVisitors, ...current_visitors };
    live.knowsSites = true;
  });
}
