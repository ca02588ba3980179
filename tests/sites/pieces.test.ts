/** @module-tag attack */
// The pieces of a shared dashboard for pages of others: what each shows, who may frame it, and what becomes of any other question.
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { goals } from '../../server/sites/definitions/goals.ts';
import { funnels } from '../../server/sites/definitions/funnels.ts';
import { createShareLink, listShareLinks } from '../../server/sites/sharing/share.ts';
import type { Site } from '../../server/sites/sites.ts';
import {
  metricsOfPiece,
  PIECE_DIMENSIONS,
  PIECE_NAMES,
  pieceRow,
  type Piece,
} from '../../server/vocabulary/settings/pieces.ts';
import { NO_RULES } from '../../server/vocabulary/settings/share-links.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import type { FunnelStep } from '../../server/vocabulary/questions/goals.ts';
import { makeAsk } from '../setup/accounts/callers.ts';
import { type TestApp, testApp } from '../setup/app.ts';
import { makeEvent } from '../setup/event.ts';
import { showsRefused } from '../setup/run/harness.ts';

let server: TestApp;
let site: Site;
let token: string;
let funnelId: string;

const COUNTRIES = ['DE', 'DE', 'DE', 'DE', 'FR', 'FR', 'MT'];
const HOSTILE = '/"><img src=x onerror=alert(1)>';
const HOSTS = ['blog.example', '*.notion.site'];

beforeAll(async () => {
  server = await testApp();
  site = await server.addSite('own.example');
  const { directory } = server.app.services;
  const now = server.clock.now;
  const definition = { kind: 'page', page: '/1' } as const;
  const goal = await goals.create(directory, { siteId: site.id, name: 'Second <page>', definition }, now);
  const steps: FunnelStep[] = [{ goal: goal.id }, { kind: 'page', page: '/3' }];
  const made = { name: 'Reading & buying', definition: { steps, within: 'visit', order: 'any_between' } } as const;
  funnelId = (await funnels.create(directory, { siteId: site.id, ...made }, now)).id;
  ({ token } = await link({ shows: { fewest: 1, embedded_on: HOSTS } }));
  // Seven visitors yesterday, who see one page more the later they come.
  const events = COUNTRIES.flatMap((country, person) =>
    Array.from({ length: person + 1 }, (_, view) =>
      makeEvent({
        site_id: site.id,
        visitor: `p${person}`,
        time: now - DAY_MS + person * HOUR_MS + view * MINUTE_MS,
        page: view === 6 ? HOSTILE : `/${view}`,
        country,
      }),
    ),
  );
  await server.app.collector.record(events, now);
  await server.settle();
});
afterAll(() => server[Symbol.asyncDispose]());

type Wish = Omit<Parameters<typeof createShareLink>[1], 'siteId' | 'name'>;
const link = (wish: Wish = {}) =>
  createShareLink(server.app.services.directory, { siteId: site.id, name: 'l', ...wish }, server.clock.now);

async function get(asked: string, of = token) {
  const answer = await fetch(`${server.url}/share/${of}?${asked}`, { redirect: 'manual' });
  return { status: answer.status, headers: answer.headers, html: await answer.text() };
}
/** What a reader sees of it, and what a screen reader says. */
async function read(asked: string, of?: string) {
  const { html } = await get(asked, of);
  const body = /<main[^>]*>(.*)<\/main>/s.exec(html)?.[1] ?? '';
  const words = body.split(/<title>[^<]*<\/title>|<[^<>]*>/);
  return {
    words: words.map((one) => one.trim()).filter(Boolean),
    title: /<main aria-label="([^"]*)"/.exec(html)?.[1],
  };
}
const FOOT = ['own.example', 'Counted by Footfall'];

