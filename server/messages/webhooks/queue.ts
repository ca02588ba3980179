// The queue of deliveries, which is also their log. A delivery is claimed by moving its next attempt, and its webhook's, past the longest
// time that sending may take. So a webhook is sent one delivery at a time, by one process, and after a kill the delivery is due again.
import type { Kysely, Selectable } from 'kysely';
import { isId, makeId } from '../../directory/ids.ts';
import type { Directory } from '../../directory/open.ts';
import type { Tables } from '../../directory/schema.ts';
import { Refusal } from '../../errors.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import { LOG_PAGE } from '../../vocabulary/limits.ts';
import { HOUR_MS, MINUTE_MS } from '../../vocabulary/time/time.ts';
import { RETRIED_MS } from '../../vocabulary/settings/webhooks.ts';
import type { Message } from './messages.ts';
import { ATTEMPT_MS, MAX_WAITING, ownAnswer, readAnswer } from './own-answers.ts';
import type { StoredWebhook } from './stored.ts';
import { t } from '../../vocabulary/habits/messages.ts';

/** An attempt, and the largest difference between the clocks of two machines, twice. */
const CLAIM_MS = ATTEMPT_MS + 2 * MINUTE_MS;
/** Pauses after the first, second … attempt; the last one repeats. */
const PAUSES_MS = [1, 5, 15, 30].map((minutes) => minutes * MINUTE_MS).concat([1, 2, 4].map((h) => h * HOUR_MS));
/** Each pause is longer or shorter by up to this part, so that what failed together is not retried together. */
const JITTER = 0.2;
/** The longest pause that a receiver may ask for. */
const MAX_ASKED_PAUSE_MS = HOUR_MS;
/** After a failed attempt, no other delivery goes to the webhook for this long. */
const REST_MS = MINUTE_MS;
/** No time in the queue is further ahead. If one is, the clock was ahead when it was written. */
const MAX_AHEAD_MS = (1 + JITTER) * Math.max(...PAUSES_MS) + MINUTE_MS;
/** Deliveries a minute to one webhook. Discord takes 30. */
export const MAX_A_MINUTE = 30;
const MAX_ANSWER = 500;

type Delivery = Selectable<Tables['webhook_deliveries']>;

/** What came of an attempt. `gone`: the receiver says that nothing will ever be taken again. */
export type Outcome = {
  result: 'delivered' | 'refused' | 'gone';
  status: number | null;
  answer: string;
  /** How long the receiver asked us to wait. */
  pauseMs?: number | undefined;
};

export type NewDelivery = {
  accountId: string;
  /** Those of other accounts and deleted ones are left out. */
  webhookIds: readonly string[];
  /** Names the occasion, such as `report_… 2026-11-20`. A second message with the same key is not queued. */
  key: string;
  /** The site that the message is about: it is deleted with the site. */
  siteId: SiteId | null;
  message: Message;
};

/** Queues a message for each webhook, at most once per key. Returns the ids of the new deliveries. */
export async function addDeliveries(db: Kysely<Tables>, added: NewDelivery, now: number): Promise<string[]> {
  const { accountId, webhookIds, key, siteId, message } = added;
  const ids = webhookIds.filter((id) => isId('wh', id));
  if (ids.length === 0) return [];
  const webhooks = await db
    .selectFrom('webhooks')
    .select(['id', 'disabled_at'])
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .execute();
  if (webhooks.length === 0) return [];
  const places = MAX_WAITING - (await countWaiting(db, accountId));
  const rows = webhooks.map(({ id, disabled_at }, index) => {
    const trouble = disabled_at !== null ? ownAnswer('switched_off') : index >= places ? ownAnswer('too_many') : null;
    return {
      id: makeId('msg'),
      webhook_id: id,
      site_id: siteId,
      key,
      message: JSON.stringify(message),
      state: trouble === null ? ('waiting' as const) : ('failed' as const),
      created_at: now,
      queued_at: now,
      due_at: now,
      attempts: 0,
      attempted_at: null,
      status: null,
      answer: trouble,
      ended_at: trouble === null ? null : now,
    };
  });
  const made = await db
    .insertInto('webhook_deliveries')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['webhook_id', 'key']).doNothing())
    .returning('id')
    .execute();
  return made.map(({ id }) => id);
}

