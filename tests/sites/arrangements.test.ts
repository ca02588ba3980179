// How dashboards are arranged: a member's own choices over those of the site, and a link's over those of the site.
import { parse } from 'devalue';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../../server/accounts/accounts.ts';
import { arrangeOwn, arrangementIn, ownArrangements } from '../../server/sites/arrangements.ts';
import { createSite } from '../../server/sites/sites.ts';
import { CHAPTER_NAMES, MAX_KEPT_TABS } from '../../server/vocabulary/settings/arrangement.ts';
import { makeWorld, type World } from '../setup/accounts/callers.ts';
import { PASSWORD, type TestApp, testApp } from '../setup/app.ts';
import { NOON } from '../setup/clock.ts';
import { FORMS, testDirectory } from '../setup/directory.ts';

test.each(FORMS)('a change replaces what it names, and null takes it back, in %s', async (form) => {
  await using directory = await testDirectory(form);
  const { account, user } = await createAccount(directory, { email: 'o@example.com', password: PASSWORD }, NOON);
  const { user: other } = await createAccount(directory, { email: 'p@example.com', password: PASSWORD }, NOON);
  const { id: siteId } = await createSite(directory, { accountId: account.id, domain: 'example.com' }, NOON);
  const mine = { siteId, userId: user.id };
  expect(await ownArrangements(directory, mine)).toEqual(new Map());
  expect(await arrangeOwn(directory, mine, { folded: ['ai'], tabs: { pages: 'entry_page' } })).toEqual({
    folded: ['ai'],
    tabs: { pages: 'entry_page' },
  });
  const whole = { order: ['goals' as const], tabs: { pages: 'entry_page' } };
  expect(await arrangeOwn(directory, mine, { folded: null, order: ['goals'] })).toEqual(whole);
  expect(await ownArrangements(directory, mine)).toEqual(new Map([[siteId, whole]]));
  expect(await ownArrangements(directory, { userId: other.id })).toEqual(new Map());
  await directory.db.deleteFrom('users').where('id', '=', user.id).execute();
  expect(await directory.db.selectFrom('arrangements').selectAll().execute()).toEqual([]);
});

test('what a later version has kept is the usual arrangement', () => {
  expect(arrangementIn({ order: ['weather'] })).toEqual({});
  expect(arrangementIn(undefined)).toEqual({});
});

describe('on a running server', () => {
  let server: TestApp;
  let world: World;
  beforeAll(async () => {
    server = await testApp();
    world = await makeWorld(server);
  });
  afterAll(async () => server[Symbol.asyncDispose]());

  async function asked(name: string, input: unknown, headers: Record<string, string>) {
    const { status, body } = await world.ask(name, input, headers);
    const { result } = JSON.parse(body) as { result?: { data?: string } };
    return { status, data: (result?.data === undefined ? undefined : parse(result.data)) as never };
  }
  async function siteOf(headers: Record<string, string>) {
    const { data } = await asked('session.current', undefined, headers);
    return (data as { sites: Record<string, unknown>[] }).sites.find(({ id }) => id === world.own.site.id);
  }

  test('each member sees their own, over that of the site', async () => {
    const { own, askers } = world;
    const [owner, viewer] = [askers['the owner'].headers, askers['a viewer'].headers];
    const site_id = own.site.id;
    const change = { folded: ['mentions'], tabs: { sources: 'channel' } };
    expect(await asked('sites.arrange', { site_id, change }, viewer)).toEqual({ status: 200, data: change });
    const arrangement = { order: ['pages'], hidden: ['ai'] };
    expect((await asked('sites.change', { site_id, arrangement }, viewer)).status).toBe(403);
    expect((await asked('sites.change', { site_id, arrangement }, owner)).status).toBe(200);
    expect(await siteOf(viewer)).toMatchObject({ arrangement, own_arrangement: change });
    const theirs = await siteOf(owner);
    expect(theirs).toMatchObject({ arrangement });
    expect(theirs).not.toHaveProperty('own_arrangement');
  });

  test('a link has its own over that of the site, kept when its theme changes', async () => {
    const { own, askers } = world;
    const { headers } = askers['the owner'];
    const site_id = own.site.id;
    await asked('sites.change', { site_id, arrangement: { order: ['goals'], hidden: ['ai'] } }, headers);
    const { data: made } = await asked(
      'shares.create',
      { site_id, name: 'arranged', looks: { arrangement: { hidden: [], figures: ['visits'] } } },
      headers,
    );
    const { id, token } = made as { id: string; token: string };
    expect((await asked('shares.change', { site_id, id, looks: { theme: 'dark' } }, headers)).status).toBe(200);
    const shared = await asked('shares.site', undefined, { 'x-share-token': token });
    expect(shared.data).toMatchObject({
      arrangement: { order: ['goals'], hidden: [], figures: ['visits'] },
      looks: { theme: 'dark' },
    });
    expect((await asked('sites.arrange', { site_id, change: {} }, { 'x-share-token': token })).status).not.toBe(200);
  });

  test('what is no chapter, no figure or too much is refused', async () => {
    const { own, askers } = world;
    const tabs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`t${at}`, 'x']));
    for (const [change, status] of [
      [{ order: ['weather'] }, 400],
      [{ order: [...CHAPTER_NAMES, 'ai'] }, 400],
      [{ figures: ['weather'] }, 400],
      [{ tabs: tabs(MAX_KEPT_TABS + 1) }, 400],
      [{ tabs: { pages: 'x'.repeat(5_000) } }, 400],
      [{ colours: [] }, 400],
      [{ tabs: tabs(MAX_KEPT_TABS) }, 200],
    ] as const)
      expect(
        (await asked('sites.arrange', { site_id: own.site.id, change }, askers['an admin'].headers)).status,
        JSON.stringify(change),
      ).toBe(status);
  });
});