const DRAWN = {
  figure: {
    asked: '&metric=pageviews',
    title: 'Page views, last 30 days: 28',
    words: ['Page views', 'Last 30 days', '28'],
  },
  chart: {
    asked: '&period=7d',
    title: 'Unique visitors, last 7 days: 7, most at 19 Nov: 7',
    words: ['Unique visitors', 'Last 7 days', '7', '8', '6', '4', '2', '0', '13 Nov', '16 Nov', '19 Nov'],
  },
  list: {
    asked: '&rows=3&metric=pageviews',
    title: 'Page by page views, last 30 days',
    words: ['Page', 'Page views · Last 30 days', '/0', '7', '/1', '6', '/2', '5'],
  },
  map: {
    asked: '',
    title: 'Unique visitors by country, last 30 days: Germany 4, France 2, Malta 1',
    words: ['Unique visitors by country', 'Last 30 days', 'Germany 4', 'France 2', 'Malta 1'],
  },
  funnel: {
    asked: '&funnel=FUNNEL',
    title: 'Reading &#38; buying, last 30 days: 4 of 6 visitors, 67%',
    words: 'Reading &#38; buying|Last 30 days|67%|took every step|Second &#60;page&#62;|6|100%|/3|4|67%'.split('|'),
  },
  live: { asked: '', title: 'Visitors now: 0', words: ['Visitors now', 'Last 30 minutes', '0'] },
  wall: {
    asked: '',
    title: 'Visitors now: 0',
    words:
      'Visitors now|Last 30 minutes|0|Today|Unique visitors|0|Page views|0|Visits|0|Compared with yesterday at this time.|Where today’s visitors come from|Nobody yet|Pages now|Pages today|Nobody yet today.|Sources now|Sources today|Nobody yet today.|Countries now|Countries today|Nobody yet today.|Goals today|No goal has been reached yet today.'.split(
        '|',
      ),
  },
  overview: {
    asked: '&period=7d',
    title: 'Unique visitors, last 7 days: 7, most at 19 Nov: 7',
    words:
      'Unique visitors|Last 7 days|7|8|6|4|2|0|13 Nov|16 Nov|19 Nov|Figures|Unique visitors|7|Visits|7|Page views|28|Bounce rate|14%|Visit duration|3m 00s|Places|Germany 4|France 2|Malta 1|Pages|/0|7|/1|6|/2|5|/3|4|/4|3|/5|2|/&#34;&#62;&#60;img src=x onerror=alert(1)&#62;|1|Sources|Direct|7|Devices|Desktop|7|Goals|Second &#60;page&#62;|6'.split(
        '|',
      ),
  },
} as const satisfies Partial<Record<Piece, { asked: string; title: string; words: readonly string[] }>>;

