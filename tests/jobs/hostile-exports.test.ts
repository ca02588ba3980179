/** @module-tag fault */
// Exports that meet a full disk, long texts, lost files and people who have left.
import { openAsBlob } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askExport } from '../../server/accounts/exports.ts';
import { receivingKey } from '../../server/directory/sealing.ts';
import { openEntries, writeZip } from '../../server/jobs/exporting/open-form.ts';
import { sealedSites, writeSealed } from '../../server/jobs/exporting/sealed-form.ts';
import { createNote } from '../../server/sites/definitions/notes.ts';
import type { Site } from '../../server/sites/sites.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { MAX_NOTE } from '../../server/vocabulary/settings/notes.ts';
import { makeWorld } from '../setup/accounts/callers.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { makeEvent } from '../setup/event.ts';
import { tempFolder } from '../setup/folder.ts';
import { unzip } from '../setup/imports.ts';

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
    const content = { day: '2026-11-01', text: 'é'.repeat(MAX_NOTE), is_private: false };
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
