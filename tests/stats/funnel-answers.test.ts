/** @module-tag attack */
// The figures of a funnel at every door: dashboard, API and share links, over events that were really recorded.
import { parse, stringify } from 'devalue';
import { expect } from 'vitest';
import type { FunnelOrder, FunnelScope, FunnelStep } from '../../server/vocabulary/questions/goals.ts';
import { funnels } from '../../server/sites/definitions/funnels.ts';
import { goals } from '../../server/sites/definitions/goals.ts';
import { createShareLink, type Shows } from '../../server/sites/sharing/share.ts';
import { createSegment, deleteSegment } from '../../server/sites/definitions/segments.ts';
import type { Site } from '../../server/sites/sites.ts';
import type { Summary } from '../../server/stats/answers/summary.ts';
import type { PlainFilter } from '../../server/vocabulary/questions/segments.ts';
import type { TestApp } from '../setup/app.ts';
import { makeEvent } from '../setup/event.ts';
import { showsRefused } from '../setup/run/harness.ts';
import { test } from '../setup/api/rest-test.ts';
import { about } from '../setup/stats/about.ts';

type Figures = { steps: Record<string, unknown>[]; rows: { name: string; steps: { visitors: number }[] }[] };
type Left = { visitors: number; pages: { page: string; visitors: number }[]; ended: number };

const PRICING = { kind: 'page', page: '/pricing' } as const;
const TRIAL = { kind: 'event', event: 'trial', props: {} } as const;

const makeFunnel = (
  { server, site }: { server: TestApp; site: Site },
  steps: FunnelStep[],
  how: { within?: FunnelScope; order?: FunnelOrder } = {},
) =>
  funnels.create(
    server.app.services.directory,
    {
      siteId: site.id,
      name: `funnel ${steps.length} ${how.within} ${how.order}`,
      definition: { steps, within: how.within ?? 'visit', order: how.order ?? 'any_between' },
    },
    server.clock.now,
  );

/** Visitors who each view pages and send events, a minute apart: `/pricing trial /docs`. After `later`, it is another visit. */
async function record({ server, site }: { server: TestApp; site: Site }, people: { walk: string; city?: string }[]) {
  const from = server.clock.now - 3_600_000;
  const events = people.flatMap(({ walk, city = 'Berlin' }, person) =>
    walk.split(' later ').flatMap((visit, which) =>
      visit.split(' ').map((word, index) =>
        makeEvent({
          site_id: site.id,
          visitor: `p${person}`,
          city,
          time: from + which * 2_400_000 + index * 60_000 + person,
          ...(word.startsWith('/') ? { page: word } : { name: word, page: '/pricing', props: { plan: 'pro' } }),
          device: person % 2 === 0 ? 'mobile' : 'desktop',
        }),
      ),
    ),
  );
  await server.app.collector.record(events, server.clock.now);
  await server.settle();
}

const viewerOf = async ({ server, site }: { server: TestApp; site: Site }, shows: Partial<Shows> = {}) => {
  const made = { siteId: site.id, name: 'link', shows };
  const { token } = await createShareLink(server.app.services.directory, made, server.clock.now);
  return { 'x-share-token': token };
};

async function ask<Answer>({ server, site }: { server: TestApp; site: Site }, name: string, asked: Asked) {
  const { headers, ...input } = asked;
  const text = encodeURIComponent(JSON.stringify(stringify({ site_id: site.id, period: 'today', ...input })));
  const answer = await fetch(`${server.url}/trpc/stats.${name}?input=${text}`, { headers });
  const body = (await answer.json()) as { result: { data: string } };
  return { status: answer.status, data: (answer.ok ? parse(body.result.data) : undefined) as Answer };
}
type Asked = {
  funnel_id?: string;
  headers: Record<string, string>;
  by?: string;
  filters?: object[];
  compare?: string;
  segment?: string;
  dimension?: string;
  metrics?: string[];
};

const visitorsOf = (steps: { visitors?: unknown }[]) => steps.map(({ visitors }) => visitors);

