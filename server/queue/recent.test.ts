import { expect, test } from 'vitest';
import { makeEvent } from '../../tests/setup/event.ts';
import type { Recorded } from '../event.ts';
import { openRecent } from './recent.ts';

const pages = (entries: Recorded[] = []) => entries.map((entry) => (entry.kind === 'event' ? entry.page : ''));
const named = (...names: string[]) => names.map((page) => makeEvent({ page }));

test('recent entries are returned in order, oldest first, until they are stored', () => {
  const recent = openRecent();
  expect(recent.oldest(10)).toBeUndefined();
  recent.add(named('/1', '/2'), { last: 12, characters: 20 });
  recent.add(named('/3'), { last: 13, characters: 10 });
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
  recent.add(named('/1'), { last: 1, characters: 10 });
  recent.add(named('/4', '/5'), { last: 5, characters: 20 });
  expect(recent.oldest(10)).toMatchObject({ first: 4, last: 5 });
  expect(pages(recent.oldest(10)?.entries)).toEqual(['/4', '/5']);
});

test('too many characters are forgotten, and so is an append that is too long by itself', () => {
  const recent = openRecent({ entries: 10, characters: 100 });
  recent.add(named('/1', '/2'), { last: 2, characters: 80 });
  recent.forgetUpTo(1);
  recent.add(named('/3'), { last: 3, characters: 60 });
  expect(pages(recent.oldest(10)?.entries)).toEqual(['/2', '/3']);
  recent.add(named('/4'), { last: 4, characters: 10 });
  expect(pages(recent.oldest(10)?.entries)).toEqual(['/4']);
  recent.add(named('/5'), { last: 5, characters: 101 });
  expect(recent.oldest(10)).toBeUndefined();
  recent.add(named('/6'), { last: 6, characters: 100 });
  expect(recent.oldest(10)).toMatchObject({ first: 6, last: 6 });
});

test('too many entries are forgotten', () => {
  const recent = openRecent({ entries: 3, characters: 100 });
  recent.add(named('/1', '/2'), { last: 2, characters: 2 });
  recent.add(named('/3'), { last: 3, characters: 1 });
  expect(pages(recent.oldest(10)?.entries)).toEqual(['/1', '/2', '/3']);
  recent.add(named('/4'), { last: 4, characters: 1 });
  expect(recent.oldest(10)).toMatchObject({ first: 4, last: 4 });
  recent.add(named('/5', '/6', '/7', '/8'), { last: 8, characters: 4 });
  expect(recent.oldest(10)).toBeUndefined();
});
