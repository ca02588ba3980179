// Which door drops a hit for which reason: every pair is tried through the running server. A new door or reason fails until it has a cell
// here.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DOORS, type Door } from '../../server/collect/hit.ts';
import { DROP_REASONS, type DropReason } from '../../server/vocabulary/drops.ts';
import { Refusal } from '../../server/errors.ts';
import { runOperation } from '../../server/operator/operations.ts';
import { dropsOf } from '../../server/sites/drops.ts';
import { createIngestToken } from '../../server/sites/ingest.ts';
import { leaveOut } from '../../server/collect/left-out.ts';
import { withRules } from '../../server/sites/left-out.ts';
import { configureSite, createSite, pauseSite, siteByDomain, type Site } from '../../server/sites/sites.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import type { ImportedHit } from '../../server/vocabulary/imports/import.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { IMPORTED_HIT } from '../setup/event.ts';
import { CHROME } from '../setup/browser/user-agent.ts';
import { ERROR_LIMITS } from '../../server/vocabulary/limits.ts';
import { keyFor, type Rest, restOf } from '../setup/api/rest.ts';

const FLOOD_EVENTS = 20;
const GPTBOT = 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)';
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

let server: TestApp;
let accountId: string;
let rest: Rest;
let site: Site;
let serial = 0;

beforeAll(async () => {
  const env = {
    TRUST_PROXY: 'loopback',
    QUOTA: 'drop',
    FLOOD_EVENTS: String(FLOOD_EVENTS),
    RATE_LIMIT_PER_SECOND: '100000',
    RATE_LIMIT_PER_MINUTE: '100000',
  };
  server = await testApp({ env });
  const first = await server.addSite();
  accountId = first.account_id;
  rest = await restOf(server, await keyFor(server, first));
});
afterAll(async () => server[Symbol.asyncDispose]());
beforeEach(async () => {
  serial += 1;
  server.app.overQuota.clear();
  const { directory } = server.app.services;
  site = await createSite(directory, { accountId, domain: `site${serial}.example` }, server.clock.now);
});

/** The content of a request, as far as a door's format can carry it. */
type Told = {
  domain?: string;
  host?: string;
  address?: string;
  path?: string;
  userAgent?: string;
  headers?: Record<string, string>;
  referrer?: string;
  id?: string;
  webdriver?: true;
  /** The site asks for neither measurements nor errors. */
  unasked?: true;
  /** What differs from a usual error. */
  error?: { message?: string; file?: string };
  /** A second has passed. */
  isLater?: boolean;
};
const urlOf = ({ host = site.domain, path = '/' }: Told) => `https://${host}${path}`;
const addressOf = () => `203.0.113.${serial}`;
const headersOf = ({ userAgent = CHROME, headers = {}, address = addressOf() }: Told) => ({
  'user-agent': userAgent,
  'x-forwarded-for': address,
  ...headers,
});