test('dashboard and API give the same figures, step by step and for each device', async ({ server, site, rest }) => {
  const people = ['/pricing trial', '/pricing /docs', '/ /pricing trial', '/pricing', 'trial /pricing', '/docs'];
  await record(
    { server, site },
    people.map((walk) => ({ walk })),
  );
  const goal = { siteId: site.id, name: 'Started a trial', definition: TRIAL };
  const { id } = await goals.create(server.app.services.directory, goal, server.clock.now);
  const funnel = await makeFunnel({ server, site }, [PRICING, { goal: id }]);
  const headers = { cookie: await server.logIn(`owner@${site.domain}`) };
  const asked = { funnel_id: funnel.id, headers, by: 'device' };
  const { data } = await ask<Figures>({ server, site }, 'funnel', asked);
  const left = await ask<Left[]>({ server, site }, 'left', asked);
  const { body } = await rest.ask(`/v1/funnels/${funnel.id}?period=today&by=device`);
  const answer = body as { data: { steps: object[]; breakdown: object[] } };

  const pricing = {
    name: '/pricing',
    ...PRICING,
    visitors: 5,
    visits: 5,
    drop_off: null,
    rate: 100,
    median_time: null,
  };
  const trial = { name: 'Started a trial', goal: id, visitors: 2, visits: 2, drop_off: 60, rate: 40, median_time: 60 };
  const gone = { visitors: 3, pages: [{ page: '/docs', visitors: 1 }], ended: 2 };
  expect(answer.data.steps).toEqual([
    { ...pricing, left: gone },
    { ...trial, left: null },
  ]);
  expect(data.steps).toEqual([
    { ...pricing, previous: null },
    { ...trial, previous: null },
  ]);
  expect(left.data).toEqual([gone]);
  expect(data.rows.map(({ name, steps }) => [name, ...visitorsOf(steps)])).toEqual([
    ['mobile', 3, 2],
    ['desktop', 2, 0],
  ]);
  const withoutPrevious = (step: object) => ({ ...step, previous: undefined });
  expect(answer.data.breakdown).toEqual(
    data.rows.map(({ name, steps }) => ({ device: name, steps: steps.map(withoutPrevious) })),
  );
  const filtered = await rest.ask(`/v1/funnels/${funnel.id}?period=today&filter[device]=desktop`);
  expect(visitorsOf((filtered.body as typeof answer).data.steps as Left[])).toEqual([2, 0]);
});

test('a funnel keeps the condition of a deleted goal and names the goal; a changed funnel is counted anew', async ({
  server,
  site,
  rest,
}) => {
  const { directory } = server.app.services;
  const own = { siteId: site.id };
  await record({ server, site }, [{ walk: '/pricing trial' }, { walk: '/pricing' }]);
  const goal = await goals.create(directory, { ...own, name: 'Trial', definition: TRIAL }, server.clock.now);
  const funnel = await makeFunnel({ server, site }, [PRICING, { goal: goal.id }]);
  const steps = async () => {
    const { body } = await rest.ask(`/v1/funnels/${funnel.id}?period=today`);
    return (body as { data: Figures }).data.steps;
  };
  expect(visitorsOf(await steps())).toEqual([2, 1]);
  await goals.delete(directory, { ...own, id: goal.id });
  expect((await steps())[1]).toMatchObject({ name: 'Trial', deleted_goal: 'Trial', ...TRIAL, visitors: 1 });
  const definition = { steps: [TRIAL, PRICING], within: 'visit', order: 'any' } as const;
  await funnels.update(
    directory,
    {
      ...own,
      id: funnel.id,
      name: 'Back',
      definition: { ...definition, steps: [...definition.steps] },
    },
    server.clock.now,
  );
  const changed = await rest.ask(`/v1/funnels/${funnel.id}?period=today`);
  expect((changed.body as { data: object }).data).toMatchObject({ id: funnel.id, name: 'Back', order: 'any' });
  expect(visitorsOf(await steps())).toEqual([1, 1]);
});

const atStep = (funnel: string, ...steps: number[]) => ({
  filters: [{ dimension: 'furthest_step', operator: 'is', values: steps.map((step) => `${funnel}:${step}`) }],
});
const uniqueIn = ({ metrics }: Summary) => metrics.find(({ name }) => name === 'unique_visitors')?.value;

