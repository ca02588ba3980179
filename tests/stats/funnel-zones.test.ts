// Funnels of sites with a time zone, checked against a slow count over random events: the days of the zone, the visits and visitors that end
// at its midnight, and the days on which its clocks change.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SiteId, VisitedEvent } from '../../server/vocabulary/event.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import type { Funnel } from '../../server/stats/funnels/funnel-sql.ts';
import type { Filter } from '../../server/stats/query.ts';
import { openStats, type Stats } from '../../server/stats/run.ts';
import { FURTHEST_STEP, writeFurthestStep } from '../../server/vocabulary/questions/furthest-step.ts';
import { FUNNEL_ORDERS, FUNNEL_SCOPES } from '../../server/vocabulary/questions/goals.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { EURO_SHOP, makeEvent } from '../setup/event.ts';
import { openRandom } from '../setup/api/hostile-input.ts';
import { followAll, slowLeft, slowSteps } from '../setup/stats/reference-funnels.ts';
import { type TestStore, testStore } from '../setup/store.ts';

/** Days of 25, 23 and 24½ hours, and one of 24 whose midnight is not that of UTC. */
const SITES = [
  { zone: 'Europe/Berlin', day: '2026-10-25' },
  { zone: 'America/Los_Angeles', day: '2026-03-08' },
  { zone: 'Australia/Lord_Howe', day: '2026-04-05' },
  { zone: 'Asia/Kolkata', day: '2026-11-20' },
].map((site, index) => ({ ...site, id: `site_FUNNEL${index}` as SiteId }));
type ZonedSite = (typeof SITES)[number];

const random = openRandom(9_211);
const noon = (day: string) => Date.parse(`${day}T12:00:00.000Z`);
const plus = (day: string, days: number) => new Date(noon(day) + days * DAY_MS).toISOString().slice(0, 10);
/** The day in the zone, by another formatter than the server's. */
const formatters = new Map(
  SITES.map(({ zone }) => [zone, new Intl.DateTimeFormat('sv-SE', { timeZone: zone })] as const),
);
const shownIn = (zone: string, time: number) => formatters.get(zone)?.format(time) ?? '';
/** The midnights around a day. All zones differ from UTC by a multiple of half an hour. */
const midnightsOf = ({ zone, day }: ZonedSite) =>
  Array.from({ length: 144 }, (_, half) => noon(day) - 36 * HOUR_MS + half * 30 * MINUTE_MS).filter(
    (time) => shownIn(zone, time) !== shownIn(zone, time - MINUTE_MS),
  );

let store: TestStore;
let stats: Stats;
const rows = new Map<SiteId, VisitedEvent[]>();
const funnels = FUNNEL_SCOPES.flatMap((within) =>
  FUNNEL_ORDERS.map((order) => ({ id: `funnel_${within}_${order}`, within, order })),
).map((how) => ({
  ...how,
  steps: [
    { kind: 'page' as const, page: '/a' },
    { kind: 'page' as const, page: '/b' },
    { kind: 'event' as const, event: 'signup', props: {} },
  ],
}));

/** People who come at any hour of three days, often around the zone's midnight. On another day they count as other visitors. */
function drawEvents(site: ZonedSite): VisitedEvent[] {
  const { id, zone, day } = site;
  const midnights = midnightsOf(site);
  const drawn = Array.from({ length: 120 }, (_, person) => {
    let time = random.chance(0.5)
      ? random.pick(midnights) - random.number(60) * MINUTE_MS
      : noon(day) - 36 * HOUR_MS + random.number(72 * 60) * MINUTE_MS;
    return Array.from({ length: 3 + random.number(5) }, () => {
      time += random.chance(0.15) ? 45 * MINUTE_MS : 1 + random.number(15 * MINUTE_MS);
      const name = random.pick(['pageview', 'pageview', 'pageview', 'signup']);
      const own = shownIn(zone, time);
      return makeEvent({
        site_id: id,
        visitor: `${person} ${own}`,
        time,
        day: own,
        name,
        page: random.pick(['/a', '/b']),
      });
    });
  }).flat();
  const visits = openVisits(store);
  return drawn.sort((one, other) => one.time - other.time).flatMap((event) => visits.assign(event, event.time) ?? []);
}

