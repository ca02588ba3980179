// Notes on days: what they may hold, who sees them, and that they go with their site.
import { describe, expect, test } from 'vitest';
import { createAccount } from '../../server/accounts/accounts.ts';
import { openDirectory } from '../../server/directory/open.ts';
import type { Tables } from '../../server/directory/schema.ts';
import { Refusal } from '../../server/errors.ts';
import type { SiteId } from '../../server/vocabulary/event.ts';
import { changeNote, createNote, deleteNote, listNotes, noteContent } from '../../server/sites/definitions/notes.ts';
import { createSite, deleteSite } from '../../server/sites/sites.ts';
import { MAX_NOTE, MAX_NOTES } from '../../server/vocabulary/settings/notes.ts';
import { PASSWORD } from '../setup/app.ts';
import { NOON } from '../setup/clock.ts';
import { directoryPlace, FORMS, testDirectory } from '../setup/directory.ts';

test('a note has 1 to 140 visible characters, and a day that exists', () => {
  const day = '2026-02-28';
  const read = (sent: object) => noteContent.safeParse({ day, text: 'x', ...sent });
  expect(read({ text: ' <script>“a”\u0000\u202e\n ' }).data).toEqual({
    day,
    text: '<script>“a”',
    is_private: false,
    kind: 'note',
  });
  expect(read({ text: 'x'.repeat(MAX_NOTE) }).success).toBe(true);
  for (const text of ['', ' \u200b\n', 'x'.repeat(MAX_NOTE + 1), 7])
    expect(read({ text }).error?.issues[0]?.message).toContain('1 to 140 characters');
  for (const wrong of ['2026-02-29', '2026-2-1', '', 'today', '2026-02-28T00:00'])
    expect(read({ day: wrong }).success, wrong).toBe(false);
  for (const kind of ['Release', '', '__proto__', null])
    expect(read({ kind }).error?.issues[0]?.message, String(kind)).toBe('must be note or release');
});

describe.each(FORMS)('notes in %s', (form) => {
  test('are listed by day, changed and deleted, and go with their site', async () => {
    await using directory = await testDirectory(form);
    const { account } = await createAccount(directory, { email: 'o@example.com', password: PASSWORD }, NOON);
    const [{ id: siteId }, { id: otherId }] = [
      await createSite(directory, { accountId: account.id, domain: 'example.com' }, NOON),
      await createSite(directory, { accountId: account.id, domain: 'other.example' }, NOON),
    ];
    const make = (day: string, text: string, is_private = false) =>
      createNote(directory, { siteId, content: { day, text, is_private, kind: 'note' } }, NOON);
    const listed = async (of: SiteId, isShared = false) =>
      (await listNotes(directory, { siteId: of, isShared })).map(({ day, text }) => `${day} ${text}`);
    const missing = (act: Promise<unknown>) => expect(act).rejects.toThrow('There is no such note on this site.');

    const older = await make('2026-11-01', 'older');
    const hidden = await make('2026-11-20', 'hidden', true);
    expect(await listed(siteId)).toEqual(['2026-11-20 hidden', '2026-11-01 older']);
    expect(await listed(siteId, true)).toEqual(['2026-11-01 older']);
    expect(await listed(otherId)).toEqual([]);

    const content = { day: '2026-11-21', text: 'newer', is_private: false, kind: 'release' as const };
    for (const id of [hidden.id, 'note_0', "' OR 1=1 --"]) {
      await missing(changeNote(directory, { siteId: otherId, id, content }));
      await missing(deleteNote(directory, { siteId: otherId, id }));
    }
    await changeNote(directory, { siteId, id: hidden.id, content });
    expect(await listed(siteId, true)).toEqual(['2026-11-21 newer', '2026-11-01 older']);
    const releases = await listNotes(directory, { siteId, isShared: false, kind: 'release' });
    expect(releases).toEqual([{ id: hidden.id, ...content }]);
    await deleteNote(directory, { siteId, id: older.id });
    expect(await listed(siteId)).toEqual(['2026-11-21 newer']);

    const row = {
      site_id: siteId,
      day: '2026-11-01',
      text: 'x',
      is_private: 0 as const,
      created_at: NOON,
      kind: 'note' as const,
    };
    const rows = Array.from({ length: MAX_NOTES - 1 }, (_, n) => ({ ...row, id: `note_${n}` }));
    await directory.db.insertInto('notes').values(rows).execute();
    const tooMany = await make('2026-11-02', 'one more').catch((error: unknown) => error);
    expect(tooMany).toBeInstanceOf(Refusal);
    expect(String(tooMany)).toContain(`${MAX_NOTES} notes`);
    await deleteSite(directory, { siteId }, NOON);
    expect(await directory.db.selectFrom('notes').selectAll().execute()).toEqual([]);
  });

  test('from before there were kinds stay releases, as all were taken for one', async () => {
    await using place = await directoryPlace(form);
    const earlier = await openDirectory({ ...place, upTo: '004_habits' });
    const { account } = await createAccount(earlier, { email: 'o@example.com', password: PASSWORD }, NOON);
    const { id: siteId } = await createSite(earlier, { accountId: account.id, domain: 'example.com' }, NOON);
    const row = {
      id: 'note_1',
      site_id: siteId,
      day: '2026-11-01',
      text: 'x',
      is_private: 0 as const,
      created_at: NOON,
    };
    await earlier.db
      .insertInto('notes')
      .values(row as Tables['notes'])
      .execute();
    await earlier.close();
    const directory = await openDirectory(place);
    expect(await listNotes(directory, { siteId, isShared: false })).toEqual([
      { id: 'note_1', day: '2026-11-01', text: 'x', is_private: false, kind: 'release' },
    ]);
    await directory.close();
  });
});
