// The webhooks of an account. Addresses and secrets are stored encrypted: whoever has them can read messages or write in their place.
import type { Kysely, Selectable } from 'kysely';
import { z } from 'zod';
import type { Encryption } from '../../directory/encryption.ts';
import { isId, makeId } from '../../directory/ids.ts';
import { checkName } from '../../directory/names.ts';
import type { Directory } from '../../directory/open.ts';
import type { Tables } from '../../directory/schema.ts';
import { Refusal } from '../../errors.ts';
import { MAX_ADDRESS } from '../../vocabulary/limits.ts';
import {
  BOTH_SECRETS_MS,
  MAX_WEBHOOK_NAME,
  MAX_WEBHOOKS,
  WEBHOOK_FORMATS,
} from '../../vocabulary/settings/webhooks.ts';
import { makeSecret } from './signature.ts';
import { t } from '../../vocabulary/habits/messages.ts';

export type StoredWebhook = Selectable<Tables['webhooks']>;
type Store = { directory: Pick<Directory, 'db'>; encryption: Encryption };
type Which = { accountId: string; id: string };

/** Secrets cross no network in plain HTTP, and the address of a Slack or Discord webhook is a secret. */
const address = z
  .string()
  .max(MAX_ADDRESS)
  .transform((text) => text.trim())
  .refine(
    (text) => {
      const url = URL.parse(text);
      return url?.protocol === 'https:' && url.username === '' && url.password === '' && url.port === '';
    },
    { error: () => t('must be an https address on port 443, without a user name or password') },
  );

export const newWebhook = z.object({
  name: z.string().max(MAX_WEBHOOK_NAME),
  format: z.enum(WEBHOOK_FORMATS),
  url: address,
});

/** Returns the webhook's id and its secret, which is shown only once. Slack and Discord have no secret but the address. */
export async function createWebhook(
  { directory: { db }, encryption }: Store,
  { accountId, format, url, ...given }: { accountId: string } & z.output<typeof newWebhook>,
  now: number,
): Promise<{ id: string; name: string; secret: string | null }> {
  const name = checkName(given.name);
  const id = makeId('wh');
  const secret = format === 'standard' ? makeSecret() : null;
  await db.transaction().execute(async (trx) => {
    // Takes the account's row, so that two requests at the same time do not both see a free place.
    await trx.updateTable('accounts').set({ id: accountId }).where('id', '=', accountId).execute();
    const { count } = await trx
      .selectFrom('webhooks')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow();
    if (Number(count) >= MAX_WEBHOOKS)
      throw new Refusal(
        'bad_request',
        t('An account has at most {MAX_WEBHOOKS} webhooks: delete one first.', { MAX_WEBHOOKS }),
      );
    await trx
      .insertInto('webhooks')
      .values({
        id,
        account_id: accountId,
        name,
        format,
        host: new URL(url).hostname,
        url: encryption.encrypt(url, contextOf(id, 'url')),
        secret: secret && encryption.encrypt(secret, contextOf(id, 'secret')),
        previous_secret: null,
        rotated_at: null,
        disabled_at: null,
        next_at: now,
        created_at: now,
      })
      .execute();
  });
  return { id, name, secret };
}

/** `url`: left out to keep the address, which nobody can read again. */
export const changedWebhook = newWebhook.omit({ format: true }).extend({ url: address.optional() });

/**
 * Changes the name and the address. The format stays, because a secret belongs to it. What waits goes to the new address, also if the
 * receiver at the old one had said that it is gone. Returns the new name. Throws not_found.
 */
export async function changeWebhook(
  { directory: { db }, encryption }: Store,
  { accountId, id, url, ...given }: Which & z.output<typeof changedWebhook>,
  now: number,
): Promise<string> {
  const name = checkName(given.name);
  await webhookOf(db, { accountId, id });
  const moved = url !== undefined && {
    url: encryption.encrypt(url, contextOf(id, 'url')),
    host: new URL(url).hostname,
    disabled_at: null,
    next_at: now,
  };
  await db
    .updateTable('webhooks')
    .set({ name, ...moved })
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .execute();
  return name;
}