/** Sends one request after the other through a door, and resolves with the answers' statuses. */
const SEND: Record<Door, (requests: Told[]) => Promise<number[]>> = {
  script: (requests) =>
    oneByOne(requests, ({ domain = site.domain, ...told }) => {
      const { referrer, id, webdriver } = told;
      return server.foot(
        { site: domain, name: 'pageview', url: urlOf(told), referrer, id, webdriver },
        headersOf(told),
      );
    }),
  vitals: async (requests) => {
    const { directory } = server.app.services;
    const { settings } = (await siteByDomain(directory, site.domain)) ?? site;
    const asked = { siteId: site.id, settings: { ...settings, vitals: !requests[0]?.unasked } };
    await configureSite(directory, asked, server.clock.now);
    return oneByOne(requests, ({ domain = site.domain, ...told }) => {
      const { id, webdriver, userAgent } = told;
      const measured = { site: domain, name: 'vitals', url: urlOf(told), id, webdriver, vitals: { lcp: 1 } };
      // only people are measured
      return server.foot(measured, headersOf(userAgent === GPTBOT ? { ...told, userAgent: CHROME } : told));
    });
  },
  errors: async (requests) => {
    const { directory } = server.app.services;
    const { settings } = (await siteByDomain(directory, site.domain)) ?? site;
    const asked = { siteId: site.id, settings: { ...settings, errors: !requests[0]?.unasked } };
    await configureSite(directory, asked, server.clock.now);
    return oneByOne(requests, ({ domain = site.domain, ...told }) => {
      const { id, webdriver, userAgent, isLater } = told;
      if (isLater) server.clock.now += 1000;
      const error = { kind: 'error', message: 'TypeError', file: urlOf({ path: '/app.js' }), ...told.error };
      const sent = { site: domain, name: 'error', url: urlOf(told), id, webdriver, error };
      return server.foot(sent, headersOf(userAgent === GPTBOT ? { ...told, userAgent: CHROME } : told));
    });
  },
  image: (requests) =>
    oneByOne(requests, ({ domain = site.domain, ...told }) => {
      const query = new URLSearchParams({ site: domain, url: urlOf(told) });
      return fetch(`${server.url}/foot.gif?${query}`, { headers: headersOf(told) });
    }),
  report: async (requests) => {
    const { token } = await createIngestToken(server.app.services.directory, { siteId: site.id }, server.clock.now);
    return oneByOne(requests, ({ domain = site.domain, userAgent = CHROME, ...told }) => {
      const report = { site: domain, url: urlOf(told), user_agent: userAgent, id: told.id };
      const auth = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      return server.foot(report, { ...headersOf(told), ...auth });
    });
  },
  log: async (requests) => {
    const [{ domain = site.domain } = {}] = requests;
    const file = join(server.folder, `${site.id}.log`);
    const lines = requests.map((told, n) => {
      const { userAgent = CHROME, referrer = '-', address = addressOf() } = told;
      const request = `GET ${told.host === undefined ? (told.path ?? '/') : urlOf(told)} HTTP/1.1`;
      return `${address} - - [20/Nov/2026:12:00:00 +0000] "${request}" 200 ${n} "${referrer}" "${userAgent || '-'}"`;
    });
    await writeFile(file, lines.join('\n'));
    const run = { now: server.clock.now, onProgress: () => undefined, signal: new AbortController().signal };
    const refused = await runOperation('import', server.app, { file, domain }, run).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refused !== undefined) expect(refused).toBeInstanceOf(Refusal);
    return [refused === undefined ? 202 : 400];
  },
  import: async (requests) => {
    const { importing } = server.app.services;
    const [{ domain } = {}] = requests;
    if (domain !== undefined) return [404]; // an import is of a site of the account
    const hits = requests.map(({ host = '', path = '/', referrer = '', address }): ImportedHit => ({
      ...IMPORTED_HIT,
      hostname: host,
      path,
      referrer,
      country: address === undefined ? 'DE' : 'US',
      visitor: 'a',
      time: server.clock.now - 40 * DAY_MS,
    }));
    const begun = { siteId: site.id, format: 'umami', file: 'events.csv', content: site.id };
    const { id } = await importing.begin(begun);
    const which = { siteId: site.id, id };
    const refused = await importing.add({ ...which, part: 0 }, { hits, sums: [] }).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refused !== undefined) expect(refused).toBeInstanceOf(Refusal);
    else await importing.finish({ ...which, replaced: [], notTaken: {} }).catch(() => undefined); // nothing may be left of it
    return [refused === undefined ? 202 : 400];
  },
  api: (requests) =>
    oneByOne(requests, ({ domain, id, headers, ...told }) => {
      const body = { site_id: domain ?? site.id, name: 'plan_upgraded', url: urlOf(told) };
      return rest.ask('/v1/events', { body, headers: { ...headers, ...(id && { 'idempotency-key': id }) } });
    }),
};

async function oneByOne(requests: Told[], send: (told: Told) => Promise<{ status: number }>): Promise<number[]> {
  const statuses: number[] = [];
  for (const told of requests) statuses.push((await send(told)).status);
  return statuses;
}

