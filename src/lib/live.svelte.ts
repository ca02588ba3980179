// The socket of a dashboard: who is here now, what arrives, and when stored numbers have changed.
import type { Socket } from 'socket.io-client';
import type { ClientMessages, ServerMessages } from '../../server/live/messages.ts';
import type { Activity, ListName, Snapshot } from './api-types';

/**
 * The shortest time between two refreshes of stored numbers. With the writer's delay and the request, an event still appears within a
 * second.
 */
const STORED_EVERY_MS = 300;
/** The live windows move even without events. This also makes up for a missed push. */
const MINUTE_MS = 60_000;
const MAX_ACTIVITY = 40;

/** Activity on one page at one moment. */
export type PageActivity = Activity & { key: number; at: number };
/** The last count under each name, with a new key each time so that its animation restarts. */
export type Pulses = readonly { name: string; key: number; count: number }[];

export const CONNECTIONS = { connecting: 'Connecting', online: 'Live', offline: 'Offline, reconnecting' } as const;

const NOTHING: Snapshot = { current_visitors: 0, minutes: [], pages: [], sources: [], countries: [] };
const CALM: Record<ListName, Pulses> = { pages: [], sources: [], countries: [] };

export class Live {
  connection = $state<keyof typeof CONNECTIONS>('connecting');
  /** Site → visitors of the last five minutes. */
  currentVisitors = $state.raw<Record<string, number>>({});
  snapshot = $state.raw<Snapshot>();
  /** Newest first. Pages only: no message says who read them. */
  activity = $state.raw<PageActivity[]>([]);
  pulses = $state.raw(CALM);
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
  #lastKey = 0;

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
      if (activity.length > 0) this.#pulse(list, activity);
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
    this.activity = [];
    this.pulses = CALM;
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

  #pulse(list: ListName, activity: Activity[]): void {
    const at = Date.now();
    const keyed = activity.map((one) => ({ ...one, at, key: ++this.#lastKey }));
    const pulses = keyed.map(({ name, key, pageviews, events }) => ({ name, key, count: pageviews + events }));
    this.pulses = { ...this.pulses, [list]: pulses };
    if (list === 'pages') this.activity = [...keyed, ...this.activity].slice(0, MAX_ACTIVITY);
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

function withList(snapshot: Snapshot, list: ListName, rows: { name: string; visitors: number }[]): Snapshot {
  switch (list) {
    case 'pages':
      return { ...snapshot, pages: rows.map(({ name: page, visitors }) => ({ page, visitors })) };
    case 'sources':
      return { ...snapshot, sources: rows.map(({ name: source, visitors }) => ({ source, visitors })) };
    case 'countries':
      return { ...snapshot, countries: rows.map(({ name: country, visitors }) => ({ country, visitors })) };
  }
}
