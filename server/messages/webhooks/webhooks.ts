// Webhooks: callers queue a message in their own transaction, and a job delivers it.
import type { Kysely } from 'kysely';
import { type Config, ownOrigin } from '../../config.ts';
import { openEncryption } from '../../directory/encryption.ts';
import { makeToken } from '../../directory/ids.ts';
import type { Directory } from '../../directory/open.ts';
import type { Tables } from '../../directory/schema.ts';
import type { Log } from '../../process/log.ts';
import { openOutgoing } from '../../process/outgoing/client.ts';
import type { Network } from '../../process/outgoing/network.ts';
import { attempt, type Post, refused } from './attempt.ts';
import { ATTEMPT_MS } from './own-answers.ts';
import { addDeliveries, claimDelivery, type Claimed, type NewDelivery, queueAgain, settleDelivery } from './queue.ts';
import * as stored from './stored.ts';

/** Deliveries that are sent at the same time: a receiver that is slow does not hold up the others. */
const SENT_AT_ONCE = 8;
/** Of an answer only its beginning is kept, in the log. */
const MAX_ANSWER_BYTES = 4096;

type Which = { accountId: string; id: string };

export type Webhooks = {
  /**
   * Queues a message in the transaction `db` of what it reports, so that neither exists without the other. Each webhook gets it at most once
   * per `key`. Returns the number of new deliveries.
   */
  send(db: Kysely<Tables>, delivery: NewDelivery, now: number): Promise<number>;
  /** Delivers what is due. Called by a job. */
  deliver(): Promise<void>;
  /** Sends a test message at once. It is retried as all others are. Throws not_found. */
  test(which: Which): Promise<void>;
  /** Sends an ended delivery again, at once, under the same id. Throws not_found, or bad_request if it still waits. */
  replay(which: Which): Promise<void>;
  /** See `stored.ts`. */
  create(webhook: Parameters<typeof stored.createWebhook>[1]): ReturnType<typeof stored.createWebhook>;
  change(webhook: Parameters<typeof stored.changeWebhook>[1]): ReturnType<typeof stored.changeWebhook>;
  rotate(which: Which): ReturnType<typeof stored.rotateSecret>;
  /** Ends the attempts that are under way. Their deliveries stay in the queue. */
  close(): void;
};

type Options = {
  directory: Directory;
  config: Pick<Config, 'SECRET_KEY' | 'BASE_URL' | 'TLS_CERT' | 'PORT'>;
  network?: Network | undefined;
  now(): number;
  log: Log;
  /** The longest time that one attempt may take. */
  attemptMs?: number;
  /** From 0 to 1; spreads the retries. */
  random?(): number;
};

export async function openWebhooks(options: Options): Promise<Webhooks> {
  const { directory, config, network, now, log, attemptMs = ATTEMPT_MS, random = Math.random } = options;
  const encryption = await openEncryption(directory, config.SECRET_KEY, now());
  const stop = new AbortController();
  const limits = { timeoutMs: attemptMs, maxBytes: MAX_ANSWER_BYTES, stop: stop.signal, ...(network && { network }) };
  const post: Post = { outgoing: openOutgoing(limits), encryption, origin: ownOrigin(config) };

  async function carryOut(claimed: Claimed): Promise<void> {
    let outcome = await attempt(post, claimed, now()).catch((error: unknown) => {
      log.error({ error, delivery_id: claimed.delivery.id }, 'a webhook’s message could not be written');
      return refused('not_written');
    });
    if (stop.signal.aborted && outcome.status === null) outcome = refused('stopped');
    await settleDelivery(directory, claimed, { outcome, random: random(), now: now() });
  }

  async function deliver(): Promise<void> {
    while (!stop.signal.aborted) {
      const claimed = await claimDelivery(directory, now());
      if (!claimed) return;
      await carryOut(claimed);
    }
  }

  async function deliverNow(id: string): Promise<void> {
    const claimed = await claimDelivery(directory, now(), id);
    if (claimed) await carryOut(claimed);
  }

  return {
    send: async (db, delivery, at) => (await addDeliveries(db, delivery, at)).length,
    deliver: async () => void (await Promise.all(Array.from({ length: SENT_AT_ONCE }, deliver))),
    test: async ({ accountId, id }) => {
      const { name } = await stored.webhookOf(directory.db, { accountId, id });
      const message = testMessage(name);
      const delivery = { accountId, webhookIds: [id], key: `test ${makeToken(20)}`, siteId: null, message };
      for (const added of await addDeliveries(directory.db, delivery, now())) await deliverNow(added);
    },
    replay: async ({ accountId, id }) => {
      await queueAgain(directory, { accountId, id }, now());
      await deliverNow(id);
    },
    create: (webhook) => stored.createWebhook({ directory, encryption }, webhook, now()),
    change: (webhook) => stored.changeWebhook({ directory, encryption }, webhook, now()),
    rotate: (which) => stored.rotateSecret({ directory, encryption }, which, now()),
    close: () => stop.abort(),
  };
}

function testMessage(name: string): NewDelivery['message'] {
  return {
    type: 'test',
    title: `A test of the webhook “${name}”`,
    lines: ['Footfall can reach this address.'],
    path: '/settings/webhooks',
    data: { webhook: name },
  };
}
