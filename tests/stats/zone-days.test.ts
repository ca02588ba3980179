/** @module-tag long */
// The days of sites with a time zone, checked against a slow count over random events: each period, comparison and interval, around clock
// changes, on the day on which a site changes its zone, and with days from before it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SiteId, VisitedEvent } from '../../server/vocabulary/event.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { openStats, type Stats } from '../../server/stats/run.ts';
import { isWithinDay, type Interval } from '../../server/vocabulary/time/intervals.ts';
import { type Comparison, isRolling, type Period, PERIOD_NAMES } from '../../server/vocabulary/time/periods.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { UTC } from '../../server/vocabulary/time/zones.ts';
import { EURO_SHOP, makeEvent, visitedEvent } from '../setup/event.ts';
import { openRandom } from '../setup/api/hostile-input.ts';
import { openTurns } from '../setup/run/harness.ts';
import { type TestStore, testStore } from '../setup/store.ts';

/** Each site chooses its zone at noon (UTC) of `since`; events reach from ten days before the change of its clocks to five days after. */
const SITES = [
  { zone: 'Europe/Berlin', about: '2026-10-25', since: '2026-10-24' },
  { zone: 'America/Los_Angeles', about: '2026-11-01', since: '2026-10-28' },
  { zone: 'Asia/Kolkata', about: '2026-05-05', since: '2026-05-01' },
  { zone: 'Pacific/Apia', about: '2011-12-30', since: '2011-12-26' },
  { zone: 'Australia/Lord_Howe', about: '2026-10-04', since: '2026-10-01' },
].map((site, index) => ({ ...site, id: `site_ZONE${index}` as SiteId }));
type ZonedSite = (typeof SITES)[number];

const random = openRandom(20_261);
const at = (day: string) => Date.parse(`${day}T00:00:00.000Z`);
/** The wall time in the zone, by another formatter than the server's. */
const shownIn = (zone: string, time: number) => new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(time);
const plus = (day: string, days: number) => new Date(at(day) + days * DAY_MS).toISOString().slice(0, 10);
const firstOfMonth = (day: string, months = 0) => {
  const [year = 0, month = 1] = day.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 10);
};

let store: TestStore;
let stats: Stats;
const rows = new Map<SiteId, VisitedEvent[]>();

/** The day that an event gets: in UTC until the site has chosen its zone. */
function dayOf({ zone, since }: ZonedSite, time: number): string {
  return shownIn(time < at(since) + DAY_MS / 2 ? UTC : zone, time);
}

function drawEvents(site: ZonedSite): VisitedEvent[] {
  const from = at(site.about) - 10 * DAY_MS;
  const starts = Array.from({ length: 150 }, () => from + random.number(15 * 24 * 60) * MINUTE_MS);
  const drawn = starts.flatMap((start, person) => {
    let time = start;
    return Array.from({ length: 1 + random.number(5) }, () => {
      time += random.number(40 * MINUTE_MS);
      const day = dayOf(site, time);
      // Nobody is recognised on another day.
      return makeEvent({
        site_id: site.id,
        visitor: `${person % 40} ${day.slice(8)}`,
        time,
        day: time < at(site.since) + DAY_MS / 2 ? '' : day,
        page: random.pick(['/', '/a', '/b']),
      });
    });
  });
  const visits = openVisits(store);
  return drawn.sort((a, b) => a.time - b.time).flatMap((event) => visits.assign(event, event.time) ?? []);
}

beforeAll(async () => {
  store = await testStore();
  stats = openStats(store, () => undefined);
  for (const site of SITES) rows.set(site.id, drawEvents(site));
  await store.insert({ events: [...rows.values()].flat(), ai_visits: [] }, 'all');
});
afterAll(() => store[Symbol.asyncDispose]());

/** Two moments of the site's last days: just before midnight in UTC, and in the morning. The short form asks at one of them, in turns. */
const turns = new Map(SITES.map(({ id }, index) => [id, openTurns<number>(index)]));
const momentsOf = ({ id, about }: ZonedSite) =>
  turns.get(id)?.(at(about) + 1.9999 * DAY_MS, at(about) + 2 * DAY_MS + 9.5 * HOUR_MS) ?? [];

/** First and last day of a period, by the calendar on the wall. */
function daysOf(period: Period, today: string, firstDay: string): [string, string] {
  const yesterday = plus(today, -1);
  switch (period) {
    case 'today':
      return [today, today];
    case 'yesterday':
      return [yesterday, yesterday];
    case '7d':
      return [plus(today, -7), yesterday];
    case '30d':
      return [plus(today, -30), yesterday];
    case '91d':
      return [plus(today, -91), yesterday];
    case 'month':
      return [firstOfMonth(today), today];
    case 'last_month':
      return [firstOfMonth(today, -1), plus(firstOfMonth(today), -1)];
    case 'year':
      return [`${today.slice(0, 4)}-01-01`, today];
    case '12mo':
      return [firstOfMonth(today, -12), plus(firstOfMonth(today), -1)];
    case 'all':
      return [firstDay, today];
    case 'custom':
      return [plus(today, -3), plus(today, -1)];
    case '60m':
    case '24h':
      throw new Error(`${period} has no days.`);
  }
}

