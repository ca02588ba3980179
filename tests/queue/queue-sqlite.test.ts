/** @module-tag fault */
// The parts that only the queue in SQLite has: its file, its disk, and one process at a time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { EventId, Recorded } from '../../server/vocabulary/event.ts';
import { SEEN_MS } from '../../server/queue/queue.ts';
import { openSqliteQueue } from '../../server/queue/sqlite/queue.ts';
import { NOON } from '../setup/clock.ts';
import { acknowledged, drain, events, idsOf, numbers, sqliteForm, startChild } from '../setup/stores/queue.ts';
import { hexId, sampleEvent } from '../setup/event.ts';
import { showsSurvived } from '../setup/run/harness.ts';
import { openRandom } from '../setup/api/hostile-input.ts';

describe('the queue in SQLite alone', () => {
  test('refuses a second process with a sentence, and the first one is unaffected', async () => {
    showsSurvived('second process on the same data folder');
    await using form = await sqliteForm();
    const queue = await form.open();
    const [, path = ''] = form.childArgs;
    await expect(openSqliteQueue({ path })).rejects.toThrow(/^Another process uses the queue .*queue\.db/);
    expect(await queue.append([sampleEvent(1)], NOON)).toEqual([true]);
  });

  test('says what is wrong when the folder is not there', async () => {
    await expect(openSqliteQueue({ path: '/nowhere/queue.db' })).rejects.toThrow(
      'The queue /nowhere/queue.db cannot be opened: unable to open database file.',
    );
  });

  test('refuses an id that is not 16 hex digits, and only that append', async () => {
    await using form = await sqliteForm();
    const queue = await form.open();
    const wrong = queue.append([sampleEvent(1, { event_id: 'xyz' as EventId })], NOON);
    const right = queue.append([sampleEvent(2)], NOON);
    await expect(wrong).rejects.toThrow('An event_id is 16 hex digits.');
    expect(await right).toEqual([true]);
  });

  test('answers Unavailable while the disk is full, keeps what it accepted, and continues once there is space', async () => {
    await using form = await sqliteForm();
    // A limit on the size of files acts like a full disk: writes past it fail in the same way.
    using child = startChild([...form.childArgs, 'append'], { shell: "trap '' XFSZ; ulimit -S -f 2000" });
    await child.until((lines) => lines.filter((line) => line === '! queue').length >= 20);
    const before = acknowledged(child.lines).length;
    const lifted = spawn('prlimit', ['--pid', String(child.pid), '--fsize=unlimited:']);
    await once(lifted, 'exit');
    await child.until((lines) => acknowledged(lines).length > before + 50);
    await child.kill();
    const kept = new Set<string>(idsOf(await drain(await form.open())));
    const told = acknowledged(child.lines);
    expect(before).toBeGreaterThan(100);
    expect(told.filter((number) => !kept.has(hexId(number)))).toEqual([]);
    expect(child.lines.filter((line) => line.startsWith('! ') && line !== '! queue')).toEqual([]);
  });

  test('accepts what it refused while the disk was full, when it is sent again', async () => {
    await using form = await sqliteForm();
    using child = startChild([...form.childArgs, 'insist'], { shell: "trap '' XFSZ; ulimit -S -f 2000" });
    await child.until((lines) => lines.filter((line) => line === '! queue').length >= 20);
    const refusedFrom = acknowledged(child.lines).length;
    const lifted = spawn('prlimit', ['--pid', String(child.pid), '--fsize=unlimited:']);
    await once(lifted, 'exit');
    await child.until((lines) => acknowledged(lines).length > refusedFrom + 50);
    await child.kill();
    expect(child.lines.filter((line) => line.startsWith('? '))).toEqual([]); // told to be repeats, and therefore lost
    const told = acknowledged(child.lines).sort((a, b) => a - b);
    expect(told.slice(0, refusedFrom + 30)).toEqual(numbers(0, refusedFrom + 30));
  });

  test('forgets expired ids after a while, and only those', async () => {
    await using form = await sqliteForm();
    const queue = await form.open();
    await queue.append(events(0, 500), NOON);
    for (let i = 0; i < 200; i++) await queue.append([sampleEvent(1000 + i)], NOON + SEEN_MS + i);
    await queue.close();
    const { DatabaseSync } = await import('node:sqlite');
    using db = new DatabaseSync(form.childArgs[1] ?? '');
    expect(db.prepare('SELECT count(*) AS count, sum(length(ids)) AS bytes FROM seen_ids').get()).toEqual({
      count: 200,
      bytes: 200 * 12,
    });
  });

  test('delivers batches that end within an append: the same after a restart, and each event once', async () => {
    await using form = await sqliteForm();
    const random = openRandom(11);
    let queue = await form.open();
    const waiting: Recorded[] = [];
    const tokens = new Set<string>();
    let next = 0;
    const append = async (count: number) => {
      const added = events(next, count).map((one, index) => ({ ...one, page: `/${'ä漢🙂'.repeat(index)}` }));
      next += count;
      await queue.append(added, NOON);
      waiting.push(...added);
    };
    for (let round = 0; round < 240; round += 1) {
      await append(random.number(12));
      // Batches of the same limit are read ahead, while the one before is stored.
      const limit = random.chance(3 / 4) ? 5 : 1 + random.number(12);
      const batch = await queue.read(limit);
      expect(batch?.entries ?? []).toEqual(waiting.slice(0, limit));
      if (!batch) continue;
      if (random.chance(1 / 2)) await append(random.number(3));
      if (random.chance(1 / 8)) queue = await form.open();
      if (random.chance(1 / 2)) expect(await queue.read(random.pick([1, limit]))).toEqual(batch);
      expect(tokens.has(batch.token)).toBe(false);
      tokens.add(batch.token);
      await queue.acknowledge(batch);
      waiting.splice(0, batch.entries.length);
      expect((await queue.status()).waiting).toBe(waiting.length);
    }
    const parts = [];
    for await (const part of queue.contents()) parts.push(...part.waiting);
    expect(parts).toEqual(waiting);
  });

  test('ends a batch before an event that would make it too large, also within an append', async () => {
    await using form = await sqliteForm();
    const queue = await form.open();
    const page = `/${'漢'.repeat(1_000_000)}`; // 3 MB
    await queue.append(
      events(0, 4).map((one) => ({ ...one, page })),
      NOON,
    );
    const sizes = [];
    for (let batch = await queue.read(10); batch; batch = await queue.read(10)) {
      sizes.push(batch.entries.length);
      await queue.acknowledge(batch);
    }
    expect(sizes).toEqual([2, 2]);
  });
});
