import { expect, it } from 'vitest';
import { VITAL_NAMES } from '../../../../server/vocabulary/numbers/vitals.ts';
import type { VitalsFigures } from '../../api/types';
import { readRow } from './card';
import { costOf, isMuch, sayCost } from './costs';

const NONE = { p75: null, views: 0, good: 0, needs_improvement: 0, poor: 0 };
const figures = (views: number, poor: number): VitalsFigures => {
  const all = Object.fromEntries(VITAL_NAMES.map((vital) => [vital, NONE])) as Omit<VitalsFigures, 'views'>;
  return { ...all, views, lcp: { p75: 3000, views, good: 100 - poor, needs_improvement: 0, poor } };
};

it('what a slow page costs is said of the device that most slow views have', () => {
  const devices = [
    { name: 'desktop', before: null, ...figures(900, 2) },
    { name: 'mobile', before: null, ...figures(100, 41) },
    { name: 'tv', before: null, ...figures(1000, 90) },
  ];
  expect(costOf('lcp', figures(2000, 8), devices)).toBe('41% of views on phones wait over 4 s here.');
  expect(costOf('lcp', figures(1000, 8))).toBe('8% of views wait over 4 s here.');
  expect(VITAL_NAMES.map((vital) => sayCost(vital, 12))).toEqual([
    '12% of views wait over 4 s here.',
    '12% of views wait over 500 ms after a click here.',
    '12% of views move by more than 0.25 here.',
    '12% of views show nothing for over 3 s here.',
    '12% of views wait over 1.8 s for the server here.',
  ]);
});

it('a list says it of a tenth of the views, and of no handful', () => {
  const { lcp } = figures(20, 10);
  expect([lcp, { ...lcp, poor: 9.9 }, { ...lcp, views: 19 }].map(isMuch)).toEqual([true, false, false]);
});

it('an address names a row by its list, and a wrong one names none', () => {
  expect([readRow('page:/a:b'), readRow('country:'), readRow('secret:1'), readRow(undefined)]).toEqual([
    { split: 'page', name: '/a:b' },
    { split: 'country', name: '' },
    undefined,
    undefined,
  ]);
});
