// Asks each question twice: as the dashboard does, which reads the sums and the visits of closed days, and from the events alone.
import { expect } from 'vitest';
import { openMemo, type Versions } from '../../../server/stats/answer-cache.ts';
import { type CountedGoals, openCountedGoals } from '../../../server/stats/days/counted-goals.ts';
import { openReader } from '../../../server/stats/reader.ts';
import { buildSelect, type Rows, type Select } from '../../../server/stats/sql/sql.ts';
import { openTogether } from '../../../server/stats/days/together.ts';
import { openSumming } from '../../../server/stats/days/sum-days.ts';
import { openSummedDays } from '../../../server/stats/days/summed-days.ts';
import type { VisitedEvent } from '../../../server/vocabulary/event.ts';
import { openVisits } from '../../../server/queue/writer/visits.ts';
import { DAY_MS, HOUR_MS } from '../../../server/vocabulary/time/time.ts';
import type { Random } from '../api/hostile-input.ts';
import { drawEvents } from './random-events.ts';
import { type TestStore, testStore } from '../store.ts';

/** The tables of closed days, and how a statement that reads their numbers names them. */
const TABLES = {
  day_sums: 'FROM day_sums ',
  day_visits: 'FROM day_visits ',
  day_goals: 'FROM day_goals FINAL',
} as const;
export type Table = keyof typeof TABLES;
/** The statement that asks whether the rows of days have changed. */
const LOOKS_UP_DAYS = /^SELECT 'now' AS kind/;

/** A store with random events of some days, and of `earlier` ones, all of them summed but the last, which stays open. */
export async function drawDays(
  random: Random,
  {
    from,
    days,
    earlier,
    versions,
  }: { from: number; days: number; earlier?: { from: number; days: number }; versions: Versions },
): Promise<{ store: TestStore; rows: VisitedEvent[] }> {
  const store = await testStore();
  const visits = openVisits(store);
  const events = [...(earlier ? drawEvents(random, earlier) : []), ...drawEvents(random, { from, days })];
  const rows = events.flatMap((event) => visits.assign(event, event.time) ?? []);
  await store.insert({ events: rows, ai_visits: [] }, 'all');
  const sumDays = openSumming({ store, versions, onFailed: fail });
  expect(await sumDays({ now: from + days * DAY_MS - 12 * HOUR_MS, leastRows: 1 })).toBe(
    (earlier?.days ?? 0) + days - 1,
  );
  return { store, rows };
}

export const fail = (error: unknown): never => {
  throw error;
};

export function openBoth(
  store: TestStore,
  versions: Pick<Versions, 'of'>,
  countedGoals: CountedGoals = openCountedGoals(),
) {
  const statements: string[] = [];
  const spied = {
    query: <Row>(...args: Parameters<TestStore['query']>) => {
      statements.push(args[0]);
      return store.query<Row>(...args);
    },
  };
  const summedDays = openSummedDays(versions.of);
  /** Both answers, the tables of closed days that the first was read from, and whether it was read from events too. */
  const ask = async (select: Select) => {
    const shared = { memo: openMemo(spied, versions.of), summedDays, countedGoals, askTogether: openTogether(spied) };
    const reader = openReader(spied, shared, { asking: {} });
    statements.length = 0;
    const rowsOf = (rows: Rows) => sorted(select.by && 'interval' in select.by ? rows.filter(hasNumbers) : rows);
    const fromDays = rowsOf(await reader.ask(select));
    const read = (Object.keys(TABLES) as Table[]).filter((table) =>
      statements.some((sql) => sql.includes(TABLES[table])),
    );
    const readsEvents = statements.some((sql) => sql.includes('FROM events') && !LOOKS_UP_DAYS.test(sql));
    const { sql, bound } = buildSelect(select);
    return { fromDays, read, readsEvents, fromEvents: rowsOf(await store.query(sql, bound)) };
  };
  return {
    ask,
    expectEqual: async (select: Select) => {
      const { fromDays, fromEvents, read, readsEvents } = await ask(select);
      const { range, filters } = select.scope;
      const about = JSON.stringify({ by: select.by, metrics: select.metrics, range, filters });
      expect(fromDays, about).toEqual(fromEvents);
      return { rows: fromDays, read, readsEvents, about };
    },
  };
}

/** A chart shows a bucket without rows as zero. */
const hasNumbers = ({ label: _, everyone: _all, ...numbers }: Rows[number]) =>
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
