import { describe, expect, it } from 'vitest';
import { sourceOfQuestion } from '../../../server/stats/sql/combination.ts';
import { type Dimension, DIMENSION_NAMES, dimensionRow } from '../../../server/vocabulary/questions/dimensions.ts';
import { cardParts, type ListPart } from './card';

const ALL: Dimension[] = [...DIMENSION_NAMES, 'prop:plan'];
const listsOf = (dimension: Dimension) => cardParts(dimension).filter((part): part is ListPart => part.kind === 'list');

describe('the card of a row', () => {
  it.each(ALL)('asks only what can be answered about a %s', (dimension) => {
    const lists = listsOf(dimension);
    expect(lists.length).toBeGreaterThan(1);
    expect(new Set(cardParts(dimension).map(({ name }) => name)).size).toBe(cardParts(dimension).length);
    for (const { dimension: listed, metric, by = dimension } of lists) {
      expect(listed).not.toBe(dimension);
      const filters = [{ dimension: by, operator: 'is' as const, values: ['x'] }];
      expect(() => sourceOfQuestion({ metrics: [metric], dimension: listed, filters })).not.toThrow();
    }
  });

  it('shows for a page what came before and after, how it was read, and which AI agents read it', () => {
    expect(cardParts('page').map(({ name }) => name)).toEqual([
      'Before',
      'After',
      'How far down people read',
      'Search terms',
      'Sources',
      'Goals reached',
      'Devices',
      'Countries',
      'Read by AI agents',
    ]);
    for (const name of ALL)
      for (const part of cardParts(name)) if (part.kind === 'way') expect(dimensionRow(name).group).toBe('Page');
  });
});
