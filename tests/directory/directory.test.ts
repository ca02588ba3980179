/** @module-tag fault */
// The contract of the directory database: the same suite on SQLite and on PostgreSQL, with other processes working at the same time.
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../../server/errors.ts';
import type { SiteId } from '../../server/vocabulary/event.ts';
import { createAccount } from '../../server/accounts/accounts.ts';
import { openDirectory, type Directory } from '../../server/directory/open.ts';
import { addDrops, dropsOf } from '../../server/sites/drops.ts';
import { keepPackage, packageOf } from '../../server/sites/packages.ts';
import { accountOfKey, createKey, listKeys, revokeKey } from '../../server/accounts/keys.ts';
import { NO_RULES } from '../../server/vocabulary/settings/share-links.ts';
import {
  createShareLink,
  listShareLinks,
  revokeShareLink,
  siteOfShareToken,
} from '../../server/sites/sharing/share.ts';
import {
  configureSite,
  createSite,
  deleteSite,
  listSites,
  pauseSite,
  renameSite,
  setHosts,
  siteByDomain,
  siteById,
  toPublicSite,
  touchLastEvents,
} from '../../server/sites/sites.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { NOON } from '../setup/clock.ts';
import { directoryPlace, elsewhere, type Place, POOLED_FORMS, testDirectory } from '../setup/directory.ts';
import { showsSurvived, sized } from '../setup/run/harness.ts';
import { EARLIEST, laterMigrations } from '../setup/stores/later-version.ts';

/** Statements of a start at which it is killed: each of the first ones, then every tenth. Behind PgBouncer, which is started each time, fewer. */
const KILLED_AT = { sqlite: [20, 10], postgres: [20, 10], 'postgres behind PgBouncer': [6, 20] } as const;
/** One in so many of them is tried. */
const SPARSE = sized({ short: 2, long: 1 });

async function makeAccount(directory: Directory, email = 'ada@example.com') {
  const { account } = await createAccount(directory, { email, password: 'correct horse' }, NOON);
  return account;
}

async function refusal(promise: Promise<unknown>) {
  const error = await promise.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!(error instanceof Refusal)) throw new Error(`expected a refusal, got ${String(error)}`);
  return { code: error.code, message: error.message };
}

