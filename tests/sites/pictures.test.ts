/** @module-tag attack */
// The pictures of a share link for READMEs and other pages: what they show, how they are kept, and what becomes of any other question.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createShareLink,
  revokeShareLink,
  type SharedLink,
  type Shows,
  siteOfShareToken,
} from '../../server/sites/sharing/share.ts';
import type { Site } from '../../server/sites/sites.ts';
import {
  PICTURE_FORMATS,
  PICTURE_NAMES,
  PICTURE_THEMES,
  pictureRow,
} from '../../server/vocabulary/settings/pictures.ts';
import { type LinkRules, NO_RULES } from '../../server/vocabulary/settings/share-links.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { type TestApp, testApp } from '../setup/app.ts';
import { makeEvent } from '../setup/event.ts';
import { shareOf, showsRefused } from '../setup/run/harness.ts';

let server: TestApp;
let site: Site;
let token: string;

const COUNTRIES = ['DE', 'DE', 'DE', 'DE', 'FR', 'FR', 'MT'];

beforeAll(async () => {
  server = await testApp();
  site = await server.addSite('own.example');
  ({ token } = await link());
  // Seven visitors yesterday, who see one page more the later they come.
  const events = COUNTRIES.flatMap((country, person) =>
    Array.from({ length: person + 1 }, (_, view) =>
      makeEvent({
        site_id: site.id,
        visitor: `p${person}`,
        time: server.clock.now - DAY_MS + person * HOUR_MS + view * MINUTE_MS,
        page: `/${view}`,
        country,
      }),
    ),
  );
  await server.app.collector.record(events, server.clock.now);
  await server.settle();
});
afterAll(() => server[Symbol.asyncDispose]());

