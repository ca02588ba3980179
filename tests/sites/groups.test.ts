// Groups of sites: who makes and sees them, what becomes of their sites, and their numbers against a slow count of the sites' rows, on the
// page, in the API and in reports.
import { parse } from 'devalue';
import { describe, expect, test } from 'vitest';
import { createAccount } from '../../server/accounts/accounts.ts';
import { addMember } from '../../server/accounts/people/people.ts';
import type { SiteId, VisitedEvent } from '../../server/vocabulary/event.ts';
import { shownName } from '../../server/messages/mail/names.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { memberOf } from '../../server/sites/access.ts';
import {
  changeGroup,
  createGroup,
  deleteGroup,
  findGroup,
  groupContent,
  listGroups,
} from '../../server/sites/groups.ts';
import { createSite, deleteSite } from '../../server/sites/sites.ts';
import { acceptSite, offerSite } from '../../server/sites/transfers.ts';
import type { GroupNumbers } from '../../server/stats/answers/group.ts';
import { GROUP_METRICS, GROUP_PERIODS, MAX_GROUP_SITES, MAX_GROUPS } from '../../server/vocabulary/settings/groups.ts';
import type { Interval } from '../../server/vocabulary/time/intervals.ts';
import { COMPARISON_NAMES, NAMED_COMPARISONS } from '../../server/vocabulary/time/periods.ts';
import { DAY_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { PASSWORD, type TestApp, testApp } from '../setup/app.ts';
import { makeAsk } from '../setup/accounts/callers.ts';
import { FORMS, testDirectory, type TestDirectory } from '../setup/directory.ts';
import { makeEvent } from '../setup/event.ts';
import { openRandom } from '../setup/api/hostile-input.ts';
import { outcome } from '../setup/outcome.ts';
import { openReceivers } from '../setup/internet/receiver.ts';
import { content, FROM } from '../setup/notifications/reports.ts';
import { keyFor, restOf } from '../setup/api/rest.ts';
import { startSmtp } from '../setup/internet/smtp.ts';

type GroupPeriod = (typeof GROUP_PERIODS)[number];

const NOW = Date.UTC(2026, 10, 23, 7);
const LIMITS = { maxSites: 1_000, billing: 'off' as const };

async function openPlace(directory: TestDirectory) {
  const make = async (name: string) => {
    const email = `${name}@example.com`;
    const { account, user } = await createAccount(directory, { email, password: PASSWORD, status: 'active' }, NOW);
    return { accountId: account.id, userId: user.id, email };
  };
  const [ada, bob, eve] = [await make('ada'), await make('bob'), await make('eve')];
  const sites = [];
  for (const domain of ['a.example', 'b.example', 'c.example'])
    sites.push(await createSite(directory, { accountId: ada.accountId, domain }, NOW));
  const ids = sites.map(({ id }) => id);
  const as = async ({ userId }: { userId: string }, accountId = ada.accountId) => {
    const member = await memberOf(directory, { kind: 'user', userId }, accountId);
    if (!member) throw new Error('is no member');
    return member;
  };
  let made = 0;
  const create = async (name: string, site_ids: string[]) => {
    made += 1; // groups are listed by the time at which they were made
    return createGroup(
      directory,
      { member: await as(ada), content: groupContent.parse({ name, site_ids }) },
      NOW + made,
    );
  };
  const seenBy = async (who: { userId: string }) =>
    (await listGroups(directory, await as(who))).map(({ name, sites: seen }) => [
      name,
      seen.map(({ domain }) => domain),
    ]);
  return { ada, bob, eve, ids, as, create, seenBy };
}

describe.each(FORMS)('groups of sites in %s', (form) => {
  test('are named and ordered, limited, and shown to members with the sites that they may see', async () => {
    await using directory = await testDirectory(form);
    const { ada, bob, ids, as, create, seenBy } = await openPlace(directory);
    const [a, b, c] = ids as [SiteId, SiteId, SiteId];
    for (const site_ids of [
      [a],
      [],
      [a, a],
      Array.from({ length: MAX_GROUP_SITES + 1 }, (_, index) => `site_${index}`),
    ])
      expect(groupContent.safeParse({ name: 'x', site_ids }).success).toBe(false);
    const shops = await create('Shops', [c, a]);
    expect(await outcome(create('Shops', [a, b]))).toBe(
      'bad_request: name: this account already has a group with that name.',
    );
    expect(await outcome(create('\u0000', [a, b]))).toContain('bad_request: The name must have');
    const foreign = await createSite(directory, { accountId: bob.accountId, domain: 'bob.example' }, NOW);
    expect(await outcome(create('Others', [a, foreign.id]))).toContain('not_found');
    await create('Rest', [b, c]);
    expect(await seenBy(ada)).toEqual([
      ['Shops', ['c.example', 'a.example']],
      ['Rest', ['b.example', 'c.example']],
    ]);

    await addMember(
      directory.db,
      { accountId: ada.accountId, userId: bob.userId, place: { role: 'viewer', siteIds: [a] } },
      NOW,
    );
    expect(await seenBy(bob)).toEqual([['Shops', ['a.example']]]);
    const rest = (await listGroups(directory, await as(ada)))[1];
    expect(await outcome(findGroup(directory, await as(bob), rest?.id ?? ''))).toBe(
      'not_found: There is no such group of sites.',
    );
    expect(await outcome(findGroup(directory, await as(bob, bob.accountId), shops.id))).toContain('not_found');

    const member = await as(ada);
    await changeGroup(directory, { group: shops, member, content: { name: 'All', site_ids: [b, a, c] } });
    const clash = changeGroup(directory, { group: shops, member, content: { name: 'Rest', site_ids: [a, b] } });
    expect(await outcome(clash)).toContain('already has a group');
    expect((await seenBy(ada))[0]).toEqual(['All', ['b.example', 'a.example', 'c.example']]);
    for (let count = 2; count < MAX_GROUPS; count += 1) await create(`Group ${count}`, [a, b]);
    expect(await outcome(create('One more', [a, b]))).toContain('An account can have 50 groups');
    await deleteGroup(directory, shops, NOW);
    expect(
      await outcome(changeGroup(directory, { group: shops, member, content: { name: 'x', site_ids: [a, b] } })),
    ).toBe('not_found: There is no such group of sites.');
  });

  test('lose sites that are deleted or move to another account, and stay without any', async () => {
    await using directory = await testDirectory(form);
    const { ada, eve, ids, create, seenBy } = await openPlace(directory);
    const [a, b] = ids as [SiteId, SiteId];
    await create('Shops', [a, b]);
    await addMember(
      directory.db,
      { accountId: ada.accountId, userId: eve.userId, place: { role: 'viewer', siteIds: [a, b] } },
      NOW,
    );
    await deleteSite(directory, { siteId: a }, NOW);
    expect(await seenBy(eve)).toEqual([['Shops', ['b.example']]]);
    const offer = { siteId: b, accountId: ada.accountId, by: ada.userId, email: eve.email };
    const { token } = await offerSite(directory, { ...offer, notify: () => Promise.resolve() }, NOW);
    await acceptSite(
      directory,
      { token, userId: eve.userId, email: eve.email, accountId: eve.accountId },
      { ...LIMITS, now: NOW },
    );
    expect(await seenBy(ada)).toEqual([['Shops', []]]);
    expect(await seenBy(eve)).toEqual([]); // she sees nothing of it
    expect(await directory.db.selectFrom('group_sites').selectAll().execute()).toEqual([]);
  });
});

const ZONES = [null, 'Pacific/Kiritimati', 'America/Los_Angeles'] as const; // UTC, +14 and -8
const CALENDARS = new Map(ZONES.map((zone) => [zone, new Intl.DateTimeFormat('sv-SE', { timeZone: zone ?? 'UTC' })]));
const shownIn = (zone: (typeof ZONES)[number], time: number) => CALENDARS.get(zone)?.format(time) ?? '';
const plus = (day: string, days: number) => new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

/** 75 days of three sites whose clocks are 22 hours apart, one of them with a new source in the last week. */
async function openWorld(options: Parameters<typeof testApp>[0] = {}) {
  const server = await testApp({ now: NOW, ...options });
  const { directory } = server.app.services;
  const first = await server.addSite('a.example');
  const sites: { id: SiteId; domain: string; zone: (typeof ZONES)[number] }[] = [
    { id: first.id, domain: 'a.example', zone: null },
  ];
  for (const [index, zone] of ZONES.entries()) {
    if (index === 0 || zone === null) continue;
    const domain = `${'abc'[index]}.example`;
    const { id } = await createSite(directory, { accountId: first.account_id, domain, timezone: zone }, NOW);
    sites.push({ id, domain, zone });
  }
  const random = openRandom(41);
  const rows: (VisitedEvent & { shown: string })[] = [];
  const visits = openVisits(server.app.store);
  for (const [index, { id, zone }] of sites.entries()) {
    const drawn = Array.from({ length: 420 * (index + 1) }, () => NOW - random.number(75 * DAY_MS)).flatMap((start) => {
      const who = random.number(60);
      let time = start;
      return Array.from({ length: 1 + random.number(4) }, () => {
        time = Math.min(NOW, time + random.number(40 * MINUTE_MS));
        const day = shownIn(zone, time);
        const source = index === 1 && time > NOW - 5 * DAY_MS ? 'Hacker News' : 'Google';
        const name = random.pick(['pageview', 'pageview', 'signup']);
        return makeEvent({
          site_id: id,
          visitor: `${index}${who}-${day.slice(5).replace('-', '')}`,
          time,
          day: zone === null ? '' : day,
          source,
          name,
        });
      });
    });
    for (const event of drawn.sort((one, other) => one.time - other.time)) {
      const row = visits.assign(event, event.time);
      if (row) rows.push({ ...row, shown: shownIn(zone, row.time) });
    }
  }
  await server.app.store.insert({ events: rows.map(({ shown: _, ...row }) => row), ai_visits: [] }, 'all');
  const cookie = await server.logIn('owner@a.example');
  const ask = makeAsk(server);
  const call = async <Answer>(name: string, input: object): Promise<Answer> => {
    const { status, body } = await ask(name, { site_id: first.id, ...input }, { cookie });
    if (status !== 200) throw new Error(body);
    return parse((JSON.parse(body) as { result: { data: string } }).result.data) as Answer;
  };
  const callGroup = async <Answer>(name: string, input: object): Promise<Answer> => {
    const { status, body } = await ask(name, input, { cookie });
    if (status !== 200) throw new Error(body);
    return parse((JSON.parse(body) as { result: { data: string } }).result.data) as Answer;
  };
  const { id: group } = await callGroup<{ id: string }>('groups.create', {
    name: 'Shops & “others”',
    site_ids: sites.map(({ id }) => id).reverse(),
  });
  return { server, sites, rows, site: first, group, call, callGroup };
}

type World = Awaited<ReturnType<typeof openWorld>>;
type Days = { from: string; to: string };

/** Visitors, visits and page views of a site on its days, from lists in memory. */
function slowCount({ rows }: Pick<World, 'rows'>, siteId: string, { from, to }: Days, until = Infinity) {
  const own = rows.filter(
    ({ site_id, shown, time }) => site_id === siteId && shown >= from && shown <= to && time < until,
  );
  return {
    unique_visitors: new Set(own.map(({ shown, visitor_id }) => `${shown} ${visitor_id}`)).size,
    visits: new Set(own.map((row) => row.visit_id)).size,
    pageviews: own.filter(({ name }) => name === 'pageview').length,
  };
}

const added = (all: ReturnType<typeof slowCount>[]) =>
  Object.fromEntries(GROUP_METRICS.map((name) => [name, all.reduce((sum, one) => sum + one[name], 0)]));

/** The days of a period by the calendar of a zone. */
function daysOf(period: GroupPeriod, zone: (typeof ZONES)[number]): Days {
  const today = shownIn(zone, NOW);
  const lasting = (days: number) => ({ from: plus(today, -days), to: plus(today, -1) });
  switch (period) {
    case 'today':
      return { from: today, to: today };
    case 'yesterday':
      return lasting(1);
    case '7d':
      return lasting(7);
    case '30d':
      return lasting(30);
    case '91d':
      return lasting(91);
    case 'month':
      return { from: `${today.slice(0, 7)}-01`, to: today };
    case 'last_month':
      return { from: '2026-10-01', to: '2026-10-31' };
    case 'year':
      return { from: '2026-01-01', to: today };
    case '12mo':
      return { from: '2025-11-01', to: '2026-10-31' };
    case 'custom':
      return { from: '2026-11-03', to: '2026-11-09' };
  }
}

async function runJobs(server: TestApp, now: number) {
  server.clock.now = now;
  for (const job of ['send-reports', 'send-mail', 'send-webhooks']) await server.app.runJob(job);
}

test('the numbers of a group are those of its sites added up, on the page, over days, and in the API', async () => {
  const world = await openWorld();
  await using server = world.server;
  const { sites, group, callGroup } = world;
  const custom = { date_from: '2026-11-03', date_to: '2026-11-09' };
  let isSummed = false;
  const check = async (period: GroupPeriod, interval?: Interval) => {
    const asked = {
      id: group,
      period,
      ...(period === 'custom' && custom),
      ...(interval && { interval }),
      compare: 'none',
    };
    const numbers = await callGroup<GroupNumbers>('groups.numbers', asked);
    const slow = sites.map(({ id, zone }) => ({ id, ...slowCount(world, id, daysOf(period, zone)) }));
    const label = `${period} ${interval} ${isSummed}`;
    expect([label, numbers.totals]).toEqual([label, added(slow)]);
    expect([label, numbers.sites]).toEqual([
      label,
      slow.toReversed().map(({ id, ...totals }) => ({ site_id: id, totals, previous: null })),
    ]);
    for (const name of GROUP_METRICS)
      expect([label, numbers.points.reduce((sum, point) => sum + (point[name] ?? NaN), 0)]).toEqual([
        label,
        numbers.totals[name],
      ]);
    if (numbers.interval !== 'day') return;
    // Each day on its own: what any of the sites calls that day.
    for (const { time, ...counts } of numbers.points) {
      const day = new Date(time).toISOString().slice(0, 10);
      const own = sites.map(({ id, zone }) => {
        const { from, to } = daysOf(period, zone);
        return slowCount(world, id, day >= from && day <= to ? { from: day, to: day } : { from: 'x', to: 'x' });
      });
      expect([label, day, counts]).toEqual([label, day, added(own)]);
    }
  };
  for (const period of GROUP_PERIODS) await check(period);
  await server.app.runJob('sum-days'); // closed days are now read from their sums
  isSummed = true;
  for (const interval of ['day', 'week', 'month'] as const) await check('91d', interval);
  for (const period of GROUP_PERIODS) await check(period);

  // Each site is compared by its own days, and an unfinished day with the same hours of the other one.
  for (const compare of NAMED_COMPARISONS.filter((name) => name !== 'none')) {
    const numbers = await callGroup<GroupNumbers>('groups.numbers', { id: group, period: '7d', compare });
    const back = compare === 'year' ? 365 : 7;
    const before = sites.map(({ id, zone }) => {
      const { from, to } = daysOf('7d', zone);
      return slowCount(world, id, { from: plus(from, -back), to: plus(to, -back) });
    });
    expect([compare, numbers.previous]).toEqual([compare, added(before)]);
    expect(numbers.sites.map(({ previous }) => previous)).toEqual(before.toReversed());
    expect(numbers.previous_points?.reduce((sum, { visits }) => sum + (visits ?? NaN), 0)).toBe(
      numbers.previous?.visits,
    );
  }
  expect(COMPARISON_NAMES).toContain('custom');
  const compared = { compare: 'custom', compare_from: '2026-10-06', compare_to: '2026-10-12' };
  const own = await callGroup<GroupNumbers>('groups.numbers', { id: group, period: 'custom', ...custom, ...compared });
  const during = { from: '2026-10-06', to: '2026-10-12' };
  expect(own.previous).toEqual(added(sites.map(({ id }) => slowCount(world, id, during))));
  const today = await callGroup<GroupNumbers>('groups.numbers', { id: group, period: 'today', compare: 'previous' });
  const yesterday = sites.map(({ id, zone }) => {
    const day = daysOf('yesterday', zone);
    return slowCount(world, id, day, NOW - DAY_MS);
  });
  expect(today.previous).toEqual(added(yesterday));

  // Days up to that of the site that is ahead can be asked for, and no filter or moving period.
  const wrong = (input: object) => callGroup('groups.numbers', { id: group, ...input });
  await wrong({ period: 'custom', date_from: '2026-11-20', date_to: shownIn('Pacific/Kiritimati', NOW) });
  await expect(wrong({ period: 'custom', date_from: '2026-11-20', date_to: '2026-11-24' })).rejects.toThrow(
    /date_to: must be today/,
  );
  for (const input of [
    { period: '24h' },
    { period: 'all' },
    { filters: [] },
    { interval: 'hour' },
    { interval: 'minute' },
  ])
    await expect(wrong(input)).rejects.toThrow(/BAD_REQUEST/);

  const rest = await restOf(server, await keyFor(server, world.site));
  const listed = (await rest.ask('/v1/groups')).body as { data: { id: string; site_ids: string[] }[]; meta: object };
  expect(listed.data).toMatchObject([
    { id: group, name: 'Shops & “others”', site_ids: sites.map(({ id }) => id).reverse() },
  ]);
  const inUtc = { rows: world.rows.map((row) => ({ ...row, shown: shownIn(null, row.time) })) };
  for (const timezone of ['UTC', 'site'] as const) {
    const zoneOf = (zone: (typeof ZONES)[number]) => (timezone === 'site' ? zone : null);
    const query = `?period=7d&timezone=${timezone}`;
    const answer = (await rest.ask(`/v1/groups/${group}/stats${query}`)).body as { data: Record<string, unknown> };
    const slow = sites.map(({ id, zone, domain }) => ({
      site_id: id,
      domain,
      ...slowCount(timezone === 'site' ? world : inUtc, id, daysOf('7d', zoneOf(zone))),
    }));
    expect(answer.data).toEqual({ ...added(slow), sites: slow.toReversed() });
    const series = (await rest.ask(`/v1/groups/${group}/timeseries${query}&interval=day`)).body as {
      data: { date: string; visits: number }[];
    };
    expect(series.data.map(({ date }) => date)).toEqual(series.data.map(({ date }) => date).toSorted());
    expect(series.data.reduce((sum, { visits }) => sum + visits, 0)).toBe(answer.data['visits']);
  }
  const other = await server.addSite('other.example');
  const stranger = await restOf(server, await keyFor(server, other));
  expect(await stranger.refused(`/v1/groups/${group}/stats`)).toMatchObject({
    status: 404,
    message: 'There is no such group of sites.',
  });
  expect(((await stranger.ask('/v1/groups')).body as { data: [] }).data).toEqual([]);
});

test('a report of a group has the numbers of the page that it links to, and says when its sites or the group are gone', async () => {
  await using smtp = await startSmtp();
  await using receivers = await openReceivers((_received, response) => response.writeHead(204).end());
  const world = await openWorld({ network: receivers.network, env: { SMTP_URL: smtp.url, ...FROM } });
  await using server = world.server;
  const { sites, group, site, call, callGroup } = world;
  const { directory, webhooks } = server.app.services;
  const made = {
    accountId: site.account_id,
    name: 'Team',
    format: 'standard',
    url: 'https://ok.hooks.example/x',
  } as const;
  const hook = await webhooks.create(made);
  const ofGroup = { of: 'group', group, recipients: ['guest@example.org'], webhooks: [hook.id], name: 'Shops' };
  const filters = [{ dimension: 'country', operator: 'is', values: ['DE'] }];
  await expect(call('reports.create', { content: content({ of: 'group' }) })).rejects.toThrow(
    /goes with a report of a group/,
  );
  await expect(call('reports.create', { content: content({ group }) })).rejects.toThrow(
    /goes with a report of a group/,
  );
  const unknown = { of: 'group', group: `group_${'0'.repeat(26)}` };
  await expect(call('reports.create', { content: content(unknown) })).rejects.toThrow(/no such group/);
  // Filters and other metrics do not apply to a group.
  const viewed = { filters, metric: 'bounce_rate' };
  await call('reports.create', { content: content({ ...ofGroup, timezone: 'UTC', hour: 20, viewed }) });
  const { reports } = await call<{ reports: object[] }>('reports.list', {});
  const named = { id: group, name: 'Shops & “others”' };
  expect(reports).toMatchObject([{ of: 'group', group: named, viewed: { filters: [], metric: 'unique_visitors' } }]);

  await runJobs(server, NOW + 13 * 60 * MINUTE_MS); // Monday, 20:00: the week is over everywhere
  const [mail] = smtp.mails;
  const query = new URLSearchParams(/\/\?(group=\S+)/.exec(mail?.text ?? '')?.[1] ?? '');
  expect([...query]).toEqual([
    ['group', group],
    ['period', 'custom'],
    ['date_from', '2026-11-16'],
    ['date_to', '2026-11-22'],
  ]);
  const asked = { id: group, period: 'custom', date_from: '2026-11-16', date_to: '2026-11-22', compare: 'previous' };
  const numbers = await callGroup<GroupNumbers>('groups.numbers', asked);
  const { totals, previous } = numbers;
  expect(totals.unique_visitors).toBeGreaterThan(50);
  expect(mail?.text).toContain(
    `Unique visitors: ${totals.unique_visitors} on the 3 sites of “Shops & “others”” in the week of`,
  );
  for (const [name, label] of [
    ['visits', 'Visits'],
    ['pageviews', 'Page views'],
  ] as const)
    expect(mail?.text).toContain(`  ${label}: ${totals[name]} (`);
  for (const { site_id, totals: own } of numbers.sites)
    expect(mail?.text).toContain(
      `  ${shownName(sites.find(({ id }) => id === site_id)?.domain ?? '')}: ${own.unique_visitors}`,
    );
  expect(mail?.text).toMatch(
    /New sources, not seen on that site in the 8 weeks before\n {2}Hacker News, b\.\u2060example: \d+\n/,
  );
  expect(mail?.text).not.toMatch(/Sites that (gained|lost) most/); // three sites are listed whole
  expect(mail?.raw).toContain('Content-Type: image/png');
  const told = JSON.parse(receivers.received[0]?.body ?? '{}') as { data: Record<string, unknown> };
  expect(told.data).toMatchObject({
    domain: null,
    group: named,
    metric: 'unique_visitors',
    metrics: GROUP_METRICS.map((name) => ({ name, value: totals[name], previous: previous?.[name] })),
    new_sources: [{ domain: 'b.example', name: 'Hacker News' }],
  });

  for (const { id } of sites.slice(1)) await deleteSite(directory, { siteId: id }, server.clock.now);
  await directory.db.deleteFrom('group_sites').execute(); // the last one has moved
  const log = smtp.mails.length;
  await runJobs(server, NOW + (7 * 24 + 13) * 60 * MINUTE_MS);
  expect(smtp.mails.slice(log).map(({ text }) => /The report is of the group .*/.exec(text)?.[0])).toEqual([
    'The report is of the group “Shops & “others””. The group has no sites any more: they were deleted, or belong to another account now.',
  ]);
  await callGroup('groups.delete', { id: group });
  await runJobs(server, server.clock.now + MINUTE_MS);
  expect(smtp.mails.at(-1)?.text).toContain('Its group of sites was deleted, so the report has ended.');
  expect(await call('reports.list', {})).toMatchObject({ reports: [] });
});