export async function listWebhooks({ db }: Pick<Directory, 'db'>, accountId: string) {
  return db
    .selectFrom('webhooks')
    .select(['id', 'name', 'format', 'host', 'rotated_at', 'disabled_at', 'created_at'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Gives a webhook a new secret and returns it. The previous one signs too for a day. Throws not_found, or bad_request without a signature. */
export async function rotateSecret(
  { directory: { db }, encryption }: Store,
  { accountId, id }: Which,
  now: number,
): Promise<{ name: string; secret: string }> {
  const secret = makeSecret();
  const sealed = encryption.encrypt(secret, contextOf(id, 'secret'));
  return db.transaction().execute(async (trx) => {
    const webhook = await webhookOf(trx, { accountId, id });
    if (webhook.secret === null)
      throw new Refusal('bad_request', t('Only webhooks of the format standard have a secret.'));
    await trx
      .updateTable('webhooks')
      .set((eb) => ({ previous_secret: eb.ref('secret'), secret: sealed, rotated_at: now }))
      .where('id', '=', id)
      .execute();
    return { name: webhook.name, secret };
  });
}

/** Deletes a webhook with its deliveries. Returns its name. Throws not_found. */
export async function deleteWebhook({ db }: Pick<Directory, 'db'>, { accountId, id }: Which): Promise<string> {
  const { name } = await webhookOf(db, { accountId, id });
  await db.deleteFrom('webhooks').where('id', '=', id).where('account_id', '=', accountId).execute();
  return name;
}

/** Sends again to a webhook that its receiver has ended. Returns its name. Throws not_found. */
export async function resumeWebhook({ db }: Pick<Directory, 'db'>, { accountId, id }: Which): Promise<string> {
  const { name } = await webhookOf(db, { accountId, id });
  await db.updateTable('webhooks').set({ disabled_at: null }).where('id', '=', id).execute();
  return name;
}

/** Throws bad_request if any of the ids is not a webhook of the account. */
export async function checkWebhooks(
  db: Kysely<Tables>,
  { accountId, ids }: { accountId: string; ids: readonly string[] },
): Promise<void> {
  if (ids.length === 0) return;
  const wanted = [...new Set(ids)];
  const own = await db
    .selectFrom('webhooks')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', 'in', wanted)
    .execute();
  if (own.length !== wanted.length)
    throw new Refusal('bad_request', t('webhooks: There is no such webhook in this account.'));
}

/** Throws not_found for a webhook of another account, too. */
export async function webhookOf(db: Kysely<Tables>, { accountId, id }: Which): Promise<StoredWebhook> {
  const query = db.selectFrom('webhooks').selectAll().where('id', '=', id).where('account_id', '=', accountId);
  const found = isId('wh', id) ? await query.executeTakeFirst() : undefined;
  if (!found) throw new Refusal('not_found', t('There is no such webhook.'));
  return found;
}

/** The address, and the secrets that sign at a time. Throws if the key that encrypted them has changed. */
export function openWebhook(
  { id, ...webhook }: StoredWebhook,
  encryption: Encryption,
  now: number,
): { url: string; secrets: string[] } {
  const isOverlap = webhook.rotated_at !== null && now < webhook.rotated_at + BOTH_SECRETS_MS;
  const secrets = [webhook.secret, isOverlap ? webhook.previous_secret : null].filter((secret) => secret !== null);
  return {
    url: encryption.decrypt(webhook.url, contextOf(id, 'url')),
    secrets: secrets.map((secret) => encryption.decrypt(secret, contextOf(id, 'secret'))),
  };
}

/** Deletes the previous secrets that no longer sign. */
export async function forgetSecrets({ db }: Pick<Directory, 'db'>, now: number): Promise<void> {
  await db
    .updateTable('webhooks')
    .set({ previous_secret: null })
    .where('previous_secret', 'is not', null)
    .where('rotated_at', '<=', now - BOTH_SECRETS_MS)
    .execute();
}

/** The previous secret moves to its column as it is, so both columns share a context. */
const contextOf = (id: string, column: 'url' | 'secret') => `${id} ${column}`;
