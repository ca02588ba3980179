/** @module-tag attack */
// Sealed exports that are not what they should be: cut, changed, mixed, for another account, or made by somebody who knows the key that a site shows.
// None is stored half, and each is refused in a sentence.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { receivingKey, sealFor } from '../../server/directory/sealing.ts';
import { runOperation } from '../../server/operator/operations.ts';
import { goals } from '../../server/sites/definitions/goals.ts';
import { listImports } from '../../server/sites/import-list.ts';
import type { Site } from '../../server/sites/sites.ts';
import { SEALED_COLUMNS, SEALED_SUMS } from '../../server/stats/answers/sealed-rows.ts';
import { LAST, SEALED_MARK } from '../../server/vocabulary/imports/reading/sealed.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { makeError } from '../setup/event.ts';
import { rowsOfSite } from '../setup/imports.ts';
import { showsRefused } from '../setup/run/harness.ts';

let server: TestApp;
let site: Site;
let key: string;
let serial = 0;
beforeAll(async () => {
  server = await testApp({ env: { LOG_LEVEL: 'silent' } });
  await freshSite();
});
afterAll(() => server[Symbol.asyncDispose]());
/** A site without numbers. What is refused leaves none. */
async function freshSite(): Promise<void> {
  serial += 1;
  site = await server.addSite(`sealed${serial}.example`);
  key = await receivingKey(server.app.services.directory, site.account_id, server.clock.now);
}

const zip = promisify(zstdCompress);
const DAY = '2025-03-01';
const TIME = Date.UTC(2025, 2, 1, 10);
const MANIFEST = { version: 1, domain: 'from.example', days: [{ day: DAY, pageviews: 1, visitors: 1 }] };
const TRAILER = {
  settings: { timezone: null, currency: null, max_amount: 100_000, settings: {} },
  goals: [],
  funnels: [],
  segments: [],
  notes: [],
};
/** A page view, as an export writes it. */
const VIEW: Record<string, unknown> = {
  event_id: '00000000000000aa',
  time: TIME,
  day: DAY,
  visitor_id: '00000000000000bb',
  name: 'pageview',
  hostname: 'from.example',
  page: '/moved',
  visit_id: '204',
  visit_started: 1,
  bounces: 1,
};

function frameOf(table: string, columns: readonly string[], rows: readonly unknown[][]): string {
  return [JSON.stringify({ table, columns }), ...rows.map((row) => JSON.stringify(row))].join('\n');
}
const NO_VISIT = { visit_id: 0n, entry_page: '', import_id: '' };
const viewFrame = (more: Record<string, unknown> = {}) => {
  const row = { ...VIEW, ...more };
  return frameOf('events', Object.keys(row), [Object.values(row)]);
};

const vitalsFrame = (more: Record<string, unknown> = {}) => {
  const { name: _name, visit_started: _started, bounces: _bounces, ...same } = VIEW;
  const row = { ...same, event_id: '00000000000000ab', lcp: 1200, cls: null, ...more };
  return frameOf('vitals', Object.keys(row), [Object.values(row)]);
};

const errorFrame = (more: Record<string, unknown> = {}) => {
  const { name: _name, visit_started: _started, bounces: _bounces, ...same } = VIEW;
  const shape = { error_shape: '0123456789ab', error_kind: 'error', error_message: 'x is not a function' };
  const row = { ...same, event_id: '00000000000000ac', ...shape, error_file: '/app.js', error_line: 7, occurrences: 2 };
  return frameOf('errors', Object.keys({ ...row, ...more }), [Object.values({ ...row, ...more })]);
};

type Frame = string | Buffer;

/** A file of these frames, as the owner of the key could make it. */
async function fileOf(frames: readonly Frame[], recipient = key): Promise<Buffer> {
  const { keys, seal } = sealFor(recipient);
  const parts = [Buffer.from(SEALED_MARK), keys];
  for (const [index, plain] of frames.entries()) {
    const isLast = index === frames.length - 1;
    const frame = seal(typeof plain === 'string' ? await zip(plain) : plain, { index, isLast });
    const length = Buffer.alloc(4);
    length.writeUInt32BE((isLast ? LAST : 0) + frame.length);
    parts.push(length, frame);
  }
  return Buffer.concat(parts);
}