test('a filter on the furthest step keeps the visitors that the funnel reports as having left there, at every door', async ({
  server,
  site,
  rest,
}) => {
  const at = { server, site };
  const { directory } = server.app.services;
  const walks = [
    '/pricing',
    '/pricing later /pricing trial',
    '/pricing trial later /docs',
    '/pricing trial /docs',
    '/',
  ];
  await record(
    at,
    walks.map((walk) => ({ walk })),
  );
  const headers = { cookie: await server.logIn(`owner@${site.domain}`) };
  const steps = [PRICING, TRIAL, { kind: 'page' as const, page: '/docs' }];
  for (const [within, expected] of [
    ['visit', [1, 2, 1]],
    ['day', [1, 1, 2]],
  ] as const) {
    const { id } = await makeFunnel(at, steps, { within });
    const { data: figures } = await ask<Figures>(at, 'funnel', { funnel_id: id, headers });
    const { data: left } = await ask<Left[]>(at, 'left', { funnel_id: id, headers });
    expect([...visitorsOf(left), figures.steps[2]?.['visitors']], within).toEqual(expected);
    const saved = { siteId: site.id, owner: null, name: 'left', filters: atStep(id, 1).filters as PlainFilter[] };
    const { id: segment } = await createSegment(directory, saved, server.clock.now);
    for (const [index, visitors] of expected.entries()) {
      const filter = atStep(id, index + 1);
      expect(uniqueIn((await ask<Summary>(at, 'summary', { headers, ...filter })).data), within).toBe(visitors);
      const query = `site_id=${site.id}&period=today&filter[furthest_step]=${id}:${index + 1}`;
      const { body } = await rest.ask(`/v1/stats?${query}&metric=visitors`);
      expect((body as { data: object }).data, within).toMatchObject({ unique_visitors: visitors });
    }
    const { data: ofSegment } = await ask<Summary>(at, 'summary', { headers, segment });
    expect(uniqueIn(ofSegment)).toBe(expected[0]);
    const { data: ofTwo } = await ask<Summary>(at, 'summary', { headers, ...atStep(id, 1, 2) });
    expect(uniqueIn(ofTwo)).toBe(expected[0] + expected[1]);
    // Only the pages of the visitor who left after step 1. Whoever got further in another visit of the day is not included.
    const pages = { dimension: 'page', metrics: ['pageviews'], ...atStep(id, 1) };
    const { data: list } = await ask<{ rows: { name: string }[] }>(at, 'breakdown', { headers, ...pages });
    expect(list.rows.map(({ name }) => name)).toEqual(['/pricing']);
    await deleteSegment(directory, { id: segment });
    await funnels.delete(directory, { siteId: site.id, id });
    expect(uniqueIn((await ask<Summary>(at, 'summary', { headers, ...atStep(id, 1) })).data)).toBe(0);
  }
});

test('a furthest step past the last, or of another site’s funnel, matches nobody; a malformed one is refused', async ({
  server,
  site,
  rest,
}) => {
  const at = { server, site };
  await record(at, [{ walk: '/pricing' }]);
  const own = await makeFunnel(at, [PRICING, TRIAL]);
  const foreign = await makeFunnel({ server, site: await server.addSite('steps.example') }, [PRICING, TRIAL]);
  const stats = (value: string) =>
    rest.ask(
      `/v1/stats?site_id=${site.id}&period=today&metric=visitors&filter[furthest_step]=${encodeURIComponent(value)}`,
    );
  const visitors = async (value: string) =>
    ((await stats(value)).body as { data: { unique_visitors: number } }).data.unique_visitors;
  expect(await visitors(`${own.id}:1`)).toBe(1);
  for (const value of [`${own.id}:2`, `${own.id}:3`, `${own.id}:8`, `${foreign.id}:1`])
    expect(await visitors(value), value).toBe(0);
  for (const value of [own.id, `${own.id}:0`, `${own.id}:9`, `${own.id}:1:1`, ':1', 'x', `${own.id}:1'`]) {
    const { status, body } = await stats(value);
    expect([status, (body as { message: string }).message], value).toEqual([
      400,
      'filter[furthest_step]: must be the id of a funnel and one of its steps, 1 to 8, as in FUNNEL_ID:2.',
    ]);
    const headers = { cookie: await server.logIn(`owner@${site.domain}`) };
    const filters = [{ dimension: 'furthest_step', operator: 'is', values: [value] }];
    expect((await ask(at, 'summary', { headers, filters })).status, value).toBe(400);
  }
  const headers = { cookie: await server.logIn(`owner@${site.domain}`) };
  const filters = [{ dimension: 'furthest_step', operator: 'contains', values: [`${own.id}:1`] }];
  expect((await ask(at, 'summary', { headers, filters })).status).toBe(400);
});

test('the funnel of another account and an unknown funnel get the same 404', async ({ server, site, rest }) => {
  showsRefused('access to data of other accounts', 3);
  const other = await server.addSite('other-funnels.example');
  const foreign = await makeFunnel({ server, site: other }, [PRICING, TRIAL]);
  const answers = [];
  for (const id of [foreign.id, `funnel_${'0'.repeat(26)}`, "' OR 1=1 --"])
    answers.push((await rest.ask(`/v1/funnels/${encodeURIComponent(id)}?period=today`)).text);
  expect([...new Set(answers)].map((text) => JSON.parse(text) as object)).toEqual([
    { error: 'not_found', message: 'There is no such funnel in this account.', status: 404 },
  ]);
  const headers = { cookie: await server.logIn(`owner@${site.domain}`) };
  for (const name of ['funnel', 'left'])
    expect((await ask({ server, site }, name, { funnel_id: foreign.id, headers })).status).toBe(404);
});

