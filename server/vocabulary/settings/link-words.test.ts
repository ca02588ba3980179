import { expect, test } from 'vitest';
import { linkSentence } from './link-words.ts';
import { NO_RULES, PART_NAMES } from './share-links.ts';

const NOW = Date.UTC(2026, 10, 20);
const PLAIN = {
  shows: { properties: false, fewest: 3, embedded_on: [] },
  rules: NO_RULES,
  has_password: false,
  expires_at: null,
  paused: false,
  public: false,
};
const wording = { now: NOW, segments: new Map([['segment_1', 'Readers']]), show: (text: string) => text };
const country = { dimension: 'country', operator: 'is', values: ['DE', 'FR'] } as const;
const segment = { dimension: 'segment', operator: 'is_not', values: ['segment_1', 'segment_2'] } as const;
const filters = [country, segment].map((one) => ({ ...one, values: [...one.values] }));
const without = (...hidden: string[]) => PART_NAMES.filter((part) => !hidden.includes(part));

const LINKS: [words: string, link: Partial<Parameters<typeof linkSentence>[0]>][] = [
  ['Sees the dashboard', {}],
  ['Sees everything', { shows: { properties: true, fewest: 1, embedded_on: [] } }],
  ['Sees the dashboard: exact numbers', { shows: { properties: false, fewest: 1, embedded_on: [] } }],
  ['Sees the dashboard: only the last 30 days', { rules: { ...NO_RULES, period: { days: 30 } } }],
  [
    'Sees the dashboard: only 1 – 3 Nov 2026; without Revenue and Goals',
    {
      rules: {
        ...NO_RULES,
        period: { date_from: '2026-11-01', date_to: '2026-11-03' },
        parts: without('revenue', 'goals'),
      },
    },
  ],
  ['Sees the dashboard: in UTC days', { rules: { ...NO_RULES, timezone: 'UTC' } }],
  ['Sees the dashboard: only Pages', { rules: { ...NO_RULES, parts: ['pages'] } }],
  ['Sees the dashboard: only figures and their chart', { rules: { ...NO_RULES, parts: [] } }],
  [
    'Sees the dashboard: only visits where Country is Germany or France, and Segment is not Readers or a deleted segment; no narrowed numbers of fewer than 20 visitors; with event properties',
    { shows: { properties: true, fewest: 20, embedded_on: [] }, rules: { ...NO_RULES, filters } },
  ],
  [
    'Sees the dashboard · asks for a password · paused · until 2 Mar 2027',
    { has_password: true, paused: true, expires_at: Date.UTC(2027, 2, 3) },
  ],
  [
    'Sees the dashboard · open to everybody, by the domain · in frames of blog.example and *.notion.site',
    { public: true, shows: { properties: false, fewest: 3, embedded_on: ['blog.example', '*.notion.site'] } },
  ],
  ['Sees the dashboard · expired 19 Nov 2026', { expires_at: NOW }],
];

test.each(LINKS)('%s', (words, more) => {
  expect(linkSentence({ ...PLAIN, ...more }, wording)).toBe(words);
});
