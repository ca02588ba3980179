/** @module-tag attack */
// The rules of share links, at every door of a running server.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createNote } from '../../server/sites/definitions/notes.ts';
import { createSegment, deleteSegment, changeSegment, listSegments } from '../../server/sites/definitions/segments.ts';
import { changeShareLink, listShareLinks, revokeShareLink } from '../../server/sites/sharing/share.ts';
import type { Site } from '../../server/sites/sites.ts';
import type { Breakdown } from '../../server/stats/answers/breakdown.ts';
import type { Summary } from '../../server/stats/answers/summary.ts';
import type { Filter } from '../../server/stats/query.ts';
import { type LinkDays, NO_RULES, type Part, PART_NAMES } from '../../server/vocabulary/settings/share-links.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { type TestApp, testApp } from '../setup/app.ts';
import { makeEvent } from '../setup/event.ts';
import { outcome } from '../setup/outcome.ts';
import { showsRefused } from '../setup/run/harness.ts';
import { fillSite, HIDDEN, openSharing, SHOWN_A_DAY } from '../setup/accounts/sharing.ts';

let server: TestApp;
let site: Site;
let cookie: string;
let sharing: ReturnType<typeof openSharing>;
beforeAll(async () => {
  server = await testApp({ env: { LOG_LEVEL: 'silent', TRUST_PROXY: 'loopback' } });
  site = await server.addSite('own.example');
  sharing = openSharing(server, site);
  cookie = await server.logIn('owner@own.example');
  await fillSite(server, site);
});
afterAll(async () => server[Symbol.asyncDispose]());

const GERMAN: Filter = { dimension: 'country', operator: 'is', values: ['DE'] };
const EXACT = { fewest: 1, properties: true };
const visitorsIn = ({ metrics }: Summary) => metrics.find(({ name }) => name === 'unique_visitors')?.value;
const without = (...parts: Part[]) => ({ parts: PART_NAMES.filter((part) => !parts.includes(part)) });

