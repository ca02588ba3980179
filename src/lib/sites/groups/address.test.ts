import { expect, test } from 'vitest';
import { groupPath, readGroupView } from './address';

const read = (query: string) => readGroupView(new URLSearchParams(query), 'UTC');

test.each([
  ['', '30d', 'unique_visitors'],
  ['period=24h', '30d', 'unique_visitors'],
  ['period=7d&metric=visits', '7d', 'visits'],
  ['period=all', '30d', 'unique_visitors'],
  ['period=7d&metric=revenue', '7d', 'unique_visitors'],
])('the address "%s" shows %s of %s', (query, period, metric) => {
  expect(read(query)).toMatchObject({ period, metric });
});

test('an address is read as it was written', () => {
  const view = read('period=12m&compare=none&metric=pageviews&imported=off');
  expect(view.isWithoutImported).toBe(true);
  const { searchParams } = new URL(groupPath('group_1', view), 'https://stats.example.com');
  expect(searchParams.get('group')).toBe('group_1');
  expect(read(searchParams.toString())).toEqual(view);
});
