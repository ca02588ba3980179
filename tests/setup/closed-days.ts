// Asks each question twice: as the dashboard does, which reads the sums and the visits of closed days, and from the events alone.
import { expect } from 'vitest';
import { openMemo, type Versions } from '../../server/stats/answer-cache.ts';
import { openReader } from '../../server/stats/reader.ts';
import { buildSelect, type Rows, type Select } from '../../server/stats/sql.ts';
import type { TestStore } from './store.ts';

const TABLES = ['day_sums', 'day_visits'] as const;
export type Table = (typeof TABLES)[number];

export function openBoth(store: TestStore, versions: Pick<Versions, 'of'>) {
  const statements: string[] = [];
  const spied = {
    query: <Row>(...args: Parameters<TestStore['query']>) => {
      statements.push(args[0]);
      return store.query<Row>(...args);
    },
  };
  /** Both answers, and the tables of closed days that the first was read from. */
  const ask = async (select: Select) => {
    const reader = openReader(spied, openMemo(spied, versions.of), { asking: {} });
    statements.length = 0;
    const rowsOf = (rows: Rows) => sorted(select.by && 'interval' in select.by ? rows.filter(hasNumbers) : rows);
    const fromDays = rowsOf(await reader.ask(select));
    const read = TABLES.filter((table) => statements.some((sql) => sql.includes(`FROM ${table} `)));
    const { sql, bound } = buildSelect(select);
    return { fromDays, read, fromEvents: rowsOf(await store.query(sql, bound)) };
  };
  return {
    ask,
    expectEqual: async (select: Select) => {
      const { fromDays, fromEvents, read } = await ask(select);
      const { range, filters } = select.scope;
      const about = JSON.stringify({ by: select.by, metrics: select.metrics, range, filters });
      expect(fromDays, about).toEqual(fromEvents);
      return { rows: fromDays, read, about };
    },
  };
}

/** A chart shows a bucket without rows as zero. */
const hasNumbers = ({ label: _, ...numbers }: Rows[number]) =>
  Object.values(numbers).some((value) => Number(value) !== 0);

/** Both divide in another order, so ratios are compared to nine digits. */
function sorted(rows: Rows): Rows {
  const keyOf = (row: Rows[number]) => `${row['bucket'] ?? ''} ${row['label'] ?? ''}`;
  return rows
    .map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          name === 'label' ? value : Number(Number(value).toPrecision(9)),
        ]),
      ),
    )
    .sort((x, y) => (keyOf(x) < keyOf(y) ? -1 : 1));
}
