// The order in which the pool runs queries. The test decides when each query ends.
import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../errors.ts';
import { type Asking, openPool, type Reader } from './pool.ts';

/** Four readers. A query runs until the test ends it by its name, with or without an error. */
function fourReaders(options: { mends?: () => boolean } = {}) {
  const running = new Map<string, PromiseWithResolvers<never[]>>();
  const begun: string[] = [];
  const reader = (): Reader => ({
    ask: (sql) => {
      const answer = Promise.withResolvers<never[]>();
      running.set(sql, answer);
      begun.push(sql);
      return answer.promise;
    },
    close: () => Promise.resolve(),
  });
  const renew = () =>
    options.mends?.() === false ? Promise.reject(new Error('cannot be opened')) : Promise.resolve(reader());
  const clock = { now: 0 };
  const pool = openPool([1, 2, 3, 4].map(reader), { renew, ofLane: 2, clock: () => clock.now });
  const settled: Record<string, string> = {};
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    begun,
    settled,
    clock,
    ask: async (name: string, lane?: string, more: Omit<Asking, 'lane'> = {}) => {
      pool.ask(name, {}, { ...(lane !== undefined && { lane }), ...more }).then(
        () => (settled[name] = 'answered'),
        (error: unknown) => (settled[name] = error instanceof Refusal ? error.code : String(error)),
      );
      await turn();
    },
    end: async (name: string, error?: Error) => {
      const answer = running.get(name);
      if (error) answer?.reject(error);
      else answer?.resolve([]);
      await turn();
    },
    open: () => pool.all().length,
  };
}

describe('queries of one lane', () => {
  test('hold at most half of the readers, and others run beside them', async () => {
    const readers = fourReaders();
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) await readers.ask(name, 'a');
    expect(readers.begun).toEqual(['a1', 'a2']);
    await readers.ask('b1', 'b');
    expect(readers.begun.at(-1)).toBe('b1');
    await readers.end('b1');
    expect(readers.begun).toEqual(['a1', 'a2', 'b1']);
    await readers.end('a1');
    expect(readers.begun.at(-1)).toBe('a3');
  });

  test('leave the last reader to a lane that has none', async () => {
    const readers = fourReaders();
    for (const name of ['a1', 'a2', 'a3']) await readers.ask(name, 'a');
    for (const name of ['b1', 'b2', 'b3']) await readers.ask(name, 'b');
    expect(readers.begun).toEqual(['a1', 'a2', 'b1']);
    await readers.ask('c1', 'c');
    expect(readers.begun.at(-1)).toBe('c1');
  });

  test('come after those of a lane that holds fewer, however long they have waited', async () => {
    const readers = fourReaders();
    for (const name of ['a1', 'b1', 'c1', 'd1']) await readers.ask(name, name.charAt(0));
    for (const name of ['a2', 'a3', 'b2', 'e1']) await readers.ask(name, name.charAt(0));
    await readers.end('d1');
    expect(readers.begun.at(-1)).toBe('e1');
    await readers.end('e1');
    expect(readers.begun.at(-1)).toBe('e1'); // one reader is free, but every waiting lane has one already
    await readers.end('c1');
    expect(readers.begun.at(-1)).toBe('a2');
  });

  test('come before those of later questions, also if they were sent later', async () => {
    const readers = fourReaders();
    for (const name of ['a1', 'a2']) await readers.ask(name, 'a', { since: 1 });
    await readers.ask('b1', 'a', { since: 2 });
    readers.clock.now = 5;
    await readers.ask('c1', 'a'); // asked now
    await readers.ask('a3', 'a', { since: 1 });
    await readers.end('a1');
    expect(readers.begun).toEqual(['a1', 'a2', 'a3']);
    await readers.end('a2');
    await readers.end('a3');
    expect(readers.begun).toEqual(['a1', 'a2', 'a3', 'b1', 'c1']);
  });

  test('are refused when 500 of them are waiting, while those of other lanes are not', async () => {
    const readers = fourReaders();
    for (let n = 0; n < 502; n += 1) await readers.ask(`a${n}`, 'a');
    expect(readers.settled).toEqual({});
    await readers.ask('a502', 'a');
    expect(readers.settled).toEqual({ a502: 'service_unavailable' });
    await readers.ask('b', 'b');
    await readers.end('b');
    expect(readers.settled).toEqual({ a502: 'service_unavailable', b: 'answered' });
  });
});