beforeAll(async () => {
  store = await testStore();
  stats = openStats(store, () => 1, { funnelsOf: () => Promise.resolve(funnels) });
  for (const site of SITES) rows.set(site.id, drawEvents(site));
  await store.insert({ events: [...rows.values()].flat(), ai_visits: [] }, 'all');
});
afterAll(() => store[Symbol.asyncDispose]());

describe.each(SITES)('in $zone, around $day', (site) => {
  const asked = { site: { ...EURO_SHOP, timezone: site.zone }, now: noon(site.day) + 4 * DAY_MS };
  const ask = (from: string, to: string) => ({
    site_id: site.id,
    period: 'custom' as const,
    date_from: from,
    date_to: to,
    compare: 'previous' as const,
    filters: [],
  });
  const ofDays = (from: string, to: string) => (rows.get(site.id) ?? []).filter(({ day }) => day >= from && day <= to);
  const counted = (steps: { visitors: number; visits: number; median_time: number | null }[]) =>
    steps.map(({ visitors, visits, median_time }) => ({ visitors, visits, median_time }));

  test.each(funnels)('within a $within, $order: each day, and the days before it', async ({ id, ...funnel }) => {
    const of: Funnel = funnel;
    for (const [from, to] of [
      [site.day, site.day],
      [plus(site.day, -1), plus(site.day, 1)],
    ] as const) {
      const own = followAll(ofDays(from, to), of);
      const answer = await stats.funnel(ask(from, to), of, asked);
      expect(counted(answer.steps)).toEqual(slowSteps(own, of));
      expect(await stats.left(ask(from, to), of, asked)).toEqual(slowLeft(own, of));
      expect(answer.steps[2]?.visitors).toBeGreaterThan(0);

      const left = slowLeft(own, of)[0]?.visitors ?? 0;
      const values = [writeFurthestStep({ funnel: id, step: 1 })];
      const filters: Filter[] = [{ dimension: FURTHEST_STEP, operator: 'is', values }];
      const asWell = { ...ask(from, to), filters, metrics: ['unique_visitors' as const] };
      const { values: found } = await stats.totals(asWell, asked.site, asked.now);
      expect(found.unique_visitors).toBe(left);
    }
    const { steps } = await stats.funnel(ask(site.day, site.day), of, asked);
    const before = plus(site.day, -1);
    expect(counted(steps.flatMap(({ previous }) => previous ?? []))).toEqual(
      slowSteps(followAll(ofDays(before, before), of), of),
    );
  });
});

test('the zone’s midnight splits the steps of one person into two visitors; midnight in UTC does not', async () => {
  const id = 'site_FUNNELS_NIGHT' as SiteId;
  const zone = 'America/Los_Angeles';
  const midnight = Date.UTC(2026, 10, 20, 8);
  const visits = openVisits(store);
  const walk = (person: string, at: number) =>
    ['/a', '/b'].map((page, index) => {
      const time = at + index * 2 * MINUTE_MS - MINUTE_MS;
      const day = shownIn(zone, time);
      return makeEvent({ site_id: id, visitor: `${person} ${day}`, time, day, page });
    });
  const events = [...walk('night', midnight), ...walk('afternoon', midnight + 16 * HOUR_MS)];
  await store.insert({ events: events.flatMap((event) => visits.assign(event, event.time) ?? []), ai_visits: [] }, id);
  const site = { ...EURO_SHOP, timezone: zone };
  for (const within of FUNNEL_SCOPES) {
    const funnel: Funnel = { within, order: 'any_between', steps: (funnels[0]?.steps ?? []).slice(0, 2) };
    const days = { period: 'custom' as const, date_from: '2026-11-19', date_to: '2026-11-20' };
    const question = { site_id: id, ...days, compare: 'none' as const, filters: [] };
    const { steps } = await stats.funnel(question, funnel, { site, now: midnight + 20 * HOUR_MS });
    expect(steps.map(({ visitors }) => visitors)).toEqual([2, 1]);
  }
});
