import { expect, test } from 'vitest';
import { isHostOf, parsePage } from './url.ts';
import { cleanText } from './spelling.ts';

test.each([
  ['https://Example.COM:8443/a/b?x=1#y', 'example.com', '/a/b'],
  ['http://example.com', 'example.com', '/'],
  ['https://example.com./a', 'example.com', '/a'],
  ['https://MÜNCHEN.example/straße', 'xn--mnchen-3ya.example', '/straße'],
  ['https://example.com/caf%c3%a9', 'example.com', '/café'],
  ['https://example.com/caf%65%cc%81', 'example.com', '/café'],
  ['https://example.com/%7euser/%41', 'example.com', '/~user/A'],
  ['https://example.com/a%2Fb%3fc%25%20d', 'example.com', '/a%2Fb%3Fc%25%20d'],
  ['https://example.com/%ff%fe', 'example.com', '/%FF%FE'],
  ['https://example.com/%e2%80%ae/x', 'example.com', '/%E2%80%AE/x'],
  ['https://example.com/%00%0a', 'example.com', '/%00%0A'],
  ['https://example.com/a/../b/%2e%2e/c', 'example.com', '/c'],
  ['https://user:secret@example.com/', 'example.com', '/'],
])('%s is page %s%s', (url, hostname, page) => {
  expect(parsePage(url)).toMatchObject({ hostname, page });
});

test.each([
  '',
  'example.com',
  'ftp://example.com/',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'https://',
  `https://a.example/${'x'.repeat(2_048)}`,
])('%.30s is not the address of a page', (url) => {
  expect(parsePage(url)).toBeUndefined();
});

test('a path is cut to at most 1,024 characters, and never in the middle of a character', () => {
  const page = parsePage(`https://example.com/x${'😀'.repeat(160)}${'y'.repeat(900)}`)?.page ?? '';
  expect(page).toBe(`/x${'😀'.repeat(160)}${'y'.repeat(862)}`);
});

test.each([
  ['example.com', true],
  ['www.example.com', true],
  ['shop.example.com', true],
  ['notexample.com', false],
  ['example.com.evil.org', false],
  ['partner.org', true],
  ['www.partner.org', false],
  ['a.b.family.net', true],
])('the host %s belongs to example.com: %s', (host, belongs) => {
  expect(isHostOf(host, 'example.com', ['partner.org', '*.family.net'])).toBe(belongs);
  expect(isHostOf(host, 'www.example.com', ['Partner.org', '*.family.net'])).toBe(belongs);
});

test('free text is normalised, and loses control characters and marks that reverse the text after them', () => {
  expect(cleanText('  cafe\u0301\u0000\u202E\ud800x ', 20)).toBe('café x');
  expect(cleanText('x'.repeat(600), 255)).toHaveLength(255);
  expect(cleanText('😀'.repeat(65), 64)).toBe('😀'.repeat(64));
});
