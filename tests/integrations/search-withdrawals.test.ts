// What becomes of a permission at Google once no site uses it: it is withdrawn, whatever ended the connection and whatever is killed or down,
// and no other site loses its own.
import { describe, expect, test } from 'vitest';
import { createAccount } from '../../server/accounts/accounts.ts';
import { beginConnecting } from '../../server/integrations/search-console/withdrawals.ts';
import { createSite, deleteSite, type Site } from '../../server/sites/sites.ts';
import { acceptSite, offerSite } from '../../server/sites/transfers.ts';
import { DAY_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { PASSWORD } from '../setup/app.ts';
import { NOON } from '../setup/clock.ts';
import { FORMS, type Form, testDirectory } from '../setup/directory.ts';
import { startGoogle } from '../setup/internet/google.ts';
import { outcome } from '../setup/outcome.ts';
import { type Point, startStopped } from '../setup/processes/stopping.ts';
import { openWithdrawing } from '../setup/processes/withdrawing.ts';

const OTHER_ACCOUNT = '220169484474386276334';

/** Two sites of an account, and a Google. */
async function openPlace(form: Form) {
  await using stack = new AsyncDisposableStack();
  const google = stack.use(await startGoogle());
  const directory = stack.use(await testDirectory(form));
  const clock = { now: NOON };
  const searching = await openWithdrawing(directory, google.env, () => clock.now);
  stack.defer(() => searching.console.close());
  const { account, user } = await createAccount(
    directory,
    { email: 'ada@example.com', password: PASSWORD, status: 'active' },
    NOON,
  );
  const addSite = (domain: string) => createSite(directory, { accountId: account.id, domain }, NOON);
  const [one, two] = [await addSite('one.example'), await addSite('two.example')];
  const kept = stack.move();
  return {
    google,
    directory,
    clock,
    user,
    one,
    two,
    addSite,
    disconnect: searching.disconnect,
    withdrawDue: searching.withdrawDue,
    connect: (site: Site) => searching.connect(site, user.id),
    isConnected: async ({ id }: Site) => {
      const rows = directory.db.selectFrom('search_connections').select('site_id').where('site_id', '=', id);
      return (await rows.executeTakeFirst()) !== undefined;
    },
    waiting: async () =>
      (await directory.db.selectFrom('search_withdrawals').selectAll().execute()).map(({ due_at }) => due_at),
    /** How often Google was asked to withdraw a permission. */
    asked: () => google.asked.filter(({ path }) => path === 'POST /revoke').length,
    isDown: (isDown: boolean) => {
      google.intercept = isDown ? (_request, response) => Boolean(response.writeHead(503).end()) : undefined;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
type Place = Awaited<ReturnType<typeof openPlace>>;

async function moveSite({ directory, user, one }: Place): Promise<void> {
  const email = 'bob@example.com';
  const { account, user: bob } = await createAccount(directory, { email, password: PASSWORD, status: 'active' }, NOON);
  const offered = { siteId: one.id, accountId: one.account_id, by: user.id };
  const { token } = await offerSite(directory, { ...offered, email, notify: () => Promise.resolve() }, NOON);
  const limits = { maxSites: 3, billing: 'on', now: NOON } as const;
  await acceptSite(directory, { token, email, userId: bob.id, accountId: account.id }, limits);
}

/** What ends the connection of the first site without asking Google at once. */
const ENDS: Record<string, (place: Place) => Promise<unknown>> = {
  'is deleted': ({ directory, one }) => deleteSite(directory, { siteId: one.id }, NOON),
  'moves to another account': moveSite,
  'is connected with another Google account': ({ google, connect, one }) => {
    google.account = OTHER_ACCOUNT;
    return connect(one);
  },
};

describe.each(FORMS)('in %s', (form) => {
  test.each(Object.keys(ENDS))('a site that %s gives up its permission at Google, and no other’s', async (name) => {
    await using place = await openPlace(form);
    const { google, one, two, connect, withdrawDue } = place;
    await connect(one);
    await connect(two); // the same Google account
    const [first = '', second = ''] = google.grants;
    await ENDS[name]?.(place);
    await withdrawDue();
    expect([place.asked(), google.grants.has(second), await place.waiting()]).toEqual([0, true, []]);
    expect(await place.disconnect(two.id)).toBe('withdrawn');
    expect([place.asked(), google.grants.has(first), google.grants.has(second)]).toEqual([1, false, false]);
    expect(google.grants.size).toBe(name.startsWith('is connected') ? 1 : 0);
  });

  test.each(Object.keys(ENDS))('the permission of the last site that %s is withdrawn', async (name) => {
    await using place = await openPlace(form);
    await place.connect(place.one);
    const [grant = ''] = place.google.grants;
    await ENDS[name]?.(place);
    expect(place.google.grants.has(grant)).toBe(true);
    await place.withdrawDue();
    expect([place.google.grants.has(grant), place.asked(), await place.waiting()]).toEqual([false, 1, []]);
  });

  test('sites that are disconnected at the same moment do not all leave it to the others', async () => {
    await using place = await openPlace(form);
    const sites = [place.one, place.two, await place.addSite('three.example')];
    for (const [index, site] of sites.entries()) {
      place.google.account = index === 0 ? null : OTHER_ACCOUNT; // it may be the same one
      await place.connect(site);
    }
    const ended = await Promise.all(sites.map(({ id }) => place.disconnect(id)));
    expect(ended).toContain('withdrawn');
    expect([ended.includes(undefined), await place.waiting()]).toEqual([false, []]);
  });

  test('a site that connects while another one is disconnected keeps its permission', async () => {
    await using place = await openPlace(form);
    const { clock, google, one, two, connect, disconnect, withdrawDue } = place;
    await connect(one);
    const [made, sent] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    google.sendingToken = () => {
      made.resolve(undefined);
      return sent.promise;
    };
    const connecting = connect(two);
    await made.promise;
    expect(await disconnect(one.id)).toBe('waiting');
    sent.resolve(undefined);
    await connecting;
    google.sendingToken = undefined;
    clock.now += MINUTE_MS;
    await withdrawDue();
    expect([place.asked(), google.grants.size, await place.waiting()]).toEqual([0, 2, []]);
    expect([await disconnect(two.id), google.grants.size]).toEqual(['withdrawn', 0]);
  });

  test('a site that connects while Google is asked to withdraw a permission gets none that ends at once', async () => {
    await using place = await openPlace(form);
    const { google, one, two, connect, disconnect } = place;
    const other = await place.addSite('three.example');
    await connect(one);
    const [asked, answered] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    google.intercept = async ({ url }) => {
      if (!url?.startsWith('/revoke')) return false;
      asked.resolve(undefined);
      await answered.promise;
      return false;
    };
    const disconnecting = disconnect(one.id);
    await asked.promise;
    await expect(connect(two)).rejects.toMatchObject({ reason: 'unreachable' });
    google.account = OTHER_ACCOUNT;
    await connect(other); // has nothing to do with it
    answered.resolve(undefined);
    expect([await disconnecting, await place.isConnected(two), google.grants.size]).toEqual(['withdrawn', false, 1]);
    await connect(two);
    await place.withdrawDue();
    expect([await place.isConnected(two), await place.isConnected(other), google.grants.size]).toEqual([true, true, 2]);
  });

  test('a connection that a killed process had begun holds up withdrawals for five minutes', async () => {
    await using place = await openPlace(form);
    const { clock, directory, one, connect, disconnect, withdrawDue } = place;
    await connect(one);
    const left = await beginConnecting(directory.db, clock.now);
    expect(await disconnect(one.id)).toBe('waiting');
    clock.now += 5 * MINUTE_MS - 1;
    await withdrawDue();
    expect(place.asked()).toBe(0);
    clock.now += 5 * MINUTE_MS;
    await withdrawDue();
    expect([place.asked(), place.google.grants.size]).toEqual([1, 0]);
    expect(await left.end(directory.db)).toBe(false); // if it was only slow, it saves nothing
  });

  test('a Google that is down is asked again after pauses, and for seven days at most', async () => {
    await using place = await openPlace(form);
    const { clock, one, two, withdrawDue } = place;
    await place.connect(one);
    place.isDown(true);
    expect(await place.disconnect(one.id)).toBe('waiting');
    expect([place.asked(), await place.waiting()]).toEqual([1, [NOON + MINUTE_MS]]);
    await withdrawDue();
    expect(place.asked()).toBe(1);
    clock.now += MINUTE_MS;
    await withdrawDue();
    expect([place.asked(), await place.waiting()]).toEqual([2, [clock.now + 5 * MINUTE_MS]]);
    clock.now += 5 * MINUTE_MS;
    place.isDown(false);
    await withdrawDue();
    expect([place.asked(), await place.waiting(), place.google.grants.size]).toEqual([3, [], 0]);

    await place.connect(two);
    place.isDown(true);
    await place.disconnect(two.id);
    clock.now += 7 * DAY_MS;
    await withdrawDue();
    expect(await place.waiting()).toHaveLength(1);
    clock.now += 1;
    await withdrawDue();
    expect([place.asked(), await place.waiting()]).toEqual([5, []]);
  });

  test('a permission that its owner has withdrawn at Google is not asked for again', async () => {
    await using place = await openPlace(form);
    await place.connect(place.one);
    place.google.withdraw();
    expect(await place.disconnect(place.one.id)).toBe('withdrawn');
    expect(await place.waiting()).toEqual([]);
  });

  test('a permission for a site that has left the account meanwhile is not kept', async () => {
    await using place = await openPlace(form);
    const { one, google } = place;
    expect(await outcome(place.connect({ ...one, account_id: 'account_other' }))).toContain('not_found');
    expect([await place.isConnected(one), google.grants.size]).toEqual([false, 1]);
    await place.withdrawDue();
    expect(google.grants.size).toBe(0);
  });
});

/** Where a process is killed that deletes a site and withdraws its permission. `isTaken`: Google was asked before. */
const POINTS: Record<string, { point: Point; isDeleted: boolean; isTaken: boolean }> = {
  'before the withdrawal is noted': { point: ['insert', 'search_withdrawals', 1], isDeleted: false, isTaken: false },
  'before the site is gone': { point: ['insert', 'deletions', 1], isDeleted: false, isTaken: false },
  'before Google is asked': { point: ['update', 'search_withdrawals', 1], isDeleted: true, isTaken: false },
  // The job's first deletion is of those that were tried for too long.
  'after Google was asked': { point: ['delete', 'search_withdrawals', 2], isDeleted: true, isTaken: true },
};
const CASES = FORMS.flatMap((form) => Object.keys(POINTS).map((name) => [name, form] as const));

test.each(CASES)('a process that is killed %s withdraws everything in the end, in %s', async (name, form) => {
  const { point, isDeleted, isTaken } = POINTS[name] ?? {};
  await using place = await openPlace(form);
  const { clock, directory, google, one } = place;
  await place.connect(one);
  const { path, databaseUrl } = directory.place;
  const input = { place: { path, databaseUrl }, env: google.env, siteId: one.id, now: clock.now, point };
  await using other = await startStopped('withdrawing.ts', input);
  expect(other.isStopped).toBe(true);
  await other.kill();
  expect([await place.isConnected(one), (await place.waiting()).length]).toEqual(isDeleted ? [false, 1] : [true, 0]);
  expect([place.asked(), google.grants.size]).toEqual(isTaken ? [1, 0] : [0, 1]);
  if (!isDeleted) await deleteSite(directory, { siteId: one.id }, clock.now);
  await place.withdrawDue();
  clock.now += 5 * MINUTE_MS; // the claim of the process that was killed is over
  await place.withdrawDue();
  expect([await place.waiting(), google.grants.size]).toEqual([[], 0]);
});
