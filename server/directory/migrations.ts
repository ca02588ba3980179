// The migrations of the directory database, in order. A start runs all new ones in one transaction, so a killed start leaves nothing
// half done. Never edit a released migration: add another one.
import { type CreateIndexBuilder, type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Migration, MigrationProvider } from 'kysely/migration';
import type { Directory } from './open.ts';
import type { Tables } from './schema.ts';

export function migrationsFor(form: Directory['form']): MigrationProvider {
  const steps = {
    '001_start': start(form),
    '002_imports': imports(form),
    '003_ingest_tokens': ingestTokens,
    '004_deletions': deletions,
    '005_hashed_sessions': hashedSessions,
    '006_account_kinds': accountKinds,
    '007_packages': packages,
    '008_links': links,
    '009_released_domains': releasedDomains,
    '010_proposed_currency': proposedCurrency,
    '011_jobs': jobs,
    '012_definitions_order': definitionsOrder,
    '013_share_link_hashes': shareLinkHashes,
    '014_time_zones': timeZones(form),
    '015_segments': segments,
    '016_favicons': favicons,
    '017_link_credit': linkCredit,
    '018_second_factor': secondFactor,
    '019_account_log': accountLog,
    '020_mails': mails,
    '021_domain_ownership': domainOwnership,
    '022_passkeys': passkeys,
    '023_billing': billing,
    '024_notes': notes,
    '025_session_agents': sessionAgents,
    '026_required_factor': requiredFactor,
    '027_people': people,
  };
  return { getMigrations: () => Promise.resolve(steps) };
}

// `bigint` is an 8-byte integer in PostgreSQL, and has INTEGER affinity in SQLite.
const start = (form: Directory['form']): Migration => ({
  async up(db: Kysely<never>) {
    const make: Make = {
      table: (name) => db.schema.createTable(name).ifNotExists(),
      index: (name) => db.schema.createIndex(name).ifNotExists(),
    };
    await startPeople(make);
    await startSites(make);
    await startRecords(make, form);
  },
});

type Make = { table(name: string): CreateTableBuilder<string>; index(name: string): CreateIndexBuilder };

