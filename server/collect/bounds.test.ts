/** @module-tag attack */
// All input may be hostile: each parser reads only a limited part of it. Lint rules for patterns limit the cost of that part, and
// `bench/text-parsers.ts` measures it.
import { describe, expect, test } from 'vitest';
import { recogniseAi } from './agents/ai.ts';
import { botReason } from './agents/bots.ts';
import { parseClient } from './agents/device.ts';
import { parseAddress } from './places/geo.ts';
import { readLanguage } from './agents/language.ts';
import { readReferrer, sourceOfName } from './sources/referrer.ts';
import { isReferrerSpam } from './sources/spam.ts';
import { parsePage } from '../vocabulary/texts/url.ts';
import { cleanText } from '../vocabulary/texts/spelling.ts';
import { showsRefused } from '../../tests/setup/run/harness.ts';

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

type Reader = {
  limit: number;
  /** Returns the part of the answer to compare. */
  read(text: string): unknown;
  /** Start of the text, filled up to the limit. */
  start: string;
  fill: string;
  /** Text past the limit that would change the answer if it were read. */
  telling: string;
};

const READERS: Record<string, Reader> = {
  'botReason, user agent': {
    limit: 512,
    read: (userAgent) => botReason({ userAgent, headers: {}, webdriver: false }),
    start: CHROME,
    fill: ' ',
    telling: ' Googlebot/2.1',
  },
  'botReason, purpose': {
    limit: 64,
    read: (purpose) => botReason({ userAgent: CHROME, headers: { purpose }, webdriver: false }),
    start: '',
    fill: ' ',
    telling: 'prefetch',
  },
  'botReason, brands': {
    limit: 256,
    read: (brands) => botReason({ userAgent: CHROME, headers: { 'sec-ch-ua': brands }, webdriver: false }),
    start: '"Chromium";v="140"',
    fill: ' ',
    telling: '"HeadlessChrome";v="140"',
  },
  'recogniseAi, user agent': {
    limit: 512,
    read: (userAgent) => recogniseAi({ userAgent }),
    start: CHROME,
    fill: ' ',
    telling: ' GPTBot/1.2',
  },
  'recogniseAi, signature': {
    limit: 512,
    read: (signatureAgent) => recogniseAi({ userAgent: CHROME, signatureAgent }),
    start: '"',
    fill: ' ',
    telling: 'https://chatgpt.com"',
  },
  'parseClient, user agent': {
    limit: 512,
    read: (userAgent) => parseClient(userAgent, {}),
    start: CHROME,
    fill: ' ',
    telling: ' Edg/140.0.0.0',
  },
  'parseClient, brands': {
    limit: 256,
    read: (brands) => parseClient(CHROME, { brands }),
    start: '"Chromium";v="140", ',
    fill: ' ',
    telling: '"Brave";v="140"',
  },
  readReferrer: {
    limit: 2_048,
    read: (referrer) => readReferrer(referrer, () => false),
    start: '',
    fill: ' ',
    telling: 'https://www.google.com/',
  },
  sourceOfName: {
    limit: 255,
    read: sourceOfName,
    start: '',
    fill: 'a.',
    telling: 'google.com',
  },
  readLanguage: {
    limit: 256,
    read: readLanguage,
    start: '',
    fill: ',',
    telling: 'de-AT',
  },
  isReferrerSpam: {
    limit: 253,
    read: isReferrerSpam,
    start: '',
    fill: 'a.',
    telling: 'semalt.com',
  },
  parsePage: {
    limit: 2_048,
    read: (url) => parsePage(url)?.page,
    start: 'https://example.com/',
    fill: '/',
    telling: 'a',
  },
  'cleanText of 255 characters': {
    limit: 1_020,
    read: (text) => cleanText(text, 255),
    start: '',
    fill: ' ',
    telling: 'a',
  },
};

describe.each(Object.entries(READERS))('%s', (_, { limit, read, start, fill, telling }) => {
  const filled = start.padEnd(limit, fill).slice(0, limit);

  test(`depends on the first ${limit} characters`, () => {
    expect(read(start + telling)).not.toEqual(read(start));
  });

  test('ignores what comes after them', () => {
    showsRefused('slow patterns', 2);
    const nothing = [undefined, false, '', read(start), read(filled)];
    for (const text of [filled + telling, filled + telling.repeat(65_536 / telling.length)])
      expect(nothing).toContainEqual(read(text));
  });
});

test('parseAddress reads 64 characters, enough for an address with its zone, and nothing longer', () => {
  const zoned = '2001:db8::1%'.padEnd(64, '0');
  expect(parseAddress(zoned)?.text).toBe('2001:db8::1');
  expect(parseAddress(`${zoned}0`)).toBe(undefined);
});
