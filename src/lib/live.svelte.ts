// The socket that keeps a dashboard alive: who is here now, what arrives, and when stored numbers have changed.
import type { Socket } from 'socket.io-client';
import type { ClientMessages, ServerMessages } from '../../server/live/messages.ts';
import type { Arrival, Snapshot } from './shapes';

/** Stored numbers are asked for again at most this often: with the writer's pace and an answer, within a second of the event. */
const STORED_EVERY_MS = 300;
/** Windows move on without events; also what mends a missed push. */
const MINUTE_MS = 60_000;
const MAX_ARRIVALS = 40;

export type LiveArrival = Arrival & { key: number };

export class Live {
  connection = $state<'connecting' | 'online' | 'offline'>('connecting');
  /** Site → visitors of the last five minutes. */
  currentVisitors = $state.raw<Record<string, number>>({});
  snapshot = $state.raw<Snapshot>();
  arrivals = $state.raw<LiveArrival[]>([]);
  /** Grows whenever stored numbers may have changed. */
  stored = $state(0);
  reconnections = $state(0);
  /** Grows when the server says that what is shown may not be seen any more. */
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
    // Fetched beside the page's own code: the page does not wait for it.
    const loaded = await import('socket.io-client').catch(() => undefined);
    if (this.#isClosed) return;
    if (!loaded) {
      this.connection = 'offline';
      return;
    }
    const socket: Socket<ServerMessages, ClientMessages> = loaded.io({
      transports: ['websocket'],
      auth: shareToken ? { share_token: shareToken } : {},
      timeout: 8000, // of one try to connect; 20 s is long for somebody who looks at the page
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
      if (reason === 'io server disconnect') socket.connect(); // Socket.IO does not come back by itself from this one
    });
    socket.on('connect_error', () => (this.connection = 'offline'));
    socket.on('live', ({ site_id, arrivals, ...snapshot }) => {
      this.#count(site_id, snapshot.current_visitors);
      if (site_id !== this.#siteId) return;
      this.snapshot = snapshot;
      if (arrivals.length > 0) this.#arrive(arrivals);
    });
    socket.on('stored', ({ site_id }) => {
      if (site_id === this.#siteId) this.#bump();
    });
    // Asked again, the page or its numbers say why they are not shown any more.
    socket.on('refused', () => {
      this.refusals += 1;
      this.#bump();
    });
    socket.on('sites', ({ current_visitors }) => {
      this.currentVisitors = { ...this.currentVisitors, ...current_visitors };
    });
  }

  /** Moves to a site: what was known of another one is forgotten. */
  watch(siteId: string): void {
    if (siteId === this.#siteId) return;
    this.#siteId = siteId;
    this.snapshot = undefined;
    this.arrivals = [];
    if (this.#socket?.connected) this.#watchNow(siteId);
  }

  /** What the server said when asked, until the socket says more. */
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

  #arrive(arrivals: Arrival[]): void {
    const keyed = arrivals.map((arrival) => ({ ...arrival, key: ++this.#lastKey }));
    this.arrivals = [...keyed.reverse(), ...this.arrivals].slice(0, MAX_ARRIVALS);
  }

  /** A page nobody looks at asks for nothing; it catches up when it is seen. */
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
