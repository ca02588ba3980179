import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The pauses that places asked for. They used to be those of their searches, which are deleted with their rule. */
export const mentionPauses: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('mention_pauses')
      .addColumn('place', 'text', (c) => c.primaryKey())
      .addColumn('until', 'bigint', (c) => c.notNull())
      .execute();
    await sql`insert into mention_pauses (place, until)
      select place, max(next_at) from mention_searches where outcome = 'limited' and place <> 'feed' group by place`.execute(
      db,
    );
  },
};
