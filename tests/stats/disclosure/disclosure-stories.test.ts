/** @module-tag attack */
// Three attacks that once worked through a share link with its default rules: the difference of two filters, watching the numbers of today, and
// looking at the live view while one visitor is there.
import { parse, stringify } from 'devalue';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createShareLink, type Shows } from '../../../server/sites/sharing/share.ts';
import type { Site } from '../../../server/sites/sites.ts';
import type { SteppedSnapshot } from '../../../server/live/windows.ts';
import type { Breakdown } from '../../../server/stats/answers/breakdown.ts';
import type { Summary } from '../../../server/stats/answers/summary.ts';
import type { Timeseries } from '../../../server/stats/answers/timeseries.ts';
import { DAY_MS, startOfDay } from '../../../server/vocabulary/time/time.ts';
import { about } from '../../setup/stats/about.ts';
import { type TestApp, testApp } from '../../setup/app.ts';
import { makeEvent } from '../../setup/event.ts';
import { showsRefused } from '../../setup/run/harness.ts';

let server: TestApp;
beforeAll(async () => {
  server = await testApp();
});
afterAll(async () => server[Symbol.asyncDispose]());

type Headers = Record<string, string>;
const START = Date.UTC(2026, 10, 20, 12);

/** A site with its owner, and viewers with a link. */
async function shared(domain: string, shows: Partial<Shows> = {}) {
  const site = await server.addSite(domain);
  const owner = { cookie: await server.logIn(`owner@${domain}`) };
  const { token } = await createShareLink(
    server.app.services.directory,
    { siteId: site.id, name: 'link', shows },
    server.clock.now,
  );
  return { site, owner, viewer: { 'x-share-token': token } };
}

async function ask<Answer>(path: string, input: object, headers: Headers): Promise<Answer> {
  const asked = encodeURIComponent(JSON.stringify(stringify(input)));
  const answer = await fetch(`${server.url}/trpc/${path}?input=${asked}`, { headers });
  expect(answer.status).toBe(200);
  const { result } = (await answer.json()) as { result: { data: string } };
  return parse(result.data) as Answer;
}

const is = (dimension: string, values: string[], operator = 'is') => ({ dimension, operator, values });

async function record(site: Site, events: Parameters<typeof makeEvent>[0][]): Promise<void> {
  await server.app.collector.record(
    events.map((event) => makeEvent({ site_id: site.id, ...event })),
    server.clock.now,
  );
  await server.settle();
}

/** Everything that a dashboard shows of a period, as one text. */
async function everything(site: Site, headers: Headers, asked: object): Promise<string> {
  const about = { site_id: site.id, ...asked };
  const metrics = ['unique_visitors', 'pageviews'];
  const lists = ['page', 'entry_page', 'source', 'country', 'browser', 'device', 'city'].map((dimension) =>
    ask<Breakdown>('stats.breakdown', { ...about, dimension, metrics }, headers),
  );
  const chart = ask<Timeseries>('stats.timeseries', { ...about, metric: 'pageviews' }, headers);
  const summary = ask<Summary>('stats.summary', about, headers);
  return JSON.stringify(await Promise.all([summary, chart, ...lists]));
}

describe('the difference of two filters', () => {
  // Four visitors from Korea and two from Nigeria, who came directly with Chrome: one read `/` and `/docs`, the other `/`.
  const people = [
    ...Array.from({ length: 4 }, (_, n) => ({
      who: `kr${n}`,
      country: 'KR',
      pages: ['/', '/pricing'],
      browser: 'Safari',
    })),
    { who: 'ng0', country: 'NG', pages: ['/', '/docs'], browser: 'Chrome' },
    { who: 'ng1', country: 'NG', pages: ['/'], browser: 'Chrome' },
    ...Array.from({ length: 6 }, (_, n) => ({ who: `us${n}`, country: 'US', pages: ['/'], browser: 'Firefox' })),
  ];
  let at: Awaited<ReturnType<typeof shared>>;
  beforeAll(async () => {
    at = await shared('difference.example');
    const midnight = startOfDay(START);
    await record(
      at.site,
      people.flatMap(({ who, country, pages, browser }, person) =>
        pages.map((page, view) => ({
          visitor: who,
          country,
          browser,
          page,
          source: country === 'NG' ? '' : 'Google',
          time: midnight + (person + 1) * 600_000 + view * 1000,
        })),
      ),
    );
  });

  test.each([
    ['today', START],
    ['of a day that is over', START + DAY_MS],
  ])('%s tells nothing of the two', async (_when, now) => {
    showsRefused('single visitors shown', 12);
    server.clock.now = now;
    const period = now === START ? 'today' : 'yesterday';
    const seen = (filters: object[], headers: Headers = at.viewer) => everything(at.site, headers, { period, filters });
    const visitors = async (filters: object[], headers: Headers = at.viewer) => {
      const { metrics } = await ask<Summary>('stats.summary', { site_id: at.site.id, period, filters }, headers);
      return metrics.find(({ name }) => name === 'unique_visitors')?.value;
    };
    const [korea, nigeria, both] = [['KR'], ['NG'], ['KR', 'NG']].map((values) => [
      is('country', values),
    ]) as object[][];
    const owned = [];
    for (const filters of [korea, nigeria, both]) owned.push(await visitors(filters ?? [], at.owner));
    expect(owned).toEqual([4, 2, 6]);

    expect(await visitors(korea ?? [])).toEqual(about(4));
    expect(await visitors(nigeria ?? [])).toBe(0);
    // Together they answer what Korea answers alone, in every number, list and chart.
    expect(await seen(both ?? [])).toBe(await seen(korea ?? []));
    // To leave out two visitors leaves out nobody.
    const everybody = await seen([]);
    for (const filter of [
      is('country', ['NG'], 'is_not'),
      is('country', ['KR', 'US']),
      is('country', ['KR', 'US', 'NG']),
    ])
      expect(await seen([filter])).toBe(everybody);
    // Nor does a part of the names, the page that only one of them read, or what they have in common.
    expect(await seen([is('country', ['n'], 'contains')])).toBe(await seen(nigeria ?? []));
    for (const filters of [[is('page', ['/docs'])], [is('browser', ['Chrome'])], [is('browser', ['Chrome', 'Opera'])]])
      expect(await visitors(filters)).toBe(0);
    expect(await seen([is('browser', ['Chrome', 'Safari'])])).toBe(await seen([is('browser', ['Safari'])]));
  });
});

