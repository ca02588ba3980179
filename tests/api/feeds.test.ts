// The feed and the calendar of a site: what programs that cannot log in read at the secret address of a person, and when it ends.
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertUser, prepareAccount } from '../../server/accounts/accounts.ts';
import { setPlan } from '../../server/accounts/billing/plans.ts';
import { addMember, changeMember, removeMember } from '../../server/accounts/people/people.ts';
import { readFeed } from '../../server/integrations/mentions/feed.ts';
import { addMentions, listMentions, muteMention } from '../../server/integrations/mentions/stored.ts';
import { addIncident } from '../../server/notifications/alerts/incidents.ts';
import { alertContent, createAlert } from '../../server/notifications/alerts/rules.ts';
import { createNote } from '../../server/sites/definitions/notes.ts';
import { createShareLink } from '../../server/sites/sharing/share.ts';
import type { Site } from '../../server/sites/sites.ts';
import { FEED_KINDS, type FeedKind } from '../../server/vocabulary/settings/feeds.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { makeAsk } from '../setup/accounts/callers.ts';
import { PASSWORD, type TestApp, testApp } from '../setup/app.ts';

const HOSTILE = ']]></content><script>alert(1)</script>&amp;"\'\u0000\u001b\u202e';

let server: TestApp;
let site: Site;
let owner: { id: string; cookie: string };
beforeAll(async () => {
  server = await testApp({ env: { BASE_URL: 'http://localhost:3000', TRUST_PROXY: 'loopback' } });
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  site = await server.newSite();
  const members = server.app.services.directory.db.selectFrom('members').select('user_id');
  const { user_id: id } = await members.where('account_id', '=', site.account_id).executeTakeFirstOrThrow();
  owner = { id, cookie: await server.logIn(`owner@${site.domain}`) };
});

/** As the dashboard asks. */
const ask = (name: string, input: object, headers: Record<string, string> = { cookie: owner.cookie }) =>
  makeAsk(server)(name, { site_id: site.id, ...input }, headers);
async function make(kind: FeedKind, cookie = owner.cookie): Promise<string> {
  const { status, body } = await ask('feeds.make', { kind }, { cookie });
  expect(status).toBe(200);
  return /\/feeds\/[0-9A-Za-z]{40}\.(atom|ics)/.exec(body)?.[0] ?? '';
}
let asked = 0;
/** From another address each time: guesses of one address have a limit. */
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.url + path, { headers: { 'x-forwarded-for': `203.0.113.${(asked += 1) % 250}`, ...headers } });
const read = async (path: string) => (await get(path)).text();
const statusOf = async (path: string) => (await get(path)).status;

async function addNews(): Promise<void> {
  const { directory, mail } = server.app.services;
  const { now } = server.clock;
  const ofSite = { siteId: site.id, accountId: site.account_id };
  const add = async (kind: 'spike' | 'new_agent' | 'mention', facts: object, ended_at: number | null) => {
    const content = alertContent.parse({ kind, timezone: 'UTC', emails: ['a@example.com'] });
    const { id } = await createAlert(directory, { ...ofSite, content, mail }, now);
    const times = { started_at: now - 2 * HOUR_MS, ended_at };
    await addIncident(directory.db, { alert_id: id, site_id: site.id, key: kind, ...times, facts }, now);
  };
  const cause = { dimension: 'source' as const, name: HOSTILE };
  await add('spike', { metric: 'unique_visitors', value: 90, expected: 9, cause }, now - MINUTE_MS);
  await add('new_agent', { name: 'GPTBot', provider: 'OpenAI' }, now - 2 * HOUR_MS);
  await add('mention', { name: 'told before', place: 'lobsters' }, now - HOUR_MS);
  const thread = (id: string, title: string, postedAt: number) => {
    const url = `https://lobste.rs/s/${id}?a=1&b=2`;
    return { thread: id, title, url, postedAt, said: '', points: 1, comments: 1 };
  };
  const found = [thread('1', HOSTILE, now - DAY_MS), thread('2', 'muted', now)];
  await addMentions(directory.db, { siteId: site.id, place: 'lobsters', found }, now);
  const [muted] = (await listMentions(directory, { siteId: site.id, last: 9 })).filter(
    ({ title }) => title === 'muted',
  );
  await muteMention(directory, { siteId: site.id, id: muted?.id ?? '', isMuted: true });
}

