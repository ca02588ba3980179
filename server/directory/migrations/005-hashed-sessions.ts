import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../schema.ts';

/** Session tokens are stored as hashes from here on. Sessions that were stored in clear text end, since anybody may have read them. */
export const hashedSessions: Migration = {
  async up(db: Kysely<Pick<Tables, 'sessions'>>) {
    await db.deleteFrom('sessions').execute();
  },
};
