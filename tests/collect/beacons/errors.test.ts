/** @module-tag attack */
/** @module-tag promise */
// Errors that browsers tell of, from POST /foot to their rows: without anything about a person, within limits, and with their visit.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { configureSite, setHosts, type Site } from '../../../server/sites/sites.ts';
import { dropsOf } from '../../../server/sites/drops.ts';
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
  await switchTo({ errors: true });
});

const switchTo = async (settings: object) => {
  await configureSite(server.app.services.directory, { siteId: site.id, settings: { ...settings } }, server.clock.now);
  server.clock.now += 1500; // sites are cached for a second
};
const url = (path = '/') => `https://${site.domain}${path}`;
const told = (error: unknown, more: object = {}, headers: Record<string, string> = {}) =>
  server.foot({ site: site.domain, name: 'error', url: url(), error, ...more }, headers);
const simple = (message: string, more: object = {}) => ({ kind: 'error', message, file: url('/app.js'), ...more });

async function stored(): Promise<Record<string, unknown>[]> {
  await server.settle();
  return server.app.store.query(
    'SELECT *, toString(visit_id) AS visit FROM errors WHERE site_id = {id:String} ORDER BY page, error_message',
    { id: site.id },
  );
}
async function dropped(): Promise<Record<string, number>> {
  await server.app.collector.flushDrops();
  const rows = await dropsOf(server.app.services.directory, site.id, '2000-01-01', '2100-01-01');
  return Object.fromEntries(rows.map(({ reason, count }) => [reason, count]));
}