describe('watching the numbers of today', () => {
  test('shows steps of three visitors, all lists at once, and not when they came', async () => {
    showsRefused('single visitors shown', 24);
    server.clock.now = START;
    const { site, owner, viewer } = await shared('watched.example');
    const seen: string[] = [];
    const known: string[] = [];
    for (let n = 0; n < 9; n += 1) {
      server.clock.now += 60_000;
      await record(site, [
        { visitor: `v${n}`, page: `/${n}`, country: ['DE', 'FR', 'US'][n % 3] ?? '', time: server.clock.now - 20_000 },
      ]);
      seen.push(await everything(site, viewer, { period: 'today' }));
      known.push(await everything(site, owner, { period: 'today' }));
    }
    const changedAt = (all: string[]) => all.flatMap((one, index) => (one === all[index - 1] ? [] : [index]));
    expect(changedAt(known)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(changedAt(seen)).toEqual([0, 2, 5, 8]); // nothing at first, then after each third
    // One visitor who goes on reading moves nothing.
    for (let view = 0; view < 5; view += 1) {
      server.clock.now += 60_000;
      await record(site, [{ visitor: 'v0', page: `/more/${view}`, country: 'DE', time: server.clock.now - 20_000 }]);
      expect(await everything(site, viewer, { period: 'today' })).toBe(seen.at(-1));
    }
    // When the day is over, everything is there.
    server.clock.now = startOfDay(START) + DAY_MS + 1;
    const [mine, theirs] = await Promise.all([
      everything(site, owner, { period: 'yesterday', filters: [] }),
      everything(site, viewer, { period: 'yesterday', filters: [] }),
    ]);
    const withoutCities = (text: string) => (JSON.parse(text) as unknown[]).slice(0, -1); // cities stay withheld
    expect(withoutCities(theirs)).toEqual(withoutCities(mine));
  });

  test('under a filter, the steps are those of the visitors whom it leaves', async () => {
    showsRefused('single visitors shown', 12);
    server.clock.now = START;
    const { site, viewer } = await shared('narrow.example');
    const seen: string[] = [];
    // Every third visitor comes from Nigeria.
    for (let n = 0; n < 18; n += 1) {
      server.clock.now += 60_000;
      const country = n % 3 === 0 ? 'NG' : 'US';
      await record(site, [{ visitor: `v${n}`, page: `/${n}`, country, time: server.clock.now - 20_000 }]);
      seen.push(await everything(site, viewer, { period: 'today', filters: [is('country', ['NG'])] }));
    }
    // The third of them came with the seventh visitor, and is seen with the ninth; the sixth with the 16th, seen with the 18th.
    expect(seen.flatMap((one, index) => (one === seen[index - 1] ? [] : [index]))).toEqual([0, 8, 17]);
  });
});

describe('the live view', () => {
  const look = (site: Site, headers: Headers) => ask<SteppedSnapshot>('live.snapshot', { site_id: site.id }, headers);
  const arrive = async (site: Site, n: number) => {
    await server.foot(
      { site: site.domain, name: 'pageview', url: `https://${site.domain}/pricing/${n}` },
      {
        'user-agent': `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/14${n}.0.0.0 Safari/537.36`,
      },
    );
  };

  test('with one visitor says "fewer than 3", and its lists wait', async () => {
    showsRefused('single visitors shown', 3);
    server.clock.now = START;
    const { site, owner, viewer } = await shared('live.example');
    const quiet = { current_visitors: null, pages: [], sources: [], countries: [] };
    expect(await look(site, viewer)).toMatchObject(quiet);
    for (const n of [0, 1]) {
      server.clock.now += 5000;
      await arrive(site, n);
      server.clock.now += 5000;
      expect(await look(site, viewer)).toMatchObject(quiet);
    }
    expect(await look(site, owner)).toMatchObject({ current_visitors: 2 });
    await arrive(site, 2);
    expect(await look(site, viewer)).toMatchObject(quiet); // not in the moment in which the third came
    server.clock.now += 5000;
    const three = await look(site, viewer);
    expect(three).toMatchObject({ current_visitors: 3 });
    expect(three.pages).toHaveLength(3);
    // Two more, and then one who leaves: nothing changes until three have come, moved or left.
    for (const n of [3, 4]) {
      await arrive(site, n);
      server.clock.now += 5000;
      expect(await look(site, viewer)).toEqual(three);
    }
    await arrive(site, 5);
    server.clock.now += 5000;
    expect(await look(site, viewer)).toMatchObject({ current_visitors: 6 });
    server.clock.now += 6 * 60_000;
    expect(await look(site, viewer)).toMatchObject(quiet);
  });

  test('of a link that shows everything, and of a member, is as before', async () => {
    server.clock.now = START;
    const { site, viewer } = await shared('open.example', { fewest: 1 });
    await arrive(site, 1);
    expect(await look(site, viewer)).toMatchObject({
      current_visitors: 1,
      pages: [{ page: '/pricing/1', visitors: 1 }],
    });
  });
});
