// Up to when each job has run: a row of the directory for each, which moves on by one whole period at a time.
import type { Kysely } from 'kysely';
import type { Tables } from '../directory/schema.ts';
import type { Period } from './calendar.ts';

/** The end of the last period that was run, or is being run; a job that is new begins at `startsAt`. */
export async function doneUntil(db: Kysely<Tables>, name: string, startsAt: number): Promise<number> {
  const stored = () => db.selectFrom('jobs').select('done_until').where('name', '=', name).executeTakeFirst();
  const row = await stored();
  if (row) return row.done_until;
  await db
    .insertInto('jobs')
    .values({ name, done_until: startsAt })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  return (await stored())?.done_until ?? startsAt;
}

/** Moves a job from one instant to another. False when it is no longer where the caller saw it: another process has the period. */
export async function moveOn(db: Kysely<Tables>, name: string, { from, to }: Period): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('jobs')
    .set({ done_until: to })
    .where('name', '=', name)
    .where('done_until', '=', from)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
