/** @module-tag promise */
// Own visits, countries, pages and hosts that are left out of a site's numbers, from the settings to the store.
import { parse, stringify } from 'devalue';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dropsOf } from '../../server/sites/drops.ts';
import type { Site } from '../../server/sites/sites.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { showsKept } from '../setup/run/harness.ts';
import { filesWith } from '../setup/files.ts';

const NOTHING = { countries: [], pages: [], hostnames: [] };
const HOME = { 'x-forwarded-for': '198.51.100.213' };
const ELSEWHERE = { 'x-forwarded-for': '198.51.100.214' };

let server: TestApp;
let site: Site;
let cookie: string;
async function addSite() {
  site = await server.newSite();
  cookie = await server.logIn(`owner@${site.domain}`);
}

type Settings = { left_out: typeof NOTHING; own_visits: { are_left_out: boolean; networks: number } };

async function change(name: 'change' | 'ownVisits', input: object, headers: Record<string, string> = HOME) {
  const answer = await fetch(`${server.url}/trpc/sites.${name}`, {
    method: 'POST',
    headers: { cookie, origin: server.url, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(stringify({ site_id: site.id, ...input })),
  });
  server.clock.now += 1000; // until then the collector may know the settings of before
  const body = (await answer.json()) as { result?: { data: string }; error?: string };
  const settings = body.result && (parse(body.result.data) as Settings);
  return { settings, error: JSON.stringify(body.error ?? '') };
}

let views = 0;
async function view(headers: Record<string, string>, url = `https://${site.domain}/page-${(views += 1)}`) {
  await server.foot({ site: site.domain, name: 'pageview', url }, headers);
}

async function counts() {
  await server.settle();
  await server.app.collector.flushDrops();
  const [row] = await server.app.store.query<{ views: string }>(
    'SELECT count() AS views FROM events WHERE site_id = {id:String}',
    { id: site.id },
  );
  const drops = await dropsOf(server.app.services.directory, site.id, '2000-01-01', '2100-01-01');
  return { views: Number(row?.views), ...Object.fromEntries(drops.map(({ reason, count }) => [reason, count])) };
}

describe('behind a proxy that the server trusts', () => {
  beforeAll(async () => {
    server = await testApp({ env: { TRUST_PROXY: 'loopback' } });
  });
  afterAll(async () => server[Symbol.asyncDispose]());
  beforeEach(addSite);

  describe('own visits', () => {
    test('are left out from the network that the owner is in, and count again when the owner says so', async () => {
      const left = await change('ownVisits', { visits: 'leave_out' });
      expect(left.settings?.own_visits).toEqual({ are_left_out: true, networks: 1 });
      await view(HOME);
      await view({ ...HOME, 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' });
      await view(ELSEWHERE);
      expect(await counts()).toEqual({ views: 1, own_visit: 2 });

      const elsewhere = await change('ownVisits', { visits: 'count' }, ELSEWHERE);
      expect(elsewhere.settings?.own_visits).toEqual({ are_left_out: false, networks: 1 });
      const home = await change('ownVisits', { visits: 'count' });
      expect(home.settings?.own_visits).toEqual({ are_left_out: false, networks: 0 });
      await view(HOME);
      expect(await counts()).toEqual({ views: 2, own_visit: 2 });
    });

    test('are those of a whole /64 with IPv6, and of all networks that were left out, until they are forgotten', async () => {
      await change('ownVisits', { visits: 'leave_out' });
      await change('ownVisits', { visits: 'leave_out' }, { 'x-forwarded-for': '2001:db8:1:2::a' });
      await view({ 'x-forwarded-for': '2001:db8:1:2:ffff::b' });
      await view({ 'x-forwarded-for': '2001:db8:1:3::a' });
      await view(HOME);
      expect(await counts()).toEqual({ views: 1, own_visit: 2 });
      const forgotten = await change('ownVisits', { visits: 'forget' }, ELSEWHERE);
      expect(forgotten.settings?.own_visits).toEqual({ are_left_out: false, networks: 0 });
      await view(HOME);
      expect(await counts()).toEqual({ views: 2, own_visit: 2 });
    });

    test('of one site say nothing about another, and the address is in no file', async () => {
      showsKept('no address and no raw user agent in the data folder, Redis, logs and backups');
      await change('ownVisits', { visits: 'leave_out' });
      const stored = async () => {
        const sites = server.app.services.directory.db.selectFrom('sites').select('settings').where('id', '=', site.id);
        return JSON.parse((await sites.executeTakeFirstOrThrow()).settings) as { left_out: { networks: string[] } };
      };
      const { left_out: first } = await stored();
      await addSite();
      await change('ownVisits', { visits: 'leave_out' });
      const { left_out: second } = await stored();
      expect(first.networks).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
      expect(second.networks).not.toEqual(first.networks);
      expect(await filesWith(server.folder, HOME['x-forwarded-for'])).toEqual([]);
    });

    test('are at most those of 20 networks: the oldest goes first', async () => {
      for (let n = 1; n <= 21; n += 1)
        await change('ownVisits', { visits: 'leave_out' }, { 'x-forwarded-for': `198.51.100.${n}` });
      await view({ 'x-forwarded-for': '198.51.100.1' });
      await view({ 'x-forwarded-for': '198.51.100.2' });
      expect(await counts()).toEqual({ views: 1, own_visit: 1 });
    });
  });

  test('countries, pages and hosts are left out from then on, each for its own reason, and the rest counts', async () => {
    const visit = { 'x-forwarded-for': '8.8.8.8' };
    const host = `staging.${site.domain}`;
    const urls = [`https://${host}/`, `https://${site.domain}/caf%C3%A9`, `https://${site.domain}/admin/a/b`];
    for (const url of urls) await view(ELSEWHERE, url);
    await view(visit);
    expect(await counts()).toEqual({ views: 4 });

    const { settings } = await change('change', {
      left_out: { countries: ['us', 'US'], pages: ['/admin/**', '/caf%c3%a9'], hostnames: [`https://${host}:8080/x`] },
    });
    expect(settings?.left_out).toEqual({ countries: ['US'], pages: ['/admin/**', '/café'], hostnames: [host] });
    server.clock.now += 1000;
    for (const url of [...urls, `https://${site.domain}/admin`, `https://${site.domain}/`]) await view(ELSEWHERE, url);
    await view(visit);
    expect(await counts()).toEqual({ views: 6, left_out_host: 1, left_out_page: 2, left_out_country: 1 });
  });

  test('a page is left out under the name that the path rules give it, too', async () => {
    const path_rules = { trailing_slash: 'strip', case: 'lower', query: [], groups: ['/users/:id'] };
    await change('change', { path_rules, left_out: { ...NOTHING, pages: ['/users/:id', '/private'] } });
    for (const path of ['/Users/7', '/PRIVATE/', '/users']) await view(HOME, `https://${site.domain}${path}`);
    expect(await counts()).toEqual({ views: 1, left_out_page: 2 });
  });

  test('a change of the rules leaves own visits and path rules alone, and a wrong rule changes nothing', async () => {
    await change('ownVisits', { visits: 'leave_out' });
    await change('change', { path_rules: { case: 'lower' } });
    const { settings } = await change('change', { left_out: { ...NOTHING, countries: ['DE'] } });
    expect(settings).toMatchObject({
      path_rules: { case: 'lower' },
      left_out: { ...NOTHING, countries: ['DE'] },
      own_visits: { are_left_out: true, networks: 1 },
    });
    for (const [rules, problem] of [
      [{ countries: ['Germany'] }, 'left_out.countries.0: must be the code of a country in two letters'],
      [{ pages: ['admin'] }, 'left_out.pages.0: must begin with a slash'],
      [{ hostnames: ['co.uk'] }, 'left_out.hostnames.0: Anybody can have a name under'],
      [{ countries: Array.from({ length: 101 }, () => 'DE') }, 'left_out.countries: must have at most 100 entries'],
    ] as const)
      expect((await change('change', { left_out: { ...NOTHING, ...rules } })).error).toContain(problem);
    expect((await change('change', {})).settings).toEqual(settings);
  });
});

test('own visits cannot be told behind a proxy that the server does not trust', async () => {
  await using other = await testApp();
  server = other;
  await addSite();
  const { settings, error } = await change('ownVisits', { visits: 'leave_out' });
  expect(settings).toBeUndefined();
  expect(error).toContain('its operator must set TRUST_PROXY first');
});
