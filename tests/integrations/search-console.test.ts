// Google Search Console from end to end: the official libraries against a local server that answers as Google's APIs do.
import { setImmediate } from 'node:timers/promises';
import { iso31661 } from 'iso-3166';
import { parse, stringify } from 'devalue';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listActions } from '../../server/accounts/account-log.ts';
import { googleOf, readConfig } from '../../server/config.ts';
import { openEncryption } from '../../server/directory/encryption.ts';
import { countryOf } from '../../server/integrations/search-console/countries.ts';
import { type Google, GoogleFailure, openGoogle } from '../../server/integrations/search-console/google.ts';
import { openSearchData } from '../../server/integrations/search-console/open.ts';
import { readDue } from '../../server/integrations/search-console/reading.ts';
import { createSite, type Site } from '../../server/sites/sites.ts';
import { INTERNET, type Network } from '../../server/process/outgoing/network.ts';
import { proposedProperty, SEARCH_DAYS, type SearchFailure } from '../../server/vocabulary/settings/search-console.ts';
import { DAY_MS, dayOf, HOUR_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { startClickHouse } from '../setup/stores/clickhouse.ts';
import { googleError, type GoogleServer, type Impressions, startGoogle } from '../setup/internet/google.ts';
import { startPostgres } from '../setup/stores/postgres.ts';
import { freePort } from '../setup/processes/process.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const dayBefore = (days: number) => dayOf(NOW - days * DAY_MS);
const FIRST_DAYS = 31;
const OWNER = 'owner@example.com';
const MAIL = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'Footfall <footfall@stats.example>' };

const found = (given: Partial<Impressions>): Impressions => ({
  day: dayBefore(3),
  query: 'shoes',
  page: 'https://example.com/',
  country: 'deu',
  device: 'DESKTOP',
  clicks: 1,
  impressions: 10,
  position: 3,
  ...given,
});

type Answer = { status: number; data: never; message: string };
type Place = AsyncDisposable & {
  server: TestApp;
  google: GoogleServer;
  site: Site;
  call(name: string, input?: object, as?: string): Promise<Answer>;
  cookieOf(email: string): Promise<string>;
  /** From the button to the page where it ends. Returns its path. */
  connect(as?: string, site?: Site): Promise<string>;
  /** Runs the job until nothing is due. */
  read(): Promise<void>;
  connection(): Promise<Record<string, unknown> | null>;
  rows(): Promise<unknown[]>;
};

const QUERIES = ['searchConsole.status', 'searchConsole.properties'];

