import { expect, test } from 'vitest';
import { NO_RULES, PART_NAMES } from '../../../../server/vocabulary/settings/share-links.ts';
import type { ShareLink } from '../../api/types.ts';
import { contentOf, formOf, isComplete, linkWords, useWords } from './link-form.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const LINK: ShareLink = {
  id: 'share_A',
  created_at: NOW,
  name: 'ACME',
  note: '',
  shows: { properties: false, fewest: 3, credit: true, embedded_on: [] },
  rules: NO_RULES,
  looks: { theme: null },
  expires_at: null,
  paused: false,
  public: false,
  indexed: false,
  has_password: false,
  uses: { last_used_at: null, views: [] },
};

test('a link and its form say the same', () => {
  const rules = {
    filters: [{ dimension: 'country' as const, operator: 'is' as const, values: ['DE'] }],
    period: { date_from: '2026-11-01', date_to: '2026-11-30' },
    parts: ['pages' as const],
    timezone: 'UTC' as const,
  };
  const ruled: ShareLink = {
    ...LINK,
    note: 'Ends in March',
    rules,
    looks: { theme: 'dark' },
    shows: { properties: true, fewest: 10, credit: false, embedded_on: ['blog.example', '*.notion.site'] },
    expires_at: Date.UTC(2027, 3, 1),
    public: true,
    indexed: true,
  };
  for (const link of [LINK, ruled]) {
    const { name, note, shows, rules, looks, expires_at, public: isPublic, indexed } = link;
    const content = { name, note, shows, rules, looks, expires_at };
    expect(contentOf(formOf(link), { hasPublic: true })).toEqual({ ...content, public: isPublic, indexed });
    expect(contentOf(formOf(link), { hasPublic: false })).toEqual(content);
  }
  expect(contentOf({ ...formOf(ruled), isPublic: false }, { hasPublic: true })).toMatchObject({ indexed: false });
  expect(formOf(ruled)).toMatchObject({ until: '2027-03-31', span: 'dates' });
  expect(contentOf(formOf(), { hasPublic: true }).rules).toEqual(NO_RULES);
});

test('a password is sent only where one is typed or taken away', () => {
  const form = formOf(LINK);
  const given = (more: Partial<typeof form>) => contentOf({ ...form, ...more }, { hasPublic: true });
  expect('password' in given({})).toBe(false);
  expect(given({ password: 'a few words' })).toMatchObject({ password: 'a few words' });
  expect(given({ password: 'a few words', isOpen: true })).toMatchObject({ password: null });
});

test('a form is complete with its days', () => {
  const form = formOf();
  expect(isComplete(form)).toBe(true);
  expect(isComplete({ ...form, span: 'dates' })).toBe(false);
  expect(isComplete({ ...form, span: 'dates', from: '2026-11-02', to: '2026-11-01' })).toBe(false);
  expect(isComplete({ ...form, span: 'dates', from: '2026-11-01', to: '2026-11-01' })).toBe(true);
  expect(isComplete({ ...form, span: 'last', days: 0 })).toBe(false);
});

test('a list says what each link shows, and when it was used', () => {
  expect(linkWords(LINK, NOW)).toEqual([]);
  const ruled: ShareLink = {
    ...LINK,
    paused: true,
    has_password: true,
    expires_at: NOW,
    rules: { filters: [], period: { days: 7 }, parts: PART_NAMES.slice(1), timezone: 'UTC' },
    shows: { properties: true, fewest: 10, credit: false, embedded_on: ['blog.example', '*.notion.site'] },
  };
  expect(linkWords(ruled, NOW)).toEqual([
    'paused',
    'expired 20 Nov 2026',
    'with a password',
    'the last 7 days',
    '11 of 12 parts',
    'in UTC days',
    'with properties',
    'groups of 10',
    'without “Counted by Footfall”',
    'in frames of blog.example, *.notion.site',
  ]);
  expect(linkWords({ ...LINK, expires_at: NOW + 1 }, NOW)[0]).toBe('until 20 Nov 2026');
  expect(useWords(LINK, NOW)).toBe('not opened yet');
  const views = [
    { day: '2026-11-19', views: 2 },
    { day: '2026-11-20', views: 1 },
  ];
  expect(useWords({ ...LINK, uses: { last_used_at: NOW, views } }, NOW)).toBe(
    'opened 3 times in 30 days, last just now',
  );
});