async function startPeople({ table, index }: Make): Promise<void> {
  await table('users')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('email', 'text', (c) => c.notNull().unique())
    .addColumn('email_verified', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('image', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await table('sessions')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('token', 'text', (c) => c.notNull().unique())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await index('sessions_user').on('sessions').column('user_id').execute();
  await table('credentials')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('provider_id', 'text', (c) => c.notNull())
    .addColumn('password', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('credentials_once', ['provider_id', 'account_id'])
    .execute();
  await index('credentials_user').on('credentials').column('user_id').execute();
  await table('verifications')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('identifier', 'text', (c) => c.notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await index('verifications_identifier').on('verifications').column('identifier').execute();

  await table('accounts')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('plan', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('trial_ends_at', 'bigint')
    .addColumn('paid_until', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await table('members')
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('members_once', ['account_id', 'user_id'])
    .execute();
  await index('members_user').on('members').column('user_id').execute();
}

async function startSites({ table, index }: Make): Promise<void> {
  await table('sites')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('domain', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('paused', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('extra_hosts', 'text', (c) => c.notNull().defaultTo('[]'))
    .addColumn('respects_gpc', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('currency', 'text')
    .addColumn('settings', 'text', (c) => c.notNull().defaultTo('{}'))
    .addColumn('last_event_at', 'bigint')
    .execute();
  await index('sites_account').on('sites').columns(['account_id', 'created_at']).execute();
  await table('api_keys')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('prefix', 'text', (c) => c.notNull())
    .addColumn('hash', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('last_used_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .execute();
  await index('api_keys_account').on('api_keys').column('account_id').execute();
  await table('share_links')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('site_id', 'text', (c) => c.notNull().references('sites.id').onDelete('cascade'))
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('revoked_at', 'bigint')
    .execute();
  await index('share_links_site').on('share_links').column('site_id').execute();
  for (const name of ['goals', 'funnels']) {
    await table(name)
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('site_id', 'text', (c) => c.notNull().references('sites.id').onDelete('cascade'))
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('definition', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .execute();
    await index(`${name}_site`).on(name).column('site_id').execute();
  }
}

async function startRecords({ table }: Make, form: Directory['form']): Promise<void> {
  // PostgreSQL's write-ahead log keeps inserted rows for days, even after they are deleted. An unlogged table is not in it. But a crash of
  // PostgreSQL empties the table; `saltOf` then restores the salt from a running process.
  const salts = form === 'postgres' ? table('salts').modifyFront(sql`unlogged`) : table('salts');
  await salts
    .addColumn('day', 'text', (c) => c.primaryKey())
    .addColumn('secret', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await table('drops')
    .addColumn('site_id', 'text', (c) => c.notNull())
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('count', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('drops_once', ['site_id', 'day', 'reason'])
    .execute();
  await table('first_start')
    .addColumn('token_hash', 'text', (c) => c.primaryKey())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await table('secrets')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
}

const imports = (form: Directory['form']): Migration => ({
  async up(db: Kysely<never>) {
    const table = (name: string) => db.schema.createTable(name).ifNotExists();
    await table('imports')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('site_id', 'text', (c) => c.notNull().references('sites.id').onDelete('cascade'))
      .addColumn('fingerprint', 'text', (c) => c.notNull())
      .addColumn('lines_done', 'bigint', (c) => c.notNull().defaultTo(0))
      .addColumn('tally', 'text', (c) => c.notNull().defaultTo('{}'))
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('finished_at', 'bigint')
      .addUniqueConstraint('imports_once', ['site_id', 'fingerprint'])
      .execute();
    // A table of its own, so that it can be unlogged for the same reason as the salts.
    const secrets = table('import_secrets');
    await (form === 'postgres' ? secrets.modifyFront(sql`unlogged`) : secrets)
      .addColumn('import_id', 'text', (c) => c.primaryKey().references('imports.id').onDelete('cascade'))
      .addColumn('secret', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .execute();
  },
});

const ingestTokens: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('ingest_tokens')
      .ifNotExists()
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('site_id', 'text', (c) => c.notNull().references('sites.id').onDelete('cascade'))
      .addColumn('prefix', 'text', (c) => c.notNull())
      .addColumn('hash', 'text', (c) => c.notNull().unique())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('last_used_at', 'bigint')
      .addColumn('revoked_at', 'bigint')
      .execute();
    await db.schema.createIndex('ingest_tokens_site').ifNotExists().on('ingest_tokens').column('site_id').execute();
  },
};

const deletions: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('deletions')
      .ifNotExists()
      .addColumn('site_id', 'text', (c) => c.primaryKey())
      .addColumn('deleted_at', 'bigint', (c) => c.notNull())
      .execute();
  },
};

/** Session tokens are stored as hashes from here on. Sessions that were stored in clear text end, since anybody may have read them. */
const hashedSessions: Migration = {
  async up(db: Kysely<Pick<Tables, 'sessions'>>) {
    await db.deleteFrom('sessions').execute();
  },
};

/** Before this every account was a customer's, so the operator's own account lost its dashboard after the trial. */
const accountKinds: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .alterTable('accounts')
      .addColumn('kind', 'text', (c) => c.notNull().defaultTo('customer'))
      .execute();
    // The operator's account is the oldest one with a trial: accounts created by `manage` have none. The demo account may be older.
    await sql`update accounts set kind = 'demo' where id in (
      select members.account_id from members
      join users on users.id = members.user_id
      join sites on sites.account_id = members.account_id
      where users.email = 'demo@example.com' and sites.settings like '%"seed"%'
    )`.execute(db);
    await sql`update accounts
      set kind = 'operator', plan = 'pro', status = 'active', trial_ends_at = null, paid_until = null
      where trial_ends_at is not null
      and id = (select id from accounts where kind = 'customer' order by created_at, id limit 1)`.execute(db);
    // For sign-ups, null now means the default trial, whose length depends on whether there is billing.
    await sql`update accounts set trial_ends_at = null
      where status = 'trialing' and trial_ends_at = created_at + 1209600000`.execute(db);
  },
};

const packages: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('packages')
      .ifNotExists()
      .addColumn('name', 'text', (c) => c.primaryKey())
      .addColumn('archive', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .execute();
  },
};

/** Options of share links. Existing links get the defaults. */
const links: Migration = {
  async up(db: Kysely<never>) {
    const flags = ['shows_properties', 'shows_few'];
    for (const name of flags)
      await db.schema
        .alterTable('share_links')
        .addColumn(name, 'integer', (c) => c.notNull().defaultTo(0))
        .execute();
  },
};

const releasedDomains: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('released_domains')
      .ifNotExists()
      .addColumn('domain', 'text', (c) => c.primaryKey())
      .addColumn('account_id', 'text', (c) => c.notNull())
      .addColumn('released_at', 'bigint', (c) => c.notNull())
      .execute();
  },
};

/** Sites keep their currency, since their owners have seen it in the settings. */
const proposedCurrency: Migration = {
  async up(db: Kysely<never>) {
    const sites = () => db.schema.alterTable('sites');
    await sites().addColumn('proposed_currency', 'text').execute();
    await sites()
      .addColumn('max_amount', 'bigint', (c) => c.notNull().defaultTo(100_000))
      .execute();
  },
};

const jobs: Migration = {
  async up(db: Kysely<never>) {
    const table = (name: string) => db.schema.createTable(name).addColumn('name', 'text', (c) => c.primaryKey());
    await table('jobs')
      .addColumn('done_until', 'bigint', (c) => c.notNull())
      .execute();
    await table('leases')
      .addColumn('holder', 'text', (c) => c.notNull())
      .addColumn('expires_at', 'bigint', (c) => c.notNull())
      .execute();
  },
};

/** Goals and funnels can be sorted by hand. */
const definitionsOrder: Migration = {
  async up(db: Kysely<never>) {
    for (const table of ['goals', 'funnels'])
      await db.schema
        .alterTable(table)
        .addColumn('position', 'integer', (c) => c.notNull().defaultTo(0))
        .execute();
  },
};

/** Every kind of secret has its hash in a column of the same name. */
const shareLinkHashes: Migration = {
  async up(db: Kysely<never>) {
    await db.schema.alterTable('share_links').renameColumn('token_hash', 'hash').execute();
  },
};

/** Sites may have a time zone. A day's secret now belongs to a day of a zone; existing ones belong to UTC. */
const timeZones = (form: Directory['form']): Migration => ({
  async up(db: Kysely<Pick<Tables, 'salts'>>) {
    await db.schema.alterTable('sites').addColumn('timezone', 'text').execute();
    // SQLite cannot change a primary key, so the table is created anew. It is unlogged for the same reason as before.
    await db.schema.alterTable('salts').renameTo('salts_of_utc').execute();
    const table = db.schema.createTable('salts');
    await (form === 'postgres' ? table.modifyFront(sql`unlogged`) : table)
      .addColumn('zone', 'text', (c) => c.notNull())
      .addColumn('day', 'text', (c) => c.notNull())
      .addColumn('secret', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('salts_once', ['zone', 'day'])
      .execute();
    await sql`insert into salts (zone, day, secret, created_at)
      select 'UTC', day, secret, created_at from salts_of_utc`.execute(db);
    await db.schema.dropTable('salts_of_utc').execute();
  },
});

const segments: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('segments')
      .ifNotExists()
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('site_id', 'text', (c) => c.notNull().references('sites.id').onDelete('cascade'))
      .addColumn('user_id', 'text', (c) => c.references('users.id').onDelete('cascade'))
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('definition', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .execute();
    await db.schema.createIndex('segments_site').ifNotExists().on('segments').column('site_id').execute();
  },
};

const favicons: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('favicons')
      .ifNotExists()
      .addColumn('key', 'text', (c) => c.primaryKey())
      .addColumn('image', 'text')
      .addColumn('asked_at', 'bigint', (c) => c.notNull())
      .execute();
    await db.schema.createIndex('favicons_asked').ifNotExists().on('favicons').column('asked_at').execute();
  },
};

/** Pages of share links say "Counted by Footfall" unless the link says otherwise. */
const linkCredit: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .alterTable('share_links')
      .addColumn('shows_credit', 'integer', (c) => c.notNull().defaultTo(1))
      .execute();
  },
};

const secondFactor: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('authenticators')
      .addColumn('user_id', 'text', (c) => c.primaryKey().references('users.id').onDelete('cascade'))
      .addColumn('secret', 'text', (c) => c.notNull())
      .addColumn('confirmed_at', 'bigint')
      .addColumn('last_step', 'bigint', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .execute();
    await db.schema
      .createTable('recovery_codes')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('hash', 'text', (c) => c.notNull())
      .addColumn('used_at', 'bigint')
      .execute();
    await db.schema.createIndex('recovery_codes_user').on('recovery_codes').column('user_id').execute();
  },
};

const accountLog: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('account_log')
      .ifNotExists()
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('actor', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.references('users.id').onDelete('set null'))
      .addColumn('action', 'text', (c) => c.notNull())
      .addColumn('member_id', 'text', (c) => c.references('users.id').onDelete('set null'))
      .addColumn('name', 'text')
      .addColumn('domain', 'text')
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .execute();
    const index = (name: string) => db.schema.createIndex(name).ifNotExists().on('account_log');
    await index('account_log_account').columns(['account_id', 'created_at']).execute();
    await index('account_log_time').column('created_at').execute();
    for (const column of ['user_id', 'member_id']) await index(`account_log_${column}`).column(column).execute();
  },
};

