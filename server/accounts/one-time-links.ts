// Links that do one thing once: a new password, a confirmed address. The directory has only the hash of a link's token.
import type { Kysely } from 'kysely';
import { Refusal } from '../errors.ts';
import { hashToken, isToken, makeId, makeToken } from '../directory/ids.ts';
import type { Tables } from '../directory/schema.ts';
import { t } from '../vocabulary/habits/messages.ts';

/**
 * `reset`: a new password. `email`: one of the two that confirm a new e-mail address. `sign_up`: a new account.
 */
type LinkPurpose = 'reset' | 'email' | 'sign_up';

const TOKEN_LENGTH = 40;

const identifierOf = (purpose: LinkPurpose, token: string) => `${purpose} ${hashToken(token)}`;

/** Returns the token of a link that gives back `value` once, until it expires. */
export async function makeLink(
  db: Kysely<Tables>,
  purpose: LinkPurpose,
  { value, now, livesMs }: { value: string; now: number; livesMs: number },
): Promise<string> {
  const token = makeToken(TOKEN_LENGTH);
  const stamps = { created_at: now, updated_at: now, expires_at: now + livesMs };
  await db
    .insertInto('verifications')
    .values({ id: makeId('link'), identifier: identifierOf(purpose, token), value, ...stamps })
    .execute();
  return token;
}

/** Returns the link's value without using it up. Throws not_found for a link that is unknown, used or expired. */
export async function readLink(db: Kysely<Tables>, purpose: LinkPurpose, shown: Shown): Promise<string> {
  if (!isToken(shown.token, TOKEN_LENGTH)) throw linkIsOver();
  const row = await db
    .selectFrom('verifications')
    .select('value')
    .where('identifier', '=', identifierOf(purpose, shown.token))
    .where('expires_at', '>', shown.now)
    .executeTakeFirst();
  if (!row) throw linkIsOver();
  return row.value;
}

/** Uses the link up. If several requests bring it at the same time, one succeeds. Throws not_found like `readLink`. */
export async function takeLink(db: Kysely<Tables>, purpose: LinkPurpose, shown: Shown): Promise<string> {
  if (!isToken(shown.token, TOKEN_LENGTH)) throw linkIsOver();
  const row = await db
    .deleteFrom('verifications')
    .where('identifier', '=', identifierOf(purpose, shown.token))
    .where('expires_at', '>', shown.now)
    .returning('value')
    .executeTakeFirst();
  if (!row) throw linkIsOver();
  return row.value;
}

/** Ends all links with this value. */
export async function endLinks(db: Kysely<Tables>, purpose: LinkPurpose, value: string): Promise<void> {
  const links = db.deleteFrom('verifications').where('value', '=', value);
  await links.where('identifier', 'like', `${purpose} %`).execute();
}

type Shown = { token: string; now: number };

export function linkIsOver(): Refusal {
  return new Refusal('not_found', t('This link has expired or was used already: ask for a new one.'));
}
