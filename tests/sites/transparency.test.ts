/** @module-tag attack */
// The page that tells a site's visitors what is counted: each setting of the site changes its words, and nobody learns from it which sites exist.
import { parse } from 'devalue';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createShareLink } from '../../server/sites/sharing/share.ts';
import type { Site } from '../../server/sites/sites.ts';
import { makeAsk } from '../setup/accounts/callers.ts';
import { type TestApp, testApp } from '../setup/app.ts';
import { showsRefused } from '../setup/run/harness.ts';

let server: TestApp;
let site: Site;
let cookie: string;

beforeAll(async () => {
  server = await testApp();
  site = await server.addSite('own.example');
  cookie = await server.logIn('owner@own.example');
});
afterAll(() => server[Symbol.asyncDispose]());

async function call(name: string, input: object): Promise<Record<string, unknown>> {
  const { status, body } = await makeAsk(server)(name, { site_id: site.id, ...input }, { cookie });
  if (status !== 200) throw new Error(`${name}: ${status}`);
  return parse((JSON.parse(body) as { result: { data: string } }).result.data) as Record<string, unknown>;
}
const change = (settings: object) => call('sites.change', settings);
const shown = (own: object = {}) => change({ transparency: { shown: true, contact: '', opt_out_page: '', ...own } });
const get = async (domain = 'own.example', { search = '', ...init }: RequestInit & { search?: string } = {}) => {
  const answer = await fetch(`${server.url}/share/${domain}/privacy${search}`, init);
  return { status: answer.status, headers: answer.headers, html: await answer.text() };
};
/** The words of the page, without its markup. */
const words = async () => textOf((await get()).html);
const textOf = (html: string) =>
  html
    .replace(/<style>[\s\S]*?<\/style>/g, '')
    .replace(/<[^<>]+>/g, ' ')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, ' ');

test('there is no page until the owner switches it on, and no answer tells such a site from a domain that nobody has', async () => {
  showsRefused('addresses guessed', 6);
  const unknown = await get('nobody.example');
  for (const domain of ['own.example', 'OWN.example', 'own.example.', '%20', '%E0%A4%A', 'a%00b']) {
    const { status, html, headers } = await get(domain);
    expect([domain, status, html]).toEqual([domain, 404, unknown.html]);
    expect([...headers.keys()]).toEqual([...unknown.headers.keys()]);
  }
  await shown();
  expect((await get()).status).toBe(200);
  expect((await get('OWN.example')).status).toBe(200);
  await change({ transparency: { shown: false, contact: 'x', opt_out_page: '' } });
  expect((await get()).html).toBe(unknown.html);
});

test('it is a page without scripts, cookies and anything from elsewhere', async () => {
  await shown();
  const { html, headers } = await get();
  expect(html).not.toMatch(/<script|<iframe|<img|\son\w+=|(?:src|href)="(?:https?:)?\/\//);
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('set-cookie')).toBeNull();
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/]+='; font-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  );
  expect((await get('own.example', { method: 'POST' })).status).toBe(405);
  expect((await get('own.example', { method: 'HEAD' })).html).toBe('');
});

test('it is in the language of its address, otherwise of the browser, and caches keep them apart', async () => {
  await shown();
  await change({ left_out: { countries: ['CH'], pages: [], hostnames: [] } });
  const spoken = async (accepted: string, search = '') => {
    const { html, headers } = await get('own.example', { search, headers: { 'accept-language': accepted } });
    const [, attributes] = /<html ([^>]+)>/.exec(html) ?? [];
    const country = ['Switzerland', 'Schweiz', 'سويسرا'].find((name) => html.includes(name));
    return [attributes, country, headers.get('vary')];
  };
  const vary = 'accept-language';
  expect(await spoken('en-US')).toEqual(['lang="en"', 'Switzerland', vary]);
  expect(await spoken('sv-SE, de-CH;q=0.9')).toEqual(['lang="de"', 'Schweiz', vary]);
  expect(await spoken('de-DE', '?lang=ar')).toEqual(['lang="ar" dir="rtl"', 'سويسرا', vary]);
  expect(await spoken('de-DE', '?lang=nowhere-at-all')).toEqual(['lang="de"', 'Schweiz', vary]);
  await change({ left_out: { countries: [], pages: [], hostnames: [] } });
});

