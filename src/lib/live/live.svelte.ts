// What a dashboard knows from its socket: who is here now, what arrives, and when stored numbers have changed. The socket itself
// (connection.ts) is loaded beside the page.
import { texts } from '../../../server/vocabulary/habits/messages.ts';
import type { Snapshot } from '../api/types';
import type { Feed, FirstSnapshot } from './feed';
import type { Connection } from './connection';

/**
 * The shortest time between two refreshes of stored numbers. With the writer's delay and the request, an event still appears within a
 * second.
 */
const STORED_EVERY_MS = 300;
/** The live windows move even without events. This also makes up for a missed push. */
const MINUTE_MS = 60_000;
/** The socket of a page that has been hidden for this long rests, and receives nothing. */
const REST_AFTER_MS = 5000;

export const CONNECTIONS = texts({ connecting: 'Connecting', online: 'Live', offline: 'Offline, reconnecting' });

export class Live {
  connection = $state<keyof typeof CONNECTIONS>('connecting');
  /** Site → visitors of the last five minutes; null for fewer than the viewer may see. */
  currentVisitors = $state.raw<Record<string, number | null>>({});
  /** `currentVisitors` holds every site that has visitors. */
  knowsSites = $state(false);
  snapshot = $state.raw<Snapshot>();
  /** Undefined until something has happened. */
  feed = $state.raw<Feed>();
  /** Nobody looks, so numbers are not kept up to date. */
  isResting = $state(false);
  /** Increases whenever stored numbers may have changed. */
  stored = $state(0);
  reconnections = $state(0);
  /** Increases when the server withdraws access to what is shown. */
  refusals = $state(0);

  #connection: Connection | undefined;
  #isClosed = false;
  #siteId: string | undefined;
  #storedAt = 0;
  #storedTimer: ReturnType<typeof setTimeout> | undefined;
  #minute: ReturnType<typeof setInterval>;
  #resting: ReturnType<typeof setTimeout> | undefined;

  constructor(shareToken?: string) {
    void this.#connect(shareToken);
    addEventListener('online', this.#reconnect);
    document.addEventListener('visibilitychange', this.#visibilityChanged);
    if (document.visibilityState === 'hidden') this.#visibilityChanged(); // opened in the background
    this.#minute = setInterval(() => this.bump(), MINUTE_MS);
  }

  async #connect(shareToken: string | undefined): Promise<void> {
    // Loaded in parallel, so that the page does not wait for it.
    try {
      const { connect } = await import('./connection');
      if (!this.#isClosed) this.#connection = connect(this, shareToken);
    } catch {
      this.connection = 'offline';
    }
  }

  get siteId(): string | undefined {
    return this.#siteId;
  }

  /** Switches to a site and forgets the previous one. */
  watch(siteId: string): void {
    if (siteId === this.#siteId) return;
    this.#siteId = siteId;
    this.snapshot = undefined;
    this.feed = undefined;
    this.#connection?.watch();
  }

  /** Sets the first snapshot from a query, unless the socket was faster. */
  begin(siteId: string, snapshot: FirstSnapshot): void {
    if (siteId !== this.#siteId || this.snapshot) return;
    this.snapshot = { pages: [], sources: [], countries: [], ...snapshot };
    this.count(siteId, snapshot.current_visitors);
  }

  close(): void {
    removeEventListener('online', this.#reconnect);
    document.removeEventListener('visibilitychange', this.#visibilityChanged);
    clearInterval(this.#minute);
    clearTimeout(this.#storedTimer);
    clearTimeout(this.#resting);
    this.#isClosed = true;
    this.#connection?.close();
  }

  #reconnect = () => this.#connection?.open();

  #visibilityChanged = () => {
    clearTimeout(this.#resting);
    if (document.visibilityState === 'hidden') {
      this.#resting = setTimeout(() => {
        this.isResting = true;
        this.#connection?.rest();
      }, REST_AFTER_MS);
      return;
    }
    if (this.isResting) {
      this.isResting = false;
      this.#connection?.wake();
    }
    this.bump();
  };

  count(siteId: string, visitors: number | null): void {
    if (this.currentVisitors[siteId] === visitors) return;
    this.currentVisitors = { ...this.currentVisitors, [siteId]: visitors };
  }

  /** Queries of a hidden page wait until it is shown. */
  bump(): void {
    if (this.#storedTimer !== undefined) return;
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
