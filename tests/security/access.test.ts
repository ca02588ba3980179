/** @module-tag attack */
// Tests who may do what through the running server: every procedure for every kind of caller, and forged requests. The table is checked
// against the router's own list of procedures, so that none can be missing.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'devalue';
import { OPERATIONS } from '../../server/api/rest/operations.ts';
import { ARCHIVED } from '../../server/directory/tables.ts';
import { PASSWORD, testApp, type TestApp } from '../setup/app.ts';
import { GRANTED, isLeftOut, makeWorld, RULED, STRANGERS, type Who, type World } from '../setup/accounts/callers.ts';
import { showsRefused } from '../setup/run/harness.ts';
import {
  isMutation,
  type Named,
  PROCEDURE_NAMES,
  PROCEDURES,
  type ProcedureRow,
  SHOWN_IN,
} from '../setup/api/procedures.ts';

let server: TestApp;
let world: World;

beforeAll(async () => {
  server = await testApp({ env: { LOG_LEVEL: 'silent' } });
  world = await makeWorld(server);
});
afterAll(async () => server[Symbol.asyncDispose]());

/** A caller who may rename a site has done so: its public dashboard is asked for by its domain. */
afterEach(async () => {
  for (const { id, domain } of [world.own.site, world.other.site])
    await server.app.services.directory.db.updateTable('sites').set({ domain }).where('id', '=', id).execute();
});

const UNKNOWN: Named = {
  siteId: 'site_0000000000000000',
  keyId: `key_${'0'.repeat(26)}`,
  linkId: `share_${'0'.repeat(26)}`,
  tokenId: `ingest_${'0'.repeat(26)}`,
  goalId: `goal_${'0'.repeat(26)}`,
  funnelId: `funnel_${'0'.repeat(26)}`,
  segmentId: `segment_${'0'.repeat(26)}`,
  noteId: `note_${'0'.repeat(26)}`,
  purgeId: `purge_${'0'.repeat(26)}`,
  importId: `import_${'0'.repeat(26)}`,
  webhookId: `wh_${'0'.repeat(26)}`,
  reportId: `report_${'0'.repeat(26)}`,
  alertId: `alert_${'0'.repeat(26)}`,
  mentionId: `mention_${'0'.repeat(26)}`,
  groupId: `group_${'0'.repeat(26)}`,
};

/** Everything that people create on a site. */
async function directoryText(): Promise<string> {
  const { db } = server.app.services.directory;
  const tables = (Object.keys(ARCHIVED) as (keyof typeof ARCHIVED)[]).filter((name) => ARCHIVED[name] === 'kept');
  const rows = [];
  for (const table of [...tables, 'first_start'] as const)
    rows.push(table, await db.selectFrom(table).selectAll().execute());
  return JSON.stringify(rows);
}

const SHARES: readonly Who[] = [
  'a share link of the site',
  'a share link of another site',
  'anybody, by a public dashboard’s domain',
  'anybody, by the domain of another public dashboard',
  'anybody, by a domain that is not public',
  'a revoked share link',
  'a share link of an account that ended',
  'a paused share link',
  'an expired share link',
  'a share link without its password',
  ...(Object.keys(RULED) as Who[]),
];
const REVOKING = [
  'shares.revoke',
  'sites.ingestToken.revoke',
  'goals.delete',
  'funnels.delete',
  'segments.delete',
  'notes.delete',
  'imports.remove',
  'purges.undo',
  'groups.delete',
  'reports.delete',
  'reports.unsubscribe',
  'reports.resubscribe',
  'alerts.delete',
];
/** Callers who do not belong to the account `own`: the account they belong to, and their role there. */
const ELSEWHERE: Partial<Record<Who, { home: 'other' | 'ended' | 'second'; like?: Who }>> = {
  'a viewer of another site': { home: 'second', like: 'a viewer' },
  'the owner of another account': { home: 'other', like: 'the owner' },
  'a share link of another site': { home: 'other', like: 'a share link of the site' },
  'anybody, by the domain of another public dashboard': { home: 'other', like: 'a share link of the site' },
  'the owner of an account that ended': { home: 'ended', like: 'the owner' },
  'a share link of an account that ended': { home: 'ended' },
};

