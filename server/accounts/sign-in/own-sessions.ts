// Where somebody is logged in: each session with the names of browser and system, without an address. They can be ended one by one.
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../../errors.ts';
import type { Parts } from './auth.ts';
import { proofNeeded, type ProofNeeded } from './proof.ts';
import type { Identity } from './identity.ts';
import { recordAction } from '../account-log.ts';
import type { Directory } from '../../directory/open.ts';
import { t } from '../../vocabulary/habits/messages.ts';

type ShownSession = {
  id: string;
  /** Such as `Firefox on Linux`. Null if neither is known. */
  agent: string | null;
  created_at: number;
  /** Noted once a day. */
  last_used_at: number;
  /** True for the session that asks. */
  is_current: boolean;
};

export type OwnSessions = {
  /** The last used one first. */
  list(headers: IncomingHttpHeaders): Promise<ShownSession[]>;
  /** Throws not_found for a session that the user does not have. */
  end(input: { id: string }, headers: IncomingHttpHeaders): Promise<void>;
  /** What sensitive changes ask this person for. */
  proofNeeded(headers: IncomingHttpHeaders): Promise<ProofNeeded>;
  /** Ends all sessions but the one that asks. */
  endOthers(headers: IncomingHttpHeaders): Promise<void>;
};

type Options = Parts & {
  identify(headers: IncomingHttpHeaders): Promise<Identity | undefined>;
  checkOrigin(headers: IncomingHttpHeaders): void;
};

export function openOwnSessions(parts: Options): OwnSessions {
  const { directory, now } = parts;
  const userOf = async (headers: IncomingHttpHeaders): Promise<Identity> => {
    const identity = await parts.identify(headers);
    if (!identity) throw new Refusal('unauthorized', t('Log in to do this.'));
    return identity;
  };
  const changing = async (headers: IncomingHttpHeaders): Promise<Identity> => {
    parts.checkOrigin(headers);
    return userOf(headers);
  };
  const noteEnd = (userId: string) => recordAction(parts, 'session_ended', { ids: { user_id: userId } });

  return {
    list: async (headers) => {
      const { userId, sessionId } = await userOf(headers);
      const rows = await directory.db
        .selectFrom('sessions')
        .select(['id', 'agent', 'created_at', 'updated_at'])
        .where('user_id', '=', userId)
        .where('expires_at', '>', now())
        .orderBy('updated_at', 'desc')
        .orderBy('id')
        .execute();
      return rows.map(({ updated_at, ...row }) => ({
        ...row,
        last_used_at: updated_at,
        is_current: row.id === sessionId,
      }));
    },
    end: async ({ id }, headers) => {
      const { userId } = await changing(headers);
      const ended = await directory.db
        .deleteFrom('sessions')
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      if (ended.numDeletedRows === 0n) throw new Refusal('not_found', t('There is no such session.'));
      await noteEnd(userId);
    },
    proofNeeded: async (headers) => proofNeeded(parts, await userOf(headers)),
    endOthers: async (headers) => {
      const { userId, sessionId } = await changing(headers);
      const others = directory.db.deleteFrom('sessions').where('user_id', '=', userId).where('id', '!=', sessionId);
      if ((await others.executeTakeFirst()).numDeletedRows > 0n) await noteEnd(userId);
    },
  };
}

/** When each person of an account was last seen with a session that has not ended, by user id. */
export async function lastSeen({ db }: Pick<Directory, 'db'>, accountId: string): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('members', 'members.user_id', 'sessions.user_id')
    .where('account_id', '=', accountId)
    .groupBy('sessions.user_id')
    .select((eb) => ['sessions.user_id', eb.fn.max('sessions.updated_at').as('at')])
    .execute();
  return new Map(rows.map(({ user_id, at }) => [user_id, Number(at)]));
}
