// Withdraws permissions at Google that nothing uses any more: their sites were disconnected, deleted or moved, or got another grant. Google then
// ends every token of that Google account, so nothing is withdrawn while any connection may have the same account, or is being made:
// its account is not known before Google tells it. Both sides write first what they are about to do, and then look for the other.
import { type Kysely, type Selectable } from 'kysely';
import type { Encryption } from '../../directory/encryption.ts';
import { makeId } from '../../directory/ids.ts';
import type { Directory } from '../../directory/open.ts';
import type { Tables } from '../../directory/schema.ts';
import type { Log } from '../../process/log.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../vocabulary/time/time.ts';
import { openToken } from './connections.ts';
import { type Google, GoogleFailure } from './google.ts';

/** The longest time that Google may take for an answer, and the largest difference between the clocks of two machines, twice. */
const CLAIM_MS = 20_000 + 2 * MINUTE_MS;
/** Pauses after the first, second … attempt; the last one repeats. */
const PAUSES_MS = [1, 5, 15, 30].map((minutes) => minutes * MINUTE_MS).concat([1, 2, 4].map((h) => h * HOUR_MS));
/** No row is due later. If one is, the clock was ahead when that was written. */
const MAX_AHEAD_MS = Math.max(...PAUSES_MS) + MINUTE_MS;
/** A permission that Google has not withdrawn by then is left to its owner, and its token is forgotten. */
const TRIED_MS = 7 * DAY_MS;
/** A run ends after this time, and the next goes on. */
const RUN_MS = 20_000;
/** Far longer than connecting takes, even if Google is slow. What a killed process has begun holds up withdrawals until then. */
const CONNECTING_MS = 5 * MINUTE_MS;
const CONNECTING = 'search console connecting';

type Row = Selectable<Tables['search_withdrawals']>;

/** `shared`: another connection may have the same Google account, and will end its access with its own. `waiting`: the job tries again. */
export type Withdrawal = 'withdrawn' | 'shared' | 'waiting';

type Withdrawals = {
  /** Tries it at once. */
  withdraw(id: string): Promise<Withdrawal>;
  /** Called by a job. */
  withdrawDue(signal: AbortSignal): Promise<void>;
};

type Parts = {
  directory: Directory;
  encryption: Encryption;
  /** Undefined while the server has no Google client: then nothing is withdrawn. */
  google: Pick<Google, 'revoke'> | undefined;
  now(): number;
  log: Log;
};

export function openWithdrawals({ directory: { db }, encryption, google, now, log }: Parts): Withdrawals {
  /** Undefined if another process has it, or if it is done. */
  const claim = (id: string, attempts: number): Promise<Row | undefined> =>
    db
      .updateTable('search_withdrawals')
      .set({ attempts: attempts + 1, due_at: now() + CLAIM_MS, claimed_until: now() + CLAIM_MS })
      .where('id', '=', id)
      .where('attempts', '=', attempts)
      .returningAll()
      .executeTakeFirst();

  const wait = async ({ id, attempts }: Row): Promise<Withdrawal> => {
    const pause = PAUSES_MS[Math.min(attempts, PAUSES_MS.length) - 1] ?? MINUTE_MS;
    const row = db.updateTable('search_withdrawals').set({ due_at: now() + pause, claimed_until: null });
    await row.where('id', '=', id).where('attempts', '=', attempts).execute();
    return 'waiting';
  };

  const revoke = async (row: Row): Promise<boolean> => {
    let token: string;
    try {
      token = openToken(encryption, row);
    } catch {
      log.warn('a permission at Google cannot be withdrawn: SECRET_KEY has changed since it was given');
      return true;
    }
    try {
      await google?.revoke(token);
      return true;
    } catch (error) {
      if (!(error instanceof GoogleFailure)) throw error;
      return error.reason === 'grant'; // Google no longer knows it
    }
  };

  const withdraw = async ({ id, attempts }: Pick<Row, 'id' | 'attempts'>): Promise<Withdrawal> => {
    const row = await claim(id, attempts);
    if (!row) return 'waiting';
    if (await isConnecting(db, now())) return wait(row);
    const shared = await isShared(db, row); // after the line above: whoever has ended connecting by then is connected
    if (!shared && !(google && (await revoke(row)))) return wait(row);
    await db.deleteFrom('search_withdrawals').where('id', '=', id).execute();
    return shared ? 'shared' : 'withdrawn';
  };

  return {
    withdraw: (id) => withdraw({ id, attempts: 0 }),
    withdrawDue: async (signal) => {
      const deadline = performance.now() + RUN_MS;
      const late = db.deleteFrom('search_withdrawals').where('created_at', '<', now() - TRIED_MS);
      const { numDeletedRows: forgotten } = await late.executeTakeFirstOrThrow();
      if (forgotten > 0n)
        log.warn({ permissions: Number(forgotten) }, 'Google did not withdraw permissions for seven days: gave up');
      const due = await db
        .selectFrom('search_withdrawals')
        .select(['id', 'attempts'])
        .where(({ eb, or }) => or([eb('due_at', '<=', now()), eb('due_at', '>', now() + MAX_AHEAD_MS)]))
        .orderBy('due_at')
        .orderBy('id')
        .limit(100)
        .execute();
      for (const row of due) {
        if (signal.aborted || performance.now() > deadline) return;
        await withdraw(row);
      }
    },
  };
}

/** A connection that is being made: while it is, no withdrawal begins. */
type Connecting = {
  /** Throws if a withdrawal that had begun before may end a grant of this Google account. */
  check(account: string | null): void;
  /** Returns false if it took so long that a withdrawal may have begun. To be called in the transaction that saves the connection. */
  end(db: Kysely<Tables>): Promise<boolean>;
};

export async function beginConnecting(db: Kysely<Tables>, now: number): Promise<Connecting> {
  const id = makeId('connecting');
  const stamps = { created_at: now, updated_at: now, expires_at: now + CONNECTING_MS };
  await db
    .insertInto('verifications')
    .values({ id, identifier: CONNECTING, value: '', ...stamps })
    .execute();
  const begun = await db
    .selectFrom('search_withdrawals')
    .select('google_account')
    .where('claimed_until', '>', now)
    .execute();
  return {
    check: (account) => {
      if (begun.some(({ google_account: other }) => other === null || account === null || other === account))
        throw new GoogleFailure('unreachable', 'an earlier permission of this Google account is being withdrawn');
    },
    end: async (trx) => {
      const { numDeletedRows } = await trx.deleteFrom('verifications').where('id', '=', id).executeTakeFirstOrThrow();
      return numDeletedRows === 1n;
    },
  };
}

async function isConnecting(db: Kysely<Tables>, now: number): Promise<boolean> {
  const all = db.deleteFrom('verifications').where('identifier', '=', CONNECTING);
  await all.where('expires_at', '<=', now).execute();
  const left = db.selectFrom('verifications').select('id').where('identifier', '=', CONNECTING);
  return (await left.executeTakeFirst()) !== undefined;
}

/** If Google did not tell the account of one of the two, they may have the same. */
async function isShared(db: Kysely<Tables>, { google_account: account }: Row): Promise<boolean> {
  const others = db.selectFrom('search_connections').select('site_id');
  const sharing =
    account === null
      ? others
      : others.where((is) => is.or([is('google_account', 'is', null), is('google_account', '=', account)]));
  return (await sharing.executeTakeFirst()) !== undefined;
}
