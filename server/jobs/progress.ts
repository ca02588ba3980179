// Remembers how far each job has run. Each job has one row in the directory, which advances by whole periods.
import type { Kysely } from 'kysely';
import type { Tables } from '../directory/schema.ts';
import type { Period } from './calendar.ts';

/** Returns the end of the last period that has run or is running. A new job starts at `startsAt`. */
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

/** Advances a job. Returns false if the job is no longer at `from`: another process has taken the period. */
export async function advanceJob(db: Kysely<Tables>, name: string, { from, to }: Period): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('jobs')
    .set({ done_until: to })
    .where('name', '=', name)
    .where('done_until', '=', from)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