async function countWaiting(db: Kysely<Tables>, accountId: string): Promise<number> {
  const { count } = await db
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhooks as w', 'w.id', 'd.webhook_id')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('w.account_id', '=', accountId)
    .where('d.state', '=', 'waiting')
    .executeTakeFirstOrThrow();
  return Number(count);
}

export type Claimed = { delivery: Delivery; webhook: StoredWebhook };

/**
 * Takes the delivery that has been due longest; undefined if none is due. `id` takes exactly this one, even while its webhook rests: a
 * person asked for it.
 */
export async function claimDelivery({ db }: Directory, now: number, id?: string): Promise<Claimed | undefined> {
  for (;;) {
    let query = db
      .selectFrom('webhook_deliveries as d')
      .innerJoin('webhooks as w', 'w.id', 'd.webhook_id')
      .select(['d.id', 'd.attempts', 'd.webhook_id', 'w.next_at'])
      .where('d.state', '=', 'waiting')
      .where(({ eb, or }) => or([eb('d.due_at', '<=', now), eb('d.due_at', '>', now + MAX_AHEAD_MS)]));
    query =
      id === undefined
        ? query.where(({ eb, or }) => or([eb('w.next_at', '<=', now), eb('w.next_at', '>', now + MAX_AHEAD_MS)]))
        : query.where('d.id', '=', id);
    const due = await query.orderBy('d.due_at').orderBy('d.created_at').orderBy('d.id').limit(1).executeTakeFirst();
    if (!due) return undefined;
    const claimed = await db.transaction().execute(async (trx) => {
      const hold = trx.updateTable('webhooks').where('id', '=', due.webhook_id);
      const webhook = await hold
        .set({ next_at: now + CLAIM_MS })
        .where('next_at', '=', due.next_at) // otherwise another process was faster
        .returningAll()
        .executeTakeFirst();
      if (!webhook) return undefined;
      const delivery = await trx
        .updateTable('webhook_deliveries')
        .set({ attempts: due.attempts + 1, due_at: now + CLAIM_MS, attempted_at: now })
        .where('id', '=', due.id)
        .where('state', '=', 'waiting')
        .where('attempts', '=', due.attempts)
        .returningAll()
        .executeTakeFirst();
      if (!delivery) await hold.set({ next_at: due.next_at }).execute();
      return delivery && { delivery, webhook };
    });
    if (claimed) return claimed;
  }
}

/** Records what came of a claimed delivery's attempt, unless the claim ran out and another process has it now. `random` is from 0 to 1. */
export async function settleDelivery(
  { db }: Directory,
  { delivery, webhook }: Claimed,
  { outcome, random, now }: { outcome: Outcome; random: number; now: number },
): Promise<void> {
  const { result, status, pauseMs = 0 } = outcome;
  const growing = PAUSES_MS[Math.min(delivery.attempts, PAUSES_MS.length) - 1] ?? MINUTE_MS;
  const asked = Math.min(pauseMs, MAX_ASKED_PAUSE_MS);
  const pause = Math.round(Math.max(growing * (1 - JITTER + 2 * JITTER * random), asked));
  const answer = outcome.answer.slice(0, MAX_ANSWER);
  const state = result === 'delivered' ? 'delivered' : 'failed';
  await db.transaction().execute(async (trx) => {
    const held = trx.updateTable('webhooks').where('id', '=', webhook.id).where('next_at', '=', webhook.next_at);
    // Not if the webhook got another address during the attempt: the old one's 410 says nothing about the new one.
    const isOff = result === 'gone' && (await held.set({ disabled_at: now }).executeTakeFirst()).numUpdatedRows === 1n;
    const waits = result !== 'delivered' && !isOff && now + pause < delivery.queued_at + RETRIED_MS;
    const settled = await trx
      .updateTable('webhook_deliveries')
      .set({ status, answer, ...(waits ? { due_at: now + pause } : { state, ended_at: now }) })
      .where('id', '=', delivery.id)
      .where('state', '=', 'waiting')
      .where('attempts', '=', delivery.attempts)
      .returning('id')
      .executeTakeFirst();
    if (isOff) await endWaiting(trx, webhook.id, now);
    if (!settled) return;
    const rest = result === 'delivered' ? await paceOf(trx, webhook.id, now) : Math.max(REST_MS, asked);
    await held.set({ next_at: now + rest }).execute();
  });
}