const mails: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('mails')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('key', 'text', (c) => c.notNull().unique())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('recipient', 'text', (c) => c.notNull())
      .addColumn('data', 'text')
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('due_at', 'bigint', (c) => c.notNull())
      .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
      .addColumn('answer', 'text')
      .addColumn('ended_at', 'bigint')
      .execute();
    await db.schema.createIndex('mails_due').on('mails').columns(['state', 'due_at']).execute();
    await db.schema
      .createTable('mail_refusals')
      .addColumn('recipient', 'text', (c) => c.notNull())
      .addColumn('topic', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('mail_refusals_once', ['recipient', 'topic'])
      .execute();
  },
};

const domainOwnership: Migration = {
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

const passkeys: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('passkeys')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('credential_id', 'text', (c) => c.notNull().unique())
      .addColumn('public_key', 'text', (c) => c.notNull())
      .addColumn('counter', 'bigint', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('last_used_at', 'bigint')
      .execute();
    await db.schema.createIndex('passkeys_user').on('passkeys').column('user_id').execute();
  },
};

const billing: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('billing_customers')
      .ifNotExists()
      .addColumn('account_id', 'text', (c) => c.primaryKey().references('accounts.id').onDelete('cascade'))
      .addColumn('customer_id', 'text', (c) => c.notNull().unique())
      .addColumn('version', 'integer', (c) => c.notNull().defaultTo(0))
      .addColumn('subscribed', 'text')
      .addColumn('subscription_id', 'text')
      .addColumn('renews_at', 'bigint')
      .addColumn('read_at', 'bigint')
      .execute();
    await db.schema
      .createTable('billing_events')
      .ifNotExists()
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('received_at', 'bigint', (c) => c.notNull())
      .execute();
  },
};

