// Alerts while the clock of the server is wrong: a week ahead, and set back.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addMentions } from '../../server/integrations/mentions/stored.ts';
import { goals } from '../../server/sites/definitions/goals.ts';
import { MAX_TOLD_PER_HOUR } from '../../server/vocabulary/settings/alerts.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { alertWorld, at, crowd, usualDays } from '../setup/notifications/alerts.ts';
import { FORMS, testDirectory } from '../setup/directory.ts';
import { type TestStore, testStore } from '../setup/store.ts';

const WEEK = 7 * DAY_MS;

let store: TestStore;
beforeAll(async () => {
  store = await testStore();
});
afterAll(() => store[Symbol.asyncDispose]());

test.each(FORMS)(
  'a clock that jumps a week and back raises no alarm, and hides none afterwards, in %s',
  async (form) => {
    await using directory = await testDirectory(form);
    const own = await alertWorld(directory, store);
    for (const kind of ['spike', 'drop', 'silent']) await own.make({ kind });
    await directory.db
      .updateTable('sites')
      .set({ last_event_at: at(8) })
      .execute();
    await own.store(usualDays(own.siteId));
    for (let hour = 8; hour < 10; hour += 0.2) await own.run(at(hour));
    for (let hour = 10; hour < 12; hour += 0.2) await own.run(at(hour) + WEEK); // a drop, if the hours had not been missed
    expect(await own.mails()).toEqual([]);
    await own.store([10, 11].flatMap((hour) => crowd(own, 40, at(hour))));
    for (let hour = 10; hour < 12; hour += 0.2) await own.run(at(hour));
    await own.store(crowd(own, 400, at(12)));
    for (const minutes of [6, 11, 16]) await own.run(at(12, minutes));
    expect(await own.mails()).toEqual([
      'Traffic spike on example.com | Since 12:00 on 20 Nov 2026: 400 visitors instead of about 40. | ada@example.com',
    ]);
  },
);

test.each(FORMS)(
  'an incident of a clock that was ahead does not keep the next one from being told, in %s',
  async (form) => {
    await using directory = await testDirectory(form);
    const own = await alertWorld(directory, store);
    await own.make({ kind: 'drop' });
    await own.store(usualDays(own.siteId));
    await own.run(at(8));
    for (let hour = 8; hour < 11.3; hour += 0.2) await own.run(at(hour + 3));
    expect(await own.mails()).toHaveLength(1); // so it seems three hours ahead
    for (let hour = 8.1; hour < 12.3; hour += 0.2) await own.run(at(hour));
    const told =
      'Traffic drop on example.com | Since 10:00 on 20 Nov 2026: no visitors instead of about 40. | ada@example.com';
    expect((await own.mails()).filter((mail) => mail === told)).toHaveLength(1);
    expect(await own.mails()).toHaveLength(2);
  },
);

test.each(FORMS)('goals and mentions are told once, whatever the clock does, in %s', async (form) => {
  await using directory = await testDirectory(form);
  const own = await alertWorld(directory, store);
  const { siteId } = own;
  const signup = { kind: 'event', event: 'signup', props: {} } as const;
  const { id: goal_id } = await goals.create(directory, { siteId, name: 'Signed up', definition: signup }, at(8));
  await own.make({ kind: 'goal', goal_id });
  await own.make({ kind: 'mention' });
  const titles = async () => (await own.mails()).map((mail) => mail.split(' | ')[0]);
  const find = (threads: readonly string[], now: number) => {
    const found = threads.map((thread) => ({ thread, title: thread, url: 'https://a.example/', postedAt: now }));
    const scored = found.map((one) => ({ ...one, points: 1, comments: 0, said: '' }));
    return addMentions(directory.db, { siteId, place: 'reddit', found: scored }, now);
  };
  await own.store(crowd(own, 2, at(8, 1), { name: 'signup' }));
  await own.run(at(8, 2));
  const told = ['The goal “Signed up” was reached 2 times on example.com'];
  expect(await titles()).toEqual(told);
  // Ahead: as many mentions as are told in an hour.
  const many = Array.from({ length: MAX_TOLD_PER_HOUR }, (_, index) => `Thread ${index}`);
  await find(many, at(8) + WEEK);
  for (const minutes of [3, 4]) await own.run(at(8, minutes) + WEEK);
  told.push(`${MAX_TOLD_PER_HOUR} alerts on example.com`);
  expect((await titles()).toSorted()).toEqual(told.toSorted());
  // Back: nothing is told again, and what comes now is told now.
  for (const minutes of [5, 6]) await own.run(at(8, minutes));
  expect(await titles()).toHaveLength(2);
  await own.store(crowd(own, 1, at(8, 7), { name: 'signup' }));
  await find(['Today'], at(8, 7));
  for (const minutes of [8, 9]) await own.run(at(8, minutes));
  told.push('The goal “Signed up” was reached on example.com', 'example.com is mentioned: “Today”');
  expect((await titles()).toSorted()).toEqual(told.toSorted());
});