const whole = (...frames: Frame[]): Frame[] => [JSON.stringify(MANIFEST), ...frames, JSON.stringify(TRAILER)];

async function run(file: Buffer, more: object = {}): Promise<unknown> {
  const path = join(server.folder, `${serial}.sealed`);
  await writeFile(path, file);
  const asked = { files: [path], domain: site.domain, dryRun: false, ...more };
  return runOperation('import-files', server.app, asked, {
    now: server.clock.now,
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });
}

/** Nothing counts, and what has arrived is gone once the import is removed. */
async function expectNothing(): Promise<void> {
  const { importing, directory } = server.app.services;
  const { store } = server.app;
  const rows = await rowsOfSite(store, site.id);
  expect(Object.keys(rows).filter((table) => !/^(?:purged_|imported_sums)/.test(table))).toEqual([]);
  const left = await directory.db.selectFrom('imports').select('id').where('site_id', '=', site.id).execute();
  for (const { id } of left) await importing.remove({ siteId: site.id, id });
  expect(await rowsOfSite(store, site.id)).toEqual({});
}

test('manage import brings what a file holds, says it before, recognises it when it comes again, and leaves nothing when it is removed', async () => {
  await freshSite();
  const file = await fileOf(whole(viewFrame(), vitalsFrame(), errorFrame()));
  const said = { format: 'sealed', days: { from: DAY, to: DAY, count: 1 }, totals: { pageviews: 1, visitors: 1 } };
  expect(await run(file, { dryRun: true })).toMatchObject({ import: null, ...said });
  expect(await run(file)).toMatchObject({ import: expect.stringMatching(/^import_/) as unknown, ...said });
  expect(await rowsOfSite(server.app.store, site.id)).toMatchObject({ events: 1, vitals: 1, errors: 1 });
  await expect(run(file)).rejects.toThrow('this was imported before');
  const { importing, directory } = server.app.services;
  for (const { id } of await listImports(directory, site.id)) await importing.remove({ siteId: site.id, id });
  expect(await rowsOfSite(server.app.store, site.id)).toEqual({});
  await freshSite();
});

test('what an import brought is purged and put back like what was counted, and leaves also what a purge holds', async () => {
  await freshSite();
  const spam = { source: 'spam.example' };
  await run(await fileOf(whole(viewFrame(spam), vitalsFrame(spam), errorFrame(spam))));
  const { importing, purging, stats, directory } = server.app.services;
  const brought = await rowsOfSite(server.app.store, site.id);
  expect(brought).toMatchObject({ events: 1, vitals: 1, errors: 1 });
  const asked = { site_id: site.id, period: 'custom' as const, date_from: DAY, date_to: DAY, compare: 'none' as const };
  const filters = [{ dimension: 'source' as const, operator: 'is' as const, values: [spam.source] }];
  const purge = async () => {
    const rows = await stats.purgeable({ ...asked, filters }, site, server.clock.now);
    const { id } = await purging.purge({ siteId: site.id, name: 'Spam', definition: {}, rows });
    await server.app.runJob('finish-purges');
    expect(await rowsOfSite(server.app.store, site.id)).toEqual({
      purged_events: 1,
      purged_vitals: 1,
      purged_errors: 1,
    });
    return id;
  };
  await purging.undo({ siteId: site.id, id: await purge() });
  await server.app.runJob('finish-purges');
  expect(await rowsOfSite(server.app.store, site.id)).toEqual(brought);
  await purge();
  for (const { id } of await listImports(directory, site.id)) await importing.remove({ siteId: site.id, id });
  expect(await rowsOfSite(server.app.store, site.id)).toEqual({});
  await freshSite();
});

test('a day on which the site has recorded errors itself keeps these, and takes the visits of a file', async () => {
  await freshSite();
  const own = { ...makeError({ site_id: site.id, time: TIME, day: DAY }), ...NO_VISIT, error_message: 'own' };
  await server.app.store.insert({ events: [], ai_visits: [], errors: [own] }, `own${serial}`);
  await run(await fileOf(whole(viewFrame(), errorFrame())));
  const stored = 'SELECT error_message FROM errors WHERE site_id = {site:String}';
  expect(await server.app.store.query(stored, { site: site.id })).toEqual([{ error_message: 'own' }]);
  expect(await rowsOfSite(server.app.store, site.id)).toEqual({ events: 1, errors: 1 });
  await freshSite();
});

