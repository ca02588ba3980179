// A dashboard's connection: its messages, its session, and the headers that identify its viewer. A browser cannot set headers on a
// WebSocket. A share link's token therefore comes either as the subprotocol `share.TOKEN`, which identifies the viewer at the upgrade, or
// as `auth.share_token` in the handshake, a moment later.
import type { IncomingHttpHeaders } from 'node:http';
import type { Server, Socket } from 'socket.io';
import type { SiteId } from '../vocabulary/event.ts';
import type { Counts } from './activity.ts';
import type { ClientMessages, ServerMessages } from './messages.ts';

/** Messages between processes. */
type PeerMessages = {
  arrived: (siteId: SiteId, counts: Counts) => void;
  stored: (siteId: SiteId) => void;
  watching: (siteIds: SiteId[]) => void;
};

type Session<Viewer> = {
  viewer: Viewer;
  /** Names the session: see `sessionOf` in watching.ts. */
  session?: string;
  watched?: SiteId;
  /** The viewer sees the watched site in steps: see `SteppedSnapshot`. */
  inSteps?: boolean;
  /** The lists of who is there now that the viewer sees, joined. */
  lists?: string;
  watches: number;
  watchesSites: boolean;
  /** The visitors of its sites that it was told last. Sockets of one session share it. */
  lastSites: ReadonlyMap<SiteId, number | null> | undefined;
};

export type LiveServer<Viewer> = Server<ClientMessages, ServerMessages, PeerMessages, Session<Viewer>>;
export type Dashboard<Viewer> = Socket<ClientMessages, ServerMessages, PeerMessages, Session<Viewer>>;

export type Identify<Viewer> = (
  headers: IncomingHttpHeaders,
  request: Dashboard<Viewer>['request'],
) => Promise<Viewer | undefined>;

const SHARE_PROTOCOL = 'share.';

/** `inSteps`: of those who see the site’s numbers advance by several visitors at a time. */
export const roomOf = (siteId: SiteId, { inSteps = false } = {}) => `site:${siteId}${inSteps ? ':steps' : ''}`;

export function headersOf(socket: Pick<Socket, 'handshake'>): IncomingHttpHeaders {
  const { headers, auth } = socket.handshake;
  return withToken(headers, (auth as Record<string, unknown> | undefined)?.['share_token']);
}

/** Copies a share link's token into the `x-share-token` header, which all entry points read. */
export function withToken(headers: IncomingHttpHeaders, given: unknown): IncomingHttpHeaders {
  const protocols = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
  const token = given ?? protocols.find((name) => name.startsWith(SHARE_PROTOCOL))?.slice(SHARE_PROTOCOL.length);
  return typeof token === 'string' ? { ...headers, 'x-share-token': token } : headers;
}

/** A token bucket. The returned function takes one token, and returns false if the bucket is empty. */
export function createAllowance(rate: { burst: number; perSecond: number }, now: () => number): () => boolean {
  let left = rate.burst;
  let filledAt = now();
  return () => {
    const time = now();
    left = Math.min(rate.burst, left + (Math.max(0, time - filledAt) * rate.perSecond) / 1000);
    filledAt = time;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