const NO_RULES = { countries: [], pages: [], hostnames: [] };
async function leavingOut(settings: Record<string, unknown>, told: Told = {}): Promise<Told[]> {
  await configureSite(server.app.services.directory, { siteId: site.id, settings }, server.clock.now);
  return [told];
}

const manyErrors = (count: number, errorOf: (n: number) => Told['error'] & {}): Told[] =>
  Array.from({ length: count }, (_, n) => ({ isLater: n % 10 === 9, error: errorOf(n), path: `/${n}` }));

/** Requests whose last one is dropped for the reason, if the door checks for it. */
const PROVOKE: Record<DropReason, () => Told[] | Promise<Told[]>> = {
  unknown_site: () => [{ domain: 'nobody.example' }],
  paused: async () => {
    await pauseSite(server.app.services.directory, { siteId: site.id, paused: true });
    return [{}];
  },
  foreign_host: () => [{ host: 'elsewhere.example' }],
  shown_elsewhere: () => [{ host: 'web.archive.org' }],
  own_visit: () => leavingOut(leaveOut({}, addressOf())),
  left_out_host: () => leavingOut(withRules({}, { ...NO_RULES, hostnames: [site.domain] })),
  left_out_page: () => leavingOut(withRules({}, { ...NO_RULES, pages: ['/admin/**'] }), { path: '/admin/users' }),
  left_out_country: () => leavingOut(withRules({}, { ...NO_RULES, countries: ['US'] }), { address: '8.8.8.8' }),
  not_a_page: () => [{ path: '/logo.png' }],
  opted_out: async () => {
    await configureSite(server.app.services.directory, { siteId: site.id, respects_gpc: true }, server.clock.now);
    return [{ headers: { 'sec-gpc': '1' } }];
  },
  bot_user_agent: () => [{ userAgent: GOOGLEBOT }],
  no_user_agent: () => [{ userAgent: '' }],
  webdriver: () => [{ webdriver: true }],
  headless: () => [{ userAgent: CHROME.replace('Chrome/', 'HeadlessChrome/') }],
  prefetch: () => [{ headers: { 'sec-purpose': 'prefetch;prerender' } }],
  referrer_spam: () => [{ referrer: 'https://semalt.com/x' }],
  repeat_view: () => [{}, {}],
  repeat_id: () => [
    { id: 'same', userAgent: GPTBOT },
    { id: 'same', userAgent: GPTBOT, path: '/other' },
  ],
  over_quota: () => {
    server.app.overQuota.add(accountId);
    return [{}];
  },
  vitals_off: () => [{ unasked: true }],
  errors_off: () => [{ unasked: true }],
  foreign_error: () => [{ error: { file: 'chrome-extension://abc/content.js' } }],
  too_many_errors: () => manyErrors(ERROR_LIMITS.messages.address + 1, () => ({})),
  too_many_new_errors: () =>
    manyErrors(ERROR_LIMITS.shapes.address + 1, (n) => ({
      message: `Error of ${'x'.repeat(n % 20)}y${'z'.repeat(n / 20)}`,
    })),
  flood: () => Array.from({ length: FLOOD_EVENTS + 1 }, (_, n) => ({ path: `/${n}`, userAgent: GPTBOT })),
  not_ai: () => [{}],
};