describe.each(POOLED_FORMS)('the directory in %s', (form) => {
  test('opens, answers, and has the same content when it is opened again', async () => {
    await using place = await directoryPlace(form);
    const first = await openDirectory(place);
    await first.ping();
    const account = await makeAccount(first);
    const site = await createSite(first, { accountId: account.id, domain: 'example.com' }, NOON);
    await first.close();
    const second = await openDirectory(place);
    expect(await siteById(second, site.id)).toEqual(site);
    await second.close();
  });

  test('a version of the package keeps the bytes that were stored first, whoever builds it again', async () => {
    await using place = await directoryPlace(form);
    const directory = await openDirectory(place);
    const [one, two] = [Buffer.from([0, 255, 128]), Buffer.from('other')];
    await keepPackage(directory, { name: 'footfall-1.0.0.tgz', archive: one }, NOON);
    await keepPackage(directory, { name: 'footfall-1.0.0.tgz', archive: two }, NOON + 1);
    await keepPackage(directory, { name: 'footfall-1.1.0.tgz', archive: two }, NOON + 1);
    expect(await packageOf(directory, 'footfall-1.0.0.tgz')).toEqual(one);
    expect(await packageOf(directory, 'footfall-1.1.0.tgz')).toEqual(two);
    expect(await packageOf(directory, 'footfall-1.2.0.tgz')).toBeUndefined();
    await directory.close();
  });

  test('four processes that start together on an empty database all find it ready', async () => {
    await using place = await directoryPlace(form);
    const opened = await Promise.all(
      Array.from({ length: 4 }, () =>
        elsewhere(
          place,
          `const { openDirectory } = await import(server + 'directory/open.ts');
           const directory = await openDirectory(place);
           console.log((await directory.db.selectFrom('sites').selectAll().execute()).length);
           await directory.close();`,
        ),
      ),
    );
    expect(opened).toEqual(['0\n', '0\n', '0\n', '0\n']);
  });

  test('a start that is killed at a statement is completed by the next', async () => {
    showsSurvived('migration killed half-way');
    await using whole = await testDirectory(form);
    const complete = await shapeOf(whole);
    const [first, step] = [KILLED_AT[form][0] / SPARSE, KILLED_AT[form][1] * SPARSE];
    let killedAt = 0;
    // At each of the first statements, then at some of the hundred of the migrations, which are one transaction.
    for (let statement = 1; ; statement += statement < first ? 1 : step) {
      await using place = await directoryPlace(form);
      const finished = await elsewhere(
        place,
        `let left = ${statement};
         const strike = (target, name) => {
           const original = target[name];
           target[name] = function (...args) {
             if (--left === 0) process.kill(process.pid, 'SIGKILL');
             return original.apply(this, args);
           };
         };
         strike((await import('node:sqlite')).DatabaseSync.prototype, 'prepare');
         strike((await import('pg')).default.Client.prototype, 'query');
         const { openDirectory } = await import(server + 'directory/open.ts');
         await (await openDirectory(place)).close();
         console.log('finished');`,
      ).catch(() => 'killed');
      const directory = await openDirectory(place);
      expect(await shapeOf(directory)).toEqual(complete);
      await createSite(directory, { accountId: (await makeAccount(directory)).id, domain: 'example.com' }, NOON);
      await directory.close();
      if (finished !== 'killed') break;
      killedAt += 1;
    }
    expect(killedAt).toBeGreaterThan(first + 2);
  });

  test('a migration of a later version runs once, whole or not at all, and this version then refuses the database', async () => {
    showsSurvived('migration killed half-way');
    await using place = await directoryPlace(form);
    const first = await openDirectory(place);
    await createSite(first, { accountId: (await makeAccount(first)).id, domain: 'example.com' }, NOON);
    const before = await shapeOf(first);
    await first.close();
    for (const killedAfter of [1, 2, 3]) {
      const killed = elsewhere(
        place,
        `const { openDirectory } = await import(server + 'directory/open.ts');
         const { laterMigrations } = await import(server + '../tests/setup/stores/later-version.ts');
         await openDirectory({ ...place, migrations: laterMigrations('${formOf(place)}', ${killedAfter}) });`,
      );
      await expect(killed).rejects.toMatchObject({ signal: 'SIGKILL' });
      const unchanged = await openDirectory(place);
      expect(await shapeOf(unchanged)).toEqual(before);
      await unchanged.close();
    }
    for (let start = 1; start <= 2; start += 1)
      expect(await inLater(place)).toEqual([{ domain: 'example.com', later: 1 }]);
    expect(await refusal(openDirectory(place))).toEqual(ofAnotherVersion(place));
    expect(await inLater(place)).toEqual([{ domain: 'example.com', later: 1 }]);
  });

  test('rows of an earlier version are loaded before the migrations after it run', async () => {
    await using place = await directoryPlace(form);
    const migrations = laterMigrations(formOf(place));
    const loading = await openDirectory({ ...place, upTo: '001_first_release', migrations });
    await createSite(loading, { accountId: (await makeAccount(loading)).id, domain: 'example.com' }, NOON);
    await loading.close();
    expect(await inLater(place)).toEqual([{ domain: 'example.com', later: 1 }]);
  });

  test('a database of a version before 1.0.0 is refused, and stays as it is', async () => {
    await using place = await directoryPlace(form);
    const open = () => openDirectory({ ...place, migrations: EARLIEST });
    const earlier = await open();
    await sql`insert into users (id) values ('user_1')`.execute(earlier.db);
    const before = await shapeOf(earlier);
    await earlier.close();
    expect(await refusal(openDirectory(place))).toEqual(ofAnotherVersion(place));
    const unchanged = await open();
    expect(await shapeOf(unchanged)).toEqual(before);
    expect((await sql`select id from users`.execute(unchanged.db)).rows).toEqual([{ id: 'user_1' }]);
    await unchanged.close();
  });

  test('a site is created, found, changed and deleted', async () => {
    await using directory = await testDirectory(form);
    const account = await makeAccount(directory);
    const site = await createSite(
      directory,
      { accountId: account.id, domain: ' HTTPS://Bücher.Example:8080/a?b ' },
      NOON,
    );
    expect(site).toEqual({
      id: expect.stringMatching(/^site_[0-9A-HJKMNP-TV-Z]{16}$/) as string,
      account_id: account.id,
      domain: 'xn--bcher-kva.example',
      created_at: NOON,
      paused: false,
      extra_hosts: [],
      respects_gpc: false,
      currency: null,
      expected_currency: null,
      proposed_currency: null,
      max_amount: 100_000,
      settings: {},
      first_event_at: null,
      last_event_at: null,
      timezone: null,
      verified_at: null,
      lost_at: null,
      moved_at: null,
    });
    expect(await siteByDomain(directory, 'BÜCHER.example')).toEqual(site);
    expect(await siteByDomain(directory, 'b\0')).toBeUndefined();
    expect(await siteById(directory, 'site_\0')).toBeUndefined();

    const later = await createSite(directory, { accountId: account.id, domain: 'later.example' }, NOON + 1);
    expect((await listSites(directory, account.id)).map(({ id }) => id)).toEqual([site.id, later.id]);

    expect((await renameSite(directory, { siteId: site.id, domain: 'books.example' }, NOON)).domain).toBe(
      'books.example',
    );
    expect((await renameSite(directory, { siteId: site.id, domain: 'books.example' }, NOON)).id).toBe(site.id);
    expect((await pauseSite(directory, { siteId: site.id, paused: true })).paused).toBe(true);
    const hosts = ['Shop.example', 'cdn.example', 'shop.example'];
    expect((await setHosts(directory, { siteId: site.id, hosts })).extra_hosts).toEqual([
      'cdn.example',
      'shop.example',
    ]);
    const settings = { respects_gpc: true, currency: 'EUR', max_amount: 5000, settings: { trailing_slash: 'strip' } };
    expect(await configureSite(directory, { siteId: site.id, ...settings }, NOON)).toMatchObject({
      respects_gpc: true,
      currency: 'EUR',
      max_amount: 5000,
      settings: { trailing_slash: 'strip' },
    });
    expect(await configureSite(directory, { siteId: site.id, currency: null }, NOON)).toMatchObject({ currency: null });

    await addDrops(directory, [{ site_id: site.id, day: '2026-05-20', reason: 'bot', count: 1 }]);
    await createShareLink(directory, { siteId: site.id, name: 'team' }, NOON);
    await deleteSite(directory, { siteId: site.id }, NOON);
    expect(await siteById(directory, site.id)).toBeUndefined();
    expect(await dropsOf(directory, site.id, '2026-01-01', '2026-12-31')).toEqual([]);
    expect(await directory.db.selectFrom('share_links').selectAll().execute()).toEqual([]);
    await createSite(directory, { accountId: account.id, domain: 'books.example' }, NOON);
  });

  test('a domain belongs to one site across all accounts, and a deleted site cannot be changed', async () => {
    await using directory = await testDirectory(form);
    const [ada, bob] = [await makeAccount(directory), await makeAccount(directory, 'bob@example.com')];
    await createSite(directory, { accountId: ada.id, domain: 'example.com' }, NOON);
    const other = await createSite(directory, { accountId: bob.id, domain: 'other.example' }, NOON);
    const taken = {
      code: 'bad_request',
      message: 'The domain example.com is already registered: a domain can belong to only one site.',
    };
    expect(await refusal(createSite(directory, { accountId: bob.id, domain: 'EXAMPLE.com' }, NOON))).toEqual(taken);
    expect(await refusal(renameSite(directory, { siteId: other.id, domain: 'example.com' }, NOON))).toEqual(taken);
    const gone = 'site_0000000000000000' as SiteId;
    const changes = [
      () => renameSite(directory, { siteId: gone, domain: 'new.example' }, NOON),
      () => pauseSite(directory, { siteId: gone, paused: true }),
      () => setHosts(directory, { siteId: gone, hosts: [] }),
      () => configureSite(directory, { siteId: gone }, NOON),
      () => deleteSite(directory, { siteId: gone }, NOON),
    ];
    for (const change of changes)
      expect(await refusal(change())).toEqual({ code: 'not_found', message: 'There is no such site in this account.' });
    expect((await refusal(configureSite(directory, { siteId: other.id, currency: 'EURO' }, NOON))).code).toBe(
      'bad_request',
    );
    const settings = { long: 'x'.repeat(40_000) };
    expect((await refusal(configureSite(directory, { siteId: other.id, settings }, NOON))).code).toBe('bad_request');
    const hosts = Array.from({ length: 51 }, (_, n) => `h${n}.example`);
    expect((await refusal(setHosts(directory, { siteId: other.id, hosts }))).code).toBe('bad_request');
  });

  test('when two processes create the same site at once, one succeeds', async () => {
    await using directory = await testDirectory(form);
    const account = await makeAccount(directory);
    const made = await Promise.all(
      [1, 2].map(() =>
        elsewhere(
          directory.place,
          `const { openDirectory } = await import(server + 'directory/open.ts');
           const { createSite } = await import(server + 'sites/sites.ts');
           const directory = await openDirectory(place);
           const domains = Array.from({ length: 20 }, (_, n) => 'd' + n + '.example');
           const results = await Promise.allSettled(
             domains.map((domain) => createSite(directory, { accountId: '${account.id}', domain }, 1)));
           console.log(JSON.stringify(results.map((r) => r.status === 'fulfilled' ? 'made' : r.reason.code)));
           await directory.close();`,
        ),
      ),
    );
    const [a = [], b = []] = made.map((text) => JSON.parse(text) as string[]);
    expect(a.map((outcome, n) => [outcome, b[n]].sort())).toEqual(Array(20).fill(['bad_request', 'made']));
    expect(await listSites(directory, account.id)).toHaveLength(20);
  });

  test('tracking says whether an event came within 24 hours, and never goes back in time', async () => {
    await using directory = await testDirectory(form);
    const account = await makeAccount(directory);
    const site = await createSite(directory, { accountId: account.id, domain: 'example.com' }, NOON);
    const quiet = await createSite(directory, { accountId: account.id, domain: 'quiet.example' }, NOON);
    await touchLastEvents(directory, new Map([[site.id, NOON + 5_000]]));
    await touchLastEvents(directory, new Map([[site.id, NOON]]));
    const shown = async (id: SiteId, now: number) => {
      const found = await siteById(directory, id);
      return found && toPublicSite(found, now);
    };
    const common = { id: site.id, domain: 'example.com', created_at: '2026-05-20T12:00:00.000Z' };
    expect(await shown(site.id, NOON + 5_000 + DAY_MS - 1)).toEqual({ ...common, tracking: true });
    expect(await shown(site.id, NOON + 5_000 + DAY_MS)).toEqual({ ...common, tracking: false });
    expect(await shown(quiet.id, NOON)).toMatchObject({ tracking: false });
    await pauseSite(directory, { siteId: site.id, paused: true });
    expect(await shown(site.id, NOON + 6_000)).toEqual({ ...common, tracking: false });
    const many = Array.from({ length: 1_200 }, (_, n) => `site_${String(n).padStart(16, '0')}` as SiteId);
    const times = [...many, quiet.id, site.id].map(
      (id) => [id, id === quiet.id ? NOON + 7_000 : NOON + 9_000] as const,
    );
    await touchLastEvents(directory, new Map(times));
    expect((await siteById(directory, quiet.id))?.last_event_at).toBe(NOON + 7_000);
    expect((await siteById(directory, site.id))?.last_event_at).toBe(NOON + 9_000);
  });

  test('a key is shown once, found by its hash, limited to ten, and gone when revoked', async () => {
    await using directory = await testDirectory(form);
    const [ada, bob] = [await makeAccount(directory), await makeAccount(directory, 'bob@example.com')];
    const { key, id } = await createKey(directory, { accountId: ada.id, name: ' server ' }, NOON);
    expect(key).toMatch(/^ff_[0-9A-Za-z]{40}$/);
    const found = { keyId: id, accountId: ada.id };
    expect(await accountOfKey(directory, key, NOON + 1_000)).toEqual(found);
    const shown = { id, name: 'server', prefix: key.slice(0, 8), created_at: NOON, revoked_at: null };
    expect(await listKeys(directory, ada.id)).toEqual([{ ...shown, last_used_at: NOON + 1_000 }]);
    // The last use is written at most once a minute.
    await accountOfKey(directory, key, NOON + 60_999);
    expect(await listKeys(directory, ada.id)).toEqual([{ ...shown, last_used_at: NOON + 1_000 }]);
    await accountOfKey(directory, key, NOON + 61_000);
    expect(await listKeys(directory, ada.id)).toEqual([{ ...shown, last_used_at: NOON + 61_000 }]);
    expect(JSON.stringify(await directory.db.selectFrom('api_keys').selectAll().execute())).not.toContain(key.slice(8));

    for (const wrong of ['', 'ff_', `${key}x`, key.slice(0, -1), key.toLowerCase(), `ff_${'a'.repeat(40)}`, `${key}\0`])
      expect(await accountOfKey(directory, wrong, NOON)).toBeUndefined();

    const tries = Array.from({ length: 15 }, () => createKey(directory, { accountId: ada.id, name: 'n' }, NOON));
    const made = await Promise.allSettled(tries);
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(9);
    expect(await refusal(createKey(directory, { accountId: ada.id, name: 'n' }, NOON))).toEqual({
      code: 'bad_request',
      message: 'An account can have 10 live keys: revoke one to make another.',
    });
    for (const name of ['', ' ', 'a\0b', 'x'.repeat(101)])
      expect((await refusal(createKey(directory, { accountId: bob.id, name }, NOON))).code).toBe('bad_request');

    const foreign = refusal(revokeKey(directory, { accountId: bob.id, keyId: id }, NOON));
    expect(await foreign).toEqual(await refusal(revokeKey(directory, { accountId: bob.id, keyId: 'key_\0' }, NOON)));
    await revokeKey(directory, { accountId: ada.id, keyId: id }, NOON + 70_000);
    expect(await accountOfKey(directory, key, NOON + 70_000)).toBeUndefined();
    expect((await refusal(revokeKey(directory, { accountId: ada.id, keyId: id }, NOON))).code).toBe('not_found');
    await createKey(directory, { accountId: ada.id, name: 'again' }, NOON);
  });

  test('a share link opens its own site until it is revoked', async () => {
    await using directory = await testDirectory(form);
    const account = await makeAccount(directory);
    const site = await createSite(directory, { accountId: account.id, domain: 'example.com' }, NOON);
    const other = await createSite(directory, { accountId: account.id, domain: 'other.example' }, NOON);
    const { token, id } = await createShareLink(
      directory,
      { siteId: site.id, name: 'team', shows: { fewest: 1, credit: false } },
      NOON,
    );
    const shows = { properties: false, fewest: 1, credit: false, embedded_on: [] };
    expect(token).toMatch(/^[0-9A-Za-z]{32}$/);
    const content = { shows, rules: NO_RULES, looks: { theme: null } };
    expect(await siteOfShareToken(directory, token, NOON)).toEqual({
      linkId: id,
      siteId: site.id,
      last_used_at: null,
      ...content,
    });
    expect(await siteOfShareToken(directory, `${token}a`, NOON)).toBeUndefined();
    expect(await siteOfShareToken(directory, '\0', NOON)).toBeUndefined();
    expect(await listShareLinks(directory, site.id)).toEqual([
      {
        id,
        name: 'team',
        created_at: NOON,
        note: '',
        expires_at: null,
        paused: false,
        public: false,
        indexed: false,
        has_password: false,
        ...content,
        uses: { last_used_at: null, views: [] },
      },
    ]);
    expect(JSON.stringify(await directory.db.selectFrom('share_links').selectAll().execute())).not.toContain(token);
    expect((await refusal(revokeShareLink(directory, { siteId: other.id, linkId: id }, NOON))).code).toBe('not_found');
    await revokeShareLink(directory, { siteId: site.id, linkId: id }, NOON);
    expect(await siteOfShareToken(directory, token, NOON)).toBeUndefined();
    expect(await listShareLinks(directory, site.id)).toEqual([]);
  });

  test('dropped events are added up per site, day and reason', async () => {
    await using directory = await testDirectory(form);
    const account = await makeAccount(directory);
    const site = await createSite(directory, { accountId: account.id, domain: 'example.com' }, NOON);
    const drop = (day: string, reason: string, count: number) => ({ site_id: site.id, day, reason, count });
    const gone = { site_id: 'site_0000000000000000' as SiteId, day: '2026-05-20', reason: 'bot', count: 9 };
    const first = [drop('2026-05-20', 'bot', 2), drop('2026-05-20', 'bot', 1), drop('2026-05-21', 'spam', 5), gone];
    await Promise.all([addDrops(directory, first), addDrops(directory, [drop('2026-05-20', 'bot', 4)])]);
    await addDrops(directory, []);
    expect(await dropsOf(directory, site.id, '2026-05-20', '2026-05-21')).toEqual([
      { day: '2026-05-20', reason: 'bot', count: 7 },
      { day: '2026-05-21', reason: 'spam', count: 5 },
    ]);
    expect(await dropsOf(directory, site.id, '2026-05-21', '2026-05-21')).toHaveLength(1);
    expect(await directory.db.selectFrom('drops').selectAll().where('site_id', '=', gone.site_id).execute()).toEqual(
      [],
    );
  });
});

