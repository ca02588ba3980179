/** @module-tag fault */
// The queue's contract, run on both forms: SQLite and Redis Streams. Tests of one form only are in files of their own.
import { describe, expect, test } from 'vitest';
import type { EventId, Recorded } from '../../server/vocabulary/event.ts';
import {
  type Buried,
  MAX_BATCH_BYTES,
  type Partition,
  type Queue,
  SEEN_MS,
  type Unreadable,
} from '../../server/queue/queue.ts';
import { NOON } from '../setup/clock.ts';
import {
  acknowledged,
  drain,
  events,
  idsOf,
  isUnavailable,
  numbers,
  redisForm,
  sqliteForm,
  startChild,
  type Form,
} from '../setup/stores/queue.ts';
import { redisOfFile } from '../setup/stores/redis-of-file.ts';
import { hexId, makeAiVisit, sampleEvent, SITE } from '../setup/event.ts';
import { showsSurvived } from '../setup/run/harness.ts';

const { server, redis } = await redisOfFile();

const FORMS: Record<string, () => Promise<Form>> = {
  SQLite: sqliteForm,
  'SQLite with busy sites': () => sqliteForm({ behind: 0 }),
  Redis: () => Promise.resolve(redisForm(server, redis)),
};

async function contentsOf(queue: Queue) {
  const contents: { waiting: Recorded[]; buried: Buried[] } = { waiting: [], buried: [] };
  for await (const part of queue.contents()) {
    contents.waiting.push(...part.waiting);
    contents.buried.push(...part.buried);
  }
  return contents;
}

const textsOf = (all: readonly Buried['entry'][]) =>
  all.map((entry) => entry.kind === 'unreadable' && entry.text).sort();

/** Reads all that waits, and sets aside what cannot be read. */
async function setAside(queue: Queue & Partition) {
  const entries: Recorded[] = [];
  const aside: Unreadable[] = [];
  for (let batch = await queue.read(10); batch; batch = await queue.read(10)) {
    entries.push(...batch.entries);
    aside.push(...(batch.unreadable ?? []));
    await queue.bury(batch.unreadable ?? [], 'The text is no entry.', NOON);
    await queue.acknowledge(batch);
  }
  return { entries, texts: textsOf(aside) };
}

