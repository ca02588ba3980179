// Journeys, checked against a slow count in memory: every kind of start, both directions, every number of steps, over random events.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { VisitedEvent } from '../../server/vocabulary/event.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { compileRules, pathRules, storedPage } from '../../server/sites/paths.ts';
import type { JourneyFrom } from '../../server/stats/journeys/journey.ts';
import type { JourneyBranch } from '../../server/stats/journeys/journey-branches.ts';
import type { Filter } from '../../server/stats/query.ts';
import { openStats, type Stats } from '../../server/stats/run.ts';
import {
  JOURNEY_DIRECTIONS,
  type JourneyDirection,
  MAX_JOURNEY_NODES,
  MAX_JOURNEY_STEPS,
  MIN_JOURNEY_STEPS,
} from '../../server/vocabulary/questions/journeys.ts';
import { DAY_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { EURO_SHOP, makeEvent, SITE } from '../setup/event.ts';
import { openRandom } from '../setup/api/hostile-input.ts';
import { type TestStore, testStore } from '../setup/store.ts';

const FIRST_DAY = Date.UTC(2026, 10, 16);
const DAYS = 3;
const NOW = FIRST_DAY + DAYS * DAY_MS + 60 * MINUTE_MS;
const random = openRandom(90_210);
const PERIOD = { period: 'custom', date_from: '2026-11-16', date_to: '2026-11-18', compare: 'none' } as const;

/** More pages than a step can name. Some differ only in parts that path rules remove. */
const PAGES = [
  '/',
  '/',
  '/',
  '/pricing',
  '/pricing/',
  '/docs',
  '/blog',
  '/about',
  '/jobs',
  '/p/1',
  '/p/2',
  '/p/3',
  '/x?a=1',
  '"\'\\`',
];

let store: TestStore;
let stats: Stats;
const visits: VisitedEvent[][] = [];

beforeAll(async () => {
  store = await testStore();
  stats = openStats(store, () => 1);
  const events = Array.from({ length: 900 }, (_, person) => {
    const start = FIRST_DAY + random.number(DAYS) * DAY_MS + random.number(23 * 60) * MINUTE_MS;
    const country = random.pick(['DE', 'FR']);
    let page = random.pick(PAGES);
    let [time, place] = [start, -1];
    return Array.from({ length: 1 + random.number(9) }, (_unused, index) => {
      const name = random.pick(['pageview', 'pageview', 'pageview', 'engagement', 'signup', '/']);
      if (name === 'pageview') page = random.chance(0.3) ? page : random.pick(PAGES);
      // Rows of different kinds may share a moment.
      if (placeOf(name) <= place || random.chance(0.7)) time += MINUTE_MS;
      place = placeOf(name);
      return makeEvent({
        visitor: String(person),
        id: String(person * 10 + index),
        time,
        name,
        page,
        country,
        scroll: name === 'engagement' ? random.number(101) : 0,
        engaged_ms: name === 'engagement' ? 1000 : 0,
        props: name === 'signup' ? { plan: random.pick(['pro', 'free']) } : {},
      });
    });
  }).flat();
  // Events that servers send without a visit belong to no journey.
  for (let index = 0; index < 20; index += 1)
    events.push(makeEvent({ visitor: '', name: 'signup', time: FIRST_DAY + index }));
  const assigned = openVisits(store);
  const rows = events.sort((x, y) => x.time - y.time).flatMap((event) => assigned.assign(event, event.time) ?? []);
  await store.insert({ events: rows, ai_visits: [] }, 'all');
  visits.push(
    ...Map.groupBy(
      rows.filter(({ visit_id }) => visit_id !== 0n),
      ({ visit_id }) => visit_id,
    ).values(),
  );
});
afterAll(() => store[Symbol.asyncDispose]());

type Slow = {
  from: JourneyFrom;
  direction: JourneyDirection;
  steps: number;
  filter?: (visit: VisitedEvent[]) => boolean;
  regroup?: (page: string) => string;
};

/** The order at the same moment: engagement first, because it belongs to the page that was left, and events last. */
const placeOf = (name: string) => ({ engagement: 0, pageview: 1 })[name] ?? 2;
const inOrder = (visit: VisitedEvent[]) =>
  visit.toSorted((x, y) => x.time - y.time || placeOf(x.name) - placeOf(y.name));

/** The rows of a visit at which a journey may start. */
function startsOf(visit: VisitedEvent[], from: JourneyFrom, regroup: (page: string) => string): VisitedEvent[] {
  if (from.kind === 'page')
    return visit.filter((row) => row.name === 'pageview' && regroup(row.page) === regroup(from.name));
  if (from.kind === 'event') return visit.filter((row) => row.name === from.name && placeOf(row.name) === 2);
  const { goal } = from as Extract<JourneyFrom, { kind: 'goal' }>;
  if (goal.kind === 'event')
    return visit.filter(
      (row) => row.name === goal.event && Object.entries(goal.props).every(([key, value]) => row.props[key] === value),
    );
  if (goal.kind === 'page') return visit.filter((row) => row.name === 'pageview' && /^\/p\/[^/]+$/.test(row.page));
  if (goal.kind === 'time') throw new Error('tests/sites/goals.test.ts has it.');
  // Once per view of the page: by the first row of engagement that is deep enough.
  let isOpen = true;
  return visit.filter((row) => {
    if (row.page !== goal.page) return false;
    if (row.name === 'pageview') isOpen = true;
    if (row.name !== 'engagement' || !isOpen || row.scroll < goal.scroll) return false;
    isOpen = false;
    return true;
  });
}

const END = 'end';

/** The nodes of each visit after the start, or before it; `end` where nothing follows. */
function slowPaths({ from, direction, steps, filter = () => true, regroup = (page) => page }: Slow): string[][] {
  const nodeOf = ({ name, page }: VisitedEvent) =>
    ({ engagement: '', pageview: `page ${regroup(page)}` })[name] ?? `event ${name}`;
  return visits.filter(filter).flatMap((visit) => {
    const rows = inOrder(visit);
    const starts = startsOf(rows, from, regroup);
    if (direction === 'backwards') rows.reverse();
    const first = rows.find((row) => starts.includes(row));
    if (!first) return [];
    const path: string[] = [];
    let last = nodeOf(first);
    for (const row of rows.slice(rows.indexOf(first) + 1)) {
      const node = nodeOf(row);
      if (node !== '' && node !== last) path.push((last = node));
    }
    return [[...path, END].slice(0, steps - 1)];
  });
}

/** Each branch as a line: its nodes, its visits, how many of them ended there, and how many went another way. */
function slowBranches(asked: Slow): string[] {
  const paths = slowPaths(asked);
  const visitsOf = (beginning: string[]) =>
    paths.filter((path) => beginning.every((node, index) => path[index] === node)).length;
  const nextOf = (beginning: string[]) =>
    [
      ...new Set(
        paths
          .filter((path) => beginning.every((node, index) => path[index] === node))
          .map((path) => path[beginning.length] ?? END),
      ),
    ]
      .map((node) => [...beginning, node])
      .filter((branch) => visitsOf(branch) >= 3);
  const lines: string[] = [];
  let shown: string[][] = paths.length > 0 ? [[]] : [];
  for (let step = 1; shown.length > 0; step += 1) {
    const next = step < asked.steps ? shown.flatMap(nextOf) : [];
    const going = next.filter((branch) => branch.at(-1) !== END);
    const sums = new Map<string, number>();
    for (const branch of going) sums.set(branch.at(-1) ?? '', (sums.get(branch.at(-1) ?? '') ?? 0) + visitsOf(branch));
    const nameOf = (node: string) => node.slice(node.indexOf(' ') + 1);
    const isBefore = (x: string, y: string) => (nameOf(x) === nameOf(y) ? x < y : nameOf(x) < nameOf(y));
    const ranked = [...sums.keys()].sort(
      (x, y) => (sums.get(y) ?? 0) - (sums.get(x) ?? 0) || (isBefore(x, y) ? -1 : 1),
    );
    const kept = going.filter((branch) => ranked.indexOf(branch.at(-1) ?? '') < MAX_JOURNEY_NODES);
    for (const branch of shown) {
      const own = (list: string[][]) => list.filter((one) => one.slice(0, -1).join('>') === branch.join('>'));
      const ended = own(next.filter((one) => one.at(-1) === END)).reduce((sum, one) => sum + visitsOf(one), 0);
      const on = own(kept).reduce((sum, one) => sum + visitsOf(one), 0);
      const other = step < asked.steps ? visitsOf(branch) - ended - on : 0;
      lines.push(`${['start', ...branch].join(' > ')}: ${visitsOf(branch)}, ${ended} ended, ${other} other`);
    }
    shown = kept;
  }
  return lines.sort();
}

function linesOf(branches: JourneyBranch[]): string[] {
  const pathOf = (branch: JourneyBranch): string =>
    branch.parent === null
      ? 'start'
      : `${pathOf(branches[branch.parent] as JourneyBranch)} > ${branch.kind} ${branch.name}`;
  return branches.map((one) => `${pathOf(one)}: ${one.visits}, ${one.ended} ended, ${one.other} other`).sort();
}

async function compare({ filters = [], ...asked }: Slow & { filters?: Filter[] }): Promise<string[]> {
  const { from, direction, steps, regroup } = asked;
  const start = { kind: 'page' as const, value: '/' }; // the API has already turned the start into `from`
  const question = { ...PERIOD, site_id: SITE, filters, start, from, direction, steps, regroup };
  const { branches } = await stats.journey(question, EURO_SHOP, NOW);
  const expected = slowBranches(asked);
  expect(linesOf(branches), JSON.stringify({ from, direction, steps, filters })).toEqual(expected);
  return expected;
}

const STARTS: JourneyFrom[] = [
  { kind: 'page', name: '/' },
  { kind: 'page', name: '"\'\\`' },
  { kind: 'page', name: '/nowhere' },
  { kind: 'event', name: 'signup' },
  { kind: 'event', name: '/' },
  { kind: 'event', name: 'engagement' },
  { kind: 'goal', name: 'Pro', goal: { id: 'goal_1', kind: 'event', event: 'signup', props: { plan: 'pro' } } },
  { kind: 'goal', name: 'Product', goal: { id: 'goal_1', kind: 'page', page: '/p/*' } },
  { kind: 'goal', name: 'Read', goal: { id: 'goal_1', kind: 'scroll', page: '/', scroll: 20 } },
];

describe('a journey matches a slow count of every visit', () => {
  test.each(STARTS)('from $kind $name', async (from) => {
    for (const direction of JOURNEY_DIRECTIONS)
      for (let steps = MIN_JOURNEY_STEPS; steps <= MAX_JOURNEY_STEPS; steps += 1) {
        const lines = await compare({ from, direction, steps });
        if (!/nowhere|engagement/.test(from.name)) expect(lines.length).toBeGreaterThan(2);
        else expect(lines).toEqual([]);
      }
  });

  test('under filters, which keep whole visits', async () => {
    const from = STARTS[0] as JourneyFrom;
    const has = (visit: VisitedEvent[], page: string) =>
      visit.some((row) => row.page === page && row.name !== 'engagement');
    for (const direction of JOURNEY_DIRECTIONS) {
      const country: Filter = { dimension: 'country', operator: 'is', values: ['DE'] };
      const page: Filter = { dimension: 'page', operator: 'is', values: ['/docs'] };
      const isGerman = ([row]: VisitedEvent[]) => row?.country === 'DE';
      await compare({ from, direction, steps: 5, filters: [country], filter: isGerman });
      await compare({
        from,
        direction,
        steps: 5,
        filters: [country, page],
        filter: (visit) => isGerman(visit) && has(visit, '/docs'),
      });
    }
  });

  test('with the pages of earlier days grouped by today’s path rules', async () => {
    const rules = compileRules(pathRules.parse({ trailing_slash: 'strip', groups: ['/p/*'] }));
    const regroup = (page: string) => rules(storedPage(page));
    const grouped: JourneyFrom = { kind: 'page', name: '/p/*' };
    const old: JourneyFrom = { kind: 'page', name: '/p/2' };
    for (const from of [grouped, old, ...STARTS.slice(0, 4)])
      for (const direction of JOURNEY_DIRECTIONS) await compare({ from, direction, steps: 5, regroup });
    const lines = await compare({ from: grouped, direction: 'forwards', steps: 3, regroup });
    expect(lines.some((line) => line.includes('page /p/*'))).toBe(true);
    expect(lines.filter((line) => /page \/p\/\d|page \/pricing\/|\?a=1/.test(line))).toEqual([]);
  });
});