const BROKEN: [name: string, make: (file: Buffer) => Buffer, says: string][] = [
  ['cut in a frame', (file) => file.subarray(0, file.length - 40), 'is not complete'],
  [
    'cut after a frame',
    (file) => file.subarray(0, file.length - (4 + file.readUInt32BE(lastAt(file)) - LAST)),
    'is not complete',
  ],
  [
    'with a byte that changed',
    (file) => Buffer.from(file).fill(file[120] === 7 ? 8 : 7, 120, 121),
    'was damaged or changed',
  ],
  ['with another key at its head', (file) => Buffer.from(file).fill(9, 20, 24), 'was damaged or changed'],
  ['that claims a frame of a gigabyte', (file) => claim(file, 0x4000_0000), 'is damaged'],
];

/** Where the length of the last frame stands. */
function lastAt(file: Buffer): number {
  for (let at = SEALED_MARK.length + 64; ; at += 4 + file.readUInt32BE(at))
    if (file.readUInt32BE(at) >= LAST) return at;
}
function claim(file: Buffer, length: number): Buffer {
  const changed = Buffer.from(file);
  changed.writeUInt32BE(length, SEALED_MARK.length + 64);
  return changed;
}

describe('a sealed file', () => {
  test.each(BROKEN)('%s is refused', async (_name, make, says) => {
    await expect(run(make(await fileOf(whole(viewFrame()))))).rejects.toThrow(says);
    await expectNothing();
  });

  test('for another account is refused, also one of the same server', async () => {
    showsRefused('access to data of other accounts');
    const other = await server.addSite(`other${serial}.example`);
    const theirs = await receivingKey(server.app.services.directory, other.account_id, server.clock.now);
    await expect(run(await fileOf(whole(viewFrame()), theirs))).rejects.toThrow('sealed for another server or account');
    await expectNothing();
  });
});

const FORGED: [name: string, frame: () => Frame | Promise<Frame>][] = [
  ['no zstd', () => Buffer.from('plain text')],
  ['a bomb', async () => zip(Buffer.alloc(64_000_000))],
  ['no JSON', () => 'nothing'],
  ['another table', () => frameOf('salts', ['secret'], [['x']])],
  ['a row that is no list', () => `${frameOf('events', ['page'], [])}\n{"page":"/"}`],
  ['no id', () => viewFrame({ event_id: 'zz' })],
  ['a day that does not exist', () => viewFrame({ day: '2025-02-30' })],
  ['a day far from its time', () => viewFrame({ day: '2024-01-01' })],
  ['a time before the web', () => viewFrame({ time: 1, day: '1970-01-01' })],
  ['a number that is none', () => viewFrame({ visit_ms: 'many' })],
  ['a number below zero', () => viewFrame({ engaged_ms: -1 })],
  ['a number too large for its column', () => viewFrame({ scroll: 101 })],
  ['a measurement of an hour', () => vitalsFrame({ lcp: 3_600_000 })],
  ['a measurement below zero', () => vitalsFrame({ ttfb: -1 })],
  ['a measurement that is a text', () => vitalsFrame({ cls: '0.1' })],
  ['an error of no shape', () => errorFrame({ error_shape: '' })],
  ['an error of another kind', () => errorFrame({ error_kind: 'warning' })],
  ['an error without a message', () => errorFrame({ error_message: '' })],
  ['a message that is too long', () => errorFrame({ error_message: 'x'.repeat(201) })],
  ['a file whose path is too long', () => errorFrame({ error_file: `/${'é'.repeat(200)}` })],
  ['a line too large for its column', () => errorFrame({ error_line: 2 ** 31 })],
  ['an error that never happened', () => errorFrame({ occurrences: 0 })],
  ['a text of a megabyte', () => viewFrame({ page: `/${'x'.repeat(1_000_000)}` })],
  ['half a character', () => viewFrame({ page: '/\ud800' })],
  ['money in no currency', () => viewFrame({ amount: 'one', currency: 'EUR' })],
  ['a device that is none', () => viewFrame({ device: 'fridge' })],
  ['properties that are no texts', () => viewFrame({ props: { a: { b: 1 } } })],
  ['sums of no day', () => frameOf('sums', SEALED_SUMS, [['', 'x', '', 1, 1, 1, 1, 1, 1]])],
];

