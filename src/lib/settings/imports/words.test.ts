import { expect, test } from 'vitest';
import { TARGETS } from '../../../../server/vocabulary/imports/formats/headings.ts';
import { FORMAT_NAMES, FORMATS } from '../../../../server/vocabulary/imports/formats/formats.ts';
import { PRODUCTS } from '../../../../server/vocabulary/imports/products.ts';
import {
  becomesWords,
  choicesOfColumn,
  fileWords,
  importedWords,
  importWords,
  keptWords,
  notTakenWords,
  replacedWords,
  troubleOfDays,
  withGaps,
} from './words.ts';

test('every format has the name of its product', () => {
  for (const format of FORMAT_NAMES) expect(PRODUCTS[format]).toBe(FORMATS[format].product);
});

test('every purpose of a column can be chosen, in words of its own', () => {
  const choices = choicesOfColumn();
  expect(choices.map(({ value }) => value).sort()).toEqual(['', ...TARGETS].sort());
  expect(new Set(choices.map(({ label }) => label)).size).toBe(choices.length);
  expect(choices.filter(({ label }) => !/^[A-Z][A-Za-z, /\d]+$/.test(label))).toEqual([]);
  const columns = [null, 'day', 'prop', 'os', 'visit_seconds'].map((becomes) => ({ column: 'title', becomes }));
  expect(columns.map(becomesWords)).toEqual([
    'Left out: titles are not kept',
    'Day',
    'Property',
    'System',
    'Visit duration, sum',
  ]);
});

test('what happens to days that have numbers already is told', () => {
  expect(keptWords(1)).toBe('1 of these days has numbers of its own: it keeps them.');
  expect(keptWords(1200)).toBe('1,200 of these days have numbers of their own: they keep them.');
  expect(replacedWords(1, 1)).toMatch('1 of these days has numbers of its own: the import takes their place.');
  expect(replacedWords(12, 5)).toMatch(
    '12 of these days have numbers of their own: the import takes the place of 5 of them.',
  );
  const plain = (text: string) => text.replace(/[\u2066-\u2069]/g, '');
  const one = { id: 'i', file: 'a.csv', days: ['2026-01-02'] };
  expect(plain(importedWords([one]))).toBe(
    '1 of these days is imported already, from a.csv. Which import counts for it?',
  );
  expect(plain(importedWords([one, { ...one, file: 'b.csv', days: ['2026-01-03', '2026-01-04'] }]))).toBe(
    '3 of these days are imported already, from a.csv and b.csv. Which import counts for them?',
  );
});

test('days that no import may have are named', () => {
  const now = Date.UTC(2026, 10, 20, 12);
  const days = { from: '2026-11-01', to: '2026-11-21', count: 2 };
  expect(troubleOfDays(null, now)).toBe('There is no day to import in this file.');
  expect(troubleOfDays(null, now, { isSealed: true })).toBeUndefined();
  expect(troubleOfDays(days, now)).toBeUndefined();
  expect(troubleOfDays({ ...days, to: '2026-11-22' }, now)).toContain('up to 22 Nov 2026');
  expect(troubleOfDays({ ...days, from: '1994-12-31' }, now)).toContain('from 31 Dec 1994 on');
  expect(troubleOfDays(null, now)).toBe('There is no day to import in this file.');
});

test('an import is told in one line', () => {
  const one = {
    id: 'i',
    format: 'plausible',
    file: 'export.zip',
    state: 'done' as const,
    parts: 1,
    brought: { first_day: '2025-01-30', last_day: '2025-02-01', days: 3, pageviews: 1234, visitors: 1 },
    not_taken: { no_date: 2, bad_number: 1 },
    ai_visits: 0,
    actor: null,
    by: null,
    created_at: '2026-11-20T12:00:00.000Z',
  };
  expect(importWords(one)).toBe(
    'Plausible · 30 Jan – 1 Feb 2025 · 1,234 page views · 1 visitor · 3 rows left out · Imported on 20 Nov 2026',
  );
  expect(importWords({ ...one, brought: { ...one.brought, visitors: null }, not_taken: {} })).toBe(
    'Plausible · 30 Jan – 1 Feb 2025 · 1,234 page views · Visitors: – · Imported on 20 Nov 2026',
  );
  expect(importWords({ ...one, format: 'access-log', ai_visits: 20, not_taken: {} })).toBe(
    'Access log · 30 Jan – 1 Feb 2025 · 1,234 page views · 1 visitor · 20 AI visits · Imported on 20 Nov 2026',
  );
});

test('an import says who imported it', () => {
  const one = {
    id: 'i',
    format: 'csv',
    file: 'a.csv',
    state: 'done' as const,
    parts: 1,
    brought: null,
    not_taken: {},
    ai_visits: 0,
    created_at: '2026-11-20T12:00:00.000Z',
  };
  expect(importWords({ ...one, actor: 'person', by: 'ann@example.com' }).replace(/[\u2066-\u2069]/g, '')).toBe(
    'CSV · Imported on 20 Nov 2026 by ann@example.com',
  );
  expect(importWords({ ...one, actor: 'person', by: null })).toBe('CSV · Imported on 20 Nov 2026 by a former member');
  expect(importWords({ ...one, actor: 'operator', by: null })).toBe(
    'CSV · Imported on 20 Nov 2026 by the command line',
  );
});

test('what was left out is told by reason, wherever it was left out', () => {
  const notTaken = { not_a_page: 2, bot_user_agent: 3000, status: 1, no_date: 4 };
  expect(notTakenWords(notTaken).map(({ words }) => words)).toEqual([
    'Bots: 3,000 rows',
    'The day is missing or cannot be read: 4 rows',
    'The request is not for a page, but for an image, a feed or an API, for example: 2 rows',
    'The answer was an error or a redirect: 1 row',
  ]);
});

test('files have one name together', () => {
  expect(fileWords(['a.csv'])).toBe('a.csv');
  expect(fileWords(['a.csv', 'b.csv', 'c.csv'])).toBe('a.csv and 2 other files');
  expect(fileWords(['x'.repeat(300), 'b.csv']).length).toBeLessThan(200);
});

test('months without numbers stand between the others', () => {
  const month = (name: string, pageviews: number) => ({ month: name, pageviews, visitors: pageviews });
  expect(withGaps([month('2025-11', 3), month('2026-02', 1)])).toEqual([
    month('2025-11', 3),
    month('2025-12', 0),
    month('2026-01', 0),
    month('2026-02', 1),
  ]);
  expect(withGaps([])).toEqual([]);
});
