import { describe, expect, test } from 'vitest';
import { compileRules, pageOf, pathRules, pathRulesOf, storedPage } from './paths.ts';
import { parsePage } from '../vocabulary/texts/url.ts';

const under = (rules: object, url: string) => {
  const page = parsePage(`https://example.com${url}`);
  if (!page) throw new Error(`${url} is not the address of a page`);
  return compileRules(pathRules.parse(rules))(page);
};

describe('trailing slash and case', () => {
  test.each([
    [{}, '/About/', '/About/'],
    [{ trailing_slash: 'strip' }, '/about/', '/about'],
    [{ trailing_slash: 'strip' }, '/about///', '/about'],
    [{ trailing_slash: 'strip' }, '/', '/'],
    [{ case: 'lower' }, '/About/%C3%9Cber', '/about/über'],
    [{ case: 'lower', trailing_slash: 'strip' }, '/ABOUT/', '/about'],
  ])('%j makes %s the page %s', (rules, url, page) => expect(under(rules, url)).toBe(page));
});

describe('query parameters', () => {
  test.each([
    [{ query: ['p'] }, '/?p=12&utm_source=x', '/?p=12'],
    [{ query: ['p', 'lang'] }, '/a?lang=de&p=1', '/a?p=1&lang=de'],
    [{ query: ['p'] }, '/a?p=', '/a'],
    [{ query: ['p'] }, '/a?q=1', '/a'],
    [{ query: ['p'] }, '/a?p=1&p=2', '/a?p=1'],
    [{ query: ['q'] }, '/s?q=caf%C3%A9+%26%20tea', '/s?q=café%20%26%20tea'],
    [{ query: ['q'] }, `/s?q=${'x'.repeat(500)}`, `/s?q=${'x'.repeat(128)}`],
    [{ query: ['P'] }, '/a?p=1', '/a'],
    [{ query: ['p'], groups: ['/blog/:slug'] }, '/blog/one?p=2', '/blog/:slug?p=2'],
    [{ query: ['p'], case: 'lower' }, '/A?p=X', '/a?p=X'],
  ])('%j makes %s the page %s', (rules, url, page) => expect(under(rules, url)).toBe(page));

  test('a page never grows past 1,024 characters', () => {
    const names = Array.from({ length: 10 }, (_, n) => `name${n}`);
    const query = names.map((name) => `${name}=${'x'.repeat(128)}`).join('&');
    expect(under({ query: names }, `/?${query}`).length).toBe(1024);
  });
});

describe('groups', () => {
  test.each([
    ['/users/*', '/users/1', true],
    ['/users/*', '/users/1/', true],
    ['/users/*', '/users/', false],
    ['/users/*', '/users', false],
    ['/users/*', '/users/1/posts', false],
    ['/users/*', '/users//', false],
    ['/users/*', '/Users/1', false],
    ['/users/*/posts', '/users/1/posts', true],
    ['/users/*/posts', '/users/1/likes', false],
    ['/blog/:slug', '/blog/one', true],
    ['/blog/:year/:slug', '/blog/2026/one', true],
    ['/p-*', '/p-12', true],
    ['/p-*', '/p-', false],
    ['/*.html', '/index.html', true],
    ['/*.html', '/.html', false],
    ['/a*a', '/a', false],
    ['/docs/**', '/docs/a', true],
    ['/docs/**', '/docs/a/b/c', true],
    ['/docs/**', '/docs', false],
    ['/docs/**', '/docsy/a', false],
    ['/**', '/a/b', true],
    ['/caf%C3%A9/*', '/caf%c3%a9/1', true],
    ['/café/*', '/caf%C3%A9/1', true],
    ['/a.c', '/abc', false],
    ['/(a+)+$', '/aaaa', false],
    ['/', '/', true],
  ])('%s and %s: %s', (pattern, url, matches) => {
    const page = under({ groups: [pattern] }, url);
    expect(page === pattern || url === pattern).toBe(matches);
  });

  test('the first match wins, and patterns are compared with the path after the other rules', () => {
    const groups = ['/users/me', '/users/*', '/**'];
    expect(under({ groups }, '/users/me')).toBe('/users/me');
    expect(under({ groups }, '/users/1')).toBe('/users/*');
    expect(under({ groups }, '/other')).toBe('/**');
    expect(under({ case: 'lower', groups: ['/Users/*'] }, '/USERS/1')).toBe('/Users/*');
  });

  test('are compared segment by segment: no path makes them expensive', () => {
    const groups = Array.from({ length: 100 }, (_, n) => `${'/*a'.repeat(60)}/${n}`);
    const apply = compileRules(pathRules.parse({ groups }));
    const page = { page: '/aaaaaaaaaaa'.repeat(5400), query: new URLSearchParams() }; // 64 kB
    expect(apply(page).length).toBe(1024); // a backtracking match would never end
  });
});

describe('rules that are refused', () => {
  test.each([
    [{ groups: ['users/*'] }, 'groups.0: must begin with a slash, such as /users/*'],
    [{ groups: ['/a b'] }, 'groups.0: must be a path without spaces, query and fragment'],
    [{ groups: ['/a?b=1'] }, 'groups.0: must be a path without spaces, query and fragment'],
    [{ groups: ['/**/a'] }, 'groups.0: may have ** only as its last segment'],
    [{ groups: ['/a**'] }, 'groups.0: may have ** only as its last segment'],
    [{ groups: ['/a*b*'] }, 'groups.0: may have one * in a segment'],
    [{ groups: [`/${'a'.repeat(256)}`] }, 'groups.0: must have at most 256 characters'],
    [{ groups: Array.from({ length: 101 }, (_, n) => `/${n}`) }, 'groups: must have at most 100 patterns'],
    [{ query: ['a=b'] }, 'query.0: must be the name of a query parameter, of 1 to 64 characters'],
    [{ query: Array.from({ length: 11 }, String) }, 'query: must have at most 10 names'],
    [{ trailing_slash: 'add' }, 'trailing_slash: Invalid option: expected one of "keep"|"strip"'],
    [{ regex: '.*' }, ': Unrecognized key: "regex"'],
  ])('%j', (rules, sentence) => {
    const [issue] = pathRules.safeParse(rules).error?.issues ?? [];
    expect(`${issue?.path.join('.')}: ${issue?.message}`).toBe(sentence);
  });
});

test('a site without rules keeps its pages, and so does one whose stored rules cannot be read', () => {
  const page = storedPage('/About/?p=1');
  expect([page.page, page.query.get('p')]).toEqual(['/About/', '1']);
  expect(pageOf(page, {})).toBe('/About/');
  expect(pageOf(page, { path_rules: { groups: 7 } })).toBe('/About/');
  expect(pathRulesOf({ path_rules: { trailing_slash: 'strip' } })).toEqual({
    ...pathRulesOf({}),
    trailing_slash: 'strip',
  });
  expect(pageOf(page, { path_rules: { case: 'lower', query: ['p'] } })).toBe('/about/?p=1');
});