test('viewers of a share link see no step, loss, page or value with fewer than three visitors', async ({
  server,
  site,
}) => {
  showsRefused('single visitors shown', 14);
  const at = { server, site };
  // 10 saw the prices, 9 of them began a trial, 5 of those read the docs, and 2 of those the imprint. One left the prices for `/`.
  const walks = [
    '/pricing /',
    ...Array<string>(4).fill('/pricing trial /blog'),
    ...Array<string>(3).fill('/pricing trial /docs'),
    ...Array<string>(2).fill('/pricing trial /docs /imprint'),
  ];
  await record(
    at,
    walks.map((walk, index) => ({ walk, city: index === 9 ? 'Ulm' : 'Berlin' })),
  );
  const pages = ['/docs', '/imprint'].map((page) => ({ kind: 'page' as const, page }));
  const { id: funnel_id } = await makeFunnel(at, [PRICING, TRIAL, ...pages]);
  const owner = { funnel_id, headers: { cookie: await server.logIn(`owner@${site.domain}`) } };
  const viewer = { funnel_id, headers: await viewerOf(at) };
  const seen = async (asked: Asked) => {
    const { data } = await ask<Figures>(at, 'funnel', asked);
    const left = await ask<Left[]>(at, 'left', asked);
    return {
      steps: visitorsOf(data.steps),
      left: left.data.map((each) => [each.visitors, each.pages.map(({ page }) => page).join(), each.ended]),
      rows: data.rows.map(({ name, steps }) => [name, ...visitorsOf(steps)]),
    };
  };
  expect(await seen({ ...owner, by: 'city' })).toEqual({
    steps: [10, 9, 5, 2],
    left: [
      [1, '/', 0],
      [4, '/blog', 0],
      [3, '', 3],
    ],
    rows: [
      ['Berlin', 9, 8, 4, 1],
      ['Ulm', 1, 1, 1, 1],
    ],
  });
  const limited = await seen({ ...viewer, by: 'city' });
  const [all = 0, , docs = 0] = limited.steps as number[];
  // The step that only one failed to take has the number of the one before, and the one that two took has none.
  expect(limited.steps).toEqual([about(10), all, about(5), 0]);
  // Where visitors went adds up with the steps.
  expect(limited.left).toEqual([
    [0, '', 0],
    all - docs < 3 ? [0, '', 0] : [all - docs, '/blog', 0],
    [docs, '', about(5)], // the two who took the last step, as the last ones, do not make a group: they count as gone
  ]);
  // The one from Ulm counts under Berlin, as in a filter by Berlin.
  expect(limited.rows).toEqual([['Berlin', ...limited.steps]]);
  const ofBerlin = { filters: [{ dimension: 'city', operator: 'is', values: ['Berlin'] }] };
  expect((await seen({ ...viewer, ...ofBerlin })).steps).toEqual(limited.steps);
  const few = { funnel_id, headers: await viewerOf(at, { fewest: 1 }), by: 'city' };
  expect(await seen(few)).toEqual(await seen({ ...owner, by: 'city' }));
  const inUlm = { filters: [{ dimension: 'city', operator: 'is', values: ['Ulm'] }] };
  expect((await seen({ ...viewer, ...inUlm })).steps).toEqual([0, 0, 0, 0]);
  expect((await seen({ ...owner, ...inUlm })).steps).toEqual([1, 1, 1, 1]);

  // Together with the number who left after step 2, the figures above would reveal that one left earlier, and two took all steps.
  const unique = async (headers: Record<string, string>, filter: object) =>
    uniqueIn((await ask<Summary>(at, 'summary', { headers, ...filter })).data);
  expect(await unique(owner.headers, atStep(funnel_id, 2))).toBe(4);
  for (const step of [1, 2, 3, 4]) expect(await unique(viewer.headers, atStep(funnel_id, step))).toBe(0);
  const { id: halved } = await makeFunnel(at, [PRICING, { kind: 'page', page: '/docs' }], { order: 'any' });
  for (const step of [1, 2]) expect(await unique(viewer.headers, atStep(halved, step))).toEqual(about(5));
  expect(await unique(viewer.headers, { filters: [...atStep(halved, 2).filters, ...inUlm.filters] })).toBe(0);
  const [filter] = atStep(halved, 1).filters;
  for (const filters of [atStep(halved, 1, 2).filters, [{ ...filter, operator: 'is_not' }]])
    expect((await ask(at, 'summary', { headers: viewer.headers, filters })).status).toBe(400);

  const withProps = await makeFunnel(at, [PRICING, { ...TRIAL, props: { plan: 'pro' } }], { within: 'day' });
  expect(await unique(await viewerOf(at, { fewest: 1 }), atStep(withProps.id, 2))).toBe(0);
  expect(await unique(await viewerOf(at, { fewest: 1, properties: true }), atStep(withProps.id, 2))).toBe(9);
  const status = async (headers: Record<string, string>, name: string) =>
    (await ask(at, name, { funnel_id: withProps.id, headers })).status;
  for (const name of ['funnel', 'left']) {
    expect(await status(viewer.headers, name)).toBe(403);
    expect(await status(await viewerOf(at, { properties: true }), name)).toBe(200);
  }
});
