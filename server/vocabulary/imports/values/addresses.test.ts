import { expect, test } from 'vitest';
import { clickParameters } from '../../../collect/sources/clicks.ts';
import { clickIds, keptQuery, pageLabel, pathOf, placeOf, referrerLabel, referrerOf } from './addresses.ts';

test('the click identifiers are those of the collector', () => {
  expect(clickIds).toEqual(clickParameters);
});

test.each([
  ['', ''],
  ['?a=1&email=ann%40example.com&token=x', ''],
  ['UTM_Source=News&utm_medium=email&utm_source=other&x=1', '?utm_source=News&utm_medium=email'],
  ['?ref=hn&source=&fbclid=abc123', '?ref=hn&fbclid=1'],
  ['mtm_campaign=may&pk_kwd=shoes&piwik_source=x', '?utm_campaign=may&utm_term=shoes&utm_source=x'],
  [`utm_term=${'x'.repeat(300)}`, `?utm_term=${'x'.repeat(255)}`],
])('of the query %s is kept %s', (query, kept) => {
  expect(keptQuery(query)).toBe(kept);
});

test('a path has the kept part of its query', () => {
  expect(pathOf('/a?utm_source=x&id=7#top')).toBe('/a?utm_source=x');
  expect(pathOf('a', 'id=7')).toBe('/a');
  expect(pathOf('#top')).toBe('');
  expect(placeOf('https://Example.com:8080/a?ref=b&c=d#e')).toEqual({ hostname: 'example.com', path: '/a?ref=b' });
  expect(placeOf('javascript:alert(1)')).toBeUndefined();
});

test('labels have no query, no scheme and no name of a user', () => {
  expect(pageLabel('/caf%C3%A9?id=7')).toBe('/café');
  expect(pageLabel('https://example.com/a#b')).toBe('/a');
  expect(referrerOf('https://ann:secret@example.org/x?q=1')).toBe('https://example.org/x');
  expect(referrerOf('android-app://com.example/')).toBe('android-app://com.example/');
  expect(referrerLabel('https://example.org/?q=1')).toBe('example.org');
});
