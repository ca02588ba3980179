// The socket of a dashboard: who is here now, what arrives, and when stored numbers have changed.
import type { Socket } from 'socket.io-client';
import type { ClientMessages, ServerMessages } from '../../server/live/messages.ts';
import type { Snapshot } from './api-types';
import { CALM, type Feed, NOTHING, withActivity, withList } from './live-feed';

/**
 * The shortest time between two refreshes of stored numbers. With the writer's delay and the request, an event still appears within a
 * second.
 */
const STORED_EVERY_MS = 300;
/** The live windows move even without events. This also makes up for a missed push. */
const MINUTE_MS = 60_000;

export const CONNECTIONS = { connecting: 'Connecting', online: 'Live', offline: 'Offline, reconnecting' } as const;

export class Live {
  connection = $state<keyof typeof CONNECTIONS>('connecting');
  /** Site → visitors of the last five minutes. */
  currentVisitors = $state.raw<Record<string, number>>({});
  snapshot = $state.raw<Snapshot>();
  feed = $state.raw<Feed>(CALM);
  /** Increases whenever stored numbers may have changed. */
  stored = $state(0);
  reconnections = $state(0);
  /** Increases when the server withdraws access to what is shown. */
  refusals = $state(0);

  #socket: Socket<ServerMessages, ClientMessages> | undefined;
  #isClosed = false;
  #siteId: string | undefined;
  #storedAt = 0;
  #storedTimer: ReturnType<typeof setTimeout> | undefined;
  #minute: ReturnType<typeof setInterval>;

  constructor(shareToken?: string) {
    void this.#connect(shareToken);
    addEventListener('online', this.#reconnect);
    document.addEventListener('visibilitychange', this.#look);
    this.#minute = setInterval(() => this.#bump(), MINUTE_MS);
  }

  async #connect(shareToken: string | undefined): Promise<void> {
    // Loaded in parallel, so that the page does not wait for it.
    const loaded = await import('socket.io-client').catch(() => undefined);
    if (this.#isClosed) return;
    if (!loaded) {
      this.connection = 'offline';
      return;
    }
    const socket: Socket<ServerMessages, ClientMessages> = loaded.io({
      transports: ['websocket'],
      ...(shareToken && { protocols: [`share.${shareToken}`] }), // the only thing that a browser can send with the upgrade
      timeout: 8000, // for one attempt; the default of 20 s is long for someone watching
      reconnectionDelay: 500,
      reconnectionDelayMax: 5000,
    });
    this.#socket = socket;
    socket.on('connect', () => {
      const wasOffline = this.connection === 'offline';
      this.connection = 'online';
      socket.emit('watchSites');
      if (this.#siteId) this.#watchNow(this.#siteId);
      if (!wasOffline) return;
      this.reconnections += 1;
      this.#bump();
    });
    socket.on('disconnect', (reason) => {
      this.connection = 'offline';
      if (reason === 'io server disconnect') socket.connect(); // Socket.IO does not reconnect by itself after this
    });
    socket.on('connect_error', () => (this.connection = 'offline'));
    socket.on('live', ({ site_id, current_visitors, minutes }) => {
      this.#count(site_id, current_visitors);
      if (site_id !== this.#siteId) return;
      this.snapshot = { ...(this.snapshot ?? NOTHING), current_visitors, minutes };
    });
    socket.on('list', ({ site_id, list, rows, activity }) => {
      if (site_id !== this.#siteId) return;
      this.snapshot = withList(this.snapshot ?? NOTHING, list, rows);
      this.feed = withActivity(this.feed, list, activity, Date.now());
    });
    socket.on('stored', ({ site_id }) => {
      if (site_id === this.#siteId) this.#bump();
    });
    // Refreshing makes the page or its queries show the reason.
    socket.on('refused', () => {
      this.refusals += 1;
      this.#bump();
    });
    socket.on('sites', ({ current_visitors }) => {
      this.currentVisitors = { ...this.currentVisitors, ...current_visitors };
    });
  }

  /** Switches to a site and forgets the previous one. */
  watch(siteId: string): void {
    if (siteId === this.#siteId) return;
    this.#siteId = siteId;
    this.snapshot = undefined;
    this.feed = CALM;
    if (this.#socket?.connected) this.#watchNow(siteId);
  }

  /** Sets the first snapshot from a query, unless the socket was faster. */
  begin(siteId: string, snapshot: Snapshot): void {
    if (siteId !== this.#siteId || this.snapshot) return;
    this.snapshot = snapshot;
    this.#count(siteId, snapshot.current_visitors);
  }

  close(): void {
    removeEventListener('online', this.#reconnect);
    document.removeEventListener('visibilitychange', this.#look);
    clearInterval(this.#minute);
    clearTimeout(this.#storedTimer);
    this.#isClosed = true;
    this.#socket?.disconnect();
  }

  #reconnect = () => this.#socket?.connect();

  #look = () => {
    if (document.visibilityState === 'visible') this.#bump();
  };

  #watchNow(siteId: string): void {
    this.#socket?.emit('watch', siteId, (isWatching) => {
      if (!isWatching && siteId === this.#siteId) this.connection = 'offline';
    });
  }

  #count(siteId: string, visitors: number): void {
    if (this.currentVisitors[siteId] === visitors) return;
    this.currentVisitors = { ...this.currentVisitors, [siteId]: visitors };
  }

  /** A hidden page does not refresh; it catches up when it becomes visible. */
  #bump(): void {
    if (document.visibilityState === 'hidden' || this.#storedTimer !== undefined) return;
    const wait = this.#storedAt + STORED_EVERY_MS - performance.now();
    const bump = () => {
      this.#storedTimer = undefined;
      this.#storedAt = performance.now();
      this.stored += 1;
    };
    if (wait > 0) this.#storedTimer = setTimeout(bump, wait);
    else bump();
  }
}