test('a feed has what alerts noticed and mentions found, latest first, and names of strangers stay text', async () => {
  await addNews();
  const answer = await get(await make('news'));
  expect(answer.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
  const xml = await answer.text();
  const dashboard = `http://localhost:3000/${site.domain}`;
  expect(readFeed(xml)?.found.map(({ url }) => url)).toEqual([dashboard, dashboard, 'https://lobste.rs/s/1?a=1&b=2']);
  // Another reader, which accepts well-formed XML alone.
  const parser = `import sys, xml.etree.ElementTree as tree
atom = '{http://www.w3.org/2005/Atom}'
feed = tree.fromstring(sys.stdin.buffer.read())
print(*[entry.find(atom + name).text for entry in feed.findall(atom + 'entry') for name in ('title', 'published', 'updated', 'content')], sep='\\n')`;
  const lines = execFileSync('python3', ['-c', parser], { input: xml, encoding: 'utf8' }).trim().split('\n');
  const cleaned = HOSTILE.slice(0, -3);
  expect(lines).toEqual([
    `The traffic spike on ${site.domain} is over`,
    '2026-11-20T10:00:00.000Z',
    '2026-11-20T11:59:00.000Z',
    `Over since 11:59 on 20 Nov 2026. It lasted 2 hours: 90 visitors instead of about 9. Somebody who stays for several hours counts in each of them. Mostly more from ${cleaned}.`,
    `A new AI agent on ${site.domain}: GPTBot`,
    '2026-11-20T10:00:00.000Z',
    '2026-11-20T10:00:00.000Z',
    'GPTBot of OpenAI visited for the first time 10:00 on 20 Nov 2026.',
    `Lobsters: ${cleaned}`,
    '2026-11-19T12:00:00.000Z',
    '2026-11-19T12:00:00.000Z',
    `${site.domain} is mentioned: Lobsters.`,
  ]);
  for (const raw of ['<script', '\u0000', '\u001b', '\u202e']) expect(xml).not.toContain(raw);
  expect(new Set(xml.match(/urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}/g)).size).toBe(4);
});

test('a calendar has each note on its day of the site, private ones too, in lines of at most 75 octets', async () => {
  const { directory } = server.app.services;
  const note = (day: string, text: string, is_private = false) =>
    createNote(directory, { siteId: site.id, content: { day, text, is_private, kind: 'note' } }, server.clock.now);
  const first = await note('2026-02-28', 'Launch; with, signs\\ and "quotes"', true);
  const long = `${'ü€😀'.repeat(20)} end`;
  const second = await note('2026-12-31', long);
  const answer = await get(await make('notes'));
  expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
  const text = await answer.text();
  const lines = text.split('\r\n');
  expect(lines.every((line) => Buffer.byteLength(line) <= 75 && !/[\r\n\ufffd]/.test(line))).toBe(true);
  expect(text.replaceAll('\r\n ', '').split('\r\n')).toEqual([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Footfall//Notes//EN',
    `NAME:Notes of ${site.domain}`,
    `X-WR-CALNAME:Notes of ${site.domain}`,
    'X-WR-TIMEZONE:UTC',
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
    'BEGIN:VEVENT',
    `UID:${second.id}`,
    'DTSTAMP:20261231T000000Z',
    'DTSTART;VALUE=DATE:20261231',
    'DTEND;VALUE=DATE:20270101',
    `SUMMARY:${site.domain}: ${long}`,
    `URL:http://localhost:3000/${site.domain}?period=custom&date_from=2026-12-31&date_to=2026-12-31`,
    'CLASS:PUBLIC',
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
    'BEGIN:VEVENT',
    `UID:${first.id}`,
    'DTSTAMP:20260228T000000Z',
    'DTSTART;VALUE=DATE:20260228',
    'DTEND;VALUE=DATE:20260301',
    `SUMMARY:${site.domain}: Launch\\; with\\, signs\\\\ and "quotes"`,
    `URL:http://localhost:3000/${site.domain}?period=custom&date_from=2026-02-28&date_to=2026-02-28`,
    'CLASS:PRIVATE',
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ]);
});

