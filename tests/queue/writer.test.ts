// The writer: how many events go into one insert, and what does not stop it.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Unavailable } from '../../server/errors.ts';
import { openLog } from '../../server/process/log.ts';
import { openLease } from '../../server/queue/lease.ts';
import { openSqliteQueue } from '../../server/queue/sqlite/queue.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { openWriter } from '../../server/queue/writer/writer.ts';
import type { Partition, Queue } from '../../server/queue/queue.ts';
import type { EventStore } from '../../server/store/open.ts';
import type { OrderId } from '../../server/vocabulary/event.ts';
import { NOON } from '../setup/clock.ts';
import { hexId, sampleEvent } from '../setup/event.ts';
import { eventually } from '../setup/eventually.ts';
import { tempFolder } from '../setup/folder.ts';
import { testStore } from '../setup/store.ts';
import { sqliteForm } from '../setup/stores/queue.ts';

const now = () => NOON;
const events = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => sampleEvent(from + index, { time: NOON }));

const openOver = (queue: Queue & Partition, store: EventStore) =>
  openWriter({
    queue,
    store,
    visits: openVisits(store),
    lease: openLease(),
    now,
    log: openLog('silent'),
    onStored: () => undefined,
  });

test('an entry that cannot be read is set aside, and neither stops the writer nor takes others with it', async () => {
  await using form = await sqliteForm();
  await using store = await testStore();
  let queue = await form.open();
  await queue.append(events(0, 3), NOON);
  await form.damage('{"kind":"event","browser":undefined}');
  queue = await form.open();
  await queue.append(events(3, 2), NOON);
  await openOver(queue, store).drain();
  expect(await queue.status()).toEqual({ waiting: 0, oldestAt: undefined, buried: 1 });
  const [stored] = await store.query<{ count: string }>('SELECT count() AS count FROM events', {});
  expect(Number(stored?.count)).toBe(5);
});

test('a batch that a dead process has stored counts once, also if the next one fails to read it at first', async () => {
  await using form = await sqliteForm();
  await using store = await testStore();
  const dying = await form.open();
  const payment = { name: 'purchase', order_id: hexId(7) as OrderId, currency: 'EUR', amount: '10' };
  await dying.append([sampleEvent(1, payment)], NOON);
  const failure = () => Promise.reject(new Unavailable('queue'));
  await expect(openOver({ ...dying, acknowledge: failure }, store).writeOnce()).rejects.toThrow(Unavailable);

  const queue = await form.open();
  let reads = 0;
  const writer = openOver({ ...queue, read: (limit) => ((reads += 1) === 1 ? failure() : queue.read(limit)) }, store);
  await expect(writer.writeOnce()).rejects.toThrow(Unavailable);
  expect(await writer.writeOnce()).toBe(1);
  const [counts] = await store.query(
    'SELECT count() AS events, (SELECT count() FROM superseded) AS superseded FROM events',
    {},
  );
  expect(counts).toEqual({ events: 1, superseded: 0 });
});

test('what is left behind a full batch waits for more, unless it is another full batch', async () => {
  await using folder = await tempFolder();
  await using store = await testStore();
  const queue = await openSqliteQueue({ path: join(folder.path, 'queue.sqlite') });
  const inserts: number[] = [];
  const counted: EventStore = {
    ...store,
    insert: async (rows, token) => {
      inserts.push(rows.events.length);
      await store.insert(rows, token);
    },
  };
  const writer = openWriter({
    queue,
    store: counted,
    visits: openVisits(store),
    lease: openLease(),
    now,
    log: openLog('silent'),
    // after each full batch, and before the writer could read again
    onStored: (entries) =>
      void (entries.length === 10_000 && queue.append(events(50_000 + 1000 * inserts.length, 100), NOON)),
  });
  await queue.append(events(0, 20_400), NOON);
  writer.start();
  await eventually(async () => expect(await queue.status()).toMatchObject({ waiting: 0 }));
  expect(inserts).toEqual([10_000, 10_000, 600]);
  await writer.stop();
  await queue.close();
});
