/** @module-tag attack */
/** @module-tag promise */
// What browsers measure of a page view, from POST /foot to its row: with its visit, within bounds, and without anything about a person.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { configureSite, type Site } from '../../../server/sites/sites.ts';
import { testApp, type TestApp } from '../../setup/app.ts';
import { filesWith } from '../../setup/files.ts';
import { showsKept, showsRefused } from '../../setup/run/harness.ts';

let server: TestApp;
let site: Site;
let serial = 0;

beforeAll(async () => {
  server = await testApp({ env: { TRUST_PROXY: 'loopback' } });
});
afterAll(async () => server[Symbol.asyncDispose]());
beforeEach(async () => {
  serial += 1;
  site = await server.addSite(`site${serial}.example`);
  await switchTo(true);
});

const switchTo = async (vitals: boolean) => {
  await configureSite(server.app.services.directory, { siteId: site.id, settings: { vitals } }, server.clock.now);
  server.clock.now += 1500; // sites are cached for a second
};
const url = (path = '/') => `https://${site.domain}${path}`;
const measured = (vitals: unknown, more: object = {}) =>
  server.foot({ site: site.domain, name: 'vitals', url: url(), vitals, ...more });

async function stored(): Promise<Record<string, unknown>[]> {
  await server.settle();
  return server.app.store.query(
    'SELECT *, toString(visit_id) AS visit FROM vitals WHERE site_id = {id:String} ORDER BY page',
    { id: site.id },
  );
}

const ALL = {
  lcp: 2512.4,
  inp: 96,
  cls: 0.123456,
  fcp: 900.6,
  ttfb: 210,
  lcp_element: 'img null',
  inp_element: 'div button',
  navigation: 'navigate',
  connection: '4g',
};

describe('the measurements of a page view', () => {
  test('are a row with all that was measured, and the visit that they lie in', async () => {
    const from = { 'x-forwarded-for': '8.8.8.8' };
    const view = { site: site.domain, name: 'pageview', referrer: 'https://www.google.de/', width: 1440 };
    await server.foot({ ...view, url: url('/start?utm_campaign=spring') }, from);
    server.clock.now += 60_000;
    await server.foot({ ...view, url: url('/next'), referrer: url('/start') }, from);
    await server.foot({ site: site.domain, name: 'vitals', url: url('/next'), width: 1440, vitals: ALL }, from);
    const [row, ...others] = await stored();
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      hostname: site.domain,
      page: '/next',
      entry_page: '/start',
      source: 'Google',
      utm_campaign: 'spring',
      country: 'US',
      browser: 'Chrome',
      device: 'desktop',
      screen: '2XL',
      lcp: 2520,
      inp: 96,
      fcp: 900,
      ttfb: 210,
      lcp_element: 'img',
      inp_element: 'div[button]',
      navigation: 'navigate',
      connection: '4g',
    });
    expect(row?.['cls']).toBeCloseTo(0.124, 6);
    const [visit] = await server.app.store.query<{ id: string; rows: string }>(
      'SELECT toString(any(visit_id)) AS id, count() AS rows FROM events WHERE site_id = {id:String}',
      { id: site.id },
    );
    expect([row?.['visit'], Number(visit?.rows)]).toEqual([visit?.id, 2]);
  });

  test('without a visit that is known are kept, and start none', async () => {
    await measured({ lcp: 1000 });
    expect(await stored()).toMatchObject([{ visit: '0', lcp: 1000, inp: null, cls: null, source: '' }]);
    const events = await server.app.store.query('SELECT 1 FROM events WHERE site_id = {id:String}', { id: site.id });
    expect(events).toEqual([]);
  });

  test('that are sent twice count once', async () => {
    await measured(ALL, { id: 'a' });
    await measured(ALL, { id: 'a' });
    expect(await stored()).toHaveLength(1);
  });

  test('of a custom event with the same name are none: it is an event', async () => {
    await server.foot({ site: site.domain, name: 'vitals', url: url(), props: { lcp: 1 } });
    expect(await stored()).toEqual([]);
    const events = await server.app.store.query('SELECT name FROM events WHERE site_id = {id:String}', { id: site.id });
    expect(events).toEqual([{ name: 'vitals' }]);
  });
});

describe('a browser that sends what no page can have', () => {
  const REFUSED: unknown[] = [
    ...['lcp', 'inp', 'fcp', 'ttfb', 'cls'].flatMap((name) =>
      [-1, 1e9, '12', true, [], {}].map((value) => ({ [name]: value })),
    ),
    [],
    'fast',
    1,
    true,
  ];
  test('gets 400 that names the field, and nothing is stored', async () => {
    showsRefused('mass assignment', REFUSED.length);
    for (const vitals of REFUSED) {
      const answer = await measured(vitals);
      expect([vitals, answer.status]).toEqual([vitals, 400]);
      expect(((await answer.json()) as { message: string }).message).toMatch(/^vitals/);
    }
    // JSON has no other numbers
    for (const number of ['NaN', 'Infinity', '1e999', '-1e999']) {
      const body = `{"site":"${site.domain}","name":"vitals","url":"${url()}","vitals":{"lcp":${number}}}`;
      expect((await fetch(`${server.url}/foot`, { method: 'POST', body })).status).toBe(400);
    }
    expect(await stored()).toEqual([]);
  });

  test('stores no text of its own: kinds that are not known are left out', async () => {
    showsKept('nothing that a page says is kept with its measurements');
    const canary = 'jane.doe@example.org';
    const texts = [canary, 'tok_4242424242424242', '__proto__', 'x'.repeat(2000), 'constructor'];
    for (const [index, text] of texts.entries())
      await measured(
        {
          lcp: 1,
          lcp_element: `${text} ${text}`,
          inp_element: `button ${text}`,
          navigation: text,
          connection: text,
          [text]: text,
        },
        { url: url(`/${index}`) },
      );
    for (const row of await stored())
      expect(row).toMatchObject({ inp_element: 'button', navigation: '', connection: '' });
    expect((await stored()).map((row) => row['lcp_element'])).toEqual(['other', 'other', 'other', 'other', 'other']);
    expect(await filesWith(server.folder, canary, 'tok_4242424242424242')).toEqual([]);
  });
});

describe('the script', () => {
  const get = async (path: string, referer?: string) => {
    const answer = await fetch(server.url + path, { headers: referer === undefined ? {} : { referer } });
    const headers = Object.fromEntries(answer.headers);
    return { status: answer.status, text: await answer.text(), headers };
  };

  test('loads what measures on the pages of a site that asks for it, and on no others', async () => {
    const plain = await get('/foot.js');
    const { text } = await get('/foot.js?vitals');
    expect(text).toContain('largest-contentful-paint');
    for (const page of [url('/a?b'), `https://www.${site.domain}/`, `https://a.b.${site.domain}`]) {
      const measuring = await get('/foot.js', page);
      expect(measuring.text).toBe(`${plain.text}\n${measuring.text.slice(plain.text.length + 1)}`);
      expect(measuring.text).toContain('?vitals');
      expect(measuring.headers).toMatchObject({ 'cache-control': 'private, max-age=3600' });
      expect(measuring.headers['etag']).not.toBe(plain.headers['etag']);
    }
    await switchTo(false);
    for (const page of [url(), 'https://nobody.example/', 'nonsense', '', `https://${'a.'.repeat(120)}example/`]) {
      const { text: other, headers } = await get('/foot.js', page);
      expect([page, other, headers['cache-control']]).toEqual([page, plain.text, 'public, max-age=3600']);
    }
  });
});
