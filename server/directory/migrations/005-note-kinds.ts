// Which notes mark a release. Those from before were all taken for one (in “Releases”, by the errors that came with them, and in alerts), and most
// that touched speed or errors came from deployments, which cannot be told from those of people. They stay what they were: nothing that an alert or
// a chart says changes until somebody corrects a note.
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const noteKinds: Migration = {
  async up(db: Kysely<never>) {
    await sql`alter table notes add column kind text not null default 'release'`.execute(db);
  },
};