describe('filters', () => {
  test('narrow every answer, and a viewer can narrow further', async () => {
    const { headers } = await sharing.linkTo({ rules: { filters: [GERMAN] }, shows: EXACT });
    const week = { period: '7d' };
    const all = await sharing.ask<Summary>('stats.summary', week, headers);
    expect(visitorsIn(all.data)).toBe(7 * SHOWN_A_DAY);
    const owner = await sharing.ask<Summary>('stats.summary', { ...week, filters: [GERMAN] }, { cookie });
    expect(all.data).toEqual(owner.data);
    const pages = await sharing.ask<Breakdown>(
      'stats.breakdown',
      { ...week, dimension: 'page', metrics: ['unique_visitors'] },
      headers,
    );
    expect(pages.data.rows.map(({ name }) => name)).toEqual(['/de']);
    const narrower = { ...week, filters: [{ dimension: 'event', operator: 'is_not', values: ['signup'] }] };
    expect(visitorsIn((await sharing.ask<Summary>('stats.summary', narrower, headers)).data)).toBe(0);
  });

  test('cannot be taken back by a filter, a segment or a comparison of the viewer', async () => {
    showsRefused('share link widened', 6);
    const { headers } = await sharing.linkTo({ rules: { filters: [GERMAN] }, shows: EXACT });
    for (const more of [
      { filters: [{ dimension: 'country', operator: 'is', values: ['FR'] }] },
      { filters: [{ dimension: 'country', operator: 'is', values: ['DE', 'FR'] }] },
      { filters: [{ dimension: 'country', operator: 'is_not', values: ['DE'] }] },
      { filters: [{ dimension: 'page', operator: 'contains', values: [HIDDEN] }] },
      { versus: 'all' },
      { include_imported: false },
    ]) {
      const { data } = await sharing.ask<Summary>('stats.summary', { period: '7d', ...more }, headers);
      expect([0, 7 * SHOWN_A_DAY], JSON.stringify(more)).toContain(visitorsIn(data));
      const previous = data.metrics.find(({ name }) => name === 'unique_visitors')?.previous ?? 0;
      expect(previous).toBeLessThanOrEqual(7 * SHOWN_A_DAY);
    }
  });

  test('are never left out for the sake of privacy, however many visitors a number must have', async () => {
    for (const fewest of [3, 30, 50]) {
      const { headers } = await sharing.linkTo({ rules: { filters: [GERMAN] }, shows: { fewest } });
      const { data } = await sharing.ask<Summary>('stats.summary', { period: '7d' }, headers);
      const visitors = visitorsIn(data) ?? 0;
      const exact = 7 * SHOWN_A_DAY;
      // Days of six are shown in groups of as many as make the number: five of seven days for thirty.
      const whole = fewest > exact ? 0 : exact - (exact % Math.max(SHOWN_A_DAY, fewest));
      expect(Math.abs(visitors - whole), String(fewest)).toBeLessThanOrEqual(whole && 2);
      // Nearly all of those on the site are elsewhere: a filter on one of two browsers leaves out nobody of the link.
      const firefox = { period: '7d', filters: [{ dimension: 'browser', operator: 'is', values: ['Firefox'] }] };
      expect((await sharing.ask<Summary>('stats.summary', firefox, headers)).data.metrics).toEqual(data.metrics);
      const list = { period: '7d', dimension: 'country', metrics: ['unique_visitors'] };
      const { rows } = (await sharing.ask<Breakdown>('stats.breakdown', list, headers)).data;
      expect(rows.map(({ name }) => name)).toEqual(fewest > exact ? [] : ['DE']);
    }
  });

  test('hide what nothing can narrow: AI visits, the live view, the search', async () => {
    showsRefused('share link widened', 5);
    const { headers } = await sharing.linkTo({ rules: { filters: [GERMAN] }, shows: EXACT });
    for (const [name, more] of [
      ['stats.aiOverTime', { period: '7d' }],
      ['stats.search', { period: '7d', search: HIDDEN }],
      ['live.snapshot', {}],
      ['live.icons', {}],
      ['live.speed', {}],
    ] as const)
      expect([name, (await sharing.ask(name, more, headers)).status]).toEqual([name, 403]);
  });

  test('by a property work on a link that hides properties', async () => {
    const filters: Filter[] = [{ dimension: 'prop:plan', operator: 'is', values: ['pro'] }];
    const { headers } = await sharing.linkTo({ rules: { filters }, shows: { fewest: 1 } });
    const { data } = await sharing.ask<Summary>('stats.summary', { period: '7d' }, headers);
    expect(visitorsIn(data)).toBe(7 * SHOWN_A_DAY);
    expect((await sharing.ask('stats.summary', { period: '7d', filters }, headers)).status).toBe(403);
  });

  test('cannot name goals, funnels, AI visits and segments that others cannot see', async () => {
    const { directory } = server.app.services;
    const mine = await createSegment(
      directory,
      { siteId: site.id, owner: await ownerId(), name: 'Mine', filters: [GERMAN as never] },
      0,
    );
    for (const filter of [
      { dimension: 'goal', operator: 'is', values: ['goal_A'] },
      { dimension: 'furthest_step', operator: 'is', values: [`funnel_${'0'.repeat(26)}:1`] },
      { dimension: 'ai_agent', operator: 'is', values: ['GPTBot'] },
      { dimension: 'segment', operator: 'is', values: [mine.id] },
      { dimension: 'segment', operator: 'is', values: ['segment_0'] },
    ]) {
      const wish = { site_id: site.id, name: 'x', rules: { ...NO_RULES, filters: [filter] } };
      expect([filter, (await sharing.change('shares.create', wish, { cookie })).status]).toEqual([filter, 400]);
    }
  });

  const ownerId = async () =>
    (await server.app.services.directory.db.selectFrom('members').select('user_id').executeTakeFirstOrThrow()).user_id;

  test('by a segment follow it, and the segment cannot be deleted or come to name a goal meanwhile', async () => {
    const { directory } = server.app.services;
    const about = { siteId: site.id, owner: null };
    const segment = await createSegment(directory, { ...about, name: 'German', filters: [GERMAN as never] }, 0);
    const filters: Filter[] = [{ dimension: 'segment', operator: 'is', values: [segment.id] }];
    const link = await sharing.linkTo({ rules: { filters }, shows: EXACT });
    const visitors = async () =>
      visitorsIn((await sharing.ask<Summary>('stats.summary', { period: '7d' }, link.headers)).data);
    expect(await visitors()).toBe(7 * SHOWN_A_DAY);
    expect(await outcome(deleteSegment(directory, segment))).toMatch(/^bad_request: The share link “link” shows only/);
    const ofGoal = [{ dimension: 'goal' as const, operator: 'is_not' as const, values: ['goal_A'] }];
    expect(await outcome(changeSegment(directory, { ...about, segment, filters: ofGoal }))).toMatch(/^bad_request/);
    const none = [{ dimension: 'country' as const, operator: 'is' as const, values: ['XX'] }];
    await changeSegment(directory, { ...about, segment, filters: none });
    expect(await visitors()).toBe(0);
    // However it vanishes, the link closes.
    await directory.db.deleteFrom('segments').where('id', '=', segment.id).execute();
    expect((await sharing.ask('stats.summary', { period: '7d' }, link.headers)).status).toBe(401);
    expect((await sharing.ask<object>('shares.site', {}, link.headers)).status).toBe(403);
    await revokeShareLink(directory, { siteId: site.id, linkId: link.id }, server.clock.now);
    expect(await listSegments(directory, { siteId: site.id })).toEqual([]);
  });
});

