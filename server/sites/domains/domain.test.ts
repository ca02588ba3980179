import { describe, expect, test } from 'vitest';
import type { Refusal } from '../../errors.ts';
import { normaliseDomain, normaliseFrameHost, normaliseHost } from './domain.ts';

describe('text that people type as a domain', () => {
  test.each([
    ['example.com', 'example.com'],
    ['  EXAMPLE.com. ', 'example.com'],
    ['www.example.com', 'www.example.com'],
    ['https://example.com/blog?a=b#c', 'example.com'],
    ['http://example.com:8080', 'example.com'],
    ['example.com:443', 'example.com'],
    ['example.com/', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
    ['a-b.c--d.co.uk', 'a-b.c--d.co.uk'],
    ['me.github.io', 'me.github.io'],
    ['www.ck', 'www.ck'],
    ['localhost', 'localhost'],
    ['localhost:5173', 'localhost'],
    ['shop.localhost', 'shop.localhost'],
  ])('%s becomes %s', (input, domain) => {
    expect(normaliseDomain(input)).toBe(domain);
  });

  test.each([
    '',
    ' ',
    'example',
    'exam ple.com',
    'exam\nple.com',
    'example\0.com',
    'example..com',
    '.example.com',
    '-example.com',
    'example-.com',
    'exa_mple.com',
    'example.123',
    '127.0.0.1',
    '127.1',
    '[::1]',
    'user@example.com',
    'https://user:password@example.com',
    'ftp://example.com',
    'javascript://example.com',
    'example.com\\blog',
    'ex%61mple.com',
    '*.example.com',
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(130)}com`,
    'x'.repeat(3_000),
    '<script>.com',
  ])('%j is refused with an example of a valid domain', (input) => {
    expect(() => normaliseDomain(input)).toThrow(
      expect.objectContaining({
        code: 'bad_request',
        message: expect.stringMatching(
          /is not a domain: enter one such as example\.com or shop\.example\.com\.$/,
        ) as string,
      }) as Refusal,
    );
  });

  test.each([
    'co.uk',
    'com.au',
    'github.io',
    'https://GITHUB.io./',
    'vercel.app',
    'blogspot.com',
    's3.amazonaws.com',
    'foo.ck',
    '公司.cn',
  ])('%s is refused, since anybody can have a name under it', (input) => {
    expect(() => normaliseDomain(input)).toThrow(
      /^Anybody can have a name under .+: enter your own, such as example\./,
    );
  });

  test.each(['example.com/blog', 'example.com?a=b', 'example.com#top'])('%s may mean a part of a site', (input) => {
    expect(() => normaliseDomain(input)).toThrow(
      'A site is a whole domain: enter example.com. Its pages are counted by their paths.',
    );
  });

  test('a refusal shows only the start of what was typed, without control characters', () => {
    expect(() => normaliseDomain(`a\u202e\u0007${'b'.repeat(2_000)}`)).toThrow(
      `"a  ${'b'.repeat(77)}…" is not a domain: enter one such as example.com or shop.example.com.`,
    );
  });
});

test.each([
  ['192.168.1.5', '192.168.1.5'],
  ['http://10.0.0.1:8080/shop', '10.0.0.1'],
  ['127.1:3000', '127.0.0.1'],
  ['[FD00::0:1]:8080', '[fd00::1]'],
  ['Shop.Example.net.', 'shop.example.net'],
])('%s as another host of a site becomes %s', (input, host) => {
  expect(normaliseHost(input)).toBe(host);
});

test.each(['', 'devbox', '192.168.1.5/shop', 'github.io', '1.2.3.4.5', 'user@10.0.0.1'])(
  '%s is not another host of a site',
  (input) => {
    expect(() => normaliseHost(input)).toThrow();
  },
);

test.each([
  ['blog.example', 'blog.example'],
  ['https://Blog.Example/a/page?x=1', 'blog.example'],
  ['blog.example/a/page', 'blog.example'],
  ['*.notion.site', '*.notion.site'],
  ['*.github.io', '*.github.io'],
  ['bücher.example:8443', 'xn--bcher-kva.example:8443'],
  ['https://blog.example:443', 'blog.example'],
  ['127.0.0.1:3000', '127.0.0.1:3000'],
  ['localhost:5173', 'localhost:5173'],
])('reads %s as a website with frames', (input, host) => {
  expect(normaliseFrameHost(input)).toBe(host);
});
