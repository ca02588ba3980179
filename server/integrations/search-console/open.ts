// Google Search Console. Opened only where the operator has set up a Google client.
import { createHmac } from 'node:crypto';
import { type Config, googleOf } from '../../config.ts';
import type { Encryption } from '../../directory/encryption.ts';
import { makeId } from '../../directory/ids.ts';
import type { Directory } from '../../directory/open.ts';
import { secretOf } from '../../directory/server-keys.ts';
import { Refusal } from '../../errors.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import type { Log } from '../../process/log.ts';
import type { Mail } from '../../messages/mail/mail.ts';
import type { Network } from '../../process/outgoing/network.ts';
import { addWithdrawal, endConnection, grantOf } from '../../sites/search-grants.ts';
import type { EventStore } from '../../store/open.ts';
import { proposedProperty, SEARCH_FAILURES } from '../../vocabulary/settings/search-console.ts';
import { chooseProperty, type Connection, connectionOf, openToken, saveConnection, sealToken } from './connections.ts';
import { type Caller, openConsents } from './consents.ts';
import { type Google, GoogleFailure, openGoogle } from './google.ts';
import { dropLeftovers, readDue } from './reading.ts';
import { beginConnecting, openWithdrawals, type Withdrawal } from './withdrawals.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const RETRY_SECONDS = 60;

type Of = { id: SiteId; domain: string };

export type SearchConsole = {
  /** Returns the address of Google's page that asks for consent. */
  connect(caller: Caller, siteId: SiteId): Promise<string>;
  /** See `Consents`. */
  takeState(caller: Caller, state: string): ReturnType<ReturnType<typeof openConsents>['take']>;
  /** Exchanges the code for a grant, and saves it for the site. Throws a GoogleFailure, or not_found if the site has left the account. */
  finish(of: { siteId: SiteId; accountId: string; by: string; code: string; verifier: string }): Promise<void>;
  /** The properties that can be chosen, and the one that fits the site's domain. */
  properties(site: Of): Promise<{ properties: string[]; proposed: string | null }>;
  /** Throws bad_request for a property that is not among those. */
  choose(site: Of, property: string): Promise<void>;
  revoke: Google['revoke'];
  /** Called by a job. */
  readDue(turn: { now: number; signal: AbortSignal }): Promise<void>;
  /** Ends the requests that are under way. */
  close(): void;
};

/** Ending connections and deleting what was read, which needs no client. */
export type SearchData = {
  /** Deletes the connection and what was read, and withdraws the permission at Google. Returns undefined if there was no connection. */
  disconnect(siteId: SiteId): Promise<Withdrawal | undefined>;
  /** Both are called by jobs. */
  dropLeftovers(): Promise<void>;
  withdrawDue(signal: AbortSignal): Promise<void>;
};

type Stored = { directory: Directory; store: EventStore; encryption: Encryption; now(): number; log: Log };

export function openSearchData(stored: Stored, google: Pick<Google, 'revoke'> | undefined): SearchData {
  const { directory, store, now } = stored;
  const withdrawals = openWithdrawals({ ...stored, google });
  return {
    disconnect: async (siteId) => {
      const grantId = await directory.db.transaction().execute((db) => endConnection(db, siteId, now()));
      if (grantId === undefined) return undefined;
      await store.dropSearches({ site_id: siteId, except: '' });
      return withdrawals.withdraw(grantId);
    },
    dropLeftovers: () => dropLeftovers(stored),
    withdrawDue: withdrawals.withdrawDue,
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
    google.properties(openToken(encryption, grantOf(connection))).catch((error: unknown) => {
      throw refusalOf(error);
    });
  const connected = async (siteId: SiteId): Promise<Connection> => {
    const connection = await connectionOf(directory, siteId);
    if (!connection) throw new Refusal('bad_request', t('This site is not connected with Google: connect it first.'));
    return connection;
  };

  /** Enough to recognise a Google account that is connected twice. */
  const accountHash = async (account: string): Promise<string> =>
    createHmac('sha256', await secretOf(directory, 'google_accounts', now()))
      .update(account)
      .digest('base64url');

  return {
    connect: async (caller, siteId) => google.addressFor(await consents.start(caller, siteId, now())),
    takeState: (caller, state) => consents.take(caller, state, now()),
    finish: async ({ siteId, accountId, by, code, verifier }) => {
      const connecting = await beginConnecting(directory.db, now());
      await using _ending = { [Symbol.asyncDispose]: async () => void (await connecting.end(directory.db)) };
      const { token, account } = await google.redeem(code, verifier);
      const id = makeId('grant');
      const known = account === null ? null : await accountHash(account);
      const grant = { id, token: sealToken(encryption, id, token), google_account: known };
      const save = async () => {
        connecting.check(known);
        const earlier = await connectionOf(directory, siteId);
        const property = earlier?.property ?? undefined;
        const keeps =
          property !== undefined && (await google.properties(token)).includes(property) ? property : undefined;
        const made = { siteId, accountId, by, grant, keeps };
        await directory.db.transaction().execute(async (db) => {
          if (!(await connecting.end(db))) throw new GoogleFailure('unreachable', 'connecting took too long');
          await saveConnection(db, made, now());
        });
        return { isOther: earlier !== undefined && keeps === undefined };
      };
      const { isOther } = await save().catch(async (error: unknown) => {
        await addWithdrawal(directory.db, grant, now()); // nothing uses it
        throw error;
      });
      if (isOther) await store.dropSearches({ site_id: siteId, except: '' });
    },
    properties: async ({ id, domain }) => {
      const properties = await listFor(await connected(id));
      return { properties, proposed: proposedProperty(domain, properties) ?? null };
    },
    choose: async ({ id }, property) => {
      const properties = await listFor(await connected(id));
      if (!properties.includes(property))
        throw new Refusal('bad_request', t('The Google account has no access to this property: choose another one.'));
      if (!(await chooseProperty(directory.db, { siteId: id, property }, now()))) await connected(id);
      const { id: connection } = await connected(id);
      await store.dropSearches({ site_id: id, except: connection });
    },
    revoke: google.revoke,
    readDue: (turn) => readDue(reading, turn),
    close: () => google.close(),
  };
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