describe('days', () => {
  const status = async (headers: Record<string, string>, asked: object) =>
    (await sharing.ask('stats.summary', asked, headers)).status;

  test('of a link are the last ones, and those of a comparison count', async () => {
    const { headers } = await sharing.linkTo({ rules: { period: { days: 7 } } });
    for (const [asked, expected] of [
      [{ period: 'today' }, 200],
      [{ period: '7d' }, 200],
      [{ period: '24h' }, 200],
      [{ period: '7d', compare: 'previous' }, 403],
      [{ period: 'yesterday', compare: 'previous' }, 200],
      [{ period: 'yesterday', compare: 'year' }, 403],
      [{ period: '30d' }, 403],
      [{ period: 'month' }, 403],
      [{ period: 'all' }, 403],
      [{ period: 'custom', date_from: '2026-11-13', date_to: '2026-11-20' }, 200],
      [{ period: 'custom', date_from: '2026-11-12', date_to: '2026-11-12' }, 403],
    ] as const)
      expect([asked, await status(headers, asked)]).toEqual([asked, expected]);
  });

  test('that are fixed stay, in every question and in the export', async () => {
    const period = { date_from: '2026-11-11', date_to: '2026-11-12' };
    const { headers } = await sharing.linkTo({ rules: { period }, shows: EXACT });
    expect(await status(headers, { period: 'custom', ...period })).toBe(200);
    expect(await status(headers, { period: 'custom', date_from: '2026-11-12', date_to: '2026-11-12' })).toBe(200);
    expect(await status(headers, { period: 'custom', date_from: '2026-11-10', date_to: '2026-11-12' })).toBe(403);
    expect(await status(headers, { period: 'today' })).toBe(403);
    const csv = async (from: string, to: string) =>
      (await fetch(`${server.url}/export/${site.id}.csv?date_from=${from}&date_to=${to}`, { headers })).status;
    expect([await csv('2026-11-11', '2026-11-12'), await csv('2026-11-11', '2026-11-13')]).toEqual([200, 403]);
    expect(await csv('2020-01-01', '2020-01-02')).toBe(403); // days before the site
  });

  test('have the notes of a link, and no others', async () => {
    const { directory } = server.app.services;
    const zoned = await server.newSite(); // It is 21 November there.
    await directory.db.updateTable('sites').set({ timezone: 'Pacific/Auckland' }).where('id', '=', zoned.id).execute();
    for (const day of ['2026-11-13', '2026-11-14', '2026-11-18', '2026-11-21', '2026-11-22']) {
      const content = { day, text: 'note', is_private: false, kind: 'note' as const };
      await createNote(directory, { siteId: zoned.id, content }, server.clock.now);
    }
    const there = openSharing(server, zoned);
    const shown = async (rules: object) => {
      const { headers } = await there.linkTo({ rules });
      return (await there.ask<{ day: string }[]>('notes.list', {}, headers)).data.map(({ day }) => day.slice(-2));
    };
    expect(await shown({})).toEqual(['22', '21', '18', '14', '13']);
    expect(await shown({ period: { days: 7 } })).toEqual(['21', '18', '14']);
    expect(await shown({ period: { date_from: '2026-11-18', date_to: '2026-11-18' } })).toEqual(['18']);
  });

  test('are those of the site’s time zone', async () => {
    const zoned = await server.newSite();
    await server.app.services.directory.db
      .updateTable('sites')
      .set({ timezone: 'Pacific/Auckland' })
      .where('id', '=', zoned.id)
      .execute();
    const there = openSharing(server, zoned);
    // It is 21 November there: 13 hours ahead.
    const { headers } = await there.linkTo({ rules: { period: { date_from: '2026-11-21', date_to: '2026-11-21' } } });
    const ask = async (asked: object) => (await there.ask('stats.summary', asked, headers)).status;
    expect([await ask({ period: 'today' }), await ask({ period: '60m' })]).toEqual([200, 200]);
    expect([await ask({ period: 'yesterday' }), await ask({ period: '24h' })]).toEqual([403, 403]);
  });

  test('are UTC days on a link that says so', async () => {
    const { directory } = server.app.services;
    const zoned = await server.newSite();
    const timezone = 'Pacific/Auckland'; // 13 hours ahead: its days begin at 11:00
    await directory.db.updateTable('sites').set({ timezone }).where('id', '=', zoned.id).execute();
    const dates = { date_from: '2026-11-18', date_to: '2026-11-18' };
    const visitAt = (time: string, day: string) =>
      makeEvent({ site_id: zoned.id, visitor: time, time: Date.parse(`${time}Z`), day });
    await server.app.collector.record(
      [
        visitAt('2026-11-17T12:00', '2026-11-18'),
        visitAt('2026-11-18T10:59', '2026-11-18'),
        visitAt('2026-11-18T11:00', '2026-11-19'),
        visitAt('2026-11-18T23:00', '2026-11-19'),
        visitAt('2026-11-19T00:00', '2026-11-19'),
      ],
      server.clock.now,
    );
    await server.settle();
    const there = openSharing(server, zoned);
    const shown = async (ofLink: LinkDays) => {
      const { headers } = await there.linkTo({ rules: { period: dates, timezone: ofLink }, shows: EXACT });
      const ask = (asked: object) => there.ask<Summary>('stats.summary', asked, headers);
      const { data } = await ask({ period: 'custom', ...dates });
      const csv = await fetch(`${server.url}/export/${zoned.id}.csv?date_from=2026-11-18&date_to=2026-11-18`, {
        headers,
      });
      const site = (await there.ask<{ timezone: string | null }>('shares.site', {}, headers)).data;
      const exported = Number((await csv.text()).split('\n')[1]?.split(',')[2]);
      return [site.timezone, visitorsIn(data), exported, (await ask({ period: '60m' })).status];
    };
    expect(await shown('site')).toEqual([timezone, 2, 2, 403]);
    expect(await shown('UTC')).toEqual([null, 3, 3, 403]);
  });
});

