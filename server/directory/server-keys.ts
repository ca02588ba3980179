// Random keys of the server itself, created on first use and kept in the directory, so that operators need not configure any.
import { randomBytes } from 'node:crypto';
import type { Directory } from './open.ts';

/** 32 bytes as 64 hex digits, the same in all processes. */
export async function secretOf(directory: Directory, name: string, now: number): Promise<string> {
  const { db } = directory;
  const stored = () => db.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirst();
  const found = await stored();
  if (found) return found.value;
  await db
    .insertInto('secrets')
    .values({ name, value: randomBytes(32).toString('hex'), created_at: now })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const made = await stored();
  if (!made) throw new Error(`the secret ${name} vanished while it was being created`);
  return made.value;
}