/** Who sees which site in lists of sites: that of `own`, its second one, that of `other`. */
const LISTED: Partial<Record<Who, boolean[]>> = {
  'a viewer of this site': [true, false, false],
  'a viewer of another site': [false, true, false],
  'the owner of another account': [false, false, true],
};

type Asked = { name: string; row: ProcedureRow };

/** The status of a valid question about a site, by caller and by owner of the site. */
function siteStatus(who: Who, { name, row }: Asked, whose: 'own' | 'other' | 'ended' | 'unknown'): number {
  if (STRANGERS.includes(who)) return 401;
  const { home = 'own', like = who } = ELSEWHERE[who] ?? {};
  if (whose !== home || who === 'a member who left') return 404;
  if (home === 'ended' && !row.evenExpired) return 403;
  return GRANTED[like]?.includes(row.need) && !isLeftOut(who, name) ? (row.status ?? 200) : 403;
}

/** The status of a valid question about the caller's own account. */
function accountStatus(who: Who, row: ProcedureRow): number {
  if (STRANGERS.includes(who) || SHARES.includes(who)) return 401;
  if (who === 'a member who left') return 404;
  const { home, like = who } = ELSEWHERE[who] ?? {};
  if (home === 'ended' && !row.evenExpired) return 403;
  return GRANTED[like]?.includes(row.need) ? (row.status ?? 200) : 403;
}

