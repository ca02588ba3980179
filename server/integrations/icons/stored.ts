// Icons in the directory database, shared by all processes. A row is keyed by a hash of its host, and records when the host was asked.
import type { Directory } from '../../directory/open.ts';

/** Up to 8 kB each, usually 2 kB. Beyond this, those that were fetched longest ago are deleted. */
export const MAX_STORED = 4000;

/** `png` is undefined if the host has no icon. */
type StoredIcon = { png: Buffer | undefined; askedAt: number };

export async function storedIcon({ db }: Directory, key: string): Promise<StoredIcon | undefined> {
  const row = await db.selectFrom('favicons').selectAll().where('key', '=', key).executeTakeFirst();
  if (!row) return undefined;
  return { png: row.image === null ? undefined : Buffer.from(row.image, 'base64'), askedAt: Number(row.asked_at) };
}

export async function storeIcon(
  { db }: Directory,
  key: string,
  { png, askedAt }: StoredIcon,
  most: number,
): Promise<void> {
  const row = { image: png ? png.toString('base64') : null, asked_at: askedAt };
  await db
    .insertInto('favicons')
    .values({ key, ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute();
  const oldest = db
    .selectFrom('favicons')
    .select('key')
    .orderBy('asked_at', 'desc')
    .orderBy('key')
    .limit(1_000_000)
    .offset(most);
  await db.deleteFrom('favicons').where('key', 'in', oldest).execute();
}