async function openPlace(stores: 'embedded' | 'servers', env: Record<string, string> = {}): Promise<Place> {
  await using opened = new AsyncDisposableStack();
  const google = opened.use(await startGoogle());
  const port = await freePort();
  const servers: Record<string, string> =
    stores === 'servers'
      ? {
          DATABASE_URL: opened.use(await startPostgres()).url,
          CLICKHOUSE_URL: opened.use(await startClickHouse()).url,
        }
      : {};
  const url = `http://127.0.0.1:${port}`;
  const server = opened.use(
    await testApp({ now: NOW, port, env: { BASE_URL: url, LOG_LEVEL: 'silent', ...google.env, ...servers, ...env } }),
  );
  const site = await server.addSite();
  const cookies = new Map<string, string>();
  const cookieOf = async (email: string) => {
    const known = cookies.get(email) ?? (await server.logIn(email));
    cookies.set(email, known);
    return known;
  };
  const call: Place['call'] = async (name, input = {}, as = OWNER) => {
    const isQuery = QUERIES.includes(name);
    const text = JSON.stringify(stringify({ site_id: site.id, ...input }));
    const answer = await fetch(`${url}/trpc/${name}${isQuery ? `?input=${encodeURIComponent(text)}` : ''}`, {
      headers: { cookie: await cookieOf(as), origin: url, 'content-type': 'application/json' },
      ...(!isQuery && { method: 'POST', body: text }),
    });
    const body = (await answer.json()) as { result?: { data: string }; error?: string };
    const data = (body.result && parse(body.result.data)) as never;
    return { status: answer.status, data, message: JSON.stringify(body.error ?? '') };
  };
  const connect: Place['connect'] = async (as = OWNER, of = site) => {
    const { data } = await call('searchConsole.connect', { site_id: of.id }, as);
    const { address } = data as { address: string };
    const consent = await fetch(address, { redirect: 'manual' });
    const back = await fetch(consent.headers.get('location') ?? '', {
      headers: { cookie: await cookieOf(as) },
      redirect: 'manual',
    });
    return back.headers.get('location') ?? `status ${back.status}`;
  };
  const { directory } = server.app.services;
  const place: Omit<Place, keyof AsyncDisposable> = {
    server,
    google,
    site,
    call,
    connect,
    cookieOf,
    read: async () => {
      const due = () =>
        directory.db
          .selectFrom('search_connections')
          .select('site_id')
          .where('property', 'is not', null)
          .where('next_at', '<=', server.clock.now)
          .executeTakeFirst();
      while (await due()) await server.app.runJob('read-search-terms');
    },
    connection: async () => {
      const { data } = await call('searchConsole.status');
      return (data as { connection: Record<string, unknown> | null }).connection;
    },
    rows: () =>
      server.app.store.query(
        `SELECT toString(day) AS day, term, page, hostname, country, device, toUInt32(clicks) AS clicks,
          toUInt32(impressions) AS impressions, toUInt32(positions) AS positions FROM search_rows
          WHERE reading IN (SELECT reading FROM search_days FINAL) ORDER BY day DESC, term DESC, page, country, device`,
        {},
      ),
  };
  const kept = opened.move();
  return { ...place, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Connected, and the property chosen. The first pass ends with the day before FIRST_DAYS days, which takes less time. */
async function connectedPlace(stores: 'embedded' | 'servers', env?: Record<string, string>): Promise<Place> {
  const place = await openPlace(stores, env);
  await place.connect();
  await place.call('searchConsole.choose', { property: 'sc-domain:example.com' });
  const [pass_from, pass_to] = [dayBefore(1), dayBefore(FIRST_DAYS)];
  const { db } = place.server.app.services.directory;
  await db.updateTable('search_connections').set({ pass_from, pass_to, next_day: pass_from }).execute();
  return place;
}

describe.each(['embedded', 'servers'] as const)('with %s stores', (stores) => {
  test('connects, proposes the property, reads 16 months with the newest days first, and disconnects', async () => {
    await using place = await openPlace(stores);
    const { google, server, site } = place;
    google.properties = {
      'https://www.example.com/': 'siteFullUser',
      'sc-domain:example.com': 'siteOwner',
      'https://secret.example/': 'siteUnverifiedUser',
    };
    expect(await place.connect()).toBe('/example.com/settings/integrations?search=connected#search-console');
    expect((await place.call('searchConsole.properties')).data).toEqual({
      properties: ['https://www.example.com/', 'sc-domain:example.com'],
      proposed: 'sc-domain:example.com',
    });
    google.data = [
      found({ clicks: 2, impressions: 10, position: 1.5 }),
      found({ clicks: 1, impressions: 3, position: 4, page: 'https://www.example.com/#top' }),
      found({ query: undefined as never, clicks: 1, impressions: 7, position: 9 }),
      found({ day: dayBefore(400), query: 'boots', country: 'zzz', device: 'TABLET' }),
      found({ day: dayBefore(SEARCH_DAYS + 10), query: 'too old' }),
    ];
    await place.call('searchConsole.choose', { property: 'sc-domain:example.com' });
    await server.app.runJob('read-search-terms');
    const there = { country: 'DE', device: 'desktop', page: '/' };
    const newest = [
      {
        day: dayBefore(3),
        term: 'shoes',
        ...there,
        hostname: 'example.com',
        clicks: 2,
        impressions: 10,
        positions: 15,
      },
      {
        day: dayBefore(3),
        term: 'shoes',
        ...there,
        hostname: 'www.example.com',
        clicks: 1,
        impressions: 3,
        positions: 12,
      },
      { day: dayBefore(3), term: '', ...there, hostname: 'example.com', clicks: 1, impressions: 7, positions: 63 },
    ];
    expect(await place.rows()).toEqual(newest);
    expect(await place.connection()).toMatchObject({
      latest_day: dayBefore(3),
      oldest_day: dayBefore(10),
      failure: null,
    });
    // All days in between take the test too long.
    const { db } = server.app.services.directory;
    await db
      .updateTable('search_connections')
      .set({ next_day: dayBefore(399) })
      .execute();
    await place.read();
    expect(await place.rows()).toEqual([
      ...newest,
      {
        day: dayBefore(400),
        term: 'boots',
        page: '/',
        hostname: 'example.com',
        country: '',
        device: 'tablet',
        clicks: 1,
        impressions: 10,
        positions: 30,
      },
    ]);
    expect(await place.connection()).toMatchObject({ progress: 1, oldest_day: dayBefore(SEARCH_DAYS + 1) });
    const [grant] = google.grants;
    expect((await place.call('searchConsole.disconnect')).data).toEqual({ is_revoked: true, is_shared: false });
    expect(google.grants.has(grant ?? '')).toBe(false);
    expect(await place.connection()).toBeNull();
    expect(await server.app.store.query('SELECT * FROM search_rows UNION ALL SELECT * FROM search_rows', {})).toEqual(
      [],
    );
    const { entries } = await listActions(server.app.services.directory, site.account_id, { page: 1 });
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['search_connected', 'search_disconnected']),
    );
  });

  test('a day after, only new days and the last ones are asked for, and what Google changed replaces what was stored', async () => {
    await using place = await connectedPlace(stores);
    const { google, server } = place;
    google.data = [found({ query: 'first' }), found({ query: 'gone' }), found({ query: 'old', day: dayBefore(30) })];
    await place.read();
    google.data = [
      found({ query: 'first', clicks: 5 }),
      found({ query: 'new', day: dayBefore(1) }),
      found({ query: 'changed too late', day: dayBefore(30) }),
    ];
    google.asked.length = 0;
    await place.read();
    expect(google.asked).toEqual([]); // once a day
    server.clock.now += DAY_MS;
    await place.read();
    const days = google.asked.flatMap(({ body }) =>
      body['startDate'] === undefined ? [] : [String(body['startDate'])],
    );
    expect([...new Set(days)]).toEqual([0, 1, 2, 3, 4, 5, 6].map(dayBefore));
    expect((await place.rows()) as { term: string; clicks: number }[]).toMatchObject([
      { term: 'new', clicks: 1 },
      { term: 'first', clicks: 5 },
      { term: 'old', clicks: 1 },
    ]);
    expect(await server.app.store.query("SELECT term FROM search_rows WHERE term = 'gone'", {})).toEqual([]);
  });

  test('a broken grant is mailed once to owners and admins, shown, and connecting again goes on with the same rows', async () => {
    await using place = await connectedPlace(stores, MAIL);
    const { google, server } = place;
    const { db } = server.app.services.directory;
    google.data = [found({})];
    await place.read();
    const before = await place.rows();
    google.withdraw();
    server.clock.now += DAY_MS;
    await place.read();
    expect(await place.connection()).toMatchObject({ failure: 'grant', failed_at: server.clock.now });
    server.clock.now += 10 * DAY_MS;
    await place.read();
    const mails = () =>
      db.selectFrom('mails').select(['kind', 'recipient']).where('kind', '=', 'search_broken').execute();
    expect(await mails()).toEqual([{ kind: 'search_broken', recipient: OWNER }]);
    expect(await place.connect()).toContain('search=connected');
    expect(await place.connection()).toMatchObject({ failure: null, property: 'sc-domain:example.com' });
    expect(await place.rows()).toEqual(before);
    google.asked.length = 0;
    await place.read();
    const days = new Set(google.asked.flatMap(({ body }) => body['startDate'] ?? []));
    expect(days.size).toBe(17); // eleven new ones, the last five before, and the first of all again
    google.withdraw();
    server.clock.now += DAY_MS;
    await place.read();
    expect(await mails()).toHaveLength(2);
  });
});

