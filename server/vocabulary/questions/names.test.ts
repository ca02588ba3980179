import { expect, test } from 'vitest';
import { breakdownQuestion } from '../../stats/query.ts';
import { DIMENSION_NAMES, isDimension, propertyKey } from './dimensions.ts';
import { isMetric, METRIC_NAMES } from '../numbers/metrics.ts';
import { listNames, plainNames, readName } from './names.ts';

const ROWS = {
  visits: { label: 'Visits' },
  conversions: { label: 'Conversions', parameter: { word: 'GOAL', pattern: 'goal_\\w+' } },
};

test('a row that takes a parameter needs one, and no other row accepts one', () => {
  expect(readName(ROWS, 'visits')).toEqual({ row: 'visits' });
  expect(readName(ROWS, 'conversions:goal_1')).toEqual({ row: 'conversions', parameter: 'goal_1' });
  for (const name of ['conversions', 'conversions:', 'conversions:signup', 'visits:goal_1', 'visits:', 'other', ''])
    expect(readName(ROWS, name), name).toBeUndefined();
  expect(plainNames(ROWS)).toEqual(['visits']);
  expect(listNames(ROWS)).toBe('visits, or conversions:GOAL');
});

test('a name that every object inherits, such as toString, is not a row', () => {
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty:x']) {
    expect(isMetric(name), name).toBe(false);
    expect(isDimension(name), name).toBe(false);
  }
});

test('a property has a key of 1 to 64 characters of any kind', () => {
  for (const key of ['plan', 'a:b', ' ', '\n', '😀'.repeat(64)]) expect(propertyKey(`prop:${key}`)).toBe(key);
  for (const name of ['prop', 'prop:', `prop:${'x'.repeat(65)}`, 'page:x', ...DIMENSION_NAMES])
    expect(propertyKey(name), name).toBeUndefined();
});

test.each(['conversions:goal_1', 'visits:goal_1', 'nothing'])(
  'the metric %s is refused with the list of names',
  (name) => {
    const asked = breakdownQuestion.safeParse({ site_id: 'site_1', dimension: 'page', metrics: [name] });
    expect(asked.error?.issues[0]).toMatchObject({
      path: ['metrics', 0],
      message: `must be one of ${METRIC_NAMES.join(', ')}`,
    });
  },
);

test.each(['prop', 'prop:', 'page:x', 'nothing'])('the dimension %s is refused with the list of names', (name) => {
  const asked = breakdownQuestion.safeParse({ site_id: 'site_1', dimension: name, metrics: ['visits'] });
  expect(asked.error?.issues[0]).toMatchObject({
    path: ['dimension'],
    message: `must be one of ${DIMENSION_NAMES.join(', ')}, or prop:KEY`,
  });
});
