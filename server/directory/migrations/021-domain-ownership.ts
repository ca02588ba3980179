import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const domainOwnership: Migration = {
  async up(db: Kysely<never>) {
    for (const name of ['verified_at', 'lost_at'])
      await db.schema.alterTable('sites').addColumn(name, 'bigint').execute();
    await db.schema
      .createTable('domain_claims')
      .ifNotExists()
      .addColumn('domain', 'text', (c) => c.notNull())
      .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('domain_claims_key', ['domain', 'account_id'])
      .execute();
  },
};