describe('connecting', () => {
  let place: Place;
  let other: Site;
  beforeAll(async () => {
    place = await openPlace('embedded');
    const { directory } = place.server.app.services;
    other = await createSite(directory, { accountId: place.site.account_id, domain: 'other.example' }, NOW);
  });
  afterAll(() => place[Symbol.asyncDispose]());
  beforeEach(async () => {
    place.google.consent = 'allows';
    place.google.intercept = undefined;
    await place.server.app.services.directory.db.deleteFrom('search_connections').execute();
    await place.server.app.services.directory.db.deleteFrom('search_withdrawals').execute();
  });

  test.each([
    ['denies', 'denied'],
    ['allows nothing', 'scope'],
  ] as const)('somebody who %s connects nothing, and the settings say so', async (consent, outcome) => {
    place.google.consent = consent;
    expect(await place.connect()).toBe(`/example.com/settings/integrations?search=${outcome}#search-console`);
    expect(await place.connection()).toBeNull();
  });

  test('a token endpoint that answers HTML, or nothing, connects nothing', async () => {
    for (const [status, outcome] of [
      [200, 'failed'],
      [400, 'failed'],
      [502, 'unreachable'],
    ] as const) {
      place.google.intercept = (request, response) => {
        if (request.url !== '/token') return false;
        response.writeHead(status, { 'content-type': 'text/html' }).end('<html><body>Welcome</body></html>');
        return true;
      };
      expect(await place.connect()).toContain(`search=${outcome}`);
    }
    expect(await place.connection()).toBeNull();
  });

  test('a state works once, within ten minutes, and only in the session that began', async () => {
    const begin = async () => {
      const { data } = await place.call('searchConsole.connect');
      const consent = await fetch((data as { address: string }).address, { redirect: 'manual' });
      return consent.headers.get('location') ?? '';
    };
    const open = async (address: string, cookie: string) =>
      (await fetch(address, { headers: { cookie }, redirect: 'manual' })).headers.get('location');
    const mine = await place.server.logIn(OWNER);
    const answer = await begin();
    expect(await open(answer, '')).toBe('/login');
    expect(await open(answer, mine)).toBe('/'); // another session of the same person
    expect(await place.connection()).toBeNull();
    const { now } = place.server.clock;
    const late = await begin();
    place.server.clock.now += 10 * MINUTE_MS;
    const cookie = await place.cookieOf(OWNER);
    expect(await open(late, cookie)).toContain('search=expired');
    place.server.clock.now = now;
    const good = await begin();
    expect(await open(good, cookie)).toContain('search=connected');
    expect(await open(good, cookie)).toBe('/');
  });

  test('the token is encrypted for its site, and nothing else is kept of it', async () => {
    await place.connect();
    const [grant = ''] = place.google.grants;
    const { db } = place.server.app.services.directory;
    const row = await db.selectFrom('search_connections').selectAll().executeTakeFirstOrThrow();
    expect(grant).toMatch(/^1\/\//);
    expect(JSON.stringify(row)).not.toContain(grant);
  });

  test('a Google account keeps its access until the last site with it is disconnected, whoever connected it', async () => {
    const { google } = place;
    const { db } = place.server.app.services.directory;
    const disconnect = async (site_id = place.site.id) =>
      (await place.call('searchConsole.disconnect', { site_id })).data;
    const isAsked = () => google.asked.some(({ path }) => path === 'POST /revoke');
    google.asked.length = 0;
    await place.connect();
    await place.connect(OWNER, other);
    // The other site is now one of another account and of nobody that is known.
    await db.updateTable('search_connections').set({ connected_by: null }).where('site_id', '=', other.id).execute();
    expect(await disconnect()).toEqual({ is_revoked: false, is_shared: true });
    await place.connect();
    google.account = '220169484474386276334';
    await place.connect(OWNER, other);
    const { size } = google.grants;
    expect(isAsked()).toBe(false);
    expect(await disconnect(other.id)).toEqual({ is_revoked: true, is_shared: false });
    expect(google.grants.size).toBe(size - 1);
    google.account = null; // it may be the same one
    await place.connect(OWNER, other);
    expect(await disconnect(other.id)).toEqual({ is_revoked: false, is_shared: true });
    google.account = '110169484474386276334';
    google.intercept = (request, response) => {
      if (!request.url?.startsWith('/revoke')) return false;
      response.writeHead(503).end();
      return true;
    };
    expect(await disconnect()).toEqual({ is_revoked: false, is_shared: false });
    expect(await place.connection()).toBeNull();
  });

  test('ends without a Google client too, and nothing that was read is left', async () => {
    const { app } = place.server;
    const row = { term: 'x', page: '/', hostname: 'example.com', country: 'DE', device: 'desktop' };
    const rows = [{ ...row, clicks: 1, impressions: 1, positions: 1 }];
    const { directory, config, log } = app.services;
    const encryption = await openEncryption(directory, config.SECRET_KEY, NOW);
    const data = openSearchData({ directory, store: app.store, encryption, now: () => NOW, log }, undefined);
    const read = { site_id: place.site.id, day: dayBefore(3), rows, version: NOW, isStored: false };
    await place.connect();
    await app.store.saveSearchDay({ ...read, connection: 'search_any' });
    expect(await data.disconnect(place.site.id)).toBe('waiting');
    expect(await place.connection()).toBeNull();
    expect(await app.store.query('SELECT 1 FROM search_rows', {})).toEqual([]);
    await app.store.saveSearchDay({ ...read, connection: 'search_old' });
    await data.dropLeftovers();
    expect(await app.store.query('SELECT 1 FROM search_rows', {})).toEqual([]);
  });

  test('only a property that the grant can read is chosen', async () => {
    await place.connect();
    const refused = await place.call('searchConsole.choose', { property: 'sc-domain:foreign.example' });
    expect([refused.status, (await place.connection())?.['property']]).toEqual([400, null]);
  });
});

describe('reading', () => {
  let place: Place;
  beforeAll(async () => {
    place = await connectedPlace('embedded');
  });
  afterAll(() => place[Symbol.asyncDispose]());
  beforeEach(async () => {
    place.google.intercept = undefined;
    place.google.asked.length = 0;
    await place.server.app.services.directory.db.updateTable('search_connections').set({ next_at: 0 }).execute();
  });

  const failing: [string, SearchFailure, number, unknown][] = [
    ['429', 'quota', 429, googleError(429, 'RESOURCE_EXHAUSTED', 'rateLimitExceeded')],
    ['403 quotaExceeded', 'quota', 403, googleError(403, 'PERMISSION_DENIED', 'quotaExceeded')],
    ['403 for the property', 'property', 403, googleError(403, 'PERMISSION_DENIED', 'forbidden')],
    ['an API that is not enabled', 'client', 403, googleError(403, 'PERMISSION_DENIED', 'accessNotConfigured')],
    ['500', 'unreachable', 500, googleError(500, 'INTERNAL', 'backendError')],
    ['rows of another shape', 'malformed', 200, { rows: [{ keys: 'no list' }] }],
    ['rows with other keys', 'malformed', 200, { rows: [{ keys: ['a'], clicks: 1, impressions: 1, position: 1 }] }],
  ];
  test.each(failing)('%s is noted as %s, and tried again later', async (_name, failure, status, body) => {
    place.google.intercept = (request, response) => {
      if (!request.url?.endsWith('/query')) return false;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      return true;
    };
    await place.read();
    expect(await place.connection()).toMatchObject({ failure, failed_at: place.server.clock.now });
    const asked = place.google.asked.filter(({ path }) => path.endsWith('/query')).length;
    expect(asked).toBe(1); // no library repeats it
    await place.read();
    expect(place.google.asked.filter(({ path }) => path.endsWith('/query'))).toHaveLength(1);
    place.server.clock.now += failure === 'property' ? DAY_MS : HOUR_MS;
    place.google.intercept = undefined;
    await place.server.app.runJob('read-search-terms');
    expect(await place.connection()).toMatchObject({ failure: null });
  });

  test('a clock that was a week ahead holds up no reading, and a withdrawn grant still waits for people', async () => {
    const { clock, app } = place.server;
    const asked = () => place.google.asked.filter(({ path }) => path.endsWith('/query')).length;
    const { now } = clock;
    clock.now += 7 * DAY_MS;
    await place.read();
    clock.now = now;
    place.google.asked.length = 0;
    await app.runJob('read-search-terms');
    expect(asked()).toBeGreaterThan(0);
    expect(await place.connection()).toMatchObject({ failure: null, read_at: now });
    await place.read();
    const connections = app.services.directory.db.updateTable('search_connections');
    await connections.set({ failure: 'grant', failed_at: now, next_at: now + 365 * DAY_MS }).execute();
    place.google.asked.length = 0;
    await app.runJob('read-search-terms');
    expect(asked()).toBe(0);
    await connections.set({ failure: null, failed_at: null }).execute();
  });

  test('rows that a killed run left are neither read nor kept', async () => {
    const { app } = place.server;
    const { db } = app.services.directory;
    const { id } = await db.selectFrom('search_connections').select('id').executeTakeFirstOrThrow();
    const columns =
      'site_id, connection, day, reading, term, page, hostname, country, device, clicks, impressions, positions';
    await app.store.derive({
      sql: `INSERT INTO search_rows (${columns}) SELECT {site_id:String}, {connection:String}, {day:Date}, 'killed', 'left over', '/', '', '', '', 1, 1, 1`,
      bound: { site_id: place.site.id, connection: id, day: dayBefore(3) },
    });
    place.google.data = [found({})];
    expect(await place.rows()).toEqual([]);
    const pass = { pass_from: dayBefore(1), pass_to: dayBefore(5), next_day: dayBefore(1) };
    await db.updateTable('search_connections').set(pass).execute();
    await app.runJob('read-search-terms');
    const terms = await app.store.query('SELECT DISTINCT term FROM search_rows', {});
    expect(terms).toEqual([{ term: 'shoes' }]);
    expect(await place.rows()).toHaveLength(1);
  });

  test('a run ends only when all of its lanes have ended, also if the store fails in one', async () => {
    const { app } = place.server;
    const { services } = app;
    const { directory } = services;
    const account = { accountId: place.site.account_id };
    const other = await createSite(directory, { ...account, domain: 'lane.example' }, NOW);
    await place.connect(OWNER, other);
    await place.call('searchConsole.choose', { site_id: other.id, property: 'sc-domain:example.com' });
    const due = { pass_from: dayBefore(1), pass_to: dayBefore(1), next_day: dayBefore(1), next_at: 0 };
    await directory.db.updateTable('search_connections').set(due).execute();
    place.google.data = [found({ day: dayBefore(1) })];
    const [broken, slow] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const saved: string[] = [];
    const store = {
      query: app.store.query,
      dropSearches: app.store.dropSearches,
      saveSearchDay: async ({ site_id }: { site_id: string }) => {
        if (site_id === other.id) {
          broken.resolve(undefined);
          throw new Error('the store is full');
        }
        await slow.promise;
        saved.push(site_id);
      },
    };
    const client = googleOf(services.config);
    if (!client) throw new Error('Google is not set up.');
    const google = openGoogle(client);
    const encryption = await openEncryption(directory, services.config.SECRET_KEY, NOW);
    const parts = { directory, store, google, encryption, mail: services.mail, log: services.log };
    let isOver = false;
    const run = readDue(parts, { now: NOW, signal: new AbortController().signal }).finally(() => (isOver = true));
    const ended = expect(run).rejects.toThrow('the store is full');
    await broken.promise;
    await setImmediate();
    expect([isOver, saved]).toEqual([false, []]);
    slow.resolve(undefined);
    await ended;
    expect(saved).toEqual([place.site.id]);
    google.close();
    await directory.db.deleteFrom('search_connections').where('site_id', '=', other.id).execute();
  });

  test('a reading removes no rows of a later one that counts', async () => {
    const { store } = place.server.app;
    const row = { term: 'x', page: '/', hostname: 'example.com', country: 'DE', device: 'desktop' };
    const rows = [{ ...row, clicks: 1, impressions: 1, positions: 1 }];
    const of = { site_id: 'later', connection: 'search_later', day: dayBefore(3), rows };
    await store.saveSearchDay({ ...of, version: 2, isStored: false });
    await store.saveSearchDay({ ...of, version: 1, isStored: true });
    const read = 'SELECT term FROM search_rows WHERE reading IN (SELECT reading FROM search_days FINAL)';
    expect(await store.query(`${read} AND connection = 'search_later'`, {})).toEqual([{ term: 'x' }]);
    await store.dropSearches({ site_id: 'later', except: '' });
  });

  test('rows of a connection that is no longer in force are deleted', async () => {
    const { app } = place.server;
    const row = { term: 'x', page: '/', hostname: 'example.com', country: 'DE', device: 'desktop' };
    const rows = [{ ...row, clicks: 1, impressions: 1, positions: 1 }];
    const day = { day: dayBefore(3), rows, version: NOW, isStored: false };
    await app.store.saveSearchDay({ site_id: place.site.id, connection: 'search_old', ...day });
    await app.runJob('drop-search-terms');
    const left = "SELECT count() AS rows FROM search_rows WHERE connection = 'search_old'";
    const [count] = await app.store.query<{ rows: number | string }>(left, {});
    expect(Number(count?.rows)).toBe(0);
  });

  test('rows go with their site', async () => {
    const { app } = place.server;
    place.google.data = [found({})];
    await place.call('searchConsole.choose', { property: 'sc-domain:example.com' });
    await app.runJob('read-search-terms');
    expect(await place.rows()).toHaveLength(1);
    await app.services.deleteSite(place.site.id);
    expect(await app.store.query('SELECT 1 FROM search_rows UNION ALL SELECT 1 FROM search_days', {})).toEqual([]);
  });
});

describe('the client of Google', () => {
  let google: GoogleServer;
  beforeAll(async () => {
    google = await startGoogle();
    google.grants.add('grant');
  });
  afterAll(() => google[Symbol.asyncDispose]());

  const open = (options: Parameters<typeof openGoogle>[1] = {}): Google => {
    const client = googleOf(readConfig({ DATA_DIR: '/nowhere', ...google.env }));
    if (!client) throw new Error('Google is not set up.');
    return openGoogle(client, options);
  };
  const asked = { property: 'sc-domain:example.com', day: dayBefore(3), dimensions: ['query', 'page'] as const };
  const reasonOf = (work: Promise<unknown>) =>
    work.then(
      () => 'nothing failed',
      (error: unknown) => (error instanceof GoogleFailure ? error.reason : error),
    );

  test('reads all pages of an answer', async () => {
    google.data = Array.from({ length: 250 }, (_, index) => found({ query: `term ${index}`, clicks: index }));
    google.asked.length = 0;
    const rows = await open({ pageRows: 100 }).count('grant', asked);
    expect(new Set(rows.map(({ keys }) => keys[0])).size).toBe(250);
    const starts = google.asked.flatMap(({ body }) => (body['startRow'] === undefined ? [] : [body['startRow']]));
    expect(starts).toEqual([0, 100, 200]);
    expect(google.asked.at(-1)?.body).toMatchObject({ dataState: 'final', type: 'web', rowLimit: 100 });
    google.data = [];
  });

  test('an answer that never ends, one that never comes, and a redirect are given up', async () => {
    google.intercept = (request, response) => {
      if (!request.url?.endsWith('/query')) return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = Buffer.alloc(1024 * 1024, ' ');
      const write = () => {
        while (!response.destroyed && response.write(more));
      };
      response.on('drain', write);
      write();
      return true;
    };
    expect(await reasonOf(open().count('grant', asked))).toBe('malformed');
    google.intercept = (request) => request.url?.endsWith('/query') === true;
    expect(await reasonOf(open({ timeoutMs: 100 }).count('grant', asked))).toBe('unreachable');
    google.intercept = (request, response) => {
      if (!request.url?.endsWith('/query')) return false;
      response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end('{}');
      return true;
    };
    expect(await reasonOf(open().count('grant', asked))).toBe('malformed');
    google.intercept = undefined;
  });

  test('uses the network of the server for outgoing requests, which may be a proxy', async () => {
    const dialled: string[] = [];
    const dial: Network['dial'] = (address, port, signal) => {
      dialled.push(`http://${address}:${port}`);
      return INTERNET.dial(address, port, signal);
    };
    await open({ network: { ...INTERNET, dial } }).properties('grant');
    expect(new Set(dialled)).toEqual(new Set([google.url]));
  });

  test('an access token that ended early is replaced by another one', async () => {
    const client = open();
    google.data = [found({})];
    await client.count('grant', asked);
    google.expire();
    expect(await client.count('grant', asked)).toHaveLength(1);
  });

  test('a withdrawn grant, and a wrong secret of the client, are told apart', async () => {
    expect(await reasonOf(open().count('unknown grant', asked))).toBe('grant');
    const config = readConfig({ DATA_DIR: '/nowhere', ...google.env, GOOGLE_CLIENT_SECRET: 'wrong' });
    const client = googleOf(config);
    expect(client && (await reasonOf(openGoogle(client).count('grant', asked)))).toBe('client');
  });
});

test('the permission at Google goes with the account', async () => {
  await using gone = await openPlace('embedded');
  const { app } = gone.server;
  await gone.connect();
  await app.services.directory.db.updateTable('accounts').set({ deletes_at: NOW }).execute();
  await app.runJob('erase-accounts');
  expect(await app.services.directory.db.selectFrom('accounts').select('id').execute()).toEqual([]);
  expect(gone.google.grants.size).toBe(1);
  await app.runJob('withdraw-grants');
  expect(gone.google.grants.size).toBe(0);
});

test('a country of Google’s is the same country as of ISO 3166-1', () => {
  for (const { alpha2, alpha3, state } of iso31661)
    if (state === 'assigned') expect([alpha3, countryOf(alpha3.toLowerCase())]).toEqual([alpha3, alpha2]);
  expect(countryOf('zzz')).toBe('');
});

test('proposes the property that fits a domain', () => {
  const all = ['http://example.com/', 'https://www.example.com/', 'https://example.com/shop/', 'sc-domain:example.com'];
  expect(proposedProperty('example.com', all)).toBe('sc-domain:example.com');
  expect(proposedProperty('blog.example.com', all)).toBe('sc-domain:example.com');
  expect(proposedProperty('example.com', all.slice(0, 3))).toBe('https://www.example.com/');
  expect(proposedProperty('notexample.com', all)).toBeUndefined();
});
