import { expect, it } from 'vitest';
import { broughtBy, newWords, shareText, titlesOf } from './words';

it('says which releases brought new errors in the period, and nothing without one', () => {
  const shown = { date_from: '2026-11-10', zone: 'Europe/Berlin' };
  const [before, within] = [Date.UTC(2026, 10, 9, 22), Date.UTC(2026, 10, 9, 23)]; // Berlin is an hour ahead
  const rows = [
    { since: 'Release 2', first_seen: within },
    { since: null, first_seen: within },
    { since: 'Release 2', first_seen: within },
    { since: 'Release 1', first_seen: before },
    { since: 'Release 3', first_seen: within },
  ];
  expect(newWords(rows, shown)).toBe('“Release 2” brought 2 new errors. “Release 3” brought 1 new error.');
  expect(newWords(rows.slice(3, 4), shown)).toBeUndefined();
});

it('counts the new errors of each release, of several with one text those of the latest before them', () => {
  const shown = { date_from: '2026-11-10', zone: 'America/New_York' };
  const note = (id: string, day: string, text = 'Release') => ({ id, day, text });
  const releases = [
    note('c', '2026-11-14'),
    note('b', '2026-11-12'),
    note('film', '2026-11-12', 'Film'),
    note('a', '2026-11-09'),
  ];
  const rowAt = (since: string | null, first_seen: number | null) => ({ since, first_seen });
  const noonOf = (day: number) => Date.UTC(2026, 10, day, 17);
  const rows = [
    rowAt('Release', noonOf(14)),
    rowAt('Release', noonOf(12)),
    rowAt('Release', noonOf(13)),
    rowAt('Film', Date.UTC(2026, 10, 12, 5)), // rounded: midnight there
    rowAt('Release', noonOf(9)), // before the period
    rowAt('Deleted', noonOf(14)),
    rowAt(null, noonOf(14)),
    rowAt(null, null), // of a share link
  ];
  expect(Object.fromEntries(broughtBy(rows, releases, shown))).toEqual({ c: 1, b: 2, film: 1 });
});

it('calls an error by its message, and a file that was not loaded by its path', () => {
  const row = { kind: 'error' as const, message: 'TypeError', file: '/app.js', line: 12 };
  const rows = [
    row,
    { ...row, line: 0 },
    { ...row, file: '' },
    { ...row, kind: 'load' as const, message: 'script', line: 0 },
  ];
  expect(rows.map(titlesOf)).toEqual([
    { title: 'TypeError', place: '/app.js:12' },
    { title: 'TypeError', place: '/app.js' },
    { title: 'TypeError', place: '' },
    { title: '/app.js', place: 'script' },
  ]);
});

it('never shows the share of some visits as 0%', () => {
  const shares = [
    { share: 0, visits: 3 },
    { share: 0, visits: 0 },
    { share: 4.2, visits: 9 },
  ];
  expect(shares.map(shareText)).toEqual(['<0.1%', '0%', '4.2%']);
});
