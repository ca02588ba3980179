/** @module-tag fault */
// Exports that meet a full disk, long texts, lost files and people who have left; and sealed files that were made to do harm, or mixed up.
import { openAsBlob } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askExport, getExport } from '../../server/accounts/exports.ts';
import { readRecipient, receivingKey, sealFor } from '../../server/directory/sealing.ts';
import { openEntries, writeZip } from '../../server/jobs/exporting/open-form.ts';
import { sealedSites, writeSealed } from '../../server/jobs/exporting/sealed-form.ts';
import { claimImport } from '../../server/sites/import-list.ts';
import { goals } from '../../server/sites/definitions/goals.ts';
import { createNote } from '../../server/sites/definitions/notes.ts';
import type { Site } from '../../server/sites/sites.ts';
import { breakdownQuestion } from '../../server/stats/query.ts';
import { readFrames, readKeys } from '../../server/vocabulary/imports/reading/sealed.ts';
import { DAY_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { MAX_NOTE } from '../../server/vocabulary/settings/notes.ts';
import { makeWorld } from '../setup/accounts/callers.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { makeEvent } from '../setup/event.ts';
import { tempFolder } from '../setup/folder.ts';
import { unzip } from '../setup/imports.ts';
import { startClickHouse } from '../setup/stores/clickhouse.ts';
import { startPostgres } from '../setup/stores/postgres.ts';

let server: TestApp;
beforeAll(async () => {
  const env = { LOG_LEVEL: 'silent', SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'Footfall <footfall@stats.example>' };
  server = await testApp({ env });
});
afterAll(() => server[Symbol.asyncDispose]());

const parts = () => ({
  directory: server.app.services.directory,
  store: server.app.store,
  stats: server.app.services.stats,
});
const makingOf = (site: Site, folder: string, path = join(folder, 'archive')) => ({
  accountId: site.account_id,
  siteId: site.id,
  sites: [site],
  more: [],
  now: server.clock.now,
  folder,
  path,
  onWritten: () => Promise.resolve(),
});

describe('an export', () => {
  test('fails when the disk is full, and takes nothing else with it', async () => {
    const site = await server.addSite('full.example');
    const event = makeEvent({ site_id: site.id, time: server.clock.now - 2 * DAY_MS });
    await server.app.collector.record([event], server.clock.now);
    await server.settle();
    await using folder = await tempFolder();
    const making = makingOf(site, folder.path, '/dev/full');
    const recipient = await receivingKey(parts().directory, site.account_id, server.clock.now);
    const all = await sealedSites(parts(), making);
    await expect(writeSealed(parts(), all, { ...making, recipient })).rejects.toThrow('ENOSPC');
    const entries = await openEntries(parts(), making);
    await expect(writeZip(entries, making)).rejects.toThrow('ENOSPC');
  });

  test('has all notes of a site that has many', async () => {
    const site = await server.addSite('notes.example');
    const { directory } = parts();
    const content = { day: '2026-11-01', text: 'é'.repeat(MAX_NOTE), is_private: false, kind: 'note' as const };
    const { id } = await createNote(directory, { siteId: site.id, content }, server.clock.now);
    const note = directory.db.selectFrom('notes').selectAll().where('id', '=', id);
    const row = await note.executeTakeFirstOrThrow();
    for (let more = 1; more < 500; more += 1)
      await directory.db
        .insertInto('notes')
        .values({ ...row, id: `note_${more}` })
        .execute();
    await using folder = await tempFolder();
    const making = makingOf(site, folder.path);
    await writeZip(await openEntries(parts(), making), making);
    const files = await unzip(await openAsBlob(making.path));
    expect(JSON.parse(files['notes.example/notes.json'] ?? '[]')).toHaveLength(500);
    expect(files['notes.example/notes.parquet']).toMatch(/^PAR1/);
  });

  test('whose file is gone is not found, rather than sent by halves', async () => {
    const { own } = await makeWorld(server);
    const { directory, exporting } = server.app.services;
    const wish = {
      accountId: own.account.id,
      siteId: own.site.id,
      userId: 'x',
      kind: 'open',
      recipient: null,
    } as const;
    const { id } = await askExport(directory, wish, server.clock.now);
    await exporting.run({ signal: new AbortController().signal });
    const get = () => fetch(`${server.url}/export/${id}.zip`, { headers: own.login.headers });
    expect((await get()).status).toBe(200);
    await rm(join(server.folder, 'exports', id));
    expect((await get()).status).toBe(404);
  });

  test('is not sealed for a key with which everybody agrees on the same secret', async () => {
    const key = await receivingKey(parts().directory, 'account', server.clock.now);
    expect(readRecipient(key)).toHaveLength(32);
    const weak = `footfall-key-${Buffer.alloc(32).toString('base64url')}`;
    for (const text of [weak, key.slice(0, -1), `${key} `])
      expect(() => readRecipient(text)).toThrow(/^The key must be the one that the other server shows/);
  });

  test('of an account ends with any of its sites, and its file is deleted while another is made', async () => {
    const site = await server.addSite('ends.example');
    const { directory, exporting, deleteSite } = server.app.services;
    const wish = { accountId: site.account_id, siteId: null, userId: 'x', kind: 'open', recipient: null } as const;
    const { id } = await askExport(directory, wish, server.clock.now);
    await exporting.run({ signal: new AbortController().signal });
    const files = () => readdir(join(server.folder, 'exports'));
    await server.app.runJob('sweep-exports');
    expect(await files()).toContain(id);
    await deleteSite(site.id);
    await server.app.runJob('sweep-exports');
    expect(await files()).not.toContain(id);
    await expect(getExport(directory, id, server.clock.now)).rejects.toThrow('no such export');
  });

  test('is announced to nobody who has left the account since', async () => {
    const site = await server.addSite('left.example');
    const { directory, exporting } = server.app.services;
    const { db } = directory;
    const accountId = site.account_id;
    const owner = await db
      .selectFrom('members')
      .selectAll()
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow();
    const wish = { accountId, siteId: site.id, userId: owner.user_id, kind: 'open', recipient: null } as const;
    const mails = async () =>
      (await db.selectFrom('mails').select('key').where('key', 'like', 'export_ready%').execute()).map(
        ({ key }) => key,
      );
    const stays = await askExport(directory, wish, server.clock.now);
    await exporting.run({ signal: new AbortController().signal });
    expect(await mails()).toContain(`export_ready ${stays.id}`);
    const leaves = await askExport(directory, wish, server.clock.now);
    await db.deleteFrom('members').where('user_id', '=', owner.user_id).execute();
    await exporting.run({ signal: new AbortController().signal });
    expect(await mails()).not.toContain(`export_ready ${leaves.id}`);
  });
});

test('where stores are servers, both forms have every row, and every visit arrives', async () => {
  await using postgres = await startPostgres();
  await using clickhouse = await startClickHouse();
  const env = { LOG_LEVEL: 'silent', DATABASE_URL: postgres.url, CLICKHOUSE_URL: clickhouse.url };
  await using servers = await testApp({ env });
  const { directory, exporting, importing, stats } = servers.app.services;
  const { now } = servers.clock;
  const [from, to] = [await servers.addSite('from.example'), await servers.addSite('to.example')];
  const eventAt = (index: number) =>
    makeEvent({
      site_id: from.id,
      visitor: `v${index % 7}`,
      time: now - DAY_MS * (1 + (index % 40)),
      page: `/${index % 5}\u2028`,
      props: { plan: '"\n\u2029' },
    });
  await servers.app.collector.record(
    Array.from({ length: 50 }, (_, index) => eventAt(index)),
    now,
  );
  await servers.settle();
  const note = { day: DAY, text: 'é'.repeat(MAX_NOTE), is_private: false, kind: 'note' as const };
  for (let notes = 0; notes < 40; notes += 1) await createNote(directory, { siteId: from.id, content: note }, now);
  const made = async (kind: 'open' | 'sealed'): Promise<Blob> => {
    const recipient = kind === 'sealed' ? await receivingKey(directory, to.account_id, now) : null;
    const wish = { accountId: from.account_id, siteId: from.id, userId: 'x', kind, recipient };
    const { id } = await askExport(directory, wish, now);
    await exporting.run({ signal: new AbortController().signal });
    const one = await getExport(directory, id, now);
    return new Blob([await buffer(await exporting.read(one, { first: 0, last: one.bytes - 1 }))]);
  };
  const files = await unzip(await made('open'));
  for (const [name, text] of Object.entries(files))
    if (name.endsWith('.parquet')) expect(text).toMatch(/^PAR1.*PAR1$/s);
  expect(Object.keys(files)).toEqual(
    expect.arrayContaining(['from.example/notes.parquet', 'from.example/events/2026-10.parquet']),
  );
  expect(JSON.parse(files['from.example/notes.json'] ?? '[]')).toHaveLength(40);

  const sealed = await made('sealed');
  const keys = Buffer.from(await readKeys('a', sealed));
  const frames = [];
  for await (const { bytes } of readFrames('a', sealed)) frames.push({ keys, frame: Buffer.from(bytes) });
  const begun = { siteId: to.id, format: 'sealed', file: 'a', content: keys.toString('base64') };
  const { id } = await importing.begin(begun);
  for (const [part, frame] of frames.slice(1, -1).entries())
    await importing.addSealed({ siteId: to.id, id, part }, frame);
  await importing.finish({ siteId: to.id, id, replaced: [], notTaken: {}, last: frames.at(-1) });
  const pagesOf = async (site: Site) => {
    const asked = { site_id: site.id, period: '91d', dimension: 'page', metrics: ['unique_visitors', 'pageviews'] };
    return (await stats.list(breakdownQuestion.parse(asked), site, now)).rows;
  };
  expect(await pagesOf(from)).toHaveLength(5);
  expect(await pagesOf(to)).toEqual(await pagesOf(from));
});

const zip = promisify(zstdCompress);
const NOTHING = {
  settings: { timezone: null, currency: null, max_amount: 100, settings: {} },
  goals: [],
  funnels: [],
  segments: [],
  notes: [],
};
const DAY = '2026-11-01';
const TIME = Date.UTC(2026, 10, 1, 12);
type Cells = Record<string, unknown>;

const frameOf = (table: string, columns: readonly string[], rows: readonly (readonly unknown[])[]) =>
  [{ table, columns }, ...rows].map((line) => JSON.stringify(line)).join('\n');
const rowOf = (table: string, cells: Cells) => frameOf(table, Object.keys(cells), [Object.values(cells)]);
const SUM = {
  dimension: '',
  day: DAY,
  label: '',
  unique_visitors: 1,
  visits: 1,
  pageviews: 1,
  events: 1,
  bounces: 0,
  visit_ms: 0,
};
const EVENT = {
  event_id: '00000000000000aa',
  time: TIME,
  day: DAY,
  name: 'pageview',
  visitor_id: '00000000000000ab',
  visit_id: '5',
  page: '/',
};

/** Seals a file as whoever knows the key of an account can: the frames between the first and the last, and what the last one says. */
async function seal(site: Site, between: readonly string[], last: object = NOTHING) {
  const { keys, seal: sealed } = sealFor(await receivingKey(parts().directory, site.account_id, server.clock.now));
  const plain = [JSON.stringify({ version: 1, domain: 'x', days: [] }), ...between, JSON.stringify(last)];
  const frames = [];
  for (const [index, text] of plain.entries())
    frames.push({ keys, frame: sealed(await zip(text), { index, isLast: index === plain.length - 1 }) });
  return { keys, rows: frames.slice(1, -1), last: frames.at(-1) };
}

async function begin(file: Awaited<ReturnType<typeof seal>>, site: Site) {
  const content = file.keys.toString('base64');
  const { id } = await server.app.services.importing.begin({ siteId: site.id, format: 'sealed', file: 'a', content });
  return { siteId: site.id, id };
}

/** The refusal of a file with a frame; undefined if it is taken. */
async function refusalOf(frame: string, last?: object): Promise<string | undefined> {
  const site = await server.newSite();
  const { importing } = server.app.services;
  const file = await seal(site, [frame], last);
  const which = await begin(file, site);
  try {
    for (const [part, sent] of file.rows.entries()) await importing.addSealed({ ...which, part }, sent);
    await importing.finish({ ...which, replaced: [], notTaken: {}, last: file.last });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('a sealed file', () => {
  test('is refused with a cell that no export has', async () => {
    const damaged = 'This file was damaged or changed: export it again.';
    const cases: Record<string, string> = {
      'a day before any product': rowOf('sums', { ...SUM, day: '0001-01-01' }),
      'half a character': rowOf('sums', { ...SUM, dimension: '\ud800' }),
      'a sum that others overflow with': rowOf('sums', { ...SUM, pageviews: Number.MAX_SAFE_INTEGER }),
      'more rows than a frame has': frameOf(
        'events',
        Object.keys(EVENT),
        Array.from({ length: 6_001 }, () => Object.values(EVENT)),
      ),
      'a percentage': rowOf('events', { ...EVENT, scroll_before: 101 }),
      'a time of another day': rowOf('events', { ...EVENT, time: TIME + 3 * DAY_MS }),
      'a time that no clock has': rowOf('events', { ...EVENT, time: 8.64e15 + 1 }),
      'a long number': rowOf('events', { ...EVENT, visit_id: '9'.repeat(100_000) }),
      'another table': rowOf('superseded', {}),
    };
    for (const [name, frame] of Object.entries(cases)) expect([name, await refusalOf(frame)]).toEqual([name, damaged]);
    const settings = { ...NOTHING.settings, max_amount: 2 ** 52 };
    expect(await refusalOf(rowOf('sums', SUM), { ...NOTHING, settings })).toBe(damaged);
    const notes = Array.from({ length: 1_001 }, (_, index) => ({ day: DAY, text: `${index}`, is_private: false }));
    expect(await refusalOf(rowOf('sums', SUM), { ...NOTHING, notes })).toBe(damaged);
    for (const frame of [rowOf('sums', SUM), rowOf('events', EVENT)]) expect(await refusalOf(frame)).toBeUndefined();
  });

  test('goes on with its own parts alone, not with those of another export of the same days', async () => {
    const site = await server.addSite('mixed.example');
    const { importing } = server.app.services;
    const frames = [rowOf('sums', SUM), rowOf('sums', { ...SUM, day: '2026-11-02' })];
    const [one, other] = [await seal(site, frames), await seal(site, frames)];
    const which = await begin(one, site);
    const [first, second] = one.rows;
    const [, foreign] = other.rows;
    if (!first || !second || !foreign) throw new Error('A file has two parts.');
    await importing.addSealed({ ...which, part: 0 }, first);
    await expect(importing.addSealed({ ...which, part: 1 }, foreign)).rejects.toThrow('this part is of another file');
    await importing.addSealed({ ...which, part: 1 }, second);
    const done = { ...which, replaced: [], notTaken: {} };
    await expect(importing.finish({ ...done, last: other.last })).rejects.toThrow('this part is of another file');
    expect((await importing.finish({ ...done, last: one.last })).brought).toMatchObject({ days: 2 });
    expect((await begin(other, site)).id).not.toBe(which.id);
  });

  test('brings as many visitors as it has: what a server reported has none', async () => {
    const site = await server.addSite('visitors.example');
    const { importing } = server.app.services;
    const ofServer = { ...EVENT, event_id: '00000000000000ac', visitor_id: '', visit_id: '0', name: 'renewal' };
    const file = await seal(site, [rowOf('events', EVENT), rowOf('events', ofServer)]);
    const which = await begin(file, site);
    for (const [part, sent] of file.rows.entries()) await importing.addSealed({ ...which, part }, sent);
    const { brought } = await importing.finish({ ...which, replaced: [], notTaken: {}, last: file.last });
    expect(brought).toMatchObject({ days: 1, pageviews: 1, visitors: 1 });
  });

  test('brings what people have set up only while nobody else works on its import', async () => {
    const site = await server.addSite('claimed.example');
    const { importing, directory } = server.app.services;
    const definition = { kind: 'page', page: '/' };
    const goal = { id: 'goal_0123456789ABCDEFGHJK', name: 'Goal', definition };
    const file = await seal(site, [rowOf('sums', SUM)], { ...NOTHING, goals: [goal] });
    const which = await begin(file, site);
    const [part] = file.rows;
    if (!part) throw new Error('A file has a part.');
    await importing.addSealed({ ...which, part: 0 }, part);
    const known = { site_id: site.id, id: which.id };
    await claimImport(directory, known, { from: ['reading'], to: 'reading', now: server.clock.now });
    const finish = () => importing.finish({ ...which, replaced: [], notTaken: {}, last: file.last });
    await expect(finish()).rejects.toThrow('worked on elsewhere');
    expect(await goals.list(directory, { siteId: site.id })).toEqual([]);
    server.clock.now += MINUTE_MS;
    expect((await finish()).state).toBe('done');
    expect(await goals.list(directory, { siteId: site.id })).toHaveLength(1);
  });
});
