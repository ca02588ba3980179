import { expect, test } from 'vitest';
import { BLANK_AI_VISIT } from '../vocabulary/event.ts';
import { TABLES } from './rows.ts';

test('an instant keeps its milliseconds, and a row has its day', () => {
  const { columns, values } = TABLES.ai_visits.toCells([{ ...BLANK_AI_VISIT, time: Date.UTC(2026, 10, 27) + 7 }]);
  const row = Object.fromEntries(columns.map((name, index) => [name, values[0]?.[index]]));
  expect(row).toMatchObject({ time: '1795737600.007', day: '2026-11-27' });
});