test('SQLite commits are on disk before they are answered, and deleted content is overwritten', async () => {
  await using directory = await testDirectory('sqlite');
  const pragma = async (name: string) =>
    Object.values((await sql<object>`pragma ${sql.raw(name)}`.execute(directory.db)).rows[0] ?? {})[0] as unknown;
  expect(await pragma('journal_mode')).toBe('wal');
  expect(await pragma('synchronous')).toBe(2); // FULL
  expect(await pragma('secure_delete')).toBe(1);
  expect(await pragma('foreign_keys')).toBe(1);
  expect(await pragma('busy_timeout')).toBe(5_000);
});

test('the keys of mails are in the order of bytes in PostgreSQL, whatever the order of its database is', async () => {
  await using directory = await testDirectory('postgres');
  const { rows } = await sql<{ collation_name: string }>`select collation_name from information_schema.columns
    where table_name = 'mails' and column_name = 'key'`.execute(directory.db);
  expect(rows).toEqual([{ collation_name: 'C' }]);
});

const formOf = ({ databaseUrl }: Place) => (databaseUrl === undefined ? 'sqlite' : 'postgres');

/** Opens the database as a later version does, and returns its sites. */
async function inLater(place: Place): Promise<unknown[]> {
  const directory = await openDirectory({ ...place, migrations: laterMigrations(formOf(place)) });
  const { rows } = await sql`select domain, later from sites`.execute(directory.db);
  await directory.close();
  return rows;
}

const ofAnotherVersion = (place: Place) => ({
  code: 'bad_request',
  message: `${place.databaseUrl === undefined ? `DATA_DIR: ${place.path}` : 'DATABASE_URL: this database'} was made by a later version of Footfall, or by one before 1.0.0: use that version.`,
});

/** Every table and index with its columns, as the database itself describes them. */
async function shapeOf({ db, form }: Directory): Promise<unknown> {
  const shape =
    form === 'sqlite'
      ? sql`select type, name, sql from sqlite_schema where name not like 'kysely%' order by name`
      : sql`select table_name, column_name, data_type, is_nullable, column_default, c.relpersistence, i.indexdef
            from information_schema.columns
            join pg_class c on c.relname = table_name
            left join pg_indexes i on i.tablename = table_name
            where table_schema = 'public' and table_name not like 'kysely%' order by 1, 2, 7`;
  return (await shape.execute(db)).rows;
}
