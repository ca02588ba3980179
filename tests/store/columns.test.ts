// A column is one row of event.ts. Here one is added for real: a store that today's code has filled is opened by the code of a copy of event.ts
// with one row more, and of a dimension of that name.
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { beforeAll, expect, test, vi } from 'vitest';
import type { Event, VisitedEvent } from '../../server/vocabulary/event.ts';
import type { Dimension } from '../../server/vocabulary/questions/dimensions.ts';
import type { Filter } from '../../server/stats/query.ts';
import type { Select } from '../../server/stats/sql/sql.ts';
import type { EventStore } from '../../server/store/open.ts';
import { DAY_MS, HOUR_MS } from '../../server/vocabulary/time/time.ts';
import type { TestStore } from '../setup/store.ts';
import { EURO_SHOP, makeEvent, SITE } from '../setup/event.ts';
import { tempFolder } from '../setup/folder.ts';
import { ONE_SHARD } from '../setup/stores/clickhouse-cluster.ts';
import { startClickHouse } from '../setup/stores/clickhouse.ts';

const EVENT = '../../server/vocabulary/event.ts';
const DIMENSIONS = '../../server/vocabulary/questions/dimensions.ts';
const FIRST = Date.UTC(2026, 10, 14, 9);
const SECOND = FIRST + DAY_MS;
const NOW = FIRST + 3 * DAY_MS;