describe('parts', () => {
  test('that are hidden answer nothing: neither lists, nor filters by them, nor what explains with them', async () => {
    showsRefused('share link widened', 7);
    const { headers } = await sharing.linkTo({ rules: without('places'), shows: EXACT });
    const week = { period: '7d' };
    const list = { ...week, metrics: ['unique_visitors'] };
    for (const [name, asked] of [
      ['breakdown', { ...list, dimension: 'country' }],
      ['breakdown', { ...list, dimension: 'page', filters: [GERMAN] }],
      ['summary', { ...week, filters: [{ dimension: 'city', operator: 'is_not', values: ['x'] }] }],
      ['trends', { ...week, dimension: 'region', metric: 'visits', names: ['DE-BE'] }],
      ['driver', { ...week, metric: 'visits', compare: 'previous' }],
      ['movers', { ...week, metric: 'visits', compare: 'previous' }],
      ['search', { ...week, search: 'D' }],
    ] as const)
      expect([name, asked, (await sharing.ask(`stats.${name}`, asked, headers)).status]).toEqual([name, asked, 403]);
    expect((await sharing.ask('stats.breakdown', { ...list, dimension: 'page' }, headers)).status).toBe(200);
  });

  test('revenue is left out of the figures', async () => {
    const metrics = async (headers: Record<string, string>) =>
      (await sharing.ask<Summary>('stats.summary', { period: '7d' }, headers)).data;
    const { headers } = await sharing.linkTo({ rules: without('revenue'), shows: EXACT });
    const [shown, all] = [await metrics(headers), await metrics({ cookie })];
    const ofRevenue = all.metrics.filter(({ name }) => /revenue|order|refund/.test(name)).map(({ name }) => name);
    expect(ofRevenue).toContain('revenue');
    expect(shown.metrics).toEqual(all.metrics.filter(({ name }) => !ofRevenue.includes(name)));
    expect(shown.currency).toBeNull();
    const ranked = {
      period: '7d',
      dimension: 'page',
      metrics: ['pageviews'],
      order: { by: 'revenue', direction: 'desc' },
    };
    expect((await sharing.ask('stats.breakdown', ranked, headers)).status).toBe(403);
  });

  test('segments on hidden parts are not listed, and cannot be named', async () => {
    const { directory } = server.app.services;
    const segment = await createSegment(
      directory,
      { siteId: site.id, owner: null, name: 'Places', filters: [GERMAN as never] },
      0,
    );
    const { headers } = await sharing.linkTo({ rules: without('places') });
    expect((await sharing.ask('segments.list', {}, headers)).data).toEqual([]);
    const asked = { period: '7d', segment: segment.id };
    expect((await sharing.ask('stats.summary', asked, headers)).status).toBe(404);
    await deleteSegment(directory, segment);
  });
});