describe('a piece', () => {
  test('shows the numbers of its link in words, to whoever sees it and whoever hears it', async () => {
    expect(Object.keys(DRAWN)).toEqual(PIECE_NAMES.filter((name) => pieceRow(name).page === undefined));
    for (const [piece, { asked, title, words }] of Object.entries(DRAWN))
      expect([piece, await read(`piece=${piece}${asked.replace('FUNNEL', funnelId)}`)]).toEqual([
        piece,
        { title, words: [...words, ...FOOT] },
      ]);
  });

  test('costs the page around it less than 60 kB with its script, and arrives in less than 20', async () => {
    const kinds = PIECE_NAMES.filter((name) => pieceRow(name).page === undefined);
    const source = /<script type="module" src="([^"]+)"/.exec((await get('piece=live')).html)?.[1] ?? '';
    const bytesOf = (text: string) => brotliCompressSync(text).length;
    const script = bytesOf(await (await fetch(`${server.url}${source}`)).text());
    for (const piece of kinds) {
      const { status, html } = await get(`piece=${piece}${piece === 'funnel' ? `&funnel=${funnelId}` : ''}`);
      const page = bytesOf(html);
      expect([piece, status, page < 20_000, page + script < 60_000], `${page} + ${script}`).toEqual([
        piece,
        200,
        true,
        true,
      ]);
      expect(html.match(/ (?:src|href)="\/(?!share\/|")[^"]*"/g)).toEqual([` src="${source}"`]);
    }
    const embed = await fetch(`${server.url}/embed.js`);
    expect(embed.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect((await embed.arrayBuffer()).byteLength).toBeLessThanOrEqual(1024);
  });

  test('is a page that only named websites frame, without cookies', async () => {
    const { headers } = await get('piece=chart');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy.split('; ').filter((rule) => !rule.startsWith('style-src'))).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      `frame-ancestors 'self' ${HOSTS.join(' ')}`,
      "require-trusted-types-for 'script'",
      'trusted-types footfall-piece',
      'report-uri /policy-reports',
    ]);
    expect([headers.get('set-cookie'), headers.get('x-robots-tag')]).toEqual([null, 'noindex']);
  });

  test('without named websites is framed by nobody', async () => {
    const { token: own } = await link({ shows: { fewest: 1 } });
    expect((await get('piece=chart', own)).headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  test('of the wall shows today and who is there now, and no list that its link leaves out', async () => {
    const wall = await server.addSite('wall.example');
    const { directory } = server.app.services;
    const now = server.clock.now;
    const definition = { kind: 'page', page: '/sign-up' } as const;
    await goals.create(directory, { siteId: wall.id, name: 'Signed up', definition }, now);
    const make = async (rules = {}) => {
      const wish = { siteId: wall.id, name: 'l', shows: { fewest: 1 }, rules: { ...NO_RULES, ...rules } };
      return (await createShareLink(directory, wish, now)).token;
    };
    const own = await make();
    const arrive = async (visitors: string, time: number, more: Parameters<typeof makeEvent>[0]) => {
      const events = [...visitors].map((visitor) => makeEvent({ site_id: wall.id, visitor, time, ...more }));
      await server.app.collector.record(events, now);
      await server.settle();
      server.clock.now += 10_001; // past the drawing that is kept
    };
    const shown = async (of = own) => (await read('piece=wall', of)).words.join(' ');
    const compare = 'Compared with yesterday at this time.';
    await arrive('ab', now - DAY_MS - 2 * HOUR_MS, { page: '/' });
    await arrive('cdef', now - 2 * HOUR_MS, {
      page: '/sign-up',
      country: 'FR',
      source: 'NoCode',
      utm_source: 'NoCode',
    });
    expect(await shown()).toBe(
      `Visitors now Last 30 minutes 0 Today Unique visitors 4 ▲ 100% more than before Page views 4 ▲ 100% more than before Visits 4 ▲ 100% more than before ${compare} Where today’s visitors come from , most from France France 4 Pages now Pages today /sign-up 4 Sources now Sources today NoCode 4 Countries now Countries today France 4 Goals today Signed up 4 wall.example Counted by Footfall`,
    );
    await arrive('gh', now, { page: '/<b>', country: 'DE', source: 'nocode' });
    expect(await shown()).toContain('Visitors now Last 30 minutes 2 Today Unique visitors 6 ▲ 200%');
    expect(await shown()).toContain('Pages now /&#60;b&#62; 2 Pages today');
    expect(await shown()).toContain('Sources now NoCode 2 Sources today');
    expect(await shown()).toContain('Countries now Germany 2 Countries today France 4 Germany 2');
    const bare = await shown(await make({ parts: ['pages', 'live'], period: { days: 7 } }));
    expect(bare).toBe(
      'Visitors now Last 30 minutes 2 Today Unique visitors 6 Page views 6 Visits 6 Pages now /&#60;b&#62; 2 Pages today /sign-up 4 /&#60;b&#62; 2 wall.example Counted by Footfall',
    );
    const past = { period: { date_from: '2026-11-01', date_to: '2026-11-10' } };
    expect(await shown(await make(past))).toContain('This shared dashboard does not show this: Live view.');
    const filters = [{ dimension: 'country', operator: 'is', values: ['DE'] }];
    expect(await shown(await make({ filters }))).toContain('This shared dashboard does not show this: Live view.');
    server.clock.now = now;
  });

  test('of the overview has no list that its link leaves out, and compares where the link shows the days before', async () => {
    const { id } = await server.newSite();
    const { directory } = server.app.services;
    const now = server.clock.now;
    const seen = (visitor: string, days: number) =>
      makeEvent({ site_id: id, visitor, time: now - days * DAY_MS, page: '/', country: 'DE' });
    await server.app.collector.record([seen('a', 1), seen('b', 1), seen('a', 2)], now);
    await server.settle();
    const shown = async (rules: object) => {
      const wish = { siteId: id, name: 'l', shows: { fewest: 1 }, rules: { ...NO_RULES, ...rules } };
      const { token: own } = await createShareLink(directory, wish, now);
      return (await read('piece=overview&metric=visits&period=yesterday', own)).words.join(' ').split(' Figures ')[1];
    };
    const figures = 'Unique visitors 2 Visits 2 Page views 2 Bounce rate 100% Visit duration 0s';
    const foot = / site\d+\.example Counted by Footfall$/;
    const bare = (await shown({ parts: ['places', 'devices'], period: { days: 7 } }))?.replace(foot, '');
    expect(bare).toBe(`${figures} Places Germany 2 Devices Desktop 2`);
    expect((await shown({ parts: [], period: { days: 7 } }))?.replace(foot, '')).toBe(figures);
    expect((await shown({ parts: ['pages'] }))?.replace(foot, '')).toBe(
      'Unique visitors 2 ▲ 100% more than before Visits 2 ▲ 100% more than before Page views 2 ▲ 100% more than before Bounce rate 100% 0 pt unchanged Visit duration 0s Compared with 18 Nov 2026 Pages / 2',
    );
  });

  test('that is a page of the dashboard leads there', async () => {
    const { headers } = await get('piece=dashboard&theme=dark');
    expect(headers.get('location')).toBe(`/share/${token}?theme=dark`);
  });

  test('lists every dimension, by each of its metrics', async () => {
    for (const dimension of PIECE_DIMENSIONS)
      for (const metric of metricsOfPiece('list', dimension)) {
        const asked = { site_id: site.id, piece: 'list', dimension, metric };
        const answer = await makeAsk(server)('shares.piece', asked, { 'x-share-token': token });
        expect([dimension, metric, answer.status]).toEqual([dimension, metric, 200]);
      }
    expect((await read('piece=list&dimension=goal')).words.slice(2, 4)).toEqual(['Second &#60;page&#62;', '6']);
    expect((await read('piece=list&dimension=country&rows=3')).words.slice(2, 4)).toEqual(['Germany', '4']);
  });

  test('never turns what a visitor sent into markup', async () => {
    const { html } = await get('piece=list&rows=20');
    expect(html).toContain('onerror=alert(1)&#62;');
    expect(html).not.toContain('<img');
  });

  test('is in the language of its address, and kept by it', async () => {
    const map = (lang: string) => get(`piece=map&period=91d${lang}`).then(({ html }) => html);
    expect(await map('&lang=de-DE')).toMatch(/^<!doctype html>\n<html lang="de">.*Deutschland 4/s);
    expect(await map('')).toMatch(/^<!doctype html>\n<html lang="en">.*Germany 4/s);
    expect(await map('&lang=ar-EG&theme=dark')).toContain('<html lang="ar" dir="rtl" data-theme="dark" data-fixed>');
    expect(await map('&lang=ar-EG&rows=3')).toContain('<html lang="ar" dir="rtl">'); // a refusal
    const asked = { site_id: site.id, piece: 'map', lang: 'de-DE' };
    const { body } = await makeAsk(server)('shares.piece', asked, { 'x-share-token': token });
    expect(body).toContain('Deutschland 4');
  });

  test('is drawn once for a hundred readers, and again after ten seconds', async () => {
    const { stats } = server.app.services;
    const asked = vi.spyOn(stats, 'askedBy');
    const readers = await Promise.all(Array.from({ length: 100 }, () => get('piece=figure&period=91d')));
    expect(new Set(readers.map(({ html }) => html)).size).toBe(1);
    expect(asked).toHaveBeenCalledTimes(1);
    server.clock.now += 9_000;
    await get('piece=figure&period=91d');
    expect(asked).toHaveBeenCalledTimes(1);
    server.clock.now += 1_001;
    await get('piece=figure&period=91d');
    expect(asked).toHaveBeenCalledTimes(2);
    asked.mockRestore();
  });

  test('is drawn for whoever waits for it, also when whoever asked first has left', async () => {
    const { services } = server.app;
    const { requesterOf } = services;
    const { find } = services.previews;
    const { askedBy } = services.stats;
    const left = Promise.withResolvers<undefined>();
    const first = new AbortController();
    const second = Promise.withResolvers<Awaited<ReturnType<typeof get>>>();
    const path = 'piece=figure&period=12mo';
    let asked = 0;
    const requesting = vi.spyOn(services, 'requesterOf').mockImplementation((request, signal) => {
      request.socket.once('close', () => setImmediate(() => left.resolve(undefined)));
      return requesterOf(request, signal);
    });
    const finding = vi.spyOn(services.previews, 'find').mockImplementation((...wanted) => {
      asked += 1;
      if (asked === 2) first.abort();
      else second.resolve(get(path));
      return find(...wanted);
    });
    const asking = vi.spyOn(services.stats, 'askedBy').mockImplementation((...by) => {
      const stats = askedBy(...by);
      return { ...stats, summary: (...question) => left.promise.then(() => stats.summary(...question)) };
    });
    await expect(fetch(`${server.url}/share/${token}?${path}`, { signal: first.signal })).rejects.toThrow();
    expect((await second.promise).status).toBe(200);
    for (const spy of [requesting, finding, asking]) spy.mockRestore();
  });

  test('notes when its link was used, but counts no view of the dashboard', async () => {
    const { token: own, id } = await link({ shows: { fewest: 1 } });
    const usesOf = async () =>
      (await listShareLinks(server.app.services.directory, site.id)).find((one) => one.id === id);
    await get('piece=live', own);
    const first = server.clock.now;
    expect((await usesOf())?.uses).toEqual({ last_used_at: first, views: [] });
    server.clock.now += 59_000;
    await get('piece=live', own);
    expect((await usesOf())?.uses.last_used_at).toBe(first);
    server.clock.now += 1_000;
    await get('piece=live', own);
    expect((await usesOf())?.uses.last_used_at).toBe(server.clock.now);
  });

  test('becomes a frame in an editor that knows oEmbed', async () => {
    const origin = `http://localhost:${server.app.services.config.PORT}`;
    const ask = async (page: string) => {
      const answer = await fetch(`${server.url}/oembed?${new URLSearchParams({ url: page, maxwidth: '480' })}`);
      return (await answer.json()) as { width: number; height: number; html: string };
    };
    const address = `${origin}/share/${token}?piece=list&rows=3`;
    expect(await ask(address)).toMatchObject({
      width: 480,
      height: 191,
      html: expect.stringContaining(`src="${address.replace('&', '&#38;')}"`) as string,
    });
  });
});

describe('what a link does not show', () => {
  test('is not in its pieces either', async () => {
    const { token: own } = await link({
      shows: { embedded_on: HOSTS },
      rules: { ...NO_RULES, parts: ['pages', 'sources'] },
    });
    const refused = { map: 'Places', list: 'Places', funnel: 'Funnels', live: 'Live view', wall: 'Live view' };
    showsRefused('share link widened', Object.keys(refused).length);
    for (const [piece, part] of Object.entries(refused)) {
      const more = { list: '&dimension=city', funnel: `&funnel=${funnelId}` }[piece] ?? '';
      const { status, headers, html } = await get(`piece=${piece}${more}`, own);
      expect([piece, status, headers.get('content-security-policy')?.includes(HOSTS.join(' '))]).toEqual([
        piece,
        403,
        true,
      ]);
      expect(html).toContain(`This shared dashboard does not show this: ${part}.`);
      expect(html).not.toContain('<script');
    }
    expect((await get('piece=figure&metric=revenue', own)).status).toBe(403);
  });

  test('by its days bounds its pieces, whose usual period is then that of the link', async () => {
    const { token: own } = await link({ shows: { fewest: 1 }, rules: { ...NO_RULES, period: { days: 7 } } });
    expect((await read('piece=figure', own)).words.slice(0, 3)).toEqual(['Unique visitors', '13 – 20 Nov 2026', '7']);
    expect((await read('piece=figure&period=30d', own)).words).toEqual([
      'period: this shared dashboard shows only the last 7 days.',
    ]);
    const { token: fixed } = await link({
      shows: { fewest: 1 },
      rules: { ...NO_RULES, period: { date_from: '2026-11-01', date_to: '2026-11-10' } },
    });
    expect((await read('piece=chart', fixed)).words.slice(0, 3)).toEqual(['Unique visitors', '1 – 10 Nov 2026', '0']);
  });

  test('because it is about few visitors is not said', async () => {
    const { token: own } = await link();
    expect((await read('piece=live', own)).title).toBe('Visitors now: fewer than 3');
  });

  test('to somebody who does not know its password is asked for in words', async () => {
    const { token: own } = await link({ passwordHash: 'x' });
    const { status, html } = await get('piece=figure', own);
    expect([status, html.includes('This dashboard asks for a password.')]).toEqual([401, true]);
    expect(html).not.toContain('own.example');
  });
});

test.each([
  ['piece=nothing', 400, 'piece: must be one of figure, chart, list, map, funnel, live, wall, overview, dashboard.'],
  ['piece=__proto__', 400, 'piece: must be one of'],
  ['piece=chart&piece=map', 400, 'piece: is given twice'],
  ['piece=chart&rows=3', 400, 'rows: is not known here'],
  ['piece=chart&theme=pink', 400, 'theme: must be one of auto, light, dark.'],
  ['piece=chart&metric=conversions', 400, 'metric: must be one of unique_visitors,'],
  ['piece=list&rows=21', 400, 'rows: must be a whole number from 3 to 20.'],
  ['piece=list&rows=1e1000', 400, 'rows: must be a whole number from 3 to 20.'],
  ['piece=list&dimension=prop:plan', 400, 'dimension: must be one of page,'],
  ['piece=list&dimension=page&metric=ai_visits', 400, 'metric: must be one of unique_visitors, visits, pageviews.'],
  ['piece=funnel', 400, 'funnel: must be the id of a funnel.'],
  ['piece=funnel&funnel=funnel_0', 404, 'There is no such funnel'],
  ['piece=map&period=%3Cscript%3E', 400, 'period: must be one of today,'],
])('%s is refused in words', async (asked, status, message) => {
  const { status: was, html } = await get(asked);
  const said = /<p class="empty">(.*?)<\/p>/.exec(html)?.[1] ?? '';
  expect([was, said.slice(0, message.length)]).toEqual([status, message]);
});

test('an unknown link has no pieces, and its frame says so on any website', async () => {
  const { status, headers, html } = await get('piece=chart', 'z'.repeat(32));
  expect([status, html.includes('There is no such shared dashboard.')]).toEqual([404, true]);
  expect(headers.get('content-security-policy')).toContain('frame-ancestors *;');
  expect(html).not.toMatch(/<(script|a|form)\b/);
});