describe('an error', () => {
  test('is a row with its shape, its place, and the visit that it lies in', async () => {
    const from = { 'x-forwarded-for': '8.8.8.8' };
    const view = { site: site.domain, name: 'pageview', width: 1440 };
    await server.foot({ ...view, url: url('/start?utm_campaign=spring'), referrer: 'https://www.google.de/' }, from);
    server.clock.now += 60_000;
    await server.foot({ ...view, url: url('/next'), referrer: url('/start') }, from);
    const error = simple('Uncaught TypeError: a.b is not a function', { line: 120, count: 3 });
    await told(error, { url: url('/next'), width: 1440 }, from);
    const [row, ...others] = await stored();
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      page: '/next',
      entry_page: '/start',
      source: 'Google',
      utm_campaign: 'spring',
      country: 'US',
      browser: 'Chrome',
      device: 'desktop',
      error_kind: 'error',
      error_message: 'TypeError: a.b is not a function',
      error_file: '/app.js',
      error_line: 120,
      occurrences: 3,
    });
    expect(row?.['error_shape']).toMatch(/^[0-9a-f]{12}$/);
    const [visit] = await server.app.store.query<{ id: string; rows: string }>(
      'SELECT toString(any(visit_id)) AS id, count() AS rows FROM events WHERE site_id = {id:String}',
      { id: site.id },
    );
    expect([row?.['visit'], Number(visit?.rows)]).toEqual([visit?.id, 2]);
  });

  test('without a visit that is known is kept, and starts none', async () => {
    await told(simple('TypeError'));
    expect(await stored()).toMatchObject([{ visit: '0', error_message: 'TypeError', occurrences: 1, error_line: 0 }]);
    const events = await server.app.store.query('SELECT 1 FROM events WHERE site_id = {id:String}', { id: site.id });
    expect(events).toEqual([]);
  });

  test('that is sent twice counts once', async () => {
    for (const id of ['a', 'a']) await told(simple('TypeError'), { id });
    expect(await stored()).toHaveLength(1);
    expect(await dropped()).toEqual({ repeat_id: 1 });
  });

  test('has one shape whatever its line, its numbers and its quoted texts', async () => {
    const same = ['Item 12 of "Jane" failed', 'Item 7 of "John Doe" failed', "Uncaught Item 1,234 of 'x' failed"];
    for (const [line, message] of same.entries()) await told(simple(message, { line }));
    await told(simple('Item # of [text] failed', { file: url('/other.js') }));
    await told({ ...simple('Item 1 of "x" failed'), kind: 'rejection' });
    const shapes = (await stored()).map(({ error_shape }) => error_shape);
    expect([shapes.length, new Set(shapes).size]).toEqual([5, 3]);
  });

  test.each([
    ['of the page itself', () => url('/'), ''],
    ['with a query and a fragment', () => url('/a/app.js?token=1#b'), '/a/app.js'],
    ['of another host', () => 'https://cdn.example:8443/lib/x.js', 'cdn.example/lib/x.js'],
    ['with a hash in its name', () => url('/assets/index-a1b2c3d4.js'), '/assets/index-[id].js'],
    ['with credentials and a mailbox', () => 'https://u:p@cdn.example/jane@example.org/x.js', 'cdn.example/[id]/x.js'],
    ['none', () => '', ''],
  ])('has a file: %s', async (_, file, expected) => {
    await told(simple('TypeError', { file: file() }));
    expect((await stored()).map(({ error_file }) => error_file)).toEqual([expected]);
  });

  test('of what could not be loaded names the element and the file, of the site’s hosts alone', async () => {
    await setHosts(server.app.services.directory, { siteId: site.id, hosts: ['shop.example'] });
    server.clock.now += 1500;
    const img = (file: string) => told({ kind: 'load', message: 'img', file });
    await img(url('/logo.png'));
    for (const host of [`static.${site.domain}`, 'shop.example']) await img(`https://${host}/a.png?b`);
    for (const host of ['ads.example', `not${site.domain}`, `${site.domain}.ads.example`, 'eu.shop.example'])
      await img(`https://${host}/pixel.gif`);
    await img(`https://ads.example/${site.domain}/pixel.gif`);
    await img(url('/')); // a picture without an address has that of its page
    await told({ kind: 'load', message: 'Jane', file: url('/logo.png') });
    const rows = await stored();
    expect(rows.map(({ error_message, error_file }) => [error_message, error_file]).sort()).toEqual([
      ['img', '/logo.png'],
      ['img', 'shop.example/a.png'],
      ['img', `static.${site.domain}/a.png`],
    ]);
    expect(await dropped()).toEqual({ foreign_error: 7 });
  });

  test('of an extension, or of a script of which the browser tells nothing, is dropped', async () => {
    for (const scheme of ['chrome-extension:', 'moz-extension:', 'safari-web-extension:', 'blob:'])
      await told(simple('TypeError', { file: `${scheme}//abc/x.js` }));
    await told(simple('Script error.', { file: '' }));
    expect(await stored()).toEqual([]);
    expect(await dropped()).toEqual({ foreign_error: 5 });
  });

  test('is not kept for a site that does not record errors', async () => {
    await switchTo({ vitals: true });
    await told(simple('TypeError'));
    expect([await stored(), await dropped()]).toEqual([[], { errors_off: 1 }]);
  });
});

/** Long enough that no random bytes hold them. */
const NEEDLES = ['canary', 'Jörg Müller', '4242 4242', '4242-4242', 'f47ac10b-58cc', '9018217', '2001:db8:cafe'];