describe('queries of viewers', () => {
  test('who left are never run, and the running one is told', async () => {
    const readers = fourReaders();
    const closing = Array.from({ length: 15 }, () => new AbortController());
    for (const [n, { signal }] of closing.entries()) await readers.ask(`gone${n}`, 'link', { viewer: 'gone', signal });
    expect(readers.begun).toEqual(['gone0']); // one at a time
    for (const one of closing) one.abort();
    await readers.ask('other', 'other link', { viewer: 'other' });
    await readers.ask('next', 'link', { viewer: 'gone' }); // possibly another person behind the same address
    expect(readers.begun).toEqual(['gone0', 'other']);
    await readers.end('gone0', new Error('cancelled'));
    expect(readers.begun).toEqual(['gone0', 'other', 'next']);
    expect(Object.values(readers.settled)).toEqual(Array(15).fill('service_unavailable'));
    await readers.ask('late', 'link', { signal: AbortSignal.abort() });
    expect([readers.begun.length, readers.settled['late']]).toEqual([3, 'service_unavailable']);
  });

  test('listen to their signal only while they wait', async () => {
    const readers = fourReaders();
    const { signal } = new AbortController();
    for (const name of ['a', 'b', 'c']) await readers.ask(name, 'link', { viewer: 'one', signal });
    expect([readers.begun, getEventListeners(signal, 'abort').length]).toEqual([['a'], 2]);
    for (const name of ['a', 'b', 'c']) await readers.end(name);
    expect([readers.begun, getEventListeners(signal, 'abort').length]).toEqual([['a', 'b', 'c'], 0]);
  });

  test('come first where a viewer has used less time, whoever asked first', async () => {
    const readers = fourReaders();
    await readers.ask('heavy1', 'link', { viewer: 'heavy' });
    readers.clock.now += 5000;
    await readers.end('heavy1');
    for (const name of ['a', 'b']) await readers.ask(name, 'link', { viewer: name });
    await readers.ask('heavy2', 'link', { viewer: 'heavy' });
    await readers.ask('light', 'link', { viewer: 'light' });
    await readers.end('a');
    expect(readers.begun.slice(3)).toEqual(['light']);
    await readers.end('light');
    expect(readers.begun.slice(3)).toEqual(['light', 'heavy2']);
  });

  test('are refused after half a minute of use, and run again later', async () => {
    const readers = fourReaders();
    for (let n = 0; n < 7; n += 1) {
      await readers.ask(`heavy${n}`, 'link', { viewer: 'heavy' });
      readers.clock.now += 5000;
      await readers.end(`heavy${n}`);
    }
    for (let n = 7; n < 12; n += 1) {
      await readers.ask(`heavy${n}`, 'link', { viewer: 'heavy' });
      readers.clock.now += 20_000;
      await readers.end(`heavy${n}`);
    }
    await readers.ask('one more', 'link', { viewer: 'heavy' });
    expect(readers.settled['one more']).toBe('too_many_requests');
    await readers.ask('light', 'link', { viewer: 'light' });
    expect(readers.begun.at(-1)).toBe('light');
    readers.clock.now += 60_000;
    await readers.ask('a minute later', 'link', { viewer: 'heavy' });
    expect(readers.begun.at(-1)).toBe('a minute later');
  });

  test('are refused when 60 of one viewer are waiting, while those of other viewers are not', async () => {
    const readers = fourReaders();
    for (let n = 0; n < 62; n += 1) await readers.ask(`a${n}`, 'link', { viewer: 'a' });
    expect(readers.settled).toEqual({ a61: 'service_unavailable' });
    await readers.ask('b', 'link', { viewer: 'b' });
    expect(readers.begun).toEqual(['a0', 'b']);
  });
});

test('the server itself may use all free readers', async () => {
  const readers = fourReaders();
  for (let n = 0; n < 5; n += 1) await readers.ask(`own${n}`);
  expect(readers.begun).toEqual(['own0', 'own1', 'own2', 'own3']);
  await readers.end('own0');
  expect(readers.begun.at(-1)).toBe('own4');
});

describe('a reader whose query failed', () => {
  test('is replaced before the next query', async () => {
    const readers = fourReaders();
    await readers.ask('a1', 'a');
    await readers.end('a1', new Error('broken'));
    expect([readers.settled['a1'], readers.open()]).toEqual(['Error: broken', 4]);
    for (const name of ['b1', 'b2', 'c1', 'd1']) await readers.ask(name, name.charAt(0));
    expect(readers.begun).toEqual(['a1', 'b1', 'b2', 'c1', 'd1']);
  });

  test('that cannot be replaced leaves nobody waiting forever, and is replaced when possible', async () => {
    let isMended = false;
    const readers = fourReaders({ mends: () => isMended });
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) await readers.ask(name, name);
    await readers.ask('e', 'e');
    for (const name of names) await readers.end(name, new Error('broken'));
    expect([readers.settled['e'], readers.open()]).toEqual(['Error: cannot be opened', 0]);
    await readers.ask('f', 'f');
    expect(readers.settled['f']).toBe('Error: cannot be opened');
    isMended = true;
    for (const name of ['g', 'h', 'i', 'j']) await readers.ask(name, name);
    for (const name of ['g', 'h', 'i', 'j']) await readers.end(name);
    expect(readers.settled).toMatchObject({ g: 'answered', h: 'answered', i: 'answered', j: 'answered' });
    expect(readers.open()).toBe(4);
  });
});