function link(shows?: Partial<Shows>, rules?: LinkRules) {
  return createShareLink(server.app.services.directory, { siteId: site.id, name: 'l', shows, rules }, server.clock.now);
}
const get = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${server.url}/share/${path}`, { headers });
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, headers: answer.headers, bytes, text: bytes.toString() };
};
/** Sixty are drawn for an address in a minute of the real clock, so a file with more would wait: each test draws only what it needs. */
const svg = async (path: string, of = token) => (await get(`${of}/${path}`)).text;
const titleOf = (text: string) => /<title>(.*?)<\/title>/.exec(text)?.[1];

describe('a picture of a link', () => {
  test('says what the dashboard of the link says', async () => {
    expect(titleOf(await svg('badge.svg'))).toBe('own.example: 7 unique visitors, last 30 days');
    expect(titleOf(await svg('badge.svg?metric=pageviews&period=yesterday'))).toBe(
      'own.example: 28 page views, yesterday',
    );
    expect(titleOf(await svg('badge.svg?metric=bounce_rate&period=7d'))).toBe(
      'own.example: 14% bounce rate, last 7 days',
    );
    expect(titleOf(await svg('badge.svg?metric=bounce_rate&period=today'))).toBe('own.example: – bounce rate, today');
    expect(titleOf(await svg('sparkline.svg?period=7d'))).toBe('own.example: 7 unique visitors, last 7 days');
    const chart = await svg('chart.svg?period=7d&metric=pageviews');
    expect(titleOf(chart)).toBe('own.example: 28 page views, last 7 days');
    for (const words of ['Page views', 'Last 7 days', 'own.example', 'Counted by Footfall', '>28<'])
      expect(chart).toContain(words);
    expect(titleOf(await svg('map.svg?period=yesterday'))).toBe(
      'own.example: Unique visitors by country, yesterday, Germany 4, France 2, Malta 1',
    );
    const calendar = await svg('calendar.svg?metric=pageviews');
    expect(titleOf(calendar)).toMatch(/^own\.example: 28 page views in the last 36[5-9]|37[01] days$/);
    expect(calendar.match(/M\d+ \d+h10v10/g)?.length).toBeGreaterThan(365);
  });

  test('is held to the rules of the link, and there is none of a link with a password', async () => {
    const made = (more: object) =>
      createShareLink(server.app.services.directory, { siteId: site.id, name: 'held', ...more }, server.clock.now).then(
        (one) => one.token,
      );
    const rules = { filters: [], period: { days: 7 }, parts: ['pages' as const] };
    const held = await made({ rules });
    expect(titleOf(await svg('badge.svg', held))).toBe('own.example: 7 unique visitors, 13 – 20 Nov 2026');
    expect(titleOf(await svg('badge.svg?period=7d', held))).toBe('own.example: 7 unique visitors, last 7 days');
    expect(await get(`${held}/badge.svg?period=30d`)).toMatchObject({
      status: 403,
      text: expect.stringContaining('this shared dashboard shows only the last 7 days.') as unknown,
    });
    expect(await get(`${held}/map.svg?period=7d`)).toMatchObject({
      status: 403,
      text: expect.stringContaining('does not show this: Places.') as unknown,
    });
    const german = {
      ...rules,
      period: null,
      filters: [{ dimension: 'country' as const, operator: 'is' as const, values: ['DE'] }],
    };
    const [shown] =
      /\d+/.exec(
        titleOf(await svg('badge.svg?metric=visits', await made({ rules: german, shows: { fewest: 1 } }))) ?? '',
      ) ?? [];
    expect(shown).toBe('4');
    const locked = await made({ passwordHash: 'a hash' });
    const { directory, unlocked } = server.app.services;
    const { now } = server.clock;
    const opened = await siteOfShareToken(directory, locked, now);
    const cookie = unlocked.cookieFor(opened as SharedLink & { password_hash: string }, now).split(';')[0] ?? '';
    for (const path of ['badge.svg', 'chart.png', 'preview.png']) {
      expect((await get(`${locked}/${path}`)).status, path).toBe(401);
      expect((await get(`${locked}/${path}`, { cookie })).status, path).toBe(403);
    }
  });

  test('is in the language of its address, and kept by it', async () => {
    const map = 'map.svg?period=yesterday';
    expect(await svg(`${map}&lang=de-DE`)).toMatch(/^<svg [^>]+ lang="de" .*Deutschland 4/s);
    expect(await svg(map)).toMatch(/^<svg (?![^>]* lang=).*Germany 4/s);
    expect(await svg(`${map}&lang=ja-JP`)).toMatch(/^<svg [^>]+ lang="ja" .*ドイツ 4/s);
  });

  test('as a PNG is in English where its font has no letters', async () => {
    const map = async (lang: string) => (await get(`${token}/map.png?period=yesterday${lang}`)).bytes;
    const english = await map('');
    expect((await map('&lang=ja-JP')).equals(english)).toBe(true);
    expect((await map('&lang=de-DE')).equals(english)).toBe(false);
  });

  test('without the credit, or of today, follows the link', async () => {
    const { token: plain } = await link({ credit: false });
    expect(await svg('chart.svg', plain)).not.toContain('Footfall');
    expect(titleOf(await svg('badge.svg?period=today', plain))).toBe('own.example: 0 unique visitors, today');
  });

  test.each(PICTURE_NAMES.flatMap((picture) => PICTURE_FORMATS.map((format) => ({ picture, format }))))(
    '$picture.$format is at most 20 kB, in every theme, and loads nothing',
    async ({ picture, format }) => {
      const themes = PICTURE_THEMES.filter((theme) => format === 'svg' || theme !== 'auto');
      for (const theme of shareOf(themes, { of: themes.length, turn: PICTURE_NAMES.indexOf(picture) })) {
        const { status, bytes, headers, text } = await get(`${token}/${picture}.${format}?theme=${theme}`);
        expect([status, headers.get('content-type')]).toEqual([
          200,
          format === 'svg' ? 'image/svg+xml; charset=utf-8' : 'image/png',
        ]);
        expect(bytes.length).toBeLessThanOrEqual(20_000);
        if (format === 'svg') {
          expect(text).not.toMatch(/<script|<image|<foreignObject|href|url\(["']?[^#)]|@import|on\w+=/);
          expect(text.includes('prefers-color-scheme')).toBe(theme === 'auto');
        } else
          expect([bytes.toString('latin1', 1, 4), bytes.readUInt32BE(20)]).toEqual(['PNG', pictureRow(picture).height]);
      }
    },
  );

  test('is kept for a minute, by us, browsers and image proxies alike, and then asked for again', async () => {
    const { token: own } = await link();
    const first = await get(`${own}/badge.svg`);
    const etag = first.headers.get('etag') ?? '';
    expect(first.headers.get('cache-control')).toBe('public, max-age=60');
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    expect(
      Object.fromEntries([...first.headers].filter(([name]) => /policy|cookie|robots|options/.test(name))),
    ).toEqual({
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
    });
    server.clock.now += 40_000;
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const same = await get(`${own}/badge.svg`, { 'if-none-match': known });
      expect([same.status, same.text, same.headers.get('cache-control')]).toEqual([304, '', 'public, max-age=20']);
    }
    await server.app.collector.record(
      Array.from({ length: 5 }, (_, n) =>
        makeEvent({ site_id: site.id, visitor: `q${n}`, time: server.clock.now - 2 * DAY_MS, country: 'DE' }),
      ),
      server.clock.now,
    );
    await server.settle();
    expect(titleOf(await svg('badge.svg', own))).toContain(' 7 ');
    server.clock.now += 20_000;
    const later = await get(`${own}/badge.svg`, { 'if-none-match': etag });
    expect([later.status, titleOf(later.text)]).toEqual([200, 'own.example: 12 unique visitors, last 30 days']);
    expect(
      (await fetch(`${server.url}/share/${own}/badge.svg`, { method: 'HEAD' })).headers.get('content-length'),
    ).toBe(String(later.bytes.length));
  });

  test('of a link that is revoked is gone at once', async () => {
    const { token: own, id: linkId } = await link();
    expect((await get(`${own}/badge.svg`)).status).toBe(200);
    await revokeShareLink(server.app.services.directory, { siteId: site.id, linkId }, server.clock.now);
    expect((await get(`${own}/badge.svg`)).status).toBe(404);
  });
});

describe('bad input', () => {
  const refused = async (path: string) => {
    const { status, text } = await get(`${token}/${path}`);
    return [status, (JSON.parse(text) as { message: string }).message];
  };

  test.each([
    ['badge.svg?metric=visitors', /^metric: must be one of unique_visitors, visits, pageviews, /],
    ['badge.svg?metric=conversions', /^metric: must be one of /],
    ['map.svg?metric=bounce_rate', /^metric: must be one of unique_visitors, visits, pageviews\.$/],
    ['chart.svg?period=custom', /^period: must be one of today, yesterday, /],
    ['calendar.svg?period=30d', /^period: is not known here, only metric, theme, lang\.$/],
    ['chart.png?theme=auto', /^theme: must be one of light, dark\.$/],
    ['chart.svg?colour=red', /^colour: is not known here, only metric, period, theme, lang\.$/],
    ['chart.svg?metric=visits&metric=visits', /^metric: is given twice/],
    ['chart.svg?metric=', /^metric: must not be empty/],
    ['chart.svg?f=is:country:DE', /^f: is not known here/],
    ['chart.svg?__proto__=x', /is not known here/],
  ])('%s is a 400 in words', async (path, message) => {
    showsRefused('stored scripts');
    const [status, said] = await refused(path);
    expect(status).toBe(400);
    expect(said).toMatch(message);
  });

  test('a picture that does not exist is a 404 that lists the others, and other endings are the dashboard’s page', async () => {
    expect(await refused('pie.svg')).toEqual([
      404,
      'There is no such picture: it must be badge, sparkline, chart, map, calendar.',
    ]);
    expect((await get(`${token}/badge.gif`)).headers.get('content-type')).toContain('text/html');
    expect((await fetch(`${server.url}/share/${token}/badge.svg`, { method: 'POST' })).status).toBe(405);
  });
});

test('a domain and a currency cannot add elements to a picture', async () => {
  showsRefused('stored scripts', 2);
  const { directory } = server.app.services;
  const hostile = await server.newSite();
  const domain = '</text><script>alert(1)</script>"&.example';
  await directory.db.updateTable('sites').set({ domain, currency: '<b>' }).where('id', '=', hostile.id).execute();
  const { token: own } = await createShareLink(directory, { siteId: hostile.id, name: 'l' }, server.clock.now);
  for (const path of ['chart.svg?metric=revenue', 'badge.svg?metric=revenue']) {
    const text = await svg(path, own);
    expect(text).toContain('<svg');
    expect(text).not.toMatch(/<script|<b>/);
  }
});

describe('oEmbed', () => {
  const oembed = async (asked: Record<string, string>) => {
    const answer = await fetch(`${server.url}/oembed?${new URLSearchParams(asked)}`);
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const origin = () => server.app.services.config.BASE_URL ?? `http://localhost:${server.app.services.config.PORT}`;

  test('is announced by the page of a link, and answers with a picture that keeps to the size that was asked for', async () => {
    const page = (await get(token)).text;
    const href = /<link rel="alternate" type="application\/json\+oembed" title="own.example" href="([^"]+)" \/>/.exec(
      page,
    )?.[1];
    const address = `${origin()}/share/${token}`;
    expect(href).toBe(`${origin()}/oembed?url=${encodeURIComponent(address)}&#38;format=json`);
    const { status, body } = await oembed({ url: address, format: 'json' });
    expect([status, body]).toEqual([
      200,
      {
        type: 'photo',
        version: '1.0',
        title: 'Visitors of own.example',
        provider_name: 'Footfall',
        provider_url: origin(),
        cache_age: 3600,
        width: 720,
        height: 300,
        url: `${address}/chart.png`,
      },
    ]);
    const small = await oembed({ url: `${address}/live?period=7d`, maxwidth: '360', maxheight: '1000' });
    expect([small.body['width'], small.body['height']]).toEqual([360, 150]);
  });

  test.each([
    [{ days: 7 }, '13 – 20 Nov 2026'],
    [{ date_from: '2026-11-15', date_to: '2026-11-30' }, '15 – 20 Nov 2026'],
    [{ date_from: '2026-11-01', date_to: '2026-11-19' }, '1 – 19 Nov 2026'],
  ])('answers with a picture of the days that the link shows: %j', async (period, words) => {
    const { token: own } = await link({}, { ...NO_RULES, period });
    const { body } = await oembed({ url: `${origin()}/share/${own}` });
    expect([body['type'], body['url']]).toEqual(['photo', `${origin()}/share/${own}/chart.png`]);
    expect(await svg('chart.svg', own)).toContain(`>${words}<`);
    expect((await get(`${own}/chart.png`)).status).toBe(200);
  });

  test('answers with a frame only for a link that allows frames', async () => {
    const { token: own } = await link({ embedded_on: ['blog.example'] });
    const { body } = await oembed({ url: `${origin()}/share/${own}`, maxwidth: '600' });
    expect(body).toMatchObject({ type: 'rich', width: 600, height: 1600 });
    expect(body['html']).toBe(
      `<iframe src="${origin()}/share/${own}" title="Visitors of own.example" width="600" height="1600" loading="lazy" style="border: 0"></iframe>`,
    );
  });

  test.each([
    [{}, 400, 'url: is required and must be the address of a shared dashboard.'],
    [{ url: 'x', format: 'xml' }, 400, 'format: must be json.'],
    [{ url: 'x', maxwidth: '0' }, 400, 'maxwidth: must be a whole number of pixels, at least 1.'],
    [{ url: 'x', callback: 'alert' }, 400, /^callback: is not known here/],
    [{ url: 'https://evil.example/share/x' }, 404, /^url: must be the address of a dashboard that is shared at http/],
    [{ url: 'javascript:alert(1)' }, 404, /^url: must be/],
  ])('%j is refused in words', async (asked, status, message) => {
    showsRefused('requests to private addresses');
    const answer = await oembed(asked as unknown as Record<string, string>);
    expect(answer.status).toBe(status);
    expect(answer.body['message']).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  });

  test('keeps the language of the address', async () => {
    const { token: framed } = await link({ embedded_on: ['blog.example'] });
    const found = async (of: string) => (await oembed({ url: `${origin()}/share/${of}?lang=de-DE` })).body;
    expect((await found(token))['url']).toBe(`${origin()}/share/${token}/chart.png?lang=de-DE`);
    expect((await found(framed))['html']).toContain(` src="${origin()}/share/${framed}?lang=de-DE" `);
  });

  test('of an unknown link is a 404', async () => {
    const { status, body } = await oembed({ url: `${origin()}/share/${'z'.repeat(32)}` });
    expect([status, body['message']]).toEqual([404, 'There is no such shared dashboard.']);
  });
});
