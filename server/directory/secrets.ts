// Secrets that people hand out: API keys, ingest tokens, share links, addresses of feeds. Each is shown once, on creation, is stored as a hash, and works until
// it is revoked. Nothing is cached, so a revocation takes effect immediately. Each kind defines its SecretKind in its own file.
import type { Kysely, Selectable } from 'kysely';
import { Refusal } from '../errors.ts';
import { say } from '../vocabulary/habits/messages.ts';
import { hashToken, isId, isSameHash, isToken, makeId, makeToken } from './ids.ts';
import type { Directory } from './open.ts';
import type { Tables } from './schema.ts';

type SecretTable = 'api_keys' | 'ingest_tokens' | 'share_links' | 'feeds';

export type SecretKind<Table extends SecretTable> = {
  table: Table;
  /** The owner's table, and the column that refers to it. */
  owner: { table: 'accounts'; column: 'account_id' } | { table: 'sites'; column: 'site_id' };
  /** Prefix of the row's id, without the underscore. */
  idPrefix: string;
  /** The start of the secret itself, and the number of random characters after it. */
  prefix: string;
  length: number;
  /** How many valid secrets an owner may have. */
  limit: number;
  /** True if the table has `prefix`, which helps people to tell secrets apart, and `last_used_at`. */
  notesUse: boolean;
  /** The error for exceeding the limit, a message with `{limit}`. */
  tooMany: string;
  /** The error for revoking a secret that is unknown, belongs to another owner, or is already revoked: a message. */
  unknown: string;
};

/** The columns that this module fills and reads. */
type Common = {
  id: string;
  account_id: string;
  site_id: string;
  prefix: string;
  hash: string;
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
};
/** The columns that only one kind has. */
type Details<Table extends SecretTable> = Omit<Selectable<Tables[Table]>, keyof Common>;

const VISIBLE_CHARACTERS = 5; // enough to tell secrets apart; the other 35 of a key have 208 bits
/** Uses are recorded at most this often, since each record is a write. */
const NOTED_EVERY_MS = 60_000;

/** Returns `secret` once: it cannot be read again. Throws bad_request above the limit. */
export async function makeSecret<Table extends SecretTable>(
  directory: Directory,
  kind: SecretKind<Table>,
  { owner, details, now }: { owner: string; details: Details<Table>; now: number },
): Promise<{ id: string; prefix: string; secret: string }> {
  const secret = `${kind.prefix}${makeToken(kind.length)}`;
  const id = makeId(kind.idPrefix);
  const prefix = secret.slice(0, kind.prefix.length + VISIBLE_CHARACTERS);
  const row = {
    id,
    [kind.owner.column]: owner,
    hash: hashToken(secret),
    created_at: now,
    revoked_at: null,
    ...(kind.notesUse && { prefix, last_used_at: null }),
    ...details,
  };
  await directory.db.transaction().execute(async (db) => {
    // Locks the owner's row, so that secrets created at the same moment are all counted.
    await db
      .updateTable(kind.owner.table)
      .set({ id: owner as never })
      .where('id', '=', owner as never)
      .execute();
    const live = await listSecrets({ db }, kind, owner);
    if (live.length >= kind.limit) throw new Refusal('bad_request', say(kind.tooMany, { limit: kind.limit }));
    await asCommon(db)
      .insertInto(tableOf(kind))
      .values(row as unknown as Common)
      .execute();
  });
  return { id, prefix, secret };
}

/** Returns the row. Throws not_found for a secret that the owner does not have. */
export async function revokeSecret<Table extends SecretTable>(
  directory: Directory,
  kind: SecretKind<Table>,
  { owner, id, now }: { owner: string; id: string; now: number },
): Promise<Selectable<Tables[Table]>> {
  const revoked =
    isId(kind.idPrefix, id) &&
    (await asCommon(directory.db)
      .updateTable(tableOf(kind))
      .set({ revoked_at: now })
      .where('id', '=', id)
      .where(kind.owner.column, '=', owner)
      .where('revoked_at', 'is', null)
      .returningAll()
      .executeTakeFirst());
  if (!revoked) throw new Refusal('not_found', say(kind.unknown));
  return revoked as unknown as Selectable<Tables[Table]>;
}

/** Returns an owner's valid secrets, oldest first. */
export async function listSecrets<Table extends SecretTable>(
  directory: Pick<Directory, 'db'>,
  kind: SecretKind<Table>,
  owner: string,
): Promise<Selectable<Tables[Table]>[]> {
  const rows = await asCommon(directory.db)
    .selectFrom(tableOf(kind))
    .selectAll()
    .where(kind.owner.column, '=', owner)
    .where('revoked_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows as unknown[] as Selectable<Tables[Table]>[];
}

/**
 * Returns the row of a valid secret. The response time reveals nothing about stored secrets: the database looks up a digest, whose bytes a
 * caller cannot control, and the row that it finds is compared in constant time.
 */
export async function findSecret<Table extends SecretTable>(
  { db }: Directory,
  kind: SecretKind<Table>,
  secret: string,
): Promise<Selectable<Tables[Table]> | undefined> {
  if (!secret.startsWith(kind.prefix) || !isToken(secret.slice(kind.prefix.length), kind.length)) return undefined;
  const hash = hashToken(secret);
  const row = await asCommon(db)
    .selectFrom(tableOf(kind))
    .selectAll()
    .where('hash', '=', hash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (!row || !isSameHash(row.hash, hash)) return undefined;
  return row as unknown as Selectable<Tables[Table]>;
}

/** Records that a secret was used. */
export async function noteUse(
  { db }: Directory,
  kind: SecretKind<'api_keys' | 'ingest_tokens' | 'feeds'>,
  { row, now }: { row: Pick<Common, 'id' | 'last_used_at'>; now: number },
): Promise<void> {
  if (row.last_used_at !== null && now - row.last_used_at < NOTED_EVERY_MS) return;
  await asCommon(db).updateTable(tableOf(kind)).set({ last_used_at: now }).where('id', '=', row.id).execute();
}

// The compiler sees the tables of all kinds as one table with the columns that they share.
const asCommon = (db: Kysely<Tables>) => db as unknown as Kysely<{ any_kind: Common }>;
const tableOf = (kind: SecretKind<SecretTable>) => kind.table as unknown as 'any_kind';
