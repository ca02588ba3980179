// Google Search Console. Opened only where the operator has set up a Google client.
import { createHmac } from 'node:crypto';
import { type Config, googleOf } from '../config.ts';
import type { Encryption } from '../directory/encryption.ts';
import type { Directory } from '../directory/open.ts';
import { secretOf } from '../directory/server-keys.ts';
import { Refusal } from '../errors.ts';
import type { SiteId } from '../event.ts';
import type { Log } from '../log.ts';
import type { Mail } from '../mail/mail.ts';
import type { Network } from '../outgoing/network.ts';
import type { EventStore } from '../store/open.ts';
import { proposedProperty, SEARCH_FAILURES } from '../vocabulary/search-console.ts';
import {
  chooseProperty,
  type Connection,
  connectionOf,
  deleteConnection,
  openToken,
  saveConnection,
  sealToken,
} from './connections.ts';
import { type Asker, openConsents } from './consents.ts';
import { GoogleFailure, openGoogle } from './google.ts';
import { dropLeftovers, readDue } from './reading.ts';

const RETRY_SECONDS = 60;

type Of = { id: SiteId; domain: string };

export type SearchConsole = {
  /** Returns the address of Google's page that asks for consent. */
  connect(asker: Asker, siteId: SiteId): Promise<string>;
  /** See `Consents`. */
  takeState(asker: Asker, state: string): ReturnType<ReturnType<typeof openConsents>['take']>;
  /** Exchanges the code for a grant, and saves it for the site. Throws a GoogleFailure. */
  finish(of: { siteId: SiteId; by: string; code: string; verifier: string }): Promise<void>;
  /** The properties that can be chosen, and the one that fits the site's domain. */
  properties(site: Of): Promise<{ properties: string[]; proposed: string | null }>;
  /** Throws bad_request for a property that is not among those. */
  choose(site: Of, property: string): Promise<void>;
  /** Withdraws the grant at Google. Returns false if Google did not answer. */
  revoke(connection: Connection): Promise<boolean>;
  /** Called by a job. */
  readDue(turn: { now: number; signal: AbortSignal }): Promise<void>;
  /** Ends the requests that are under way. */
  close(): void;
};

/** Deleting what was read, which needs no client. */
export type SearchData = {
  /**
   * Deletes the connection and what was read. Returns undefined if there was none. `isRevoked`: false if the grant still exists at Google,
   * because other sites may use it (`isShared`), because Google did not answer or because there is no client.
   */
  disconnect(siteId: SiteId): Promise<{ isRevoked: boolean; isShared: boolean } | undefined>;
  /** Called by a job. */
  dropLeftovers(): Promise<void>;
};

type Stored = { directory: Directory; store: EventStore };

export function openSearchData(stored: Stored, console: Pick<SearchConsole, 'revoke'> | undefined): SearchData {
  return {
    disconnect: async (siteId) => {
      const deleted = await deleteConnection(stored.directory.db, siteId);
      if (!deleted) return undefined;
      await stored.store.dropSearches({ site_id: siteId, except: '' });
      // Google withdraws everything that a person allowed this server at once.
      if (deleted.isShared) return { isRevoked: false, isShared: true };
      return { isRevoked: (await console?.revoke(deleted.connection)) ?? false, isShared: false };
    },
    dropLeftovers: () => dropLeftovers(stored),
  };
}

type Options = {
  directory: Directory;
  config: Config;
  store: EventStore;
  network: Network | undefined;
  encryption: Encryption;
  mail: Pick<Mail, 'send'>;
  now(): number;
  log: Log;
};

export function openSearchConsole(options: Options): SearchConsole | undefined {
  const client = googleOf(options.config);
  if (!client) return undefined;
  const { directory, store, encryption, now } = options;
  const google = openGoogle(client, { network: options.network });
  const consents = openConsents(directory, encryption);
  const reading = { ...options, google };

  const listFor = async (connection: Connection): Promise<string[]> =>
    google.properties(openToken(encryption, connection)).catch((error: unknown) => {
      throw refusalOf(error);
    });
  const connected = async (siteId: SiteId): Promise<Connection> => {
    const connection = await connectionOf(directory, siteId);
    if (!connection) throw new Refusal('bad_request', 'This site is not connected with Google: connect it first.');
    return connection;
  };

  /** Enough to recognise a Google account that is connected twice. */
  const accountHash = async (account: string): Promise<string> =>
    createHmac('sha256', await secretOf(directory, 'google_accounts', now()))
      .update(account)
      .digest('base64url');

  return {
    connect: async (asker, siteId) => google.addressFor(await consents.start(asker, siteId, now())),
    takeState: (asker, state) => consents.take(asker, state, now()),
    finish: async ({ siteId, by, code, verifier }) => {
      const { token, account } = await google.redeem(code, verifier);
      const earlier = await connectionOf(directory, siteId);
      const property = earlier?.property ?? undefined;
      const keeps =
        property !== undefined && (await google.properties(token)).includes(property) ? property : undefined;
      const sealed = sealToken(encryption, siteId, token);
      const known = account === null ? null : await accountHash(account);
      await saveConnection(directory.db, { siteId, by, token: sealed, account: known, keeps }, now());
      if (earlier && keeps === undefined) await store.dropSearches({ site_id: siteId, except: '' });
    },
    properties: async ({ id, domain }) => {
      const properties = await listFor(await connected(id));
      return { properties, proposed: proposedProperty(domain, properties) ?? null };
    },
    choose: async ({ id }, property) => {
      const properties = await listFor(await connected(id));
      if (!properties.includes(property))
        throw new Refusal('bad_request', 'The Google account has no access to this property: choose another one.');
      if (!(await chooseProperty(directory.db, { siteId: id, property }, now()))) await connected(id);
      const { id: connection } = await connected(id);
      await store.dropSearches({ site_id: id, except: connection });
    },
    revoke,
    readDue: (turn) => readDue(reading, turn),
    close: () => google.close(),
  };

  async function revoke(connection: Connection): Promise<boolean> {
    try {
      await google.revoke(openToken(encryption, connection));
      return true;
    } catch (error) {
      // A grant that Google no longer knows is revoked already.
      return error instanceof GoogleFailure && error.reason === 'grant';
    }
  }
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof GoogleFailure)) return error;
  const { reason } = error;
  const sentence = SEARCH_FAILURES[reason === 'scope' ? 'grant' : reason];
  const isPassing = reason === 'unreachable' || reason === 'quota' || reason === 'malformed';
  return new Refusal(isPassing ? 'service_unavailable' : 'bad_request', sentence, {
    cause: error,
    ...(isPassing && { retryAfterSeconds: RETRY_SECONDS }),
  });
}