/** From then on, imported code has a visit-level column and dimension `flavour`. */
function addFlavour(): void {
  vi.resetModules();
  vi.doMock(EVENT, async () => {
    const source = await readFile(new URL(EVENT, import.meta.url), 'utf8');
    const added = source.replace(/^ {2}screen: ofVisit\(.*$/m, "$&\n  flavour: ofVisit(text('plain')),");
    expect(added).not.toBe(source);
    return import(`data:text/javascript,${encodeURIComponent(stripTypeScriptTypes(added))}`) as Promise<object>;
  });
  vi.doMock(DIMENSIONS, async (importOriginal) => {
    const original = await importOriginal<{ DIMENSIONS: object; DIMENSION_NAMES: string[] }>();
    Object.assign(original.DIMENSIONS, { flavour: { label: 'Flavour', of: 'visits', group: 'Device' } });
    original.DIMENSION_NAMES.push('flavour');
    return original;
  });
}

/** The code of this moment. */
const code = async () => ({
  ...(await import('../../server/store/open.ts')),
  ...(await import('../../server/queue/entries.ts')),
  ...(await import('../../server/queue/writer/visits.ts')),
  ...(await import('../../server/stats/answer-cache.ts')),
  ...(await import('../../server/stats/days/sum-days.ts')),
  ...(await import('../setup/stats/closed-days.ts')),
});
type Code = Awaited<ReturnType<typeof code>>;

let before: Code;
let after: Code;
beforeAll(async () => {
  before = await code();
  addFlavour();
  after = await code();
});

const sumDays = ({ openSumming, openVersions, fail }: Code, store: EventStore) =>
  openSumming({ store, versions: openVersions(), onFailed: fail })({ now: NOW, leastRows: 1 });

/** Two visits of an hour of a day, of two page views each. */
const visitsAt = (time: number, flavours: readonly string[]): Event[] =>
  flavours.flatMap((flavour, index) =>
    ['/', '/more'].map((page, view) =>
      // What later events of a visit say does not count.
      Object.assign(makeEvent({ visitor: `${index}`, page, time: time + view * 60_000 }), {
        flavour: view === 0 ? flavour : 'late',
      }),
    ),
  );

async function insert({ openVisits }: Code, store: EventStore, events: Event[]): Promise<VisitedEvent[]> {
  const visits = openVisits(store);
  const rows = events.flatMap((event) => visits.assign(event, event.time) ?? []);
  await store.insert({ events: rows, ai_visits: [] }, String(events[0]?.time));
  return rows;
}

const question = (by: Dimension, filters: Filter[] = []): Select => ({
  scope: {
    site_id: SITE,
    range: { from: FIRST - 9 * HOUR_MS, to: SECOND + 15 * HOUR_MS },
    filters,
    currency: '',
    max_amount: EURO_SHOP.max_amount,
  },
  metrics: ['unique_visitors', 'visits', 'pageviews'],
  by: { dimension: by },
});

test.each(['chDB', 'a ClickHouse cluster'])('a column is added in %s', async (form) => {
  await using folder = await tempFolder();
  await using clickhouse = form === 'chDB' ? undefined : await startClickHouse(0);
  const options = { url: clickhouse?.url, cluster: clickhouse && ONE_SHARD, path: folder.path };

  const earlier = await before.openStore(options);
  await insert(before, earlier, visitsAt(FIRST, ['dark', 'dark']));
  expect(await sumDays(before, earlier)).toBe(1);
  const [waiting] = visitsAt(SECOND, ['dark']);
  if (!waiting) throw new Error('No event.');
  const { flavour: _, ...older } = waiting as Event & { flavour: string };
  const entry = before.writeEntry(older);
  await earlier.close();

  expect(after.readEntry(entry)).toMatchObject({ page: '/', flavour: 'plain' });
  expect(after.readEntry(after.writeEntry(waiting))).toMatchObject({ page: '/', flavour: 'dark' });

  await expect(after.openStore({ ...options, earlier: 'refuse' })).rejects.toThrow(
    'was last used by an earlier version',
  );
  const store = await after.openStore(options);
  const typesIn = async (table: string) =>
    (await store.query<{ name: string; type: string }>(`DESCRIBE TABLE ${table}`, {})).flatMap(({ name, type }) =>
      name === 'flavour' ? [type] : [],
    );
  for (const table of ['events', 'purged_events', 'day_visits'])
    expect(await typesIn(table), table).toEqual(['LowCardinality(String)']);
  for (const table of ['ai_visits', 'superseded', 'day_sums']) expect(await typesIn(table), table).toEqual([]);

  /** Each time with nothing in memory. */
  const openAsking = () => after.openBoth(store as TestStore, { of: () => 0 });
  /** Each flavour with its visitors and page views, equal to those of the events, and the tables that they were read from. */
  const answer = async (by: Dimension, filters: Filter[] = []) => {
    const { fromDays, fromEvents, read, readsEvents } = await openAsking().ask(question(by, filters));
    expect(fromDays).toEqual(fromEvents);
    const rows = fromDays.map(({ label, unique_visitors: visitors, pageviews }) => [label, visitors, pageviews]);
    return { rows, read: [...read, ...(readsEvents ? ['events'] : [])] };
  };
  const flavoured = 'flavour' as Dimension;
  const isDark: Filter[] = [{ dimension: flavoured, operator: 'is', values: ['dark'] }];

  // The first day was summed without flavours, and had none.
  expect(await answer(flavoured)).toEqual({ rows: [['plain', 2, 4]], read: ['events'] });
  const rows = await insert(after, store, visitsAt(SECOND, ['dark', 'light', '']));
  expect(rows.map((row) => (row as unknown as { flavour: string }).flavour)).toEqual([
    'dark',
    'dark',
    'light',
    'light',
    '',
    '',
  ]);
  expect(await sumDays(after, store)).toBe(2);
  expect(await sumDays(after, store)).toBe(0);
  const all = [
    ['', 1, 2],
    ['dark', 1, 2],
    ['light', 1, 2],
    ['plain', 2, 4],
  ];
  expect(await answer(flavoured)).toEqual({ rows: all, read: ['day_sums'] });
  expect(await answer('page', isDark)).toEqual({
    rows: [
      ['/', 1, 1],
      ['/more', 1, 1],
    ],
    read: ['day_visits'],
  });
  expect(await answer(flavoured, [{ dimension: 'page', operator: 'is', values: ['/'] }])).toMatchObject({
    read: ['day_visits'],
  });

  const of = { site_id: SITE, purge: 'purge_flavour' };
  await store.purged.choose({
    ...of,
    table: 'events',
    where: "site_id = {site_id:String} AND flavour = 'dark'",
    bound: {},
  });
  expect(await store.purged.takeOut(of)).toBe(true);
  const kept = 'SELECT flavour, toString(count()) AS events FROM purged_events GROUP BY flavour';
  expect(await store.query(kept, {})).toEqual([{ flavour: 'dark', events: '2' }]);
  expect((await answer(flavoured)).rows).toEqual(all.filter(([flavour]) => flavour !== 'dark'));
  await store.purged.putBack(of);
  expect(await answer(flavoured)).toEqual({ rows: all, read: ['day_sums'] });
  await store.close();

  const added = (await clickhouse?.statements())?.filter((sql) => sql.includes(' ADD COLUMN IF NOT EXISTS flavour '));
  if (clickhouse) expect(added).toHaveLength(6);
  const again = await after.openStore(options);
  await again.close();
  if (clickhouse)
    expect((await clickhouse.statements()).filter((sql) => sql.includes(' EXISTS flavour '))).toEqual(added);
  await expect(before.openStore(options)).rejects.toThrow('was made by a later version');
});
