// The queue of mails, which is also the log of deliveries: each mail is one row of the directory. A mail is claimed by moving its next
// attempt past the longest time that sending may take. So no two processes send one mail, and after a kill it is simply due again.
import type { Kysely, Selectable } from 'kysely';
import type { Directory } from '../../directory/open.ts';
import { makeId } from '../../directory/ids.ts';
import type { Tables } from '../../directory/schema.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../vocabulary/time/time.ts';
import type { MailKind } from './kinds.ts';

/** The longest time that one attempt may take. */
export const ATTEMPT_MS = MINUTE_MS;
/** An attempt, and the largest difference between the clocks of two machines, twice. */
const CLAIM_MS = ATTEMPT_MS + 2 * MINUTE_MS;
/** Pauses after the first, second … attempt; the last one repeats. Greylisting usually ends within five minutes. */
const PAUSES_MS = [1, 5, 10, 30].map((minutes) => minutes * MINUTE_MS).concat([1, 2, 4].map((h) => h * HOUR_MS));
/** No waiting mail is due later. If one is, the clock was ahead when that was written. */
const MAX_AHEAD_MS = Math.max(...PAUSES_MS) + MINUTE_MS;
/** How long the log remembers a mail. Until then its key is taken. */
export const KEPT_MS = 90 * DAY_MS;
const MAX_ANSWER = 500;

export type QueuedMail = Selectable<Tables['mails']>;

/** What came of an attempt. */
export type Outcome =
  | { state: 'sent' | 'failed'; answer: string }
  /** A later attempt may succeed. After `until` it would be of no use. */
  | { state: 'waiting'; answer: string; until: number };

type NewMail = Pick<QueuedMail, 'key' | 'kind' | 'recipient'> & { data: object };

/** Returns false if a mail with this key was queued before. */
export async function addMail(db: Kysely<Tables>, { data, ...mail }: NewMail, now: number): Promise<boolean> {
  const added = await db
    .insertInto('mails')
    .values({
      id: makeId('mail'),
      ...mail,
      data: JSON.stringify(data),
      state: 'waiting',
      created_at: now,
      due_at: now,
      attempts: 0,
      answer: null,
      ended_at: null,
    })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('id')
    .executeTakeFirst();
  return added !== undefined;
}

/** Counts the mails to somebody that were queued after `since`. */
export async function countMails(
  db: Kysely<Tables>,
  { recipient, kinds, since }: { recipient: string; kinds: readonly MailKind[]; since: number },
): Promise<number> {
  const mails = db.selectFrom('mails').select((eb) => eb.fn.countAll().as('mails'));
  const row = await mails
    .where('recipient', '=', recipient)
    .where('created_at', '>', since)
    .where('kind', 'in', kinds)
    .executeTakeFirstOrThrow();
  return Number(row.mails);
}

/** When mails whose keys begin with `prefix` were last sent, by recipient. The log forgets them after `KEPT_MS`. */
export async function lastSent(db: Kysely<Tables>, prefix: string): Promise<Map<string, number>> {
  const sent = db.selectFrom('mails').where('key', '>=', prefix).where('key', '<', `${prefix}~`);
  const rows = await sent
    .where('state', '=', 'sent')
    .groupBy('recipient')
    .select((eb) => ['recipient', eb.fn.max('ended_at').as('at')])
    .execute();
  return new Map(rows.map(({ recipient, at }) => [recipient, Number(at)]));
}

/** Takes the mail that has been due longest. Returns undefined if none is due. */
export async function claimMail({ db }: Directory, now: number): Promise<QueuedMail | undefined> {
  for (;;) {
    const due = await db
      .selectFrom('mails')
      .select(['id', 'attempts'])
      .where('state', '=', 'waiting')
      .where(({ eb, or }) => or([eb('due_at', '<=', now), eb('due_at', '>', now + MAX_AHEAD_MS)]))
      .orderBy('due_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (!due) return undefined;
    const claimed = await db
      .updateTable('mails')
      .set({ attempts: due.attempts + 1, due_at: now + CLAIM_MS })
      .where('id', '=', due.id)
      .where('state', '=', 'waiting')
      .where('attempts', '=', due.attempts) // otherwise another process was faster
      .returningAll()
      .executeTakeFirst();
    if (claimed) return claimed;
  }
}

/** Records what came of a claimed mail's attempt, unless the claim ran out and another process has it now. */
export async function settleMail(
  { db }: Directory,
  mail: QueuedMail,
  outcome: Outcome & { isForgotten?: boolean },
  now: number,
): Promise<void> {
  const pause = PAUSES_MS[Math.min(mail.attempts, PAUSES_MS.length) - 1] ?? MINUTE_MS;
  const waits = outcome.state === 'waiting' && now + pause < outcome.until;
  const answer = outcome.answer.slice(0, MAX_ANSWER);
  if (!waits && outcome.isForgotten) {
    await db.deleteFrom('mails').where('id', '=', mail.id).where('attempts', '=', mail.attempts).execute();
    return;
  }
  await db
    .updateTable('mails')
    .set(
      waits
        ? { answer, due_at: now + pause }
        : { answer, state: outcome.state === 'sent' ? 'sent' : 'failed', data: null, ended_at: now },
    )
    .where('id', '=', mail.id)
    .where('attempts', '=', mail.attempts)
    .execute();
}

/** Deletes mails to somebody, and those whose key names one of the ids. */
export async function dropMails(
  db: Kysely<Tables>,
  { recipients, about }: { recipients: string[]; about: string[] },
): Promise<void> {
  if (recipients.length > 0) await db.deleteFrom('mails').where('recipient', 'in', recipients).execute();
  for (const id of about) await db.deleteFrom('mails').where('key', 'like', `%${id}%`).execute();
}

/** Deletes the log of mails that ended before an instant. */
export async function forgetMails({ db }: Pick<Directory, 'db'>, before: number): Promise<void> {
  await db.deleteFrom('mails').where('ended_at', '<', before).execute();
}

/** The last mails, newest first, without their content. */
export async function listMails(
  { db }: Pick<Directory, 'db'>,
  limit: number,
): Promise<Omit<QueuedMail, 'id' | 'key' | 'data'>[]> {
  return db
    .selectFrom('mails')
    .select(['kind', 'recipient', 'state', 'created_at', 'due_at', 'attempts', 'answer', 'ended_at'])
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}
