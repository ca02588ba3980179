/** @module-tag attack */
// Questions in plain words at `/v1/ask` and in the dashboard: the request of the answer gives the number that was asked for, and nobody
// learns a name that they could not see.
import { stringify } from 'devalue';
import { expect } from 'vitest';
import { createShareLink } from '../../server/sites/sharing/share.ts';
import { createSegment } from '../../server/sites/definitions/segments.ts';
import { goals } from '../../server/sites/definitions/goals.ts';
import { configureSite, type Site } from '../../server/sites/sites.ts';
import { test } from '../setup/api/rest-test.ts';
import type { TestApp } from '../setup/app.ts';

type Part = { text: string; label: string; kind: string; problem: string | null; nearest: { text: string }[] };
type Asked = {
  sentence: string;
  is_sure: boolean;
  parts: Part[];
  view: Record<string, unknown>;
  dashboard: string;
  request: string;
  tool: { name: string; arguments: Record<string, unknown> };
};

const asked = (site: Site, q: string) => `/v1/ask?${new URLSearchParams({ site_id: site.id, q })}`;

async function fill(server: TestApp, site: Site): Promise<{ goal: string }> {
  const { directory } = server.app.services;
  const definition = { kind: 'page' as const, page: '/welcome' };
  const { id } = await goals.create(directory, { siteId: site.id, name: 'Sign-up', definition }, server.clock.now);
  const send = (path: string, agent: string, query = '') =>
    server.foot(
      { site: site.domain, name: 'pageview', url: `https://${site.domain}${path}${query}` },
      { 'user-agent': `Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/${agent}.0.0.0 Safari/537.36` },
    );
  await send('/', '140', '?utm_source=Winter%20Letter&utm_campaign=launch-day');
  await send('/welcome', '140');
  await send('/', '141');
  await server.settle();
  return { goal: id };
}

test('are answered with the view, its address, and a request whose answer has the number', async ({
  server,
  site,
  rest,
  data,
}) => {
  const { goal } = await fill(server, site);
  const of = async (q: string) => (await data(asked(site, q))) as Asked;
  const campaign = await of('visitors by campaign from winter letter today');
  expect(campaign).toMatchObject({
    is_sure: true,
    sentence: 'Unique visitors by UTM campaign · Today · Source is Winter Letter',
    view: { period: 'today', dimension: 'utm_campaign', metrics: ['unique_visitors'] },
  });
  expect(await data(campaign.request)).toMatchObject([{ utm_campaign: 'launch-day', unique_visitors: 1 }]);
  expect(campaign.tool).toMatchObject({ name: 'get_breakdown', arguments: { dimension: 'utm_campaign' } });
  expect(campaign.dashboard).toMatch(
    new RegExp(`/${site.domain}\\?f=is%3Asource%3AWinter(?:\\+|%20)Letter&sources=utm_campaign$`),
  );
  const rate = await of('sign-up rate today');
  expect(rate.view).toMatchObject({ filters: [{ dimension: 'goal', operator: 'is', values: [goal] }] });
  expect(await data(rate.request)).toContainEqual(expect.objectContaining({ conversion_rate: 50 }));
  const unsure = await of('visitors from winter leter and nowhere today');
  expect(unsure.is_sure).toBe(false);
  expect(unsure.parts.map(({ text, label, problem }) => [text, label, problem])).toEqual([
    ['visitors', 'Unique visitors', null],
    ['winter leter', 'Source is Winter Letter', null],
    ['nowhere', '', 'Not understood'],
    ['today', 'Today', null],
  ]);
  // Days are the site's.
  await configureSite(
    server.app.services.directory,
    { siteId: site.id, timezone: 'Pacific/Auckland' },
    server.clock.now,
  );
  server.clock.now += 2000;
  expect(await of('visitors on 21 november')).toMatchObject({ is_sure: true, view: { date_from: '2026-11-21' } });
  expect(await rest.refused(`/v1/ask?site_id=${site.id}`)).toMatchObject({ status: 400 });
  expect((await rest.refused(asked(site, 'x'.repeat(201)))).message).toBe('q: must be text of 1 to 200 characters.');
});

test('know no names of other sites, nor personal segments', async ({ server, site, data }) => {
  const other = await server.newSite();
  await fill(server, other);
  const { directory } = server.app.services;
  const filters = [{ dimension: 'country' as const, operator: 'is' as const, values: ['DE'] }];
  const owner = await directory.db
    .selectFrom('members')
    .select('user_id')
    .where('account_id', '=', site.account_id)
    .executeTakeFirstOrThrow();
  await createSegment(directory, { siteId: site.id, owner: owner.user_id, name: 'Zebras', filters }, server.clock.now);
  for (const name of ['launch-day', 'winter letter', 'zebras']) {
    const { parts } = (await data(asked(site, `visitors from ${name} last week`))) as Asked;
    expect(
      parts.some(({ kind }) => kind === 'unknown'),
      name,
    ).toBe(true);
    expect(JSON.stringify(parts.map(({ label, nearest }) => [label, nearest]))).not.toMatch(/launch-day|Letter|Zebras/);
  }
  const cookie = await server.logIn(`owner@${site.domain}`);
  const ask = async (headers: Record<string, string>) => {
    const input = encodeURIComponent(JSON.stringify(stringify({ site_id: site.id, q: 'zebras by country' })));
    const response = await fetch(`${server.url}/trpc/stats.ask?input=${input}`, { headers });
    return { status: response.status, text: await response.text() };
  };
  const own = await ask({ cookie });
  expect(own).toMatchObject({ status: 200, text: expect.stringContaining('Segment Zebras') as string });
  const { token } = await createShareLink(directory, { siteId: site.id, name: 'link' }, server.clock.now);
  const shared = await ask({ 'x-share-token': token });
  expect([shared.status, shared.text.includes('Zebras')]).toEqual([403, false]);
});
