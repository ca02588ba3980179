import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Sites keep their currency, since their owners have seen it in the settings. */
export const proposedCurrency: Migration = {
  async up(db: Kysely<never>) {
    const sites = () => db.schema.alterTable('sites');
    await sites().addColumn('proposed_currency', 'text').execute();
    await sites()
      .addColumn('max_amount', 'bigint', (c) => c.notNull().defaultTo(100_000))
      .execute();
  },
};
