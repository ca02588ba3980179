// The icons of sources and sites. The server fetches them, so that no reader's browser contacts another host. A request is answered
// immediately with the stored icon. If there is none, the server starts to fetch it, and the dashboard asks again later.
import type { Directory } from '../../directory/open.ts';
import type { Log } from '../../process/log.ts';
import type { Outgoing } from '../../process/outgoing/client.ts';
import type { Dimension } from '../../vocabulary/questions/dimensions.ts';
import { DAY_MS } from '../../vocabulary/time/time.ts';
import { openAddresses } from './addresses.ts';
import { downloadIcon } from './download.ts';
import { hostOfRow, hostOfSite } from './hosts.ts';
import { MAX_STORED, storedIcon, storeIcon } from './stored.ts';
import { decodeOnThread } from './thread.ts';

/** Sites rarely change their icon. */
const ICON_KEPT_MS = 30 * DAY_MS;
const NONE_KEPT_MS = DAY_MS;
const HOSTS_AT_ONCE = 4;
/** Hosts that are being asked or wait for their turn. Further hosts are asked when somebody requests their icon again. */
const MAX_ASKED = 200;

/** Undefined if the host has no icon; `pending` if that is not known yet. */
export type Found = Buffer | 'pending' | undefined;

export type Favicons = {
  /** Returns the address of a row's icon; undefined if the row names no host, or icons are switched off. */
  ofRow(dimension: Dimension, name: string): string | undefined;
  ofSite(domain: string): string | undefined;
  /** Returns the host of an address that this server gave out. */
  hostOf(pathname: string): string | undefined;
  /** Never waits for the host. `mayAsk` tells whether the caller may cause one more request. */
  find(host: string, mayAsk: () => Promise<boolean>): Promise<Found>;
  /** Begins to fetch the icon of a site that somebody has added. Never rejects. */
  fetchFor(domain: string, mayAsk: () => Promise<boolean>): Promise<void>;
  /** Resolves when no host is being asked. */
  settled(): Promise<void>;
  /** Stores nothing from then on. */
  close(): void;
};

type Options = {
  directory: Directory;
  /** A separate client, so that icons never make other requests wait. */
  outgoing: Outgoing;
  secret: string;
  isOn: boolean;
  now(): number;
  log: Log;
  maxStored?: number;
  maxAsked?: number;
};

export function openFavicons(options: Options): Favicons {
  const { directory, outgoing, secret, isOn, now, log, maxStored = MAX_STORED, maxAsked = MAX_ASKED } = options;
  const addresses = openAddresses(secret);
  const asking = new Map<string, Promise<void>>();
  const limited = limitConcurrency(HOSTS_AT_ONCE);
  let isClosed = false;

  async function ask(host: string): Promise<void> {
    if (isClosed) return;
    const png = await downloadIcon(outgoing, host, decodeOnThread);
    if (isClosed) return;
    await storeIcon(directory, addresses.keyOf(host), { png, askedAt: now() }, maxStored);
  }

  const warn = (error: unknown) => {
    if (!isClosed) log.warn({ error }, 'an icon was not stored');
  };
  function begin(host: string): void {
    const asked = limited(() => ask(host))
      .catch(warn)
      .finally(() => asking.delete(host));
    asking.set(host, asked);
  }

  async function find(host: string, mayAsk: () => Promise<boolean>): Promise<Found> {
    const stored = await storedIcon(directory, addresses.keyOf(host));
    const isFresh = stored && now() < stored.askedAt + (stored.png ? ICON_KEPT_MS : NONE_KEPT_MS);
    if (!isFresh && !asking.has(host) && asking.size < maxAsked && (await mayAsk()) && !asking.has(host)) begin(host);
    if (stored?.png) return stored.png;
    return isFresh ? undefined : 'pending';
  }

  const signed = (host: string | undefined) => (isOn && host !== undefined ? addresses.of(host) : undefined);

  return {
    ofRow: (dimension, name) => signed(hostOfRow(dimension, name)),
    ofSite: (domain) => signed(hostOfSite(domain)),
    hostOf: (pathname) => (isOn ? addresses.hostOf(pathname) : undefined),
    find,
    fetchFor: async (domain, mayAsk) => {
      const host = isOn ? hostOfSite(domain) : undefined;
      if (host !== undefined) await find(host, mayAsk).catch(warn);
    },
    settled: async () => {
      while (asking.size > 0) await Promise.all(asking.values());
    },
    close: () => {
      isClosed = true;
    },
  };
}

/** Runs at most `most` tasks at the same time, the others in order of arrival. */
function limitConcurrency(most: number): (work: () => Promise<void>) => Promise<void> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      await work();
    } finally {
      const next = waiting.shift(); // takes over this task's place
      if (next) next();
      else running -= 1;
    }
  };
}