/** Each setting with a change of it: words that the page has then, and did not have before. */
const CHANGES: Record<string, { to: unknown; says: string }[]> = {
  paused: [{ to: true, says: 'Counting is paused at the moment.' }],
  extra_hosts: [
    { to: ['shop.example.net'], says: 'own.example and its subdomains, and shop.example.net' },
    { to: ['other.example.net'], says: 'Repeat it on other.example.net' },
  ],
  respects_gpc: [{ to: true, says: 'This site respects Global Privacy Control and Do Not Track' }],
  currency: [{ to: 'EUR', says: 'Sums are shown in EUR.' }],
  max_amount: [{ to: 2500, says: 'An amount above 2,500 is set aside' }],
  timezone: [
    { to: 'Europe/Berlin', says: 'begins at midnight in Europe/Berlin' },
    { to: 'Asia/Tokyo', says: 'destroyed when the day is over (midnight in Asia/Tokyo)' },
  ],
  path_rules: [
    { to: { query: ['q', 'page'] }, says: 'except for the value of q, page' },
    { to: { groups: ['/users/*', '/orders/*'] }, says: 'pages that match one of 2 patterns count as one page each' },
    { to: { groups: ['/users/*'] }, says: 'pages that match a pattern count as one page' },
    { to: { case: 'lower' }, says: 'addresses are kept in lower case' },
    { to: { trailing_slash: 'strip' }, says: 'a slash at their end is left out' },
  ],
  left_out: [
    { to: { countries: ['CH', 'LI'], pages: [], hostnames: [] }, says: 'visits from Switzerland, Liechtenstein' },
    {
      to: { countries: [], pages: ['/staff/**'], hostnames: [] },
      says: 'Left out altogether: 1 page or group of pages.',
    },
    {
      to: { countries: [], pages: [], hostnames: ['a.own.example', 'b.own.example'] },
      says: 'Left out altogether: 2 hosts.',
    },
  ],
  vitals: [{ to: true, says: 'when its parts appeared, how far they moved' }],
  errors: [
    { to: true, says: 'the message of an error with placeholders for quoted texts' },
    { to: true, says: 'beside the number of its errors' },
  ],
  limits_members: [{ to: true, says: 'Administrators of this site’s account see all numbers. Other people' }],
  transparency: [
    { to: { shown: true, contact: 'dpo@own.example', opt_out_page: '' }, says: 'Questions go to: dpo@own.example' },
    { to: { shown: true, contact: '', opt_out_page: '/privacy' }, says: 'Open https://own.example/privacy and tick' },
  ],
};
/** What the settings also say, and how it changes. */
const OTHERS: Record<string, string> = {
  own_visits: 'changed by its own procedure, below',
  arrangement: 'how the dashboard shows its chapters',
  proposed_currency: 'shown to the owner alone, who may accept it',
};

describe('each setting of a site changes the page', () => {
  test('that is said of all of them', async () => {
    const settings = await change({});
    expect(Object.keys(settings).sort()).toEqual([...Object.keys(CHANGES), ...Object.keys(OTHERS)].sort());
  });

  test.each(Object.entries(CHANGES).flatMap(([name, all]) => all.map((one) => ({ name, ...one }))))(
    '$name: $says',
    async ({ name, to, says }) => {
      await shown();
      const before = await change({});
      expect(await words()).not.toContain(says);
      await change({ [name]: to });
      expect(await words()).toContain(says);
      const { [name]: usual } = before;
      if (name !== 'timezone') await change({ [name]: usual }); // a zone, once chosen, is never removed
    },
  );

  test('own visits that are left out are said by number, and not from where they come', async () => {
    await shown();
    await call('sites.ownVisits', { visits: 'leave_out' });
    const said = await words();
    expect(said).toContain('visits from 1 network of the operator, known by a keyed hash');
    expect(said).not.toMatch(/127\.0\.0|::1/);
    await call('sites.ownVisits', { visits: 'forget' });
    expect(await words()).not.toContain('of the operator, known by');
  });
});