describe('what no browser of ours sends', () => {
  const refusedErrors = (): unknown[] => [
    ...[undefined, 1, 'warning', '__proto__', null].map((kind) => ({ ...simple('x'), kind })),
    ...[undefined, 1, null, [], {}].map((message) => ({ kind: 'error', message })),
    ...[1, null, [], {}].map((file) => simple('x', { file })),
    ...[-1, 1.5, '7', 1e9, null, []].map((line) => simple('x', { line })),
    ...[0, -1, 1.5, '7', null].map((count) => simple('x', { count })),
    [],
    'broken',
    1,
    true,
  ];
  test('gets 400 that names the field, and nothing is stored', async () => {
    const all = refusedErrors();
    showsRefused('mass assignment', all.length);
    for (const error of all) {
      const answer = await told(error);
      expect([error, answer.status]).toEqual([error, 400]);
      expect(((await answer.json()) as { message: string }).message).toMatch(/^error/);
    }
    expect((await told(simple('x'.repeat(1_000_000)))).status).toBe(413);
    expect(await stored()).toEqual([]);
  });

  test('is cut: 30,000 letters, and a million repeats', async () => {
    await told(
      simple(`at ${'long words and '.repeat(2_000)}`, { count: 1_000_000, file: url(`/${'a/'.repeat(900)}`) }),
    );
    const [row] = await stored();
    expect(String(row?.['error_message'])).toHaveLength(200);
    expect(String(row?.['error_file'])).toHaveLength(200);
    expect(row?.['occurrences']).toBe(10_000);
  });

  test('leaves no text about a person in any stored byte', async () => {
    showsKept('nothing that a page says is kept with its errors');
    const name = 'Jörg Müller-Canary';
    const canaries = [
      name,
      'jane.canary@example.org',
      'canary.example/account',
      'sk_live_canary4242',
      'eyJhbGciOiJIUzI1NiJ9.eyJjYW5hcnkiOjF9',
      '4242 4242 4242 4242',
      '4242-4242-4242-4242',
      'f47ac10b-58cc-4372-a567-0e02b2c3d479',
      '203.0.113.77',
      '2001:db8:cafe::17',
      '+49 30 9018217',
      'C:\\Users\\canary',
    ];
    const messages = [
      ...[name, "don't tell canary", 'say \\"canary\\" now'].flatMap((text) => [
        `No user "${text}"`,
        `No user '${text}' here`,
        `No user \`${text}\`.`,
        `No user “${text}” here`,
        `Can't find „${text}“`,
        `No user "${text}`,
      ]),
      `Unexpected token 'J', "{"name":"${name}"}" is not valid JSON`,
      ...canaries.slice(1).map((text) => `Failed for ${text} (twice: ${text})`),
      '__proto__ of "canary"',
    ];
    for (const [n, message] of messages.entries()) {
      const from = { 'x-forwarded-for': `198.51.100.${n}` };
      await told(
        simple(message, { file: url(`/f47ac10b-58cc-4372-a567-0e02b2c3d479/${n}.js?q=canary`), canary: 1 }),
        {},
        from,
      );
    }
    const rows = await stored();
    expect(rows).toHaveLength(messages.length);
    for (const row of rows)
      expect(`${row['error_message']} ${row['error_file']}`).not.toMatch(/canary|Jörg|Müller|42|cafe/i);
    expect(await filesWith(server.folder, ...NEEDLES)).toEqual([]);
  });
});

describe('a flood of errors', () => {
  test('of one visitor is bounded, is counted as dropped, and takes nothing from page views', async () => {
    const letters = (n: number) => n.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '');
    for (let n = 0; n < 300; n += 1) {
      if (n % 40 === 0) server.clock.now += 1000;
      await told(simple(`Error of ${letters(n)} kind`));
    }
    expect(await stored()).toHaveLength(30);
    expect(await dropped()).toEqual({ too_many_new_errors: 270 });
    await server.foot({ site: site.domain, name: 'pageview', url: url() });
    await server.settle();
    const views = await server.app.store.query('SELECT name FROM events WHERE site_id = {id:String}', { id: site.id });
    expect(views).toEqual([{ name: 'pageview' }]);
  });
});

describe('the script', () => {
  const get = async (path: string, referer?: string) => {
    const answer = await fetch(server.url + path, { headers: referer === undefined ? {} : { referer } });
    return { text: await answer.text(), cache: answer.headers.get('cache-control'), etag: answer.headers.get('etag') };
  };

  test('tells of errors on the pages of a site that records them, with what measures speed if it asks for that, too', async () => {
    const plain = await get('/foot.js');
    const errors = await get('/foot.js?errors');
    expect(errors.text).toContain('unhandledrejection');
    const reporting = await get('/foot.js', url('/a?b'));
    expect(reporting.text).toBe(`${plain.text}\n${errors.text}`);
    expect(reporting.cache).toBe('private, max-age=3600');
    await switchTo({ errors: true, vitals: true });
    const both = await get('/foot.js', url());
    expect(both.text.startsWith(`${plain.text}\n${errors.text}\n`)).toBe(true);
    expect(both.text).toContain('?vitals');
    await switchTo({});
    expect((await get('/foot.js', url())).text).toBe(plain.text);
    expect(new Set([plain, reporting, both].map(({ etag }) => etag)).size).toBe(3);
  });
});
