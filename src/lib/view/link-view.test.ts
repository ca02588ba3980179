import { describe, expect, test } from 'vitest';
import { NO_RULES, type LinkRules } from '../../../server/vocabulary/settings/share-links.ts';
import { openShared } from './link-view.ts';
import { readView } from './view.ts';

const today = { now: Date.UTC(2026, 10, 20, 12), zone: 'UTC' };
const NAMES = { panels: [], lists: [] };
const SHOWS = { properties: false, fewest: 3, credit: true, embedded_on: [] };
const shared = (rules: Partial<LinkRules>, is_limited = true) =>
  openShared({ rules: { ...NO_RULES, ...rules }, shows: SHOWS, is_limited });
const held = (address: string, rules: Partial<LinkRules>, is_limited = true) =>
  shared(rules, is_limited).hold(readView(new URLSearchParams(address), today, NAMES), today);
const GERMAN = { dimension: 'country' as const, operator: 'is' as const, values: ['DE'] };

describe('the view of a link', () => {
  test('without rules is that of the address', () => {
    const address = 'period=12mo&compare=year&f=is:country:DE&metric=revenue&chart=heatmap&ai_visits=shown';
    const asked = readView(new URLSearchParams(address), today, NAMES);
    expect(held(address, {})).toEqual(asked);
  });

  test('stays within its days, also in comparisons', () => {
    const week = { period: { days: 7 } };
    expect(held('period=7d', week)).toMatchObject({ period: '7d', compare: 'none' });
    expect(held('', week)).toMatchObject({ period: 'today', compare: 'previous' });
    for (const period of ['30d', 'all', 'month', '12mo'])
      expect(held(`period=${period}`, week), period).toMatchObject({ period: 'today' });
    expect(held('period=24h', week)).toMatchObject({ period: '24h', compare: 'previous' });
  });

  test('of fixed days begins with all of them that have begun', () => {
    const past = { period: { date_from: '2026-10-01', date_to: '2026-10-31' } };
    const month = { period: 'custom', date_from: '2026-10-01', date_to: '2026-10-31', compare: 'none' };
    for (const address of ['', 'period=30d', 'period=24h', 'period=custom&date_from=2026-09-30&date_to=2026-10-02'])
      expect(held(address, past)).toMatchObject(month);
    const days = 'period=custom&date_from=2026-10-09&date_to=2026-10-12';
    expect(held(days, past)).toMatchObject({ date_from: '2026-10-09', date_to: '2026-10-12', compare: 'previous' });
    const until = { period: { date_from: '2026-11-01', date_to: '2027-03-31' } };
    expect(held('period=30d', until)).toMatchObject({ period: 'today' });
  });

  test('leaves out what belongs to hidden parts', () => {
    const address =
      'f=is:country:DE&f=is:page:/&metric=revenue&chart=heatmap&ai_visits=shown&details=city&lines=goal_A,metric_visits,metric_revenue';
    const view = held(address, { parts: ['pages', 'sources'] });
    expect(view).toMatchObject({ filters: [{ dimension: 'page' }], metric: 'unique_visitors' });
    expect([view.ai, view.chartType, view.details]).toEqual([undefined, undefined, undefined]);
    expect(view.lines?.map(({ id }) => id)).toEqual(['metric_visits']);
  });

  test('with fixed filters rolls only where every number is shown', () => {
    expect(held('period=60m', { filters: [GERMAN] })).toMatchObject({ period: 'today' });
    expect(held('period=60m', { filters: [GERMAN] }, false)).toMatchObject({ period: '60m' });
    expect(shared({ filters: [GERMAN] }).hasPart('live')).toBe(false);
  });
});
