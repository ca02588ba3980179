import { expect, test } from 'vitest';
import { makeEvent } from '../../../tests/setup/event.ts';
import type { Recorded } from '../../vocabulary/event.ts';
import { MAX_BATCH_BYTES } from '../queue.ts';
import { openRecent } from './recent.ts';

const pages = (entries: Recorded[] = []) => entries.map((entry) => (entry.kind === 'event' ? entry.page : ''));
const named = (...names: string[]) => names.map((page) => makeEvent({ page }));

test('recent entries are returned in order, oldest first, until they are stored', () => {
  const recent = openRecent();
  expect(recent.oldest(10)).toBeUndefined();
  recent.add(named('/1', '/2'), { last: 12, bytes: 20 });
  recent.add(named('/3'), { last: 13, bytes: 10 });
  expect(recent.oldest(2)).toMatchObject({ first: 11, last: 12 });
  expect(pages(recent.oldest(10)?.entries)).toEqual(['/1', '/2', '/3']);
  recent.forgetUpTo(12);
  expect(recent.oldest(10)).toMatchObject({ first: 13, last: 13 });
  for (const last of [Number.NaN, 3, 12]) recent.forgetUpTo(last);
  expect(pages(recent.oldest(10)?.entries)).toEqual(['/3']);
  recent.forgetUpTo(99);
  expect(recent.oldest(10)).toBeUndefined();
});

test('entries behind a gap, which something else has filled, are the only ones that are known', () => {
  const recent = openRecent();
  recent.add(named('/1'), { last: 1, bytes: 10 });
  recent.add(named('/4', '/5'), { last: 5, bytes: 20 });
  expect(recent.oldest(10)).toMatchObject({ first: 4, last: 5 });
  expect(pages(recent.oldest(10)?.entries)).toEqual(['/4', '/5']);
});

/** The memory for so many entries with so many bytes in the file. */
const memoryFor = (entries: number, bytes: number) => 400 * entries + 2 * bytes;

test('what no longer fits is forgotten, and so is an append that is too long by itself', () => {
  const recent = openRecent(memoryFor(3, 100));
  recent.add(named('/1', '/2'), { last: 2, bytes: 60 });
  recent.forgetUpTo(1); // half of it
  recent.add(named('/3', '/4'), { last: 4, bytes: 70 });
  expect(pages(recent.oldest(10)?.entries)).toEqual(['/2', '/3', '/4']);
  recent.add(named('/5'), { last: 5, bytes: 1 });
  expect(pages(recent.oldest(10)?.entries)).toEqual(['/5']);
  recent.add(named('/6'), { last: 6, bytes: 501 });
  expect(recent.oldest(10)).toBeUndefined();
  recent.add(named('/7', '/8', '/9'), { last: 9, bytes: 100 });
  expect(recent.oldest(10)).toMatchObject({ first: 7, last: 9 });
  recent.add(named('/10', '/11', '/12', '/13'), { last: 13, bytes: 4 });
  expect(recent.oldest(10)).toBeUndefined();
});

test('a batch is no larger than one from the file, and an append that is larger is left to the file', () => {
  const recent = openRecent(10 * MAX_BATCH_BYTES);
  const half = MAX_BATCH_BYTES / 2;
  recent.add(named('/1', '/2'), { last: 2, bytes: half });
  recent.add(named('/3'), { last: 3, bytes: half });
  recent.add(named('/4'), { last: 4, bytes: 1 });
  recent.add(named('/5'), { last: 5, bytes: 2 * half + 1 });
  expect(pages(recent.oldest(10)?.entries)).toEqual(['/1', '/2', '/3']);
  expect(recent.oldest(1)).toMatchObject({ first: 1, last: 1 });
  recent.forgetUpTo(1);
  expect(pages(recent.oldest(10)?.entries)).toEqual(['/2', '/3', '/4']);
  recent.forgetUpTo(3);
  expect(recent.oldest(10)).toMatchObject({ first: 4, last: 4 });
  recent.forgetUpTo(4);
  expect(recent.oldest(10)).toBeUndefined();
  recent.forgetUpTo(5);
  recent.add(named('/6'), { last: 6, bytes: 1 });
  expect(recent.oldest(10)).toMatchObject({ first: 6, last: 6 });
});