describe.each(FEED_KINDS)('an address for %s', (kind) => {
  test('is sent once, is read again only if it has changed, and is kept from robots and caches of others', async () => {
    const path = await make(kind);
    const answer = await get(path);
    const { headers } = answer;
    expect([headers.get('cache-control'), headers.get('x-robots-tag')]).toEqual([
      'private, no-cache',
      'noindex, nofollow',
    ]);
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    const etag = headers.get('etag') ?? '';
    const again = await get(path, { 'if-none-match': etag });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    const content = { day: '2026-11-20', text: 'new', is_private: false, kind: 'note' as const };
    await createNote(server.app.services.directory, { siteId: site.id, content }, server.clock.now);
    await addNews();
    expect((await get(path, { 'if-none-match': etag })).status).toBe(200);
    const head = await fetch(server.url + path, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect((await fetch(server.url + path, { method: 'POST' })).status).toBe(405);
    const { body } = await ask('feeds.list', {});
    expect(body).not.toContain(path.slice('/feeds/'.length, -5));
    expect(body).toContain(String(server.clock.now)); // last read
    const { db } = server.app.services.directory;
    expect(JSON.stringify(await db.selectFrom('feeds').selectAll().execute())).not.toContain(path.slice(7, 47));
  });

  test('is replaced by a new one, and ends when its person ends it', async () => {
    const first = await make(kind);
    const second = await make(kind);
    expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200]);
    expect((await ask('feeds.end', { kind })).status).toBe(200);
    expect(await statusOf(second)).toBe(404);
    expect((await ask('feeds.end', { kind })).status).toBe(200); // it has ended
  });

  test('shows nothing under another ending, and nothing to those who guess', async () => {
    const path = await make(kind);
    const other = kind === 'news' ? path.replace('.atom', '.ics') : path.replace('.ics', '.atom');
    for (const wrong of [
      other,
      path.replace(/\..*/, ''),
      path.replace(/\..*/, '.xml'),
      `${path}/x`,
      '/feeds/',
      '/feeds/x.ics',
    ])
      expect([wrong, await statusOf(wrong)]).toEqual([wrong, 404]);
  });

  test('is for people alone: neither share links nor others get one', async () => {
    const { token } = await createShareLink(
      server.app.services.directory,
      { siteId: site.id, name: 'l' },
      server.clock.now,
    );
    const stranger = await server.newSite();
    const others = [
      { 'x-share-token': token },
      {},
      { cookie: await server.logIn(`owner@${stranger.domain}`) },
    ] as Record<string, string>[];
    for (const headers of others)
      for (const [name, input] of [
        ['feeds.list', {}],
        ['feeds.make', { kind }],
        ['feeds.end', { kind }],
      ] as const)
        expect([403, 401, 404]).toContain((await ask(name, input, headers)).status);
  });

  const VIEWER = { role: 'viewer', siteIds: null } as const;
  type Losing = (who: { accountId: string; userId: string; by: string }) => Promise<unknown>;
  const directoryOf = () => server.app.services.directory;
  /** Each way to lose the site; and what the address answers from then on, also once they have it back. */
  const LOSSES: Record<string, { lose: Losing; status: number; then: number }> = {
    'is removed': { lose: (who) => removeMember(directoryOf(), who), status: 404, then: 404 },
    'sees other sites from now on': {
      lose: (who) => changeMember(directoryOf(), { ...who, place: { role: 'viewer', siteIds: [] } }),
      status: 404,
      then: 404,
    },
    'sees only the plan from now on': {
      lose: (who) => changeMember(directoryOf(), { ...who, place: { role: 'billing', siteIds: null } }),
      status: 404,
      then: 404,
    },
    'has an account whose plan ends': {
      lose: ({ accountId }) => setPlan(directoryOf(), { accountId, status: 'expired' }, server.clock.now),
      status: 403,
      then: 403,
    },
    'must have a second factor first': {
      lose: ({ accountId }) =>
        directoryOf().db.updateTable('accounts').set({ requires_factor: 1 }).where('id', '=', accountId).execute(),
      status: 403,
      then: 403,
    },
  };

  test.each(Object.keys(LOSSES))('ends when its person %s', async (name) => {
    const { lose, status, then } = LOSSES[name] as (typeof LOSSES)[string];
    const directory = directoryOf();
    const email = `vera@${site.domain}`;
    const user = await insertUser(directory.db, await prepareAccount({ email, password: PASSWORD }), 0);
    const who = { accountId: site.account_id, userId: user.id };
    await addMember(directory.db, { ...who, place: VIEWER }, server.clock.now);
    const path = await make(kind, await server.logIn(email));
    expect(await statusOf(path)).toBe(200);
    await lose({ ...who, by: owner.id });
    expect(await statusOf(path)).toBe(status);
    if (name === 'is removed') await addMember(directory.db, { ...who, place: VIEWER }, server.clock.now);
    else await changeMember(directory, { ...who, by: owner.id, place: VIEWER });
    expect(await statusOf(path)).toBe(then);
  });
});

test('an address that is read too often waits a minute, and another one does not', async () => {
  const [path, other] = [await make('news'), await make('notes')];
  const answers = [];
  for (let n = 0; n < 31; n += 1) answers.push(await get(path));
  expect(answers.map(({ status }) => status)).toEqual([...Array<number>(30).fill(200), 429]);
  expect(answers.at(-1)?.headers.get('retry-after')).toMatch(/^\d+$/);
  expect((await read(other)).startsWith('BEGIN:VCALENDAR')).toBe(true);
});