function periodOf(site: ZonedSite, period: Period, now: number) {
  const today = shownIn(site.zone, now);
  const own = rows.get(site.id) ?? [];
  const custom = period === 'custom' ? { date_from: plus(today, -3), date_to: plus(today, -1) } : {};
  const asked = { site_id: site.id, period, compare: 'none' as Comparison, filters: [], ...custom };
  const dayOfRow = (row: VisitedEvent) => dayOf(site, row.time);
  if (isRolling(period)) {
    const to = Math.floor(now / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
    const from = to - (period === '60m' ? HOUR_MS : DAY_MS);
    return { asked, held: own.filter(({ time }) => time >= from && time < to) };
  }
  const [first, last] = daysOf(period, today, own.map(dayOfRow).sort()[0] ?? today);
  return { asked, held: own.filter((row) => dayOfRow(row) >= first && dayOfRow(row) <= last) };
}

const totalsOf = (held: readonly VisitedEvent[]) => ({
  pageviews: held.length,
  unique_visitors: new Set(held.map(({ visitor_id }) => visitor_id)).size,
  visits: held.reduce((sum, row) => sum + row.visit_started, 0),
});
const METRICS = ['pageviews', 'unique_visitors', 'visits'] as const;

const siteOf = ({ zone }: ZonedSite) => ({ ...EURO_SHOP, timezone: zone });

describe.each(SITES)('a site in $zone around $about', (site) => {
  test.each(PERIOD_NAMES)('the period %s holds each event of its days once', async (period) => {
    for (const now of momentsOf(site)) {
      const { asked, held } = periodOf(site, period, now);
      const { values } = await stats.totals({ ...asked, metrics: [...METRICS] }, siteOf(site), now);
      expect(values, new Date(now).toISOString()).toEqual(totalsOf(held));
      for (const metric of ['pageviews', 'unique_visitors'] as const) {
        const alone = await stats.totals({ ...asked, metrics: [metric] }, siteOf(site), now);
        expect(alone.values, `${metric} from kept counts`).toEqual({ [metric]: totalsOf(held)[metric] });
      }
      const list = { dimension: 'page' as const, metrics: ['pageviews' as const], page: 1, per_page: 10 };
      const pages = await stats.list({ ...asked, ...list }, siteOf(site), now);
      expect(Object.fromEntries(pages.rows.map(({ name, values }) => [name, values.pageviews]))).toEqual(
        Object.fromEntries([...Map.groupBy(held, ({ page }) => page)].map(([page, views]) => [page, views.length])),
      );
    }
  });

  const INTERVALS_OF: Partial<Record<Period, Interval[]>> = {
    today: ['hour', 'minute'],
    '24h': ['hour'],
    '60m': ['minute'],
    '7d': ['hour', 'day'],
    custom: ['hour', 'day'],
    month: ['day', 'week', 'month'],
    all: ['hour', 'day', 'week'],
  };
  test.each(Object.entries(INTERVALS_OF) as [Period, Interval[]][])(
    'the steps of %s hold each event once, in its own hour or day',
    async (period, intervals) => {
      for (const now of momentsOf(site))
        for (const interval of intervals) {
          const { asked, held } = periodOf(site, period, now);
          const question = { ...asked, metric: 'pageviews' as const, interval, isForChart: false };
          const { points } = await stats.timeseries(question, siteOf(site), now);
          const known = held.filter(({ time }) => time <= now);
          const expected = points.map(({ time }, index) => {
            const end = points[index + 1]?.time ?? Infinity;
            const inside = known.filter((row) => {
              const own = isWithinDay(interval) ? row.time : at(dayOf(site, row.time));
              return own >= time && own < end;
            });
            return inside.length;
          });
          const label = `${period} by ${interval} at ${new Date(now).toISOString()}`;
          // The last point is left out: its hour is not over, but the random events fill all of it.
          const ended = points.slice(0, -1);
          expect(
            ended.map(({ value }) => value),
            label,
          ).toEqual(expected.slice(0, ended.length));
          if (isWithinDay(interval))
            expect(
              points.every(
                ({ time }, index) => index === 0 || time - (points[index - 1]?.time ?? 0) === lengthOf(interval),
              ),
              label,
            ).toBe(true);
        }
    },
  );

  test.each(['all', 'month', 'custom', '24h'] as const)(
    'the hours of the week of %s hold what the clock says',
    async (period) => {
      const clock = new Intl.DateTimeFormat('en-GB', {
        timeZone: site.zone,
        hourCycle: 'h23' as const,
        weekday: 'short' as const,
        hour: '2-digit' as const,
      });
      const hourOf = ({ time }: VisitedEvent) => clock.format(time).replace(',', '');
      const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
      const hours = WEEKDAYS.flatMap((day) =>
        Array.from({ length: 24 }, (_, hour) => `${day} ${String(hour).padStart(2, '0')}`),
      );
      for (const now of momentsOf(site)) {
        const { asked, held } = periodOf(site, period, now);
        const slow = Map.groupBy(held, hourOf);
        expect(slow.size).toBeGreaterThan(5);
        for (const metric of METRICS) {
          const { cells } = await stats.week({ ...asked, metric }, siteOf(site), now);
          const expected = hours.map((hour) => totalsOf(slow.get(hour) ?? [])[metric]);
          expect(cells, `${metric} at ${new Date(now).toISOString()}`).toEqual(expected);
        }
      }
    },
  );

  test('the export has a row for each day, as the totals say', async () => {
    const [from, to] = [at(site.about) - 9 * DAY_MS, at(site.about) + 4 * DAY_MS];
    const days = await stats.days({ site_id: site.id, filters: [] }, siteOf(site), { from, to, zone: site.zone });
    const own = Map.groupBy(rows.get(site.id) ?? [], (row) => dayOf(site, row.time));
    const dates = Array.from({ length: 13 }, (_, index) => plus(site.about, index - 9));
    // The zone's calendar went from the 29th to the 31st.
    const skipped = site.zone === 'Pacific/Apia' ? '2011-12-30' : undefined;
    expect(days.map(({ date }) => date)).toEqual(dates.filter((date) => date !== skipped));
    for (const { date, pageviews, unique_visitors, pages } of days) {
      const { visits: _, ...expected } = totalsOf(own.get(date) ?? []);
      expect({ pageviews, unique_visitors }, date).toEqual(expected);
      expect(
        pages.reduce((sum, { count }) => sum + count, 0),
        date,
      ).toBe(pageviews);
    }
  });

  test('the days of all events together are all events', async () => {
    const now = at(site.about) + 20 * DAY_MS;
    const { asked } = periodOf(site, 'all', now);
    const { values } = await stats.totals({ ...asked, metrics: [...METRICS] }, siteOf(site), now);
    expect(values.pageviews).toBe(rows.get(site.id)?.length);
    // In UTC days, the same events are all there, too.
    const inUtc = await stats.totals({ ...asked, metrics: [...METRICS] }, EURO_SHOP, now);
    expect(inUtc.values).toEqual(values);
  });

  test('an unfinished today is compared with the same hours of the clock', async () => {
    const now = at(site.about) + 2 * DAY_MS + 9.5 * HOUR_MS;
    const { asked } = periodOf(site, 'today', now);
    const { metrics } = await stats.summary({ ...asked, compare: 'previous' }, siteOf(site), now);
    const yesterday = plus(shownIn(site.zone, now), -1);
    const clock = (time: number) =>
      new Intl.DateTimeFormat('sv-SE', { timeZone: site.zone, timeStyle: 'medium' }).format(time);
    const before = (rows.get(site.id) ?? []).filter(
      ({ time }) => shownIn(site.zone, time) === yesterday && clock(time) < clock(now),
    );
    expect(metrics.find(({ name }) => name === 'pageviews')?.previous).toBe(before.length);
  });
});

const lengthOf = (interval: Interval) => (interval === 'hour' ? HOUR_MS : MINUTE_MS);

test('a day ends with its last event in the zone, whichever visitor sent it', async () => {
  const site = { ...EURO_SHOP, timezone: 'America/Los_Angeles' };
  const id = 'site_EDGE' as SiteId;
  // Midnight in Los Angeles on the 20th is 08:00 in UTC.
  const midnight = Date.UTC(2026, 10, 20, 8);
  const events = [-1, 0, 1].map((ms) =>
    visitedEvent(
      makeEvent({ site_id: id, visitor: String(ms), time: midnight + ms, day: ms < 0 ? '2026-11-19' : '2026-11-20' }),
    ),
  );
  await store.insert({ events, ai_visits: [] }, 'edge');
  const views = async (period: 'today' | 'yesterday', now: number) => {
    const question = { site_id: id, period, compare: 'none' as const, filters: [], metrics: ['pageviews' as const] };
    return (await stats.totals(question, site, now)).values.pageviews;
  };
  expect([await views('today', midnight - 1), await views('today', midnight)]).toEqual([1, 2]);
  expect([await views('yesterday', midnight - 1), await views('yesterday', midnight)]).toEqual([0, 1]);
});