describe('procedures', () => {
  test('each have a row in the table, and every row has its procedure', () => {
    expect(Object.keys(PROCEDURES).sort()).toEqual([...PROCEDURE_NAMES].sort());
    const forViewers = PROCEDURE_NAMES.filter(
      (name) => PROCEDURES[name]?.need === 'read' && PROCEDURES[name].about === 'site',
    );
    expect(Object.keys(SHOWN_IN).sort()).toEqual(forViewers.sort());
  });

  const aboutSites = PROCEDURE_NAMES.filter((name) => PROCEDURES[name]?.about === 'site');
  const aboutAccounts = PROCEDURE_NAMES.filter((name) => PROCEDURES[name]?.about === 'account');
  test.each(aboutSites)('%s answers about one’s own site, and about others as if they did not exist', async (name) => {
    const row = PROCEDURES[name] as ProcedureRow;
    const before = await directoryText();
    const targets = {
      other: world.other.named,
      ended: world.ended.named,
      unknown: UNKNOWN,
      own: world.own.named,
    } as const;
    showsRefused('access to data of other accounts', Object.keys(world.askers).length * Object.keys(targets).length);
    const bodies = new Map<Who, Record<string, string>>();
    // Refusals come first, and change nothing.
    for (const round of ['refused', 'granted'] as const) {
      for (const who of Object.keys(world.askers) as Who[])
        for (const [whose, named] of Object.entries(targets) as [keyof typeof targets, Named][]) {
          const expected = siteStatus(who, { name, row }, whose);
          const isRefused = [401, 403, 404].includes(expected);
          if (isRefused !== (round === 'refused')) continue;
          const { status, body } = await world.ask(name, row.input(named), world.askers[who].headers);
          const revoked = REVOKING.includes(name) && status === 404; // the first caller who may delete it has done so
          expect([who, whose, revoked ? expected : status]).toEqual([who, whose, expected]);
          if (expected === 404) bodies.set(who, { ...bodies.get(who), [whose]: body });
        }
      if (round === 'refused') expect(await directoryText()).toBe(before);
    }
    for (const [who, texts] of bodies) expect([who, new Set(Object.values(texts)).size]).toEqual([who, 1]);
  });

  test.each(aboutAccounts)('%s answers about one’s own account only', async (name) => {
    showsRefused('access to data of other accounts', Object.keys(world.askers).length);
    const row = PROCEDURES[name] as ProcedureRow;
    const before = await directoryText();
    const everySite = [world.own.site, world.second, world.other.site].map(({ id }) => id);
    for (const round of ['refused', 'granted'] as const) {
      for (const who of Object.keys(world.askers) as Who[]) {
        const expected = accountStatus(who, row);
        const isRefused = [401, 403, 404].includes(expected);
        if (isRefused !== (round === 'refused')) continue;
        const home = who === 'the owner of another account' ? world.other.named : world.own.named;
        const input = name === 'sites.overview' ? { site_ids: everySite } : row.input(home);
        const { status, body } = await world.ask(name, input, world.askers[who].headers);
        const isGone = REVOKING.includes(name) && status === 404; // the first caller who may delete it has done so
        expect([who, isGone ? expected : status]).toEqual([who, expected]);
        if (expected !== 200 || !['sites.list', 'sites.overview'].includes(name)) continue;
        const listed = everySite.map((id) => body.includes(id));
        expect([who, listed]).toEqual([who, LISTED[who] ?? [true, true, false]]);
      }
      if (round === 'refused') expect(await directoryText()).toBe(before);
    }
  });

  test('treat ids of another account as unknown when a request combines them with its own site, and change nothing', async () => {
    const before = await directoryText();
    const { own, other } = world;
    const naming = PROCEDURE_NAMES.filter((name) =>
      /\b(key|share|ingest|goal|funnel|segment|note|wh|report|alert|group|import)_/.test(
        JSON.stringify(PROCEDURES[name]?.input(UNKNOWN)) ?? '',
      ),
    );
    expect(naming.length).toBeGreaterThanOrEqual(9);
    for (const name of naming) {
      const inputOf = (named: Named) => {
        const input = PROCEDURES[name]?.input(named);
        return input && 'site_id' in input ? { ...input, site_id: own.named.siteId } : input;
      };
      const answers = [
        await world.ask(name, inputOf(other.named), own.login.headers),
        await world.ask(name, inputOf(UNKNOWN), own.login.headers),
      ];
      expect([name, ...answers.map(({ status }) => status)]).toEqual([name, 404, 404]);
      expect(answers[0]?.body).toBe(answers[1]?.body);
    }
    expect(await directoryText()).toBe(before);
  });

  test('without a site tell strangers nothing', async () => {
    const opened: Partial<Record<Who, number>> = {
      'a share link of the site': 200,
      'a share link of another site': 200,
      'anybody, by a public dashboard’s domain': 200,
      'anybody, by the domain of another public dashboard': 200,
      'a share link of an account that ended': 403,
      'a paused share link': 403,
      'an expired share link': 403,
      'a share link without its password': 401,
      ...Object.fromEntries(Object.keys(RULED).map((who) => [who, 200])),
    };
    for (const who of Object.keys(world.askers) as Who[]) {
      const { status, body } = await world.ask('session.current', undefined, world.askers[who].headers);
      const isMember = !STRANGERS.includes(who) && !SHARES.includes(who) && who !== 'a member who left';
      expect([who, status, body.includes('@')]).toEqual([who, 200, isMember]);
      const site = await world.ask('shares.site', undefined, world.askers[who].headers);
      expect([who, site.status]).toEqual([who, opened[who] ?? 404]);
    }
    for (const who of Object.keys(world.askers) as Who[]) {
      const row = PROCEDURES['accounts.create'] as ProcedureRow;
      expect([who, (await world.ask('accounts.create', row.input(UNKNOWN), world.askers[who].headers)).status]).toEqual(
        [who, 403],
      );
    }
    for (const name of PROCEDURE_NAMES.filter((one) => PROCEDURES[one]?.need === 'login'))
      for (const who of [...STRANGERS, ...SHARES]) {
        const asked = await world.ask(name, PROCEDURES[name]?.input(UNKNOWN), world.askers[who].headers);
        expect([name, who, asked.status]).toEqual([name, who, 401]);
      }
  });

  test('prefer a share token to a session: a shared page may do only what the link allows', async () => {
    showsRefused('share link that changes something', PROCEDURE_NAMES.filter(isMutation).length);
    const both = { ...world.own.login.headers, ...world.own.share.headers };
    // Procedures that need nothing take neither token nor session into account.
    const needing = PROCEDURE_NAMES.filter((one) => isMutation(one) && PROCEDURES[one]?.need !== 'nothing');
    for (const name of needing) {
      const { status } = await world.ask(name, PROCEDURES[name]?.input(world.own.named), both);
      expect([name, [401, 403].includes(status)]).toEqual([name, true]);
    }
  });
});

