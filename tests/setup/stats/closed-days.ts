// Asks each question twice: as the dashboard does, which reads the sums and the visits of closed days, and from the events alone.
import { expect } from 'vitest';
import { openMemo, type Versions } from '../../../server/stats/answer-cache.ts';
import { type CountedGoals, openCountedGoals } from '../../../server/stats/days/counted-goals.ts';
import { openReader, type Viewing } from '../../../server/stats/reader.ts';
import { isOfReading, isOfWholeVisits, splitsVisits } from '../../../server/stats/sql/combination.ts';
import { buildSelect, type Rows, type Select } from '../../../server/stats/sql/sql.ts';
import { openTogether } from '../../../server/stats/days/together.ts';
import { openSumming } from '../../../server/stats/days/sum-days.ts';
import { openSummedDays } from '../../../server/stats/days/summed-days.ts';
import type { Asking } from '../../../server/store/pool.ts';
import type { SiteId, VisitedEvent } from '../../../server/vocabulary/event.ts';
import { openVisits } from '../../../server/queue/writer/visits.ts';
import { type Metric, METRIC_NAMES, metricRow, sourceOfMetric } from '../../../server/vocabulary/numbers/metrics.ts';
import type { Dimension } from '../../../server/vocabulary/questions/dimensions.ts';
import { DAY_MS, dayOf, HOUR_MS } from '../../../server/vocabulary/time/time.ts';
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

/** A site whose days begin eight hours after UTC's. */
export const ZONED = 'site_ZONEDZONEDZONED' as SiteId;
export const ZONE = 'America/Los_Angeles';
const BEHIND_MS = 8 * HOUR_MS;

/** Stores random events of some of a site's days, whose first begins `from`, in UTC or in the site's zone. */
export async function fillDays(
  store: TestStore,
  site_id: SiteId,
  { random, from, days }: { random: Random; from: number; days: number },
): Promise<VisitedEvent[]> {
  const visits = openVisits(store);
  const isZoned = site_id === ZONED;
  const behind = isZoned ? BEHIND_MS : 0;
  const rows = drawEvents(random, { from: from + behind, days }).flatMap((event) => {
    const day = isZoned ? dayOf(event.time - behind) : '';
    return visits.assign({ ...event, site_id, day }, event.time) ?? [];
  });
  await store.insert({ events: rows, ai_visits: [] }, site_id);
  return rows;
}

export const fail = (error: unknown): never => {
  throw error;
};

/** A store, and each statement that is sent to it. */
function spyOn(store: TestStore) {
  const asked: { sql: string; asking: Asking | undefined }[] = [];
  const query = <Row>(...args: Parameters<TestStore['query']>) => {
    asked.push({ sql: args[0], asking: args[2] });
    return store.query<Row>(...args);
  };
  return { asked, spied: { query } };
}

/** Readers that share what they remember, which is nothing yet, and the statements that they send. */
export function openReaders(store: TestStore, versions: Pick<Versions, 'of'>, countedGoals = openCountedGoals()) {
  const { asked, spied } = spyOn(store);
  const shared = {
    memo: openMemo(spied, versions.of),
    summedDays: openSummedDays(versions.of),
    countedGoals,
    askTogether: openTogether(spied),
  };
  return {
    asked,
    readerFor: (asking: Asking, viewing?: Viewing) => openReader(spied, shared, { asking, viewing }),
  };
}

const LISTED = METRIC_NAMES.filter((metric) => {
  const isMoney = ['orders', 'implausible_orders'].includes(metricRow(metric).counts);
  return sourceOfMetric(metric) === 'events' && !isMoney && !metricRow(metric).isOfGoals && !isOfReading(metric);
});
/** The metrics that a list of the dimension can have from closed days. */
export const metricsOfList = (dimension: Dimension): Metric[] =>
  LISTED.filter(
    (metric) =>
      !(isOfWholeVisits(metric) && splitsVisits(dimension)) &&
      !(dimension === 'event' && ['pageviews', 'views_per_visit'].includes(metric)),
  );

export function openBoth(
  store: TestStore,
  versions: Pick<Versions, 'of'>,
  countedGoals: CountedGoals = openCountedGoals(),
) {
  const { asked, spied } = spyOn(store);
  const summedDays = openSummedDays(versions.of);
  /** Both answers, the tables of closed days that the first was read from, and whether it was read from events too. */
  const ask = async (select: Select) => {
    const shared = { memo: openMemo(spied, versions.of), summedDays, countedGoals, askTogether: openTogether(spied) };
    const reader = openReader(spied, shared, { asking: {} });
    asked.length = 0;
    const rowsOf = (rows: Rows) => sorted(select.by && 'interval' in select.by ? rows.filter(hasNumbers) : rows);
    const fromDays = rowsOf(await reader.ask(select));
    const read = (Object.keys(TABLES) as Table[]).filter((table) =>
      asked.some(({ sql }) => sql.includes(TABLES[table])),
    );
    const readsEvents = asked.some(({ sql }) => sql.includes('FROM events') && !LOOKS_UP_DAYS.test(sql));
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
