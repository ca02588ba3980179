import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Sessions tell their owners in which browser they are. */
export const sessionAgents: Migration = {
  async up(db: Kysely<never>) {
    await db.schema.alterTable('sessions').addColumn('agent', 'text').execute();
  },
};
