import { expect, test } from 'vitest';
import { changesOf, linesOf, inFormWords } from './path-rules';

test('lines and commas separate a list’s entries, and repeated ones count once', () => {
  expect(linesOf(' /a \n\n/b, /a\n')).toEqual(['/a', '/b']);
});

test('changes are the pages that others are merged into, with their views', () => {
  const rows = [
    { before: '/a', after: '/a', pageviews: 9 },
    { before: '/u/1', after: '/u/*', pageviews: 3 },
    { before: '/b', after: '/b', pageviews: 2 },
    { before: '/u/2', after: '/u/*', pageviews: 2 },
    { before: '/b/', after: '/b', pageviews: 1 },
  ];
  expect(changesOf(rows)).toEqual([
    { page: '/u/*', from: ['/u/1', '/u/2'], pageviews: 5 },
    { page: '/b', from: ['/b', '/b/'], pageviews: 3 },
  ]);
});

test('errors name lines instead of request fields', () => {
  expect(inFormWords('rules.groups.1: must begin with a slash.')).toBe('Groups, line 2: must begin with a slash.');
  expect(inFormWords('path_rules.query: must have at most 10 names.')).toBe(
    'Query parameters: must have at most 10 names.',
  );
  expect(inFormWords('left_out.hostnames.0: "x" is not a domain.')).toBe('Hosts, line 1: "x" is not a domain.');
  expect(inFormWords('There is no such site.')).toBe('There is no such site.');
});
