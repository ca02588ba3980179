// Everything that arrives is hostile text: no pattern may take its time over it, however it was made.
import { expect, test } from 'vitest';
import { recogniseAi } from './ai.ts';
import { botReason } from './bots.ts';
import { readCampaign } from './campaign.ts';
import { parseClient } from './device.ts';
import { parseAddress } from './geo.ts';
import { readLanguage } from './language.ts';
import * as agentLists from './lists/agents.ts';
import * as botLists from './lists/bots.ts';
import * as clientLists from './lists/clients.ts';
import { readReferrer, sourceOfName } from './referrer.ts';
import { isReferrerSpam } from './spam.ts';
import { cleanText, parsePage } from './url.ts';

const SIZE = 65_536;
const SEEDS = [
  ...[
    'a',
    ' ',
    '/',
    '(',
    ')',
    ';',
    '.',
    '-',
    '_',
    '0',
    '%',
    '%e2%80',
    '\u0301',
    '\u{1F600}',
    '\ud800',
    '\n',
    ',;q=0.',
    '::',
    '1.',
  ],
  ...[
    'a.',
    'com.a',
    'bot/',
    'Android',
    'Mozilla/5.0 (Linux; Android 10; ',
    'Version/4.0 Chrome/1',
    '(iPhone; OS 18_7',
    'UCWEB',
  ],
  ...[
    'Silk/',
    'MIDP-2',
    'S60',
    'TV',
    'box',
    'LED1',
    'News',
    'Google',
    'Opera News',
    'ABScanner',
    'gpt-',
    'claude-',
    'Darwin/1 (',
  ],
  ...[
    '"x";v="1", ',
    'https://',
    'http://a.',
    'utm_source=a&',
    'google.com.',
    '?ref=',
    'www.',
    'Quest ',
    'Windows NT ',
    'tv ',
  ],
];
const hostile = SEEDS.flatMap((seed) => {
  const text = seed.repeat(Math.ceil(SIZE / seed.length)).slice(0, SIZE);
  return [text, `Mozilla/5.0 (${text}`, `https://example.com/${text}`];
});

/** Whether one of some runs keeps to the limit: what the code takes, not what the machine was doing. */
function keepsTo(limitMs: number, run: () => void): boolean {
  for (let times = 0; times < 10; times++) {
    const start = performance.now();
    run();
    if (performance.now() - start < limitMs) return true;
  }
  return false;
}

let unseen = 0;
/** Different at each call, so that no cache answers. */
const fresh = (text: string) => `${++unseen}${text}`;

const READERS: Record<string, (text: string) => unknown> = {
  parsePage: (text) => parsePage(text),
  parseClient: (text) => parseClient(fresh(text), { brands: text, platform: text, platformVersion: text, model: text }),
  botReason: (text) =>
    botReason({ userAgent: fresh(text), headers: { purpose: text, 'sec-ch-ua': text }, webdriver: false }),
  recogniseAi: (text) => recogniseAi({ userAgent: fresh(text), signatureAgent: text }),
  readReferrer: (text) => readReferrer(text, () => false),
  sourceOfName: (text) => sourceOfName(text),
  readLanguage: (text) => readLanguage(fresh(text)),
  isReferrerSpam: (text) => isReferrerSpam(text),
  parseAddress: (text) => parseAddress(text),
  cleanText: (text) => cleanText(text, 255),
};

test.each(Object.entries(READERS))('%s takes at most a millisecond over 64 kB of anything', (_, read) => {
  for (const text of hostile)
    expect(
      keepsTo(1, () => read(text)),
      JSON.stringify(text.slice(0, 40)),
    ).toBe(true);
});

test('a query of 2,048 characters takes at most a millisecond', () => {
  for (const text of hostile) {
    const query = new URLSearchParams(text.slice(0, 2_048));
    expect(
      keepsTo(1, () => readCampaign(query)),
      text.slice(0, 40),
    ).toBe(true);
  }
});

type Named = { pattern: RegExp };
const patterns = [agentLists, botLists, clientLists].flatMap((list) =>
  Object.values(list).flatMap((value: unknown): RegExp[] => {
    if (value instanceof RegExp) return [value];
    if (!Array.isArray(value)) return [];
    return (value as unknown[]).flatMap((row) =>
      typeof row === 'object' && row !== null && 'pattern' in row ? [(row as Named).pattern] : [],
    );
  }),
);

test.each(patterns)('%s is linear, even uncapped', (pattern) => {
  for (const text of hostile) {
    const once = new RegExp(pattern.source, pattern.flags.replace('g', ''));
    expect(
      keepsTo(10, () => once.test(text)),
      JSON.stringify(text.slice(0, 40)),
    ).toBe(true); // a quadratic one takes seconds
  }
});