describe('a link', () => {
  const site_ = (headers: Record<string, string>) =>
    sharing.ask<{ error?: { message: string } }>('shares.site', {}, headers);

  test('that expires, is paused or needs what is gone closes, and says so; it opens again with its rules', async () => {
    const { directory } = server.app.services;
    const until = server.clock.now + DAY_MS;
    const link = await sharing.linkTo({ expires_at: until });
    const about = { siteId: site.id, linkId: link.id };
    const change = (to: object) => changeShareLink(directory, { ...about, ...to }, server.clock.now);
    expect((await site_(link.headers)).status).toBe(200);
    await change({ paused: true });
    expect(await site_(link.headers)).toMatchObject({ status: 403 });
    expect(JSON.stringify((await site_(link.headers)).data)).toContain('paused at the moment');
    await change({ paused: false });
    expect((await site_(link.headers)).status).toBe(200);
    await change({ expires_at: server.clock.now });
    expect(JSON.stringify((await site_(link.headers)).data)).toContain('has expired');
    for (const path of [`/export/${site.id}.csv?date_from=2026-11-19&date_to=2026-11-19`])
      expect((await fetch(server.url + path, { headers: link.headers })).status).toBe(401);
    expect((await fetch(`${server.url}/share/${link.token}/preview.png`)).status).toBe(403);
    expect(await (await fetch(`${server.url}/share/${link.token}`)).text()).not.toContain('og:');
    await change({ expires_at: null });
    expect((await site_(link.headers)).status).toBe(200);
  });

  test('counts who opens it, by day, and nothing about them', async () => {
    const { directory } = server.app.services;
    const link = await sharing.linkTo();
    for (let n = 0; n < 3; n += 1) await site_(link.headers);
    const uses = async () => (await listShareLinks(directory, site.id)).find(({ id }) => id === link.id)?.uses;
    const now = server.clock.now;
    expect(await uses()).toEqual({ last_used_at: now, views: [{ day: '2026-11-20', views: 3 }] });
    const [row] = await directory.db.selectFrom('share_views').selectAll().where('link_id', '=', link.id).execute();
    expect(Object.keys(row ?? {}).sort()).toEqual(['day', 'link_id', 'site_id', 'views']);
  });

  test('keeps its name and its note from those who open it', async () => {
    const link = await sharing.linkTo({ name: 'For ACME', note: 'They pay late' });
    const text = JSON.stringify((await site_(link.headers)).data);
    expect(text).not.toMatch(/ACME|pay late/);
    expect(await listShareLinks(server.app.services.directory, site.id)).toContainEqual(
      expect.objectContaining({ name: 'For ACME', note: 'They pay late' }),
    );
  });

  test('whose page has a theme says so before the first paint, and one of some days has no picture', async () => {
    const page = async (token: string) => (await fetch(`${server.url}/share/${token}`)).text();
    const dark = await sharing.linkTo({ looks: { theme: 'dark' }, rules: { period: { days: 3 } } });
    expect(await page(dark.token)).toContain('<html data-asked-theme="dark" lang="en">');
    expect(await page(dark.token)).not.toContain('og:image');
    expect((await fetch(`${server.url}/share/${dark.token}/preview.png`)).status).toBe(403);
    expect(await page((await sharing.linkTo()).token)).not.toContain('data-asked-theme');
  });

  test('cannot be what no link is', async () => {
    const bad: object[] = [
      { shows: { fewest: 0 } },
      { shows: { fewest: 51 } },
      { shows: { few: true } },
      { rules: { ...NO_RULES, period: { days: 0 } } },
      { rules: { ...NO_RULES, period: { date_from: '2026-11-02', date_to: '2026-11-01' } } },
      { rules: { ...NO_RULES, period: { date_from: '2026-02-30', date_to: '2026-03-01' } } },
      { rules: { ...NO_RULES, parts: ['nothing'] } },
      { rules: { ...NO_RULES, filters: [{ ...GERMAN, segments: [] }] } },
      { looks: { theme: 'pink' } },
      ...[
        '*',
        'blog.example; script-src *',
        "'self'",
        'javascript:x',
        'a b.example',
        '*.*.example',
        '[::1]',
        ''.padEnd(300, 'a.'),
      ].map((host) => ({ shows: { embedded_on: [host] } })),
      { shows: { embedded_on: Array.from({ length: 21 }, (_, n) => `w${n}.example`) } },
      { note: 'x'.repeat(501) },
      { password: 'short' },
      { password: 'a few good words', shows: { embedded_on: ['blog.example'] } },
      { password: 'a few good words', public: true },
      { indexed: true },
    ];
    for (const content of bad) {
      const wish = { site_id: site.id, name: 'x', ...content };
      expect([content, (await sharing.change('shares.create', wish, { cookie })).status]).toEqual([content, 400]);
    }
  });
});