describe.each(Object.keys(FORMS))('the queue in %s', (name) => {
  const newForm = () => (FORMS[name] as () => Promise<Form>)();

  test('returns what was appended, whole and in order, and then nothing', async () => {
    await using form = await newForm();
    const queue = await form.open();
    const odd = sampleEvent(3, {
      page: '/\n"\\ü日本🙂\u2028',
      props: { '': '{}', __proto__x: '0' },
      amount: '12.3400',
    });
    const appended = [sampleEvent(1), makeAiVisit(), odd];
    expect(await queue.append(appended, NOON)).toEqual([true, true, true]);
    const batch = await queue.read(10);
    expect(batch?.entries).toEqual(appended);
    await queue.acknowledge(batch ?? { token: '', entries: [] });
    expect(await queue.read(10)).toBeUndefined();
  });

  test('reads at most the limit, oldest first', async () => {
    await using form = await newForm();
    const queue = await form.open();
    await queue.append(events(0, 7), NOON);
    const sizes: number[] = [];
    const seen: Recorded[] = [];
    const tokens = new Set<string>();
    for (let batch = await queue.read(3); batch; batch = await queue.read(3)) {
      sizes.push(batch.entries.length);
      seen.push(...batch.entries);
      tokens.add(batch.token);
      await queue.acknowledge(batch);
    }
    expect(sizes).toEqual([3, 3, 1]);
    expect(seen).toEqual(events(0, 7));
    expect(tokens.size).toBe(3);
  });

  test('reads at most 8 MB at once, so that long events fill no memory, and a longer one alone', async () => {
    await using form = await newForm();
    const queue = await form.open();
    const longer = sampleEvent(0, { page: `/${'x'.repeat(MAX_BATCH_BYTES)}` });
    await queue.append([longer], NOON);
    for (let from = 1; from < 1001; from += 100) {
      const long = Array.from({ length: 100 }, (_, n) => sampleEvent(from + n, { page: `/${'x'.repeat(20_000)}` }));
      await queue.append(long, NOON);
    }
    const sizes: number[] = [];
    const ids: string[] = [];
    for (let batch = await queue.read(10_000); batch; batch = await queue.read(10_000)) {
      sizes.push(JSON.stringify(batch.entries).length);
      ids.push(...batch.entries.map(({ event_id }) => event_id));
      await queue.acknowledge(batch);
    }
    expect(ids).toEqual(Array.from({ length: 1001 }, (_, n) => hexId(n)));
    // Redis reads a hundred events at a time, which here are 2 MB.
    for (const size of sizes.slice(1)) expect(size).toBeLessThan(MAX_BATCH_BYTES + 2.2 * 1024 * 1024);
    expect(sizes.length).toBeGreaterThanOrEqual(3);
  });

  test('delivers an unacknowledged batch again with the same events and token, also after a restart and with more waiting', async () => {
    await using form = await newForm();
    let queue = await form.open();
    await queue.append(events(0, 4), NOON);
    const first = await queue.read(3);
    await queue.append(events(4, 4), NOON);
    expect(await queue.read(100)).toEqual(first);
    queue = await form.open();
    expect(await queue.read(1)).toEqual(first);
    await queue.acknowledge(first ?? { token: '', entries: [] });
    const second = await queue.read(100);
    expect(idsOf(second?.entries ?? [])).toEqual(idsOf(events(3, 5)));
    expect(second?.token).not.toBe(first?.token);
  });

  test('does nothing when a batch is acknowledged twice, or was never delivered', async () => {
    await using form = await newForm();
    const queue = await form.open();
    await queue.append(events(0, 4), NOON);
    const first = (await queue.read(2)) ?? { token: '', entries: [] };
    await queue.acknowledge(first);
    const second = await queue.read(2);
    await queue.acknowledge(first);
    await queue.acknowledge({ token: 'never', entries: [] });
    expect(await queue.read(2)).toEqual(second);
    expect(idsOf(second?.entries ?? [])).toEqual(idsOf(events(2, 2)));
  });

  test('says which ids are repeats, within one call, among simultaneous calls, and after a restart', async () => {
    await using form = await newForm();
    let queue = await form.open();
    expect(await queue.append([...events(0, 2), sampleEvent(0)], NOON)).toEqual([true, true, false]);
    const flags = await Promise.all(numbers(0, 20).map(() => queue.append([sampleEvent(5)], NOON)));
    expect(flags.flat().filter(Boolean)).toEqual([true]);
    queue = await form.open();
    expect(await queue.append([sampleEvent(1), sampleEvent(2)], NOON)).toEqual([false, true]);
    expect(idsOf(await drain(queue))).toEqual([0, 1, 5, 2].map(hexId));
    expect(await queue.append([sampleEvent(2)], NOON)).toEqual([false]); // acknowledged, and still known
  });

  test('recognises an id for 24 hours, and then counts it anew', async () => {
    await using form = await newForm();
    const queue = await form.open();
    expect(await queue.append([sampleEvent(1)], NOON)).toEqual([true]);
    expect(await queue.append([sampleEvent(1)], NOON + SEEN_MS - 1)).toEqual([false]);
    expect(await queue.append([sampleEvent(1)], NOON + SEEN_MS)).toEqual([true]);
    expect(await queue.append([sampleEvent(1)], NOON + SEEN_MS + 1)).toEqual([false]);
    expect((await drain(queue)).length).toBe(2);
  });

  test('distinguishes ids at the limits of 64 bits', async () => {
    await using form = await newForm();
    const queue = await form.open();
    const edges = ['0000000000000000', '0000000000000001', '7fffffffffffffff', '8000000000000000', 'ffffffffffffffff'];
    const appended = edges.map((id) => sampleEvent(1, { event_id: id as EventId }));
    expect(await queue.append(appended, NOON)).toEqual(edges.map(() => true));
    expect(idsOf(await drain(queue))).toEqual(edges);
  });

  test('accepts 2,000 appends at once, each exactly once', async () => {
    await using form = await newForm();
    const queue = await form.open();
    const flags = await Promise.all(events(0, 2000).map((event) => queue.append([event], NOON)));
    expect(flags.flat().filter(Boolean).length).toBe(2000);
    expect(await queue.append(events(2000, 3000), NOON)).toEqual(numbers(0, 3000).map(() => true));
    expect(idsOf(await drain(queue))).toEqual(numbers(0, 5000).map(hexId));
  });

  test('appends nothing for an empty list', async () => {
    await using form = await newForm();
    const queue = await form.open();
    expect(await queue.append([], NOON)).toEqual([]);
    expect(await queue.status()).toEqual({ waiting: 0, oldestAt: undefined, buried: 0 });
  });

  test('says how many events wait, since when, and how many are buried', async () => {
    await using form = await newForm();
    let queue = await form.open();
    await queue.append(events(7, 5), NOON);
    await queue.append(events(1, 1), NOON);
    expect(await queue.status()).toEqual({ waiting: 6, oldestAt: NOON + 7, buried: 0 });
    const batch = (await queue.read(5)) ?? { token: '', entries: [] };
    await queue.bury(batch.entries.slice(0, 2), 'The store refuses it.', NOON);
    expect((await queue.status()).waiting).toBe(6);
    await queue.acknowledge(batch);
    queue = await form.open();
    expect(await queue.status()).toEqual({ waiting: 1, oldestAt: NOON + 1, buried: 2 });
  });

  test('keeps what was buried until it is replayed, once, also when it was buried twice', async () => {
    await using form = await newForm();
    let queue = await form.open();
    const poison = sampleEvent(1, { page: '/poison' });
    await queue.append([poison, sampleEvent(2)], NOON);
    const batch = (await queue.read(10)) ?? { token: '', entries: [] };
    await queue.bury([poison], 'The store refuses it.', NOON);
    await queue.bury([poison], 'The store refuses it.', NOON);
    await queue.bury([], 'none', NOON);
    await queue.acknowledge(batch);
    queue = await form.open();
    expect((await queue.status()).buried).toBe(1);
    expect(await queue.replay(NOON)).toBe(1);
    expect(await queue.replay(NOON)).toBe(0);
    expect(await drain(queue)).toEqual([poison]);
    expect(await queue.status()).toEqual({ waiting: 0, oldestAt: undefined, buried: 0 });
  });

  /** One whose writing broke off, one of a version that took a function for a browser, one of a version to come, and wrong values. */
  const START = `"event_id":"${hexId(8)}","site_id":"${SITE}","time":${NOON}`;
  const DAMAGED = [
    `{"kind":"event",${START},"page":"/`,
    `{"kind":"event",${START},"browser":undefined}`,
    `{"kind":"dream",${START}}`,
    `{"kind":"event","event_id":"xyz","site_id":"${SITE}","time":${NOON}}`,
    `{"kind":"event",${START},"browser":5}`,
  ];

  test('delivers what cannot be read apart from what can, and keeps it once it is set aside', async () => {
    await using form = await newForm();
    let queue = await form.open();
    const good = [sampleEvent(1), sampleEvent(2)];
    await queue.append(good.slice(0, 1), NOON);
    for (const text of DAMAGED) await form.damage(text);
    queue = await form.open();
    await queue.append(good.slice(1), NOON);
    expect(await queue.status()).toMatchObject({ waiting: 2 + DAMAGED.length, buried: 0 });
    const { waiting, buried } = await contentsOf(queue);
    expect(waiting).toEqual(good);
    expect(textsOf(buried.map(({ entry }) => entry))).toEqual(DAMAGED.toSorted());

    const delivered = await queue.read(10);
    queue = await form.open();
    expect(await queue.read(10)).toEqual(delivered);
    expect(await setAside(queue)).toEqual({ entries: good, texts: DAMAGED.toSorted() });
    queue = await form.open();
    expect(await queue.status()).toEqual({ waiting: 0, oldestAt: undefined, buried: DAMAGED.length });
    // Replayed, they are what they were.
    expect(await queue.replay(NOON)).toBe(DAMAGED.length);
    expect(await setAside(queue)).toEqual({ entries: [], texts: DAMAGED.toSorted() });
    await queue.forget(SITE);
    expect(await queue.status()).toEqual({ waiting: 0, oldestAt: undefined, buried: 0 });
  });

  test('replays 1,000 buried events whole', async () => {
    await using form = await newForm();
    const queue = await form.open();
    await queue.bury(events(0, 1000), 'The store refuses it.', NOON);
    expect(await queue.replay(NOON)).toBe(1000);
    expect(idsOf(await drain(queue)).sort()).toEqual(numbers(0, 1000).map(hexId).sort());
  });

  test('ends a wait at once when there is an event, on an append, on timeout, and on abort', async () => {
    await using form = await newForm();
    const queue = await form.open();
    const { signal } = new AbortController();
    await queue.wait(1, signal); // the timeout ends it
    const waited = queue.wait(60_000, signal);
    await queue.append([sampleEvent(1)], NOON);
    await waited;
    await queue.wait(60_000, signal);
    await drain(queue);
    const controller = new AbortController();
    const aborted = queue.wait(60_000, controller.signal);
    controller.abort();
    await aborted;
    await queue.wait(60_000, controller.signal);
  });

  test('refuses appends and reads once it is closed, after finishing those that run', async () => {
    await using form = await newForm();
    let queue = await form.open();
    const underWay = queue.append([sampleEvent(1)], NOON);
    await queue.close();
    await queue.close();
    expect(await underWay).toEqual([true]);
    await expect(queue.append([sampleEvent(2)], NOON)).rejects.toSatisfy(isUnavailable);
    await expect(queue.read(1)).rejects.toSatisfy(isUnavailable);
    await expect(queue.ping()).rejects.toSatisfy(isUnavailable);
    queue = await form.open();
    await queue.ping();
    expect(idsOf(await drain(queue))).toEqual([hexId(1)]);
  });

  test('loses and duplicates nothing when an appending process is killed 20 times', async () => {
    showsSurvived('kill between queueing an event and answering');
    await using form = await newForm();
    const told = new Set<number>();
    for (let round = 0; round < 20; round++) {
      using child = startChild([...form.childArgs, 'append', String(round * 100_000)]);
      await child.until((lines) => acknowledged(lines).length > round * 3); // each dies at another moment
      await child.kill();
      for (const number of acknowledged(child.lines)) told.add(number);
    }
    const queue = await form.open();
    const kept = idsOf(await drain(queue));
    expect(new Set(kept).size).toBe(kept.length);
    expect([...told].filter((number) => !kept.includes(hexId(number) as EventId))).toEqual([]);
    // An event that was kept without an answer is sent again by its sender, and is then a repeat.
    const again = await queue.append(
      kept.map((event_id) => sampleEvent(0, { event_id })),
      NOON,
    );
    expect(again.filter(Boolean)).toEqual([]);
  });

  test('delivers the same batch after 5 kills between read and acknowledge', async () => {
    showsSurvived('kill between reading a batch and inserting it');
    await using form = await newForm();
    let queue = await form.open();
    await queue.append(events(0, 12), NOON);
    await queue.close();
    const deliveries = new Set<string>();
    for (let round = 0; round < 5; round++) {
      using child = startChild([...form.childArgs, 'read']);
      await child.until((lines) => lines.some((line) => line.startsWith('read ')));
      await child.kill();
      deliveries.add(child.lines.at(-1) ?? '');
      expect(deliveries.size).toBe(1);
    }
    queue = await form.open();
    const batch = await queue.read(100);
    expect([...deliveries]).toEqual([`read ${batch?.token} 5`]);
    expect(idsOf(batch?.entries ?? [])).toEqual(numbers(0, 5).map(hexId));
  });
});
