import { domainToASCII } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { addressName, domainName, prepareNames } from './domain';

const HONEST = [
  'münchen.de',
  'café.example',
  'пример.рф',
  'почта.com',
  'παράδειγμα.gr',
  '例え.jp',
  'ひらがなカタカナ漢字.jp',
  '한국.kr',
  'דוגמה.co.il',
  'مثال.com',
  'shop.bücher-24.de',
];
/** Cyrillic and Greek letters that look like Latin ones, on their own or mixed with Latin ones. */
const DECEITFUL = ['аррӏе.com', 'pаypal.com', 'gооgle.com', 'αpple.com', 'раураӏ.com', 'sсоре.com'];

beforeAll(() => prepareNames(['xn--']));

it('shows international domains as people write them', () => {
  for (const name of HONEST) {
    expect(domainToASCII(name), name).toMatch(/xn--/);
    expect(domainName(domainToASCII(name))).toBe(name);
  }
  expect(domainName('example.com')).toBe('example.com');
  expect(addressName(`${domainToASCII('bücher.de')}/neu?x=1`)).toBe('bücher.de/neu?x=1');
});

it('keeps the punycode of what could be taken for another domain', () => {
  for (const name of DECEITFUL) {
    const stored = domainToASCII(name);
    expect(stored, name).toMatch(/xn--/);
    expect(domainName(stored), name).toBe(stored);
  }
});

it('leaves text that is not punycode, or that hides something, unchanged', () => {
  for (const stored of ['xn--.com', 'xn--999999999.com', 'xn--google-.com', 'xn--a-ecp.ru', 'xn--4u4d.com'])
    expect(domainName(stored), stored).toBe(stored);
});
