// Alerts about errors from end to end: those of too many visits, and those that came after a release.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { previewAlert } from '../../server/notifications/alerts/preview.ts';
import { alertContent } from '../../server/notifications/alerts/rules.ts';
import type { Directory } from '../../server/directory/open.ts';
import { createNote } from '../../server/sites/definitions/notes.ts';
import { siteById } from '../../server/sites/sites.ts';
import { MAX_TOLD_PER_HOUR } from '../../server/vocabulary/settings/alerts.ts';
import { wordsOf } from '../../server/vocabulary/settings/alert-words.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import type { NoteKind } from '../../server/vocabulary/settings/notes.ts';
import { FORMS, testDirectory } from '../setup/directory.ts';
import { makeError } from '../setup/event.ts';
import { alertWorld, at, crowd, DAY } from '../setup/notifications/alerts.ts';
import { type TestStore, testStore } from '../setup/store.ts';

let store: TestStore;
beforeAll(async () => {
  store = await testStore();
});
afterAll(() => store[Symbol.asyncDispose]());

async function world(directory: Directory) {
  const own = await alertWorld(directory, store);
  let visits = 1_000_000;
  /** An error with this message in so many visits, each with a page view. */
  const fail = async (message: string, count: number, time: number) => {
    const errors = Array.from({ length: count }, (_, index) => ({
      ...makeError({ site_id: own.siteId, time: time + index, visitor: `e${visits}`, error_message: message }),
      error_shape: Buffer.from(message.padEnd(6)).toString('hex').slice(0, 12),
      visit_id: BigInt((visits += 1)),
      entry_page: '/',
      import_id: '',
    }));
    await own.store([], [], { errors });
  };
  const note = (text: string, day: string, kind: NoteKind = 'release') =>
    createNote(directory, { siteId: own.siteId, content: { day, text, is_private: false, kind } }, own.clock.now);
  const titles = async () => (await own.mails()).map((mail) => mail.split(' | ')[0]);
  const times = async (content: object, now: number) => {
    const site = await siteById(directory, own.siteId);
    if (!site) throw new Error('no site');
    return (await previewAlert(own.parts, { site, content: alertContent.parse({ timezone: 'UTC', ...content }) }, now))
      .times;
  };
  return { ...own, fail, note, titles, times };
}

describe.each(FORMS)('alerts about errors in %s', (form) => {
  test('the share of visits is told once above the limit, and once below it', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    await own.make({ kind: 'errors', hours: 1, least: 50 });
    await own.store(crowd(own, 100, at(9)));
    await own.fail('a', 2, at(9, 1));
    await own.run(at(9, 5));
    expect(await own.mails()).toEqual([]); // at the limit
    await own.fail('b', 1, at(9, 6));
    for (const minutes of [10, 15]) await own.run(at(9, minutes));
    const begun =
      'More than 2% of visits on example.com have errors | At 09:10 on 20 Nov 2026, 3% of 100 visits in the last hour had an error. | ada@example.com';
    expect(await own.mails()).toEqual([begun]);
    await own.store(crowd(own, 100, at(9, 20)));
    for (const minutes of [25, 30]) await own.run(at(9, minutes));
    expect(await own.mails()).toEqual([
      begun,
      'Less than 2% of visits on example.com have errors again | At 09:25 on 20 Nov 2026, 1.5% of 200 visits in the last hour had an error. It was more than 2% for 15 minutes, at most 3%. | ada@example.com',
    ]);
    expect([
      await own.times({ kind: 'errors', hours: 1, least: 50 }, at(12)),
      await own.times({ kind: 'errors', hours: 1, least: 50, above: 1 }, at(12)),
      await own.times({ kind: 'errors', hours: 1, least: 300, above: 1 }, at(12)),
    ]).toEqual([0, 1, 0]);
  });

  test('an error is told once if it is new, came after a release, and three visits had it', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    await own.make({ kind: 'new_error' }, at(0));
    await own.fail('old', 9, DAY - 3 * DAY_MS);
    await own.fail('before any release', 3, at(8, 1));
    await own.run(at(8, 5));
    expect(await own.mails()).toEqual([]);
    await own.note('Release 2.3', '2026-11-01');
    await own.note('Release 2.4', '2026-11-20');
    await own.note('A sale begins', '2026-11-20', 'note');
    await own.note('Release 2.5', '2026-11-21');
    await directory.db.deleteFrom('incidents').execute();
    await own.fail('old', 9, at(8, 6));
    await own.fail('rare', 2, at(8, 6));
    for (const minutes of [10, 15]) await own.run(at(8, minutes));
    const first =
      'A new error on example.com: before any release | It was first seen in /app.js at 08:01 on 20 Nov 2026, and 3 visits had it so far. The last release before it is “Release 2.4”. | ada@example.com';
    expect(await own.mails()).toEqual([first]);
    await own.fail('rare', 1, at(8, 16));
    for (const minutes of [20, 25]) await own.run(at(8, minutes));
    expect((await own.titles()).slice(1)).toEqual(['A new error on example.com: rare']);
    for (let number = 0; number <= MAX_TOLD_PER_HOUR; number += 1) await own.fail(`n${number}`, 3, at(9, 20));
    await own.run(at(9, 30));
    expect((await own.titles()).slice(2)).toEqual([`${MAX_TOLD_PER_HOUR} alerts on example.com`]);
    await own.run(at(10, 31));
    expect((await own.titles()).slice(3)).toHaveLength(1);
    expect(await own.times({ kind: 'new_error' }, at(12))).toBe(MAX_TOLD_PER_HOUR + 3);
  });

  test('a site that has just begun to record errors has no new ones', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    await own.make({ kind: 'new_error' });
    await own.note('Release 1', '2026-11-01');
    await own.fail('always there', 50, at(9));
    await own.run(at(9, 5));
    expect(await own.mails()).toEqual([]);
    await own.fail('new', 3, at(9 + 25));
    await own.run(at(9 + 25, 5));
    expect(await own.titles()).toEqual(['A new error on example.com: new']);
  });
});

test('messages and files of strangers stay text, and a limit is a share', () => {
  const facts = { name: '<b>', file: '/<i>', note: '<u>', visits: 3 };
  const { title, lines } = wordsOf(
    { kind: 'new_error', started_at: 0, ended_at: 0, facts },
    { domain: 'example.com', zone: 'UTC', show: (text) => `${text}, cleaned` },
  );
  const said = [title, ...lines].join(' ');
  for (const text of ['example.com', '<b>', '/<i>', '<u>']) expect(said).toContain(`${text}, cleaned`);
  const isFine = (above: number) => alertContent.safeParse({ timezone: 'UTC', kind: 'errors', above }).success;
  expect([isFine(0.1), isFine(100), isFine(100.1), isFine(0)]).toEqual([true, true, false, false]);
});
