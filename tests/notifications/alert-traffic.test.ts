// Alerts about traffic from end to end: spikes, drops, silence and new AI agents become incidents, and incidents become mails, each once.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listIncidents } from '../../server/notifications/alerts/incidents.ts';
import type { Directory } from '../../server/directory/open.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { FORMS, testDirectory } from '../setup/directory.ts';
import { makeAiVisit } from '../setup/event.ts';
import { type TestStore, testStore } from '../setup/store.ts';
import { alertWorld, at, crowd, DAY, usualDays } from '../setup/notifications/alerts.ts';

let store: TestStore;
beforeAll(async () => {
  store = await testStore();
});
afterAll(() => store[Symbol.asyncDispose]());

const world = (directory: Directory) => alertWorld(directory, store);

describe.each(FORMS)('alerts about traffic in %s', (form) => {
  test('a spike is told within the hour, once, with its cause, and then its end', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    const id = 'wh_0';
    const webhook = {
      id,
      account_id: own.account.id,
      name: 'ops',
      format: 'slack',
      host: 'x.example',
      url: '',
    } as const;
    const never = { secret: null, previous_secret: null, rotated_at: null, disabled_at: null };
    await directory.db
      .insertInto('webhooks')
      .values({ ...webhook, ...never, next_at: 0, created_at: at(8) })
      .execute();
    await own.make({ kind: 'spike', emails: ['Bob@Example.com', 'ada@example.com'], webhooks: [id] });
    await own.make({ kind: 'drop' });
    await own.store(usualDays(own.siteId));
    for (let hour = 8; hour < 12; hour++) {
      if (hour >= 10) await own.store(crowd(own, 40, at(hour)));
      for (const minutes of [0, 10, 20, 30, 40, 50]) await own.run(at(hour, minutes));
    }
    for (const minutes of [0, 6]) await own.run(at(12, minutes));
    expect(await own.mails()).toEqual([]);
    await own.store(crowd(own, 150, at(12, 7), { source: 'Hacker News', channel: 'Organic Social' }));
    await own.run(at(12, 11));
    const told = [
      'Traffic spike on example.com | Since 12:00 on 20 Nov 2026: 150 visitors instead of about 40. Mostly more from Hacker News. | ada@example.com',
      'Traffic spike on example.com | Since 12:00 on 20 Nov 2026: 150 visitors instead of about 40. Mostly more from Hacker News. | bob@example.com',
    ];
    expect((await own.mails()).toSorted()).toEqual(told);
    own.restart();
    await own.store(crowd(own, 160, at(13)));
    for (const hour of [12.3, 13.2, 14.2, 15.2]) await own.run(at(hour));
    expect(await own.mails()).toHaveLength(2);
    for (const hour of [16.2, 16.3, 17.2]) await own.run(at(hour));
    const over =
      'The traffic spike on example.com is over | Over since 14:00 on 20 Nov 2026. It lasted 2 hours: 310 visitors instead of about 80. Somebody who stays for several hours counts in each of them. Mostly more from Hacker News.';
    expect((await own.mails()).slice(2).toSorted()).toEqual([`${over} | ada@example.com`, `${over} | bob@example.com`]);
    expect(own.sent).toMatchObject([
      {
        webhookIds: [id],
        message: { type: 'alert.started', title: 'Traffic spike on example.com', path: '/example.com' },
      },
      {
        webhookIds: [id],
        siteId: own.siteId,
        message: {
          type: 'alert.ended',
          data: { kind: 'spike', incidents: [{ value: 310, ended_at: '2026-11-20T14:00:00.000Z' }] },
        },
      },
    ]);
    expect(await listIncidents(directory, { siteId: own.siteId, isLimited: false })).toMatchObject([
      { kind: 'spike', started_at: at(12), ended_at: at(14), facts: { value: 310, expected: 80 } },
    ]);
  });

  test('a spike after a larger one a week before is told without that week’s source', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    await own.make({ kind: 'spike' });
    await own.store([
      ...usualDays(own.siteId),
      ...crowd(own, 400, at(12) - 7 * DAY_MS, { source: 'Reddit', channel: 'Organic Social' }),
    ]);
    for (let hour = 8; hour < 12; hour++) {
      if (hour >= 10) await own.store(crowd(own, 40, at(hour)));
      for (const minutes of [0, 10, 20, 30, 40, 50]) await own.run(at(hour, minutes));
    }
    for (const minutes of [0, 6]) await own.run(at(12, minutes));
    await own.store(crowd(own, 150, at(12, 7)));
    await own.run(at(12, 11));
    expect(await own.mails()).toEqual([
      'Traffic spike on example.com | Since 12:00 on 20 Nov 2026: 150 visitors instead of about 40. | ada@example.com',
    ]);
  });

  test('an outage is a drop, unless the server was down, the queue is behind, or the site is paused', async () => {
    await using directory = await testDirectory(form);
    const { db } = directory;
    const own = await world(directory);
    await own.make({ kind: 'drop' });
    await own.store(usualDays(own.siteId));
    for (let hour = 8; hour < 11; hour += 0.2) await own.run(at(hour));
    own.queue.oldestAt = at(10, 30);
    await own.run(at(11, 10));
    expect(await own.mails()).toEqual([]);
    own.queue.oldestAt = undefined;
    await own.run(at(11, 15));
    expect(await own.mails()).toEqual([
      'Traffic drop on example.com | Since 10:00 on 20 Nov 2026: no visitors instead of about 40. | ada@example.com',
    ]);

    for (const cause of ['down', 'paused']) {
      await db.deleteFrom('mails').execute();
      await db.deleteFrom('incidents').execute();
      await db
        .updateTable('alerts')
        .set({ watched_since: at(8) })
        .execute();
      own.restart();
      if (cause === 'paused') await db.updateTable('sites').set({ paused: 1 }).execute();
      await own.run(cause === 'down' ? at(11, 45) : at(12, 20)); // more than 15 minutes after the last run, and less
      await db.updateTable('sites').set({ paused: 0 }).execute();
      for (const minutes of [50, 55]) await own.run(at(cause === 'down' ? 11 : 12, minutes));
      if (cause === 'paused') await own.run(at(13, 6));
      expect(await own.mails(), cause).toEqual([]);
    }
  });

  test('silence and a new AI agent are told once', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    const { siteId } = own;
    for (const kind of ['silent', 'new_agent']) await own.make({ kind }, at(8) - DAY_MS);
    await own.store(usualDays(siteId), [
      makeAiVisit({ site_id: siteId, ai_agent: 'ClaudeBot', time: DAY - 9 * DAY_MS }),
    ]);
    const seen = (last_event_at: number) => directory.db.updateTable('sites').set({ last_event_at }).execute();
    await seen(at(-11));
    await own.run(at(8, 6));
    expect(await own.mails()).toEqual([]);
    const agents = ['GPTBot', 'ClaudeBot', 'GPTBot'].map((ai_agent, index) =>
      makeAiVisit({ site_id: siteId, ai_agent, ai_provider: 'OpenAI', time: at(8, 10 + index) }),
    );
    await own.store([], agents);
    for (let hour = 8.2; hour < 14; hour += 0.2) await own.run(at(hour));
    await own.run(at(14, 1));
    expect(await own.mails()).toEqual([
      'A new AI agent on example.com: GPTBot | GPTBot of OpenAI visited for the first time 08:10 on 20 Nov 2026. | ada@example.com',
      'No data from example.com for 24 hours | The last event arrived 13:00 on 19 Nov 2026. Check that the site is reachable and that its pages still contain the snippet. | ada@example.com',
    ]);
    await seen(at(15));
    for (const minutes of [5, 10]) await own.run(at(15, minutes));
    expect((await own.mails()).slice(2)).toEqual([
      'example.com sends data again | Data arrives again since 15:00 on 20 Nov 2026. Nothing was recorded for 26 hours. | ada@example.com',
    ]);
  });
});