async function endWaiting(db: Kysely<Tables>, webhookId: string, now: number): Promise<void> {
  await db
    .updateTable('webhook_deliveries')
    .set({ state: 'failed', status: null, answer: ownAnswer('switched_off'), ended_at: now })
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'waiting')
    .execute();
}

/** How long a webhook rests after a delivery: not at all, until a minute's deliveries are used up. */
async function paceOf(db: Kysely<Tables>, webhookId: string, now: number): Promise<number> {
  const { count } = await db
    .selectFrom('webhook_deliveries')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('webhook_id', '=', webhookId)
    .where('attempted_at', '>', now - MINUTE_MS)
    .executeTakeFirstOrThrow();
  return Number(count) >= MAX_A_MINUTE ? MINUTE_MS : 0;
}

/** Queues an ended delivery again, under its old id, and retries it for 24 hours. Throws not_found, or bad_request if it still waits. */
export async function queueAgain(
  { db }: Pick<Directory, 'db'>,
  { accountId, id }: { accountId: string; id: string },
  now: number,
): Promise<void> {
  const found = isId('msg', id)
    ? await db
        .selectFrom('webhook_deliveries as d')
        .innerJoin('webhooks as w', 'w.id', 'd.webhook_id')
        .select(['d.state', 'w.disabled_at'])
        .where('d.id', '=', id)
        .where('w.account_id', '=', accountId)
        .executeTakeFirst()
    : undefined;
  if (!found) throw new Refusal('not_found', t('There is no such delivery.'));
  if (found.disabled_at !== null)
    throw new Refusal(
      'bad_request',
      t('The webhook is switched off, because its receiver answered 410 Gone. Switch it on first.'),
    );
  if (found.state === 'waiting') throw new Refusal('bad_request', t('This delivery still waits: it will be sent.'));
  await db
    .updateTable('webhook_deliveries')
    .set({ state: 'waiting', queued_at: now, due_at: now, ended_at: null })
    .where('id', '=', id)
    .where('state', '!=', 'waiting')
    .execute();
}

/** When a message whose key begins with `prefix` was last delivered, by webhook. */
export async function lastDelivered(
  { db }: Pick<Directory, 'db'>,
  { webhookIds, prefix }: { webhookIds: readonly string[]; prefix: string },
): Promise<Map<string, number>> {
  if (webhookIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('webhook_deliveries')
    .where('webhook_id', 'in', webhookIds)
    .where('key', 'like', `${prefix}%`)
    .where('state', '=', 'delivered')
    .groupBy('webhook_id')
    .select((eb) => ['webhook_id', eb.fn.max('ended_at').as('at')])
    .execute();
  return new Map(rows.map(({ webhook_id, at }) => [webhook_id, Number(at)]));
}

/** Deletes the log of deliveries that ended before an instant. */
export async function forgetDeliveries({ db }: Pick<Directory, 'db'>, before: number): Promise<void> {
  await db.deleteFrom('webhook_deliveries').where('ended_at', '<', before).execute();
}

/** Returns a page of a webhook's log, newest first, and the number of all entries. */
export async function listDeliveries(
  { db }: Pick<Directory, 'db'>,
  { webhookId, page }: { webhookId: string; page: number },
) {
  const ofWebhook = db.selectFrom('webhook_deliveries').where('webhook_id', '=', webhookId);
  const rows = await ofWebhook
    .select(['id', 'message', 'state', 'created_at', 'due_at', 'attempts', 'attempted_at', 'status', 'answer'])
    .select('ended_at')
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(LOG_PAGE)
    .offset((page - 1) * LOG_PAGE)
    .execute();
  const entries = rows.map(({ message, answer, ...row }) => {
    const { type, title } = JSON.parse(message) as Message;
    return { ...row, answer: readAnswer(answer), type, title };
  });
  const { total } = await ofWebhook
    .select(({ fn }) => fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow();
  return { entries, total: Number(total) };
}
