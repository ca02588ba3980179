import { expect, it } from 'vitest';
import { pagesPerVisit, ratioText, totalsOf } from './totals';

const row = (read: number, sent: number | null, previous: { read: number; sent: number | null } | null = null) => ({
  provider: 'OpenAI',
  read,
  sent,
  previous,
  points: [],
  before: null,
  icon: undefined,
});

it('a sum over providers is unknown as soon as one of its parts is', () => {
  expect(totalsOf([row(3, 1), row(4, 2)])).toEqual({ read: 7, sent: 3, previous: null });
  expect(totalsOf([row(3, 1, { read: 1, sent: 1 }), row(4, 2, { read: 5, sent: null })])).toEqual({
    read: 7,
    sent: 3,
    previous: { read: 6, sent: null },
  });
});

it('a ratio below ten has a decimal, and without visits there is no ratio', () => {
  expect([ratioText(2.46), ratioText(3), ratioText(1234.5)]).toEqual(['2.5 : 1', '3 : 1', '1,235 : 1']);
  expect([pagesPerVisit({ read: 5, sent: 2 }), pagesPerVisit({ read: 5, sent: 0 })]).toEqual([2.5, undefined]);
  expect(ratioText(pagesPerVisit({ read: 5, sent: null }))).toBe('–');
});
