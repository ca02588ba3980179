/** @module-tag promise */
/** @module-tag fault */
// The secret of each day, from which visitor ids are made: the same for all processes, and destroyed when its day is over.
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { openDirectory } from '../../server/directory/open.ts';
import { destroySalts, saltOf } from '../../server/sites/salts.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { UTC } from '../../server/vocabulary/time/zones.ts';
import { NOON } from '../setup/clock.ts';
import { directoryPlace, elsewhere, FORMS, testDirectory } from '../setup/directory.ts';
import { startPostgres } from '../setup/stores/postgres.ts';
import { showsKept, showsSurvived } from '../setup/run/harness.ts';
import { filesWith } from '../setup/files.ts';

const utc = (day: string) => ({ zone: UTC, day });

describe.each(FORMS)('the secret of a day in %s', (form) => {
  test('a day has one secret for all processes and all callers', async () => {
    await using directory = await testDirectory(form);
    const own = await Promise.all(Array.from({ length: 10 }, () => saltOf(directory, utc('2026-05-20'), NOON)));
    const others = await Promise.all(
      [1, 2, 3].map(() =>
        elsewhere(
          directory.place,
          `const { openDirectory } = await import(server + 'directory/open.ts');
           const { saltOf } = await import(server + 'sites/salts.ts');
           const directory = await openDirectory(place);
           const days = ['2026-05-20', '2026-05-21', '2026-05-22'];
           const salts = await Promise.all(days.map((day) => saltOf(directory, { zone: 'UTC', day }, ${NOON})));
           console.log(JSON.stringify(salts.map((salt) => salt.toString('hex'))));
           await directory.close();`,
        ),
      ),
    );
    expect(new Set(others).size).toBe(1);
    const days = JSON.parse(others[0] ?? '') as string[];
    expect(new Set(days).size).toBe(3);
    expect(new Set(own.map((salt) => salt.toString('hex')))).toEqual(new Set([days[0]]));
    expect(own[0]).toHaveLength(32);
  });

  test('a secret that the database lost is restored by a process that knows it', async () => {
    showsSurvived('salt lost at a restart');
    await using directory = await testDirectory(form);
    const salt = await saltOf(directory, utc('2026-05-20'), NOON);
    await directory.db.deleteFrom('salts').execute();
    expect(await saltOf(directory, utc('2026-05-20'), NOON + 59_999)).toEqual(salt);
    expect(await directory.db.selectFrom('salts').selectAll().execute()).toEqual([]);
    expect(await saltOf(directory, utc('2026-05-20'), NOON + 60_000)).toEqual(salt);
    expect(await directory.db.selectFrom('salts').selectAll().execute()).toHaveLength(1);
  });

  test('a process knows the secrets of the two days that it asked for last', async () => {
    await using directory = await testDirectory(form);
    const ask = async (day: string, now: number) => (await saltOf(directory, utc(day), now)).toString('hex');
    const days = ['2026-05-18', '2026-05-19', '2026-05-20'];
    const asked: string[] = [];
    for (const day of days) asked.push(await ask(day, NOON));
    await directory.db.deleteFrom('salts').execute();
    const again: string[] = [];
    for (const day of days.toReversed()) again.unshift(await ask(day, NOON + 60_000));
    expect(again.map((secret, index) => secret === asked[index])).toEqual([false, true, true]);
  });

  test('a destroyed secret is nowhere on disk, and the one of today stays', async () => {
    showsKept('the salt of a day that is over is gone everywhere');
    await using postgres = form === 'postgres' ? await startPostgres({ own: true }) : undefined;
    await using place = await directoryPlace('sqlite');
    const where = { path: place.path, databaseUrl: postgres?.url };
    let directory = await openDirectory(where);
    const { rows } =
      form === 'postgres'
        ? await sql<{ data_directory: string }>`show data_directory`.execute(directory.db)
        : { rows: [{ data_directory: place.folder }] };
    const folder = rows[0]?.data_directory ?? '';
    // PostgreSQL writes its memory to disk when it is stopped. SQLite is examined while open, because closing it tidies up.
    const filesNow = async (...needles: (string | Buffer)[]) => {
      if (postgres) await directory.close().then(() => postgres.stop('SIGTERM'));
      const found = await Promise.all(needles.map((needle) => filesWith(folder, needle)));
      if (postgres) directory = await postgres.restart().then(() => openDirectory(where));
      return found.map((files) => files.length > 0);
    };
    const old = await saltOf(directory, utc('2026-05-19'), NOON - DAY_MS);
    const today = await saltOf(directory, utc('2026-05-20'), NOON);
    const shown = [old.toString('hex'), old, today.toString('hex')];
    expect(await filesNow(...shown)).toEqual([true, false, true]);

    expect(await destroySalts(directory, { inUseSince: NOON })).toEqual([utc('2026-05-19')]);
    expect(await filesNow(...shown)).toEqual([false, false, true]);
    expect(await saltOf(directory, utc('2026-05-20'), NOON + 120_000)).toEqual(today);
    expect(await saltOf(directory, utc('2026-05-19'), NOON)).not.toEqual(old);
    expect(await destroySalts(directory, { inUseSince: NOON - DAY_MS })).toEqual([]);
    await directory.close();
  });
});

test.each(FORMS)(
  'in %s, a zone has its own secret for each day, destroyed when the day is over there',
  async (form) => {
    await using directory = await testDirectory(form);
    // At noon in UTC it is the 21st on Kiritimati (+14:00) and the 20th in Los Angeles (-07:00), whose day ends last.
    const days = [
      { zone: 'America/Los_Angeles', day: '2026-05-20' },
      { zone: 'Pacific/Kiritimati', day: '2026-05-20' },
      { zone: 'Pacific/Kiritimati', day: '2026-05-21' },
      utc('2026-05-20'),
    ];
    const salts = await Promise.all(days.map((day) => saltOf(directory, day, NOON)));
    expect(new Set(salts.map((salt) => salt.toString('hex'))).size).toBe(days.length);
    const hour = DAY_MS / 24;
    const destroyed = (inUseSince: number) => destroySalts(directory, { inUseSince });
    expect(await destroyed(NOON)).toEqual([days[1]]);
    expect(await destroyed(NOON + 12 * hour - 1)).toEqual([]);
    expect(await destroyed(NOON + 12 * hour)).toEqual([days[3]]);
    expect(await destroyed(NOON + 19 * hour - 1)).toEqual([]);
    expect(await destroyed(NOON + 19 * hour)).toEqual([days[0]]);
    expect(await destroyed(NOON + 22 * hour - 1)).toEqual([]);
    expect(await destroyed(NOON + 22 * hour)).toEqual([days[2]]);
    expect(await directory.db.selectFrom('salts').selectAll().execute()).toEqual([]);
  },
);
