// Alerts about what is counted, from end to end: goals, payments and first mentions become incidents, and incidents become mails, each once.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listIncidents } from '../../server/notifications/alerts/incidents.ts';
import type { Directory } from '../../server/directory/open.ts';
import { addMentions } from '../../server/integrations/mentions/stored.ts';
import { goals } from '../../server/sites/definitions/goals.ts';
import { proposeCurrency } from '../../server/sites/currency.ts';
import { configureSite } from '../../server/sites/sites.ts';
import type { Event } from '../../server/vocabulary/event.ts';
import { MAX_TOLD_PER_HOUR } from '../../server/vocabulary/settings/alerts.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { FORMS, testDirectory } from '../setup/directory.ts';
import { hexId } from '../setup/event.ts';
import { type TestStore, testStore } from '../setup/store.ts';
import { alertWorld, at, crowd } from '../setup/notifications/alerts.ts';

let store: TestStore;
beforeAll(async () => {
  store = await testStore();
});
afterAll(() => store[Symbol.asyncDispose]());

const world = (directory: Directory) => alertWorld(directory, store);

describe.each(FORMS)('alerts about what is counted in %s', (form) => {
  test('a goal and payments are told with their number, late ones included, and too many as one sum', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    const { siteId } = own;
    const signup = { kind: 'event', event: 'signup', props: {} } as const;
    const goal = await goals.create(directory, { siteId, name: 'Signed up', definition: signup }, own.clock.now);
    await own.make({ kind: 'goal', goal_id: goal.id });
    await own.make({ kind: 'goal', goal_id: goal.id, telling: 'first_of_day' });
    await own.make({ kind: 'payment' });
    await directory.db.updateTable('sites').set({ currency: 'EUR' }).execute();
    const signups = (count: number, time: number) => crowd(own, count, time, { name: 'signup' });
    await own.store([...signups(5, at(7)), ...crowd(own, 3, at(8, 1))]); // from before the alert, and of another kind
    await own.run(at(8, 2));
    expect(await own.mails()).toEqual([]);
    await own.store([
      ...signups(1, at(8, 2)),
      ...crowd(own, 1, at(8, 2), { name: 'buy', amount: '42.5', currency: 'EUR' }),
    ]);
    await own.run(at(8, 3));
    expect((await own.mails()).toSorted()).toEqual([
      'A payment of €42.50 on example.com | Recorded between 08:00 on 20 Nov 2026 and 08:03 on 20 Nov 2026. | ada@example.com',
      'The goal “Signed up” was reached on example.com | Recorded 08:03 on 20 Nov 2026. | ada@example.com',
      'The goal “Signed up” was reached on example.com | Recorded between 08:00 on 20 Nov 2026 and 08:03 on 20 Nov 2026. | ada@example.com',
    ]);
    await own.store(signups(2, at(8, 1))); // late
    await own.store(crowd(own, 2, at(8, 4), { name: 'buy', amount: '10', currency: 'EUR' }));
    await own.run(at(8, 5));
    await own.run(at(8, 6));
    expect(
      (await own.mails())
        .slice(3)
        .map((mail) => mail.split(' | ')[0])
        .toSorted(),
    ).toEqual(['2 payments on example.com, €20 in all', 'The goal “Signed up” was reached 2 times on example.com']);

    for (let minute = 10; minute < 40; minute++) {
      await own.store(signups(1, at(8, minute)));
      await own.run(at(8, minute + 1));
    }
    const ofGoal = async () =>
      (await own.mails()).filter((mail) => mail.includes('goal')).map((mail) => mail.split(' | ')[0]);
    const one = 'The goal “Signed up” was reached on example.com';
    expect((await ofGoal()).slice(3)).toEqual(new Array(MAX_TOLD_PER_HOUR - 2).fill(one));
    await own.run(at(9, 30));
    expect((await ofGoal()).slice(1 + MAX_TOLD_PER_HOUR)).toEqual([
      'The goal “Signed up” was reached 22 times on example.com',
    ]);
    // Two days later the window has moved on, and a week later too: nothing is told twice, and the next day has its first.
    await own.run(at(9 + 49));
    await own.run(at(9 + 24 * 7));
    await own.store(signups(1, at(9 + 24 * 7)));
    await own.run(at(9 + 24 * 7, 1));
    expect((await ofGoal()).slice(2 + MAX_TOLD_PER_HOUR)).toEqual([one, one]);
  });

  test('payments wait for the currency that the first one proposes, and lose nothing when the owner accepts it', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    const { siteId } = own;
    await own.make({ kind: 'payment' });
    const paid = (amount: string, time: number) => crowd(own, 1, time, { name: 'buy', amount, currency: 'EUR' });
    await own.store(paid('42.5', at(8, 1)));
    await own.run(at(8, 2)); // its proposal is still on its way
    expect(await own.mails()).toEqual([]);
    await proposeCurrency(directory, { site_id: siteId, currency: 'EUR' });
    await own.run(at(8, 3));
    await own.store(paid('10', at(8, 3)));
    await configureSite(directory, { siteId, currency: 'EUR' }, at(8, 3) + 1);
    await own.run(at(8, 4));
    const titles = async () => (await own.mails()).map((mail) => mail.split(' | ')[0]);
    expect(await titles()).toEqual(['A payment of €42.50 on example.com', 'A payment of €10 on example.com']);
    await configureSite(directory, { siteId, currency: 'USD' }, at(8, 5)); // other payments from now on
    await own.run(at(8, 6));
    expect(await titles()).toHaveLength(2);
  });

  test('a goal or a limit of payments that changes counts from then on', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    const { siteId } = own;
    const event = (name: string) => ({ kind: 'event', event: name, props: {} }) as const;
    const goal = await goals.create(directory, { siteId, name: 'Signed up', definition: event('signup') }, at(8));
    await own.make({ kind: 'goal', goal_id: goal.id });
    await own.make({ kind: 'payment' });
    await configureSite(directory, { siteId, currency: 'EUR', max_amount: 100 }, at(8));
    const paid = (amount: string, time: number) => crowd(own, 1, time, { name: 'buy', amount, currency: 'EUR' });
    await own.store([...crowd(own, 5, at(8, 1), { name: 'login' }), ...paid('500', at(8, 1))]);
    await own.run(at(8, 2));
    expect(await own.mails()).toEqual([]);
    await goals.update(directory, { siteId, id: goal.id, name: 'Logged in', definition: event('login') }, at(8, 3));
    await configureSite(directory, { siteId, max_amount: 1000 }, at(8, 3));
    await own.run(at(8, 4));
    expect(await own.mails()).toEqual([]);
    await own.store([...crowd(own, 1, at(8, 5), { name: 'login' }), ...paid('600', at(8, 5))]);
    // A new name alone loses nothing.
    await goals.update(directory, { siteId, id: goal.id, name: 'Came', definition: event('login') }, at(8, 6));
    await own.run(at(8, 7));
    expect((await own.mails()).map((mail) => mail.split(' | ')[0]).toSorted()).toEqual([
      'A payment of €600 on example.com',
      'The goal “Came” was reached on example.com',
    ]);
  });

  test('a conversion is told also when a purge has lowered the count to one that was told before', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    const { siteId } = own;
    const signup = { kind: 'event', event: 'signup', props: {} } as const;
    const goal = await goals.create(directory, { siteId, name: 'Signed up', definition: signup }, at(8));
    await own.make({ kind: 'goal', goal_id: goal.id });
    const told = async (minute: number, given: object = {}) => {
      await own.store(crowd(own, 1, at(8, minute), { name: 'signup', ...given }));
      await own.run(at(8, minute + 1));
      return (await own.mails()).length;
    };
    expect([await told(1), await told(3, { source: 'spam.example' })]).toEqual([1, 2]);
    const purge = { site_id: siteId, purge: 'purge_1' };
    const where = "site_id = {site_id:String} AND source = 'spam.example'";
    await store.purged.choose({ ...purge, table: 'events', where, bound: {} });
    await store.purged.takeOut(purge);
    await own.run(at(8, 5));
    expect([await told(6), await told(8)]).toEqual([3, 4]);
    expect(new Set((await own.mails()).map((mail) => mail.split(' | ')[0]))).toEqual(
      new Set(['The goal “Signed up” was reached on example.com']),
    );
  });

  test('an amount that a server corrects after it was told changes no later one', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    const { siteId } = own;
    await own.make({ kind: 'payment' });
    await configureSite(directory, { siteId, currency: 'EUR' }, at(8));
    const paid = (amount: string, time: number, given: object = {}) =>
      crowd(own, 1, time, { name: 'buy', amount, currency: 'EUR', ...given });
    const order = { order_id: hexId(1001) as Event['order_id'] };
    const claimed = paid('100', at(8, 1), order);
    await own.store(claimed);
    await own.run(at(8, 2));
    await own.store(paid('80', at(8, 3), { ...order, confirmed: true }));
    await store.supersede(claimed.map(({ event_id, time }) => ({ site_id: siteId, event_id, time, replaced: true })));
    await own.run(at(8, 4));
    await own.store(paid('50', at(8, 5)));
    await own.run(at(8, 6));
    expect((await own.mails()).map((mail) => mail.split(' | ')[0])).toEqual([
      'A payment of €100 on example.com',
      'A payment of €50 on example.com',
    ]);
  });

  test('the first conversion of a day is told after quiet hours that reach into the next day', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    const { siteId } = own;
    const signup = { kind: 'event', event: 'signup', props: {} } as const;
    const goal = await goals.create(directory, { siteId, name: 'Signed up', definition: signup }, at(8));
    await own.make({ kind: 'goal', goal_id: goal.id, telling: 'first_of_day', quiet: { from: 22, to: 7 } });
    await own.store(crowd(own, 1, at(22, 30), { name: 'signup' }));
    for (const minutes of [31, 32, 119, 121]) await own.run(at(22, minutes));
    expect(await own.mails()).toEqual([]);
    await own.run(at(24 + 7));
    const subject = 'The goal “Signed up” was reached on example.com';
    const of = (when: string) => `${subject} | Recorded ${when}. | ada@example.com`;
    expect(await own.mails()).toEqual([of('22:31 on 20 Nov 2026')]);
    await own.store(crowd(own, 2, at(24 + 8), { name: 'signup' }));
    for (const minutes of [1, 2]) await own.run(at(24 + 8, minutes));
    expect((await own.mails()).map((mail) => mail.split(' | ')[0])).toEqual([
      subject,
      'The goal “Signed up” was reached 2 times on example.com',
    ]);
  });

  test('a first mention is told once, without old threads, and at most ten an hour', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    await own.make({ kind: 'mention' });
    const find = (threads: Record<string, number>, found: number) =>
      addMentions(
        directory.db,
        {
          siteId: own.siteId,
          place: 'hacker_news',
          found: Object.entries(threads).map(([title, postedAt]) => ({
            thread: title,
            title,
            postedAt,
            points: 1,
            comments: 0,
            said: '',
            url: 'https://news.ycombinator.com/item?id=1',
          })),
        },
        found,
      );
    await find({ 'Show HN: Example': at(7), 'Years ago': at(8) - 3 * DAY_MS }, at(8, 1));
    for (const minutes of [1, 2, 32]) await own.run(at(8, minutes));
    expect(await own.mails()).toEqual([
      'example.com is mentioned: “Show HN: Example” | Hacker News, posted 07:00 on 20 Nov 2026. The dashboard has the link. | ada@example.com',
    ]);
    await find(Object.fromEntries(Array.from({ length: 15 }, (_, id) => [`Thread ${id}`, at(8)])), at(8, 40));
    for (const minutes of [41, 42]) await own.run(at(8, minutes));
    const subjects = async () => (await own.mails()).map((mail) => mail.split(' | ')[0]);
    expect((await subjects()).slice(1)).toEqual([`${MAX_TOLD_PER_HOUR - 1} alerts on example.com`]);
    await own.run(at(9, 50));
    expect((await subjects()).slice(2)).toEqual([`${15 - (MAX_TOLD_PER_HOUR - 1)} alerts on example.com`]);
    const [latest] = await listIncidents(directory, { siteId: own.siteId, isLimited: false });
    expect(latest).toMatchObject({ kind: 'mention', facts: { place: 'hacker_news' } });
  });
});