test('without the signals of browsers it says so, and how to object by hand', async () => {
  await shown();
  const said = await words();
  expect(said).toContain('By a signal of your browser: not on this site.');
  expect(said).toContain("localStorage.footfall_ignore = 'true'");
  expect(said).not.toContain('tick');
});

test('share links and imported logs are said, because they concern visitors', async () => {
  await shown();
  expect(await words()).toContain('There is no link that opens them to others.');
  const { directory } = server.app.services;
  for (const fewest of [3, 1, 3])
    await createShareLink(directory, { siteId: site.id, name: 'For a client', shows: { fewest } }, server.clock.now);
  const said = await words();
  expect(said).toContain('3 links open them to whoever has it.');
  expect(said).toContain('Of these, 1 shows exact numbers, also small ones.');
  expect(said).not.toMatch(/For a client|imported logs/);
  // Closed ones: nobody can open them now, and those that end later are open until then.
  const { now } = server.clock;
  for (const closing of [{ paused: true }, { expires_at: now }, { expires_at: now + 1 }])
    await createShareLink(directory, { siteId: site.id, name: 'Closed', shows: { fewest: 1 }, ...closing }, now);
  const later = await words();
  expect(later).toContain('4 links open them to whoever has it.');
  expect(later).toContain('Of these, 2 show exact numbers');
  const log = { id: 'import_1', site_id: site.id, fingerprint: 'f', lines_done: 0, tally: '{}', created_at: 1 };
  await directory.db
    .insertInto('imports')
    .values({
      ...log,
      finished_at: 1,
      format: 'access-log',
      file: '',
      state: 'done',
      first_day: null,
      last_day: null,
      claimed_until: null,
      replaced: '[]',
      keeps_others: 0,
      days: 0,
      pageviews: 0,
      visitors: 0,
    })
    .execute();
  expect(await words()).toContain('imported logs of the web server');
});

describe('what the owner writes', () => {
  test.each([
    ['dpo@own.example', '<address><a href="mailto:dpo@own.example">dpo@own.example</a></address>'],
    [
      'https://own.example/imprint',
      '<address><a href="https://own.example/imprint" rel="nofollow">https://own.example/imprint</a></address>',
    ],
    ['Own Ltd\n1 High Street', '<address>Own Ltd<br>1 High Street</address>'],
    ['<script>alert(1)</script>', '<address>&#60;script&#62;alert(1)&#60;/script&#62;</address>'],
    ['javascript:alert(1)', '<address>javascript:alert(1)</address>'],
    ['https://x/"><b onload=alert(1)>', '<address>https://x/&#34;&#62;&#60;b onload=alert(1)&#62;</address>'],
    ['a@b.c"onmouseover=alert(1)', '<address>a@b.c&#34;onmouseover=alert(1)</address>'],
    ['[x](javascript:alert(1)) **b**', '<address>[x](javascript:alert(1)) **b**</address>'],
  ])('as a contact is text, or a link to a page or a mailbox: %s', async (contact, html) => {
    showsRefused('stored scripts');
    await shown({ contact });
    expect((await get()).html).toContain(html);
  });

  test.each([
    { contact: 'a\u0000b' },
    { contact: 'a\u202eb' },
    { contact: 'x'.repeat(501) },
    { opt_out_page: 'https://evil.example/' },
    { opt_out_page: 'privacy' },
    { opt_out_page: '/a b' },
    { opt_out_page: '/\\evil.example' },
    { shown: 'yes' },
    { more: 1 },
  ])('is refused if it is something else: %j', async (own) => {
    showsRefused('stored scripts');
    await expect(shown(own)).rejects.toThrow('sites.change: 400');
  });

  test('as a path never leads away from the site', async () => {
    showsRefused('open redirects', 2);
    for (const path of ['//evil.example', '/@evil.example']) {
      await shown({ opt_out_page: path });
      const [, href = ''] = /Open <a href="([^"]+)"/.exec((await get()).html) ?? [];
      expect(new URL(href).host).toBe('own.example');
    }
  });
});
