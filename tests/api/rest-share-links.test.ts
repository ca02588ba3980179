// Share links in the API: made with their rules, listed with their uses, and revoked; each account has its own.
import { expect } from 'vitest';
import { createShareLink } from '../../server/sites/sharing/share.ts';
import { test } from '../setup/api/rest-test.ts';

type Link = { id: string; url: string } & Record<string, unknown>;
const FILTER = { dimension: 'country', operator: 'is', values: ['DE'] };

test('a link is made with its rules, opens, is listed with its uses, and ends', async ({ server, site, rest }) => {
  const body = {
    site_id: site.id,
    name: 'For ACME',
    note: 'Until March',
    shows: { fewest: 10 },
    rules: { filters: [FILTER], period: { days: 30 }, parts: ['pages'], timezone: 'UTC' },
    looks: { theme: 'dark' },
    public: true,
    indexed: true,
    expires_at: '2027-04-01T00:00:00+02:00',
  };
  const { status, body: made } = await rest.ask('/v1/share-links', { body });
  const { url, ...link } = (made as { data: Link }).data;
  expect([status, link]).toEqual([
    200,
    {
      id: link.id,
      name: 'For ACME',
      note: 'Until March',
      created_at: new Date(server.clock.now).toISOString(),
      expires_at: '2027-03-31T22:00:00.000Z',
      paused: false,
      public: true,
      indexed: true,
      has_password: false,
      shows: { properties: false, fewest: 10, credit: true, embedded_on: [] },
      rules: { filters: [FILTER], period: { days: 30 }, parts: ['pages'], timezone: 'UTC' },
      looks: { theme: 'dark' },
      last_used_at: null,
      views: [],
    },
  ]);
  expect(url).toMatch(/\/share\/\w{32}$/);
  const headers = { 'x-share-token': url.split('/').at(-1) ?? '' };
  const open = async () => (await fetch(`${server.url}/trpc/shares.site`, { headers })).status;
  expect(await open()).toBe(200);
  const list = async () => {
    const answer = await rest.ask(`/v1/share-links?site_id=${site.id}`);
    return (answer.body as { data: Link[] }).data.filter(({ id }) => id === link.id);
  };
  const day = new Date(server.clock.now).toISOString();
  expect(await list()).toEqual([{ ...link, last_used_at: day, views: [{ day: day.slice(0, 10), views: 1 }] }]);
  const revoked = await rest.ask(`/v1/share-links/${link.id}`, { method: 'DELETE' });
  expect([revoked.status, revoked.body]).toEqual([200, { data: { revoked: link.id } }]);
  expect([await open(), await list()]).toEqual([404, []]);
  expect((await rest.refused(`/v1/share-links/${link.id}`, { method: 'DELETE' })).status).toBe(404);
});

test('what no link can be, and links of other accounts, are refused', async ({ server, site, rest }) => {
  const usual = { site_id: site.id, name: 'x' };
  for (const [wrong, named] of [
    [{ name: '' }, 'name'],
    [{ shows: { fewest: 51 } }, 'fewest'],
    [{ rules: { parts: ['nothing'] } }, 'parts'],
    [{ rules: { filters: [{ ...FILTER, dimension: 'goal' }] } }, 'filters'],
    [{ expires_at: 'tomorrow' }, 'expires_at'],
    [{ password: 'short' }, 'password'],
    [{ indexed: true }, 'indexed'],
    [{ public: true, password: 'a few good words' }, 'password'],
    [{ token: 'mine' }, 'token'],
  ] as const) {
    const { status, text } = await rest.ask('/v1/share-links', { body: { ...usual, ...wrong } });
    expect([status, text.includes(named)], text).toEqual([400, true]);
  }
  const other = await server.newSite();
  const { id } = await createShareLink(server.app.services.directory, { siteId: other.id, name: 'x' }, 0);
  expect((await rest.refused(`/v1/share-links/${id}`, { method: 'DELETE' })).status).toBe(404);
  expect((await rest.refused('/v1/share-links', { body: { ...usual, site_id: other.id } })).status).toBe(404);
  expect((await rest.refused(`/v1/share-links?site_id=${other.id}`)).status).toBe(404);
});