const notes: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('notes')
      .ifNotExists()
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('site_id', 'text', (c) => c.notNull().references('sites.id').onDelete('cascade'))
      .addColumn('day', 'text', (c) => c.notNull())
      .addColumn('text', 'text', (c) => c.notNull())
      .addColumn('is_private', 'integer', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .execute();
    await db.schema.createIndex('notes_site').ifNotExists().on('notes').column('site_id').execute();
  },
};

/** Sessions tell their owners in which browser they are. */
const sessionAgents: Migration = {
  async up(db: Kysely<never>) {
    await db.schema.alterTable('sessions').addColumn('agent', 'text').execute();
  },
};

const requiredFactor: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .alterTable('accounts')
      .addColumn('requires_factor', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
  },
};

const people: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .alterTable('members')
      .addColumn('named_sites', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createTable('member_sites')
      .addColumn('account_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('site_id', 'text', (c) => c.notNull().references('sites.id').onDelete('cascade'))
      .addPrimaryKeyConstraint('member_sites_once', ['account_id', 'user_id', 'site_id'])
      .addForeignKeyConstraint(
        'member_sites_member',
        ['account_id', 'user_id'],
        'members',
        ['account_id', 'user_id'],
        (c) => c.onDelete('cascade'),
      )
      .execute();
    await db.schema.createIndex('member_sites_site').on('member_sites').column('site_id').execute();
    await db.schema
      .createTable('invitations')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('invited_by', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('hash', 'text', (c) => c.notNull().unique())
      .addColumn('role', 'text', (c) => c.notNull())
      .addColumn('site_ids', 'text')
      .addColumn('email', 'text')
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('expires_at', 'bigint', (c) => c.notNull())
      .execute();
    await db.schema.createIndex('invitations_account').on('invitations').column('account_id').execute();
    await db.schema.createIndex('invitations_inviter').on('invitations').column('invited_by').execute();
  },
};