/** The drops that the site's owner sees, for each door. */
const MAY_DROP: Record<Door, readonly DropReason[]> = {
  script: [
    'unknown_site',
    'paused',
    'foreign_host',
    'shown_elsewhere',
    'own_visit',
    'left_out_host',
    'left_out_page',
    'left_out_country',
    'opted_out',
    'bot_user_agent',
    'no_user_agent',
    'webdriver',
    'headless',
    'prefetch',
    'referrer_spam',
    'repeat_view',
    'repeat_id',
    'over_quota',
    'flood',
  ],
  vitals: [
    'unknown_site',
    'paused',
    'foreign_host',
    'shown_elsewhere',
    'own_visit',
    'left_out_host',
    'left_out_page',
    'left_out_country',
    'opted_out',
    'bot_user_agent',
    'no_user_agent',
    'webdriver',
    'headless',
    'prefetch',
    'repeat_id',
    'over_quota',
    'vitals_off',
    'flood',
  ],
  errors: [
    'unknown_site',
    'paused',
    'foreign_host',
    'shown_elsewhere',
    'own_visit',
    'left_out_host',
    'left_out_page',
    'left_out_country',
    'opted_out',
    'bot_user_agent',
    'no_user_agent',
    'webdriver',
    'headless',
    'prefetch',
    'repeat_id',
    'over_quota',
    'errors_off',
    'foreign_error',
    'too_many_errors',
    'too_many_new_errors',
    'flood',
  ],
  image: [
    'unknown_site',
    'paused',
    'foreign_host',
    'shown_elsewhere',
    'left_out_host',
    'left_out_page',
    'flood',
    'not_ai',
  ],
  report: [
    'paused',
    'foreign_host',
    'shown_elsewhere',
    'left_out_host',
    'left_out_page',
    'not_a_page',
    'bot_user_agent',
    'no_user_agent',
    'headless',
    'repeat_id',
    'not_ai',
  ],
  log: [
    'foreign_host',
    'shown_elsewhere',
    'own_visit',
    'left_out_host',
    'left_out_page',
    'left_out_country',
    'bot_user_agent',
    'no_user_agent',
    'headless',
    'referrer_spam',
    'repeat_view',
  ],
  import: ['foreign_host', 'shown_elsewhere', 'left_out_host', 'left_out_page', 'left_out_country', 'referrer_spam'],
  api: ['paused', 'over_quota'],
};

/** Doors that know the site before they read the request refuse it instead. */
const REFUSES: Partial<Record<DropReason, readonly Door[]>> = {
  unknown_site: ['report', 'log', 'api', 'import'],
  paused: ['log', 'import'],
};

describe.each(DOORS)('a hit of the door %s', (door) => {
  test.each(DROP_REASONS)('is dropped as %s only where that door may, with the usual answer', async (reason) => {
    const requests = await PROVOKE[reason]();
    const statuses = await SEND[door](requests);
    const isRefused = REFUSES[reason]?.includes(door) ?? false;
    expect(statuses.every((status) => status >= 400)).toBe(isRefused);
    expect(statuses.every((status) => status === 200 || status === 202)).toBe(!isRefused);
    const dropped = await droppedOf(site);
    expect(MAY_DROP[door]).toEqual(expect.arrayContaining(Object.keys(dropped)));
    if (!MAY_DROP[door].includes(reason)) expect(dropped).not.toHaveProperty(reason);
    else {
      expect(dropped).toEqual({ [reason]: 1 });
      expect(await storedOf(site)).toBe(requests.length - 1);
    }
  });
});

async function droppedOf({ id, domain }: Site): Promise<Partial<Record<DropReason, number>>> {
  const { collector, services } = server.app;
  await collector.flushDrops();
  const rows = await dropsOf(services.directory, id, '2000-01-01', '2100-01-01');
  // A site that does not exist has no owner, so the owner of the page that named it sees the drop.
  const stray = collector.strayOf({ id, domain }, server.clock.now).other_domain;
  return { ...Object.fromEntries(rows.map(({ reason, count }) => [reason, count])), ...(stray && { unknown_site: 1 }) };
}

async function storedOf({ id }: Site): Promise<number> {
  await server.settle();
  const [row] = await server.app.store.query<{ rows: string }>(
    `SELECT (SELECT count() FROM events WHERE site_id = {id:String}) + (SELECT count() FROM ai_visits WHERE site_id = {id:String})
      + (SELECT count() FROM vitals WHERE site_id = {id:String}) + (SELECT count() FROM errors WHERE site_id = {id:String}) AS rows`,
    { id },
  );
  return Number(row?.rows);
}