describe('outside the dashboard’s procedures', () => {
  test('the CSV export shows a site to those who may see its numbers', async () => {
    const row: ProcedureRow = { about: 'site', need: 'read', evenExpired: true, input: () => undefined };
    showsRefused('access to data of other accounts', Object.keys(world.askers).length);
    for (const who of Object.keys(world.askers) as Who[])
      for (const whose of ['own', 'other'] as const) {
        const address = `/export/${world[whose].site.id}.csv?date_from=2026-11-20&date_to=2026-11-20`;
        const { status } = await fetch(`${server.url}${address}`, { headers: world.askers[who].headers });
        expect([who, whose, status]).toEqual([who, whose, siteStatus(who, { name: 'csv', row }, whose)]);
      }
  });

  test('every operation of the API needs a key: no session and no share link opens it', async () => {
    for (const [path, methods] of Object.entries(OPERATIONS))
      for (const method of Object.keys(methods))
        for (const who of Object.keys(world.askers) as Who[]) {
          const address = `${server.url}${path.replace('{site_id}', world.own.site.id)}`;
          const { status } = await fetch(address, { method, headers: world.askers[who].headers });
          expect([path, method, who, status]).toEqual([path, method, who, 401]);
        }
  });
});

describe('requests that a foreign page forges', () => {
  const FOREIGN = ['https://evil.example', 'null', 'http://127.0.0.1', 'http://127.0.0.1.evil.example', 'file://', ''];
  const routes = () => [
    ...PROCEDURE_NAMES.filter(isMutation).map((name) => ({
      path: `/trpc/${name}`,
      body: JSON.stringify(stringify(PROCEDURES[name]?.input(world.own.named))),
    })),
    { path: '/auth/sign-in/email', body: JSON.stringify({ email: 'owner@own.example', password: PASSWORD }) },
    { path: '/auth/sign-out', body: '{}' },
  ];
  const forge = async ({ path, body }: { path: string; body: string }, headers: Record<string, string>) => {
    const cookie = world.own.login.headers.cookie ?? '';
    const answer = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json', ...headers },
      body,
    });
    return { status: answer.status, cookies: answer.headers.getSetCookie() };
  };

  test('are refused from any origin, and change nothing', async () => {
    showsRefused('CSRF', routes().length * (FOREIGN.length + 1));
    const before = await directoryText();
    for (const route of routes()) {
      for (const origin of FOREIGN)
        expect([route.path, origin, await forge(route, { origin })]).toEqual([
          route.path,
          origin,
          { status: 403, cookies: [] },
        ]);
      expect(await forge(route, { 'sec-fetch-site': 'cross-site' })).toEqual({ status: 403, cookies: [] });
    }
    expect(await directoryText()).toBe(before);
    expect((await world.ask('sites.list', undefined, world.own.login.headers)).status).toBe(200); // still signed in
  });

  test('with a content type that a form can send are refused, even from our own pages', async () => {
    showsRefused('CSRF', (routes().length - 1) * 3);
    const before = await directoryText();
    for (const route of routes().filter(({ path }) => path !== '/auth/sign-out'))
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
        expect([route.path, (await forge(route, { origin: server.url, 'content-type': type })).status]).toEqual([
          route.path,
          415,
        ]);
    expect(await directoryText()).toBe(before);
  });

  test('cannot be sent with GET', async () => {
    showsRefused('CSRF', routes().length);
    for (const { path } of routes()) {
      const answer = await fetch(`${server.url}${path}`, { headers: world.own.login.headers });
      expect([path, answer.status]).toEqual([path, 405]);
    }
  });
});