describe('a frame with the right key', () => {
  test.each(FORGED)('and %s is refused', async (_name, frame) => {
    await expect(run(await fileOf(whole(await frame())))).rejects.toThrow('was damaged or changed');
    await expectNothing();
  });

  test('and columns of another version is read: those that are unknown are left out, those that are missing are blank', async () => {
    await freshSite();
    const rows = { ...VIEW, column_of_tomorrow: 'x', constructor: 'y', __proto__: 'z' };
    await run(await fileOf(whole(frameOf('events', Object.keys(rows), [Object.values(rows)]))));
    const stored = 'SELECT page, source, toString(import_id) AS import_id FROM events WHERE site_id = {site:String}';
    const [row] = await server.app.store.query<Record<string, string>>(stored, { site: site.id });
    expect(row).toMatchObject({ page: '/moved', source: '', import_id: expect.stringMatching(/^import_/) as unknown });
  });

  test('and a day that is not over on this site brings nothing of it', async () => {
    await freshSite();
    const today = { time: server.clock.now - 1000, day: '2026-11-20' };
    await expect(run(await fileOf(whole(viewFrame(today))))).rejects.toThrow('no day that is not counted already');
    await expectNothing();
  });

  test('and none at all brings what people have set up', async () => {
    await freshSite();
    const goal = {
      id: 'goal_00000000000000000000000000',
      name: 'Thanks',
      definition: { kind: 'page', page: '/thanks' },
    };
    const frames = [JSON.stringify({ ...MANIFEST, days: [] }), JSON.stringify({ ...TRAILER, goals: [goal] })];
    const { directory, importing } = server.app.services;
    const said = (await run(await fileOf(frames))) as { import: string };
    expect(said).toMatchObject({ days: null, totals: { pageviews: 0, visitors: 0 } });
    expect((await goals.list(directory, { siteId: site.id })).map(({ name }) => name)).toEqual(['Thanks']);
    expect(await listImports(directory, site.id)).toMatchObject([
      { id: said.import, state: 'done', brought: undefined },
    ]);
    await importing.remove({ siteId: site.id, id: said.import });
    expect(await listImports(directory, site.id)).toEqual([]);
  });

  test('twice in a file counts once', async () => {
    await freshSite();
    await run(await fileOf(whole(viewFrame(), viewFrame())));
    expect(await rowsOfSite(server.app.store, site.id)).toMatchObject({ events: 1 });
  });

  test('and a trailer of nonsense sets nothing up', async () => {
    await freshSite();
    const given = {
      ...TRAILER,
      goals: [{ id: 'goal_0000000000000000', name: 'Bad', definition: { kind: 'page', page: 'no path' } }],
      funnels: [{ id: 'funnel_0000000000000000', name: 'Bad', definition: { steps: 'none' } }],
      segments: [{ id: 'segment_0000000000000000', name: 'Bad', definition: { constructor: 1 } }],
      notes: [{ day: DAY, text: '', is_private: false }],
      settings: { ...TRAILER.settings, timezone: 'Nowhere/At_All', currency: 'EURO', settings: { path_rules: 'x' } },
    };
    await run(await fileOf([JSON.stringify(MANIFEST), viewFrame(), JSON.stringify(given)]));
    const { db } = server.app.services.directory;
    for (const table of ['goals', 'funnels', 'segments', 'notes'] as const)
      expect([table, await db.selectFrom(table).select('id').where('site_id', '=', site.id).execute()]).toEqual([
        table,
        [],
      ]);
  });
});

test('every column of a row is known to be sealed', () => {
  expect(Object.keys(SEALED_COLUMNS.events)).toEqual(expect.arrayContaining(Object.keys(VIEW)));
});
