import { expect, test } from 'vitest';
import { mapColumn, proposedMapping } from './columns.ts';

test('a purpose has one column: the one that had it before is left out', () => {
  const mapping = { Day: 'date', Hits: 'pageviews', People: '' };
  expect(mapColumn(mapping, 'People', 'pageviews')).toEqual({ Day: 'date', Hits: '', People: 'pageviews' });
  expect(mapColumn(mapping, 'Hits', 'date_day_first')).toEqual({ Day: '', Hits: 'date_day_first', People: '' });
});

test('several columns can be left out', () => {
  const mapping = { Day: 'date', Hits: 'pageviews', People: '' };
  expect(mapColumn(mapping, 'Hits', '')).toEqual({ Day: 'date', Hits: '', People: '' });
});

test('a column of several files keeps the purpose that it has in one of them', () => {
  const columns = [
    { column: 'Day', becomes: 'date' },
    { column: 'Note', becomes: null },
    { column: 'Day', becomes: 'date' },
    { column: 'Note', becomes: 'event' },
  ];
  expect(proposedMapping(columns)).toEqual({ Day: 'date', Note: 'event' });
  const two = [...columns, { column: 'Time', becomes: 'date_day_first' }];
  expect(proposedMapping(two)).toEqual({ Day: 'date', Note: 'event', Time: '' });
});
