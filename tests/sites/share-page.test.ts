// The page of a share link as chats and social networks see it: its tags, and its picture.
import { parse } from 'devalue';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { demoLink } from '../../server/sites/sharing/demo.ts';
import { createShareLink, revokeShareLink } from '../../server/sites/sharing/share.ts';
import { renameSite, type Site } from '../../server/sites/sites.ts';
import { NO_RULES } from '../../server/vocabulary/settings/share-links.ts';
import { type TestApp, testApp } from '../setup/app.ts';

let server: TestApp;
let site: Site;
beforeAll(async () => {
  server = await testApp({ env: { DEMO: 'on' } });
  site = await server.addSite('own.example');
});
afterAll(() => server[Symbol.asyncDispose]());

const link = () => createShareLink(server.app.services.directory, { siteId: site.id, name: 'l' }, server.clock.now);
const get = async (path: string) => {
  const answer = await fetch(server.url + path);
  return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) };
};

test('a valid link has the tags of a preview; any other address is the plain page', async () => {
  const { token, id: linkId } = await link();
  const page = (await get(`/share/${token}?period=30d`)).body.toString();
  expect(page).toContain('<meta property="og:title" content="own.example" />');
  expect(page).toMatch(
    new RegExp(`<meta property="og:image" content="http://localhost:\\d+/share/${token}/preview.png" />`),
  );
  expect((await get(`/share/${token}/live`)).body.toString()).toContain('og:image');
  for (const path of ['/', `/share/${'x'.repeat(32)}`, `/share/${token}/other`, '/share/demo']) {
    const plain = await get(path);
    expect([plain.status, plain.body.includes('og:')], path).toEqual([200, false]);
  }
  await revokeShareLink(server.app.services.directory, { siteId: site.id, linkId }, server.clock.now);
  expect((await get(`/share/${token}`)).body.includes('og:')).toBe(false);
  expect((await get(`/share/${token}/preview.png`)).status).toBe(404);
});

test('its page and its tags are in the language of its address', async () => {
  const { token } = await link();
  const { body } = await get(`/share/${token}?lang=ar-EG`);
  expect(body.toString()).toContain('<html lang="ar" dir="rtl">');
  expect(body.toString()).toContain(`/share/${token}/preview.png?lang=ar-EG" />`);
  expect(body.toString()).toContain(`${encodeURIComponent(`/share/${token}?lang=ar-EG`)}&#38;format=json`);
  expect((await get(`/share/${token}`)).body.toString()).toContain('<html lang="en">');
});

test('other websites may show a page in a frame only if its link says so, and nothing else of this server', async () => {
  const { directory } = server.app.services;
  const shows = { properties: false, fewest: 3, credit: true, embedded_on: ['blog.example', '*.notion.site'] };
  const wish = { siteId: site.id, name: 'For our blog', shows };
  const { token, id: linkId } = await createShareLink(directory, wish, server.clock.now);
  const { token: other } = await link();
  const ancestors = async (path: string) =>
    /frame-ancestors [^;]+/.exec((await get(path)).headers.get('content-security-policy') ?? '')?.[0];
  for (const path of [`/share/${token}`, `/share/${token}?theme=dark&period=30d`, `/share/${token}/live`])
    expect(await ancestors(path), path).toBe('frame-ancestors blog.example *.notion.site');
  for (const path of [
    '/',
    '/login',
    '/own.example',
    `/share/${token}/other`,
    `/share/${other}`,
    `/share/${other}/live`,
  ])
    expect(await ancestors(path), path).toBe("frame-ancestors 'none'");
  await revokeShareLink(directory, { siteId: site.id, linkId }, server.clock.now);
  expect(await ancestors(`/share/${token}`)).toBe("frame-ancestors 'none'");
});

test('the picture is a PNG that browsers never run as a script', async () => {
  const { token } = await link();
  const { status, headers, body } = await get(`/share/${token}/preview.png`);
  expect([status, headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([
    200,
    'image/png',
    'nosniff',
  ]);
  expect([body.readUInt32BE(16), body.readUInt32BE(20)]).toEqual([1200, 630]);
  const unknown = await get(`/share/${'y'.repeat(32)}/preview.png`);
  expect([unknown.status, JSON.parse(unknown.body.toString())]).toEqual([
    404,
    { error: 'not_found', message: 'There is no such shared dashboard.', status: 404 },
  ]);
  expect((await fetch(`${server.url}/share/${token}/preview.png`, { method: 'POST' })).status).toBe(405);
});

test('the picture names the domain that the site has now', async () => {
  const { directory } = server.app.services;
  const { id: siteId } = await server.newSite();
  const { token } = await createShareLink(directory, { siteId, name: 'l' }, server.clock.now);
  const picture = async () => (await get(`/share/${token}/preview.png`)).body;
  const before = await picture();
  await renameSite(directory, { siteId, domain: 'another.example' }, server.clock.now);
  expect((await picture()).equals(before)).toBe(false);
});

test('an address has twenty pictures drawn a minute, and is sent those that are drawn already beyond that', async () => {
  const { token } = await link();
  const rules = { ...NO_RULES, period: { days: 7 } };
  const held = await createShareLink(
    server.app.services.directory,
    { siteId: site.id, name: 'l', rules },
    server.clock.now,
  );
  const statusOf = async (path: string) => (await get(`/share/${path}`)).status;
  const drawn = Array.from({ length: 21 }, () => statusOf(`${token}/preview.png`));
  expect(new Set(await Promise.all(drawn))).toEqual(new Set([200]));
  // What a link refuses counts as well, and takes no time.
  const refused: number[] = [];
  for (let n = 0; n < 20; n += 1) refused.push(await statusOf(`${held.token}/badge.png?period=30d`));
  expect([refused[0], refused.at(-1)]).toEqual([403, 429]);
  const fresh = await get(`/share/${token}/preview.png?lang=de-DE`);
  expect([fresh.status, Number(fresh.headers.get('retry-after')) > 0]).toEqual([429, true]);
  expect(await statusOf(`${token}/preview.png`)).toBe(200);
});

test('the demo is a shared dashboard where the operator switched it on and has made one, and unknown elsewhere', async () => {
  const { config, directory } = server.app.services;
  const open = () => fetch(`${server.url}/trpc/shares.site`, { headers: { 'x-share-token': 'demo' } });
  const offers = async () => {
    const { result } = (await (await fetch(`${server.url}/trpc/session.start`)).json()) as { result: { data: string } };
    return (parse(result.data) as { demo: string | null }).demo;
  };
  expect([(await open()).status, await offers()]).toEqual([404, null]);
  await directory.db.updateTable('accounts').set({ kind: 'demo' }).where('id', '=', site.account_id).execute();
  expect((await open()).status).toBe(200);
  expect(await offers()).toBe('demo');
  expect(await demoLink({ config, directory })).toMatchObject({ linkId: 'demo', siteId: site.id });
  expect(await demoLink({ config: { ...config, DEMO: 'off' }, directory })).toBeUndefined();
});
