/** @module-tag attack */
// A site that shows exact numbers to admins alone: its other members see what the viewers of a share link see, at every door.
import { parse } from 'devalue';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addIncident } from '../../../server/notifications/alerts/incidents.ts';
import { alertContent, createAlert } from '../../../server/notifications/alerts/rules.ts';
import { originOf } from '../../../server/api/dashboard/mentions.ts';
import { addMentions } from '../../../server/integrations/mentions/stored.ts';
import { readersOf } from '../../../server/notifications/reports/readers.ts';
import { findReport } from '../../../server/notifications/reports/definitions.ts';
import type { Breakdown } from '../../../server/stats/answers/breakdown.ts';
import type { Summary } from '../../../server/stats/answers/summary.ts';
import { ALERT_KINDS, type AlertKind } from '../../../server/vocabulary/settings/alerts.ts';
import type { Event } from '../../../server/vocabulary/event.ts';
import { DAY_MS, HOUR_MS } from '../../../server/vocabulary/time/time.ts';
import { about } from '../../setup/stats/about.ts';
import { type TestApp, testApp } from '../../setup/app.ts';
import { makeWorld, type World } from '../../setup/accounts/callers.ts';
import { makeEvent } from '../../setup/event.ts';
import { showsRefused } from '../../setup/run/harness.ts';
import { isMutation, PROCEDURE_NAMES, PROCEDURES } from '../../setup/api/procedures.ts';
import { keyFor } from '../../setup/api/rest.ts';

let server: TestApp;
let world: World;
beforeAll(async () => {
  server = await testApp();
  world = await makeWorld(server);
  const { site } = world.own;
  const people = ['NG', 'NG', ...Array<string>(4).fill('DE'), ...Array<string>(6).fill('US')];
  const events = people.map((country, person) =>
    makeEvent({ site_id: site.id, visitor: `p${person}`, country, time: server.clock.now - DAY_MS - person * 60_000 }),
  );
  await server.app.collector.record(events, server.clock.now);
  await server.settle();
});
afterAll(async () => server[Symbol.asyncDispose]());

const CALLERS = { owner: 'the owner', admin: 'an admin', viewer: 'a viewer' } as const;
type Who = keyof typeof CALLERS;
type Overview = { visitors_24h: number; hours: number[] };
const headersOf = (who: Who) => world.askers[CALLERS[who]].headers;
const answerOf = async <Answer>(name: string, input: object, who: Who): Promise<Answer> => {
  const { status, body } = await world.ask(name, { site_id: world.own.site.id, ...input }, headersOf(who));
  expect([name, who, status]).toEqual([name, who, 200]);
  return parse((JSON.parse(body) as { result: { data: string } }).result.data) as Answer;
};
const limit = async (limits_members: boolean) => {
  const input = { site_id: world.own.site.id, limits_members };
  expect((await world.ask('sites.change', input, world.own.login.headers)).status).toBe(200);
};
const visitors = async (who: Who, ...countries: string[]) => {
  const filters = [{ dimension: 'country', operator: 'is', values: countries }];
  const { metrics } = await answerOf<Summary>('stats.summary', { period: 'yesterday', filters }, who);
  return metrics.find(({ name }) => name === 'unique_visitors')?.value;
};

test('only an admin changes it, and it is off at first', async () => {
  expect(await answerOf('sites.settings', {}, 'admin')).toMatchObject({ limits_members: false });
  expect(
    (await world.ask('sites.change', { site_id: world.own.site.id, limits_members: true }, headersOf('viewer'))).status,
  ).toBe(403);
  expect([await visitors('viewer', 'NG'), await visitors('viewer', 'DE')]).toEqual([2, 4]);
});

test('viewers see no small numbers, narrowed ones changed, and steps; admins and owners see everything', async () => {
  showsRefused('single visitors shown', 6);
  await limit(true);
  for (const who of ['owner', 'admin'] as const) {
    expect([await visitors(who, 'NG'), await visitors(who, 'DE'), await visitors(who, 'DE', 'NG')]).toEqual([2, 4, 6]);
    expect(await answerOf('live.snapshot', {}, who)).toMatchObject({ current_visitors: 0 });
  }
  expect(await visitors('viewer', 'NG')).toBe(0);
  expect(await visitors('viewer', 'DE')).toEqual(about(4));
  expect(await visitors('viewer', 'DE', 'NG')).toBe(await visitors('viewer', 'DE'));
  expect(await answerOf('live.snapshot', {}, 'viewer')).toMatchObject({ current_visitors: null, pages: [] });
  // Their own properties stay visible: they belong to the team.
  const plans = { period: 'yesterday', dimension: 'prop:plan', metrics: ['events'] };
  expect(await answerOf<Breakdown>('stats.breakdown', plans, 'viewer')).toMatchObject({ rows: [] });
  const sites = await answerOf<{ id: string; is_limited: boolean }[]>('sites.list', {}, 'viewer');
  expect(sites.find(({ id }) => id === world.own.site.id)).toMatchObject({ is_limited: true });
  expect(sites.find(({ id }) => id === world.second.id)).toMatchObject({ is_limited: false });
  const { body } = await world.ask('sites.overview', { site_ids: [world.own.site.id] }, headersOf('viewer'));
  const [own] = parse((JSON.parse(body) as { result: { data: string } }).result.data) as object[];
  expect(own).toMatchObject({ current_visitors: null });
});

test('in the export and in groups, too; API keys, which only owners make, see everything', async () => {
  showsRefused('single visitors shown', 2);
  await limit(true);
  const { id } = world.own.site;
  const file = async (who: Who) => {
    const address = `${server.url}/export/${id}.csv?date_from=2026-11-19&date_to=2026-11-19&filter[country]=NG`;
    return (await (await fetch(address, { headers: headersOf(who) })).text()).split('\r\n')[1];
  };
  expect([await file('admin'), await file('viewer')]).toEqual(['2026-11-19,2,2,/: 2,,', '2026-11-19,0,0,,,']);
  const key = await keyFor(server, world.own.site);
  const path = `/v1/stats/breakdown?site_id=${id}&period=7d&dimension=country&metrics=unique_visitors&filter[country]=NG`;
  const answer = await fetch(server.url + path, { headers: { authorization: `Bearer ${key}` } });
  expect(await answer.json()).toMatchObject({ data: [{ country: 'NG', unique_visitors: 2 }] });
  const group = { id: world.own.named.groupId, period: 'today' };
  for (const n of [1, 2])
    await server.app.collector.record(
      [makeEvent({ site_id: id, visitor: `t${n}`, time: server.clock.now - 60_000 })],
      server.clock.now,
    );
  await server.settle();
  const totals = async (who: Who) => {
    const { body } = await world.ask('groups.numbers', group, headersOf(who));
    return (parse((JSON.parse(body) as { result: { data: string } }).result.data) as { totals: object }).totals;
  };
  expect([await totals('admin'), await totals('viewer')]).toMatchObject([
    { unique_visitors: 2 },
    { unique_visitors: 0 },
  ]);
});

test('members who are limited get the edition of a report that people without an account get', async () => {
  const { directory, mail } = server.app.services;
  const { account, site, named } = world.own;
  const report = await findReport(directory, { accountId: account.id, siteId: site.id, id: named.reportId ?? '' });
  const people = ['viewer', 'admin'] as const;
  const rows = people.map((who, index) => ({
    id: `rcpt_${index}`,
    report_id: report.id,
    user_id: userOf(who),
    email: null,
  }));
  await directory.db.insertInto('report_recipients').values(rows).execute();
  const audiences = async () => {
    const sites = [{ ...site, settings: { limits_members: true } }];
    return (await readersOf({ directory, mail }, report, sites)).map(({ recipientId, audience }) => [
      recipientId,
      audience,
    ]);
  };
  expect(await audiences()).toEqual([
    ['rcpt_0', 'guest'],
    ['rcpt_1', 'member'],
  ]);
});

/** As soon as an alert of this kind has noticed something. */
async function notice(kind: AlertKind, facts: object = {}): Promise<void> {
  const { directory, mail } = server.app.services;
  const { account, site, named } = world.own;
  const { now } = server.clock;
  const content = alertContent.parse({ kind, timezone: 'UTC', goal_id: kind === 'goal' ? named.goalId : null });
  const { id } = await createAlert(directory, { siteId: site.id, accountId: account.id, content, mail }, now);
  const times = { started_at: now, ended_at: now };
  await addIncident(directory.db, { alert_id: id, site_id: site.id, key: kind, ...times, facts }, now);
}

test('members who are limited hear of AI agents and mentions alone, in the history and in their feed', async () => {
  const ofNobody = ['mention', 'new_agent'];
  showsRefused('single visitors shown', 2 * (ALERT_KINDS.length - ofNobody.length));
  await limit(true);
  for (const kind of ALERT_KINDS) await notice(kind, { name: `noticed by ${kind}` });
  const kinds = async (who: Who) =>
    (await answerOf<{ kind: AlertKind }[]>('alerts.history', {}, who)).map(({ kind }) => kind).sort();
  expect(await kinds('admin')).toEqual(ALERT_KINDS.toSorted());
  expect(await kinds('viewer')).toEqual(ofNobody);
  const entries = async (who: Who) => {
    const input = { site_id: world.own.site.id, kind: 'news' };
    const { body } = await world.ask('feeds.make', input, headersOf(who));
    const [path = ''] = /\/feeds\/[0-9A-Za-z]{40}\.atom/.exec(body) ?? [];
    const text = await (await fetch(server.url + path)).text();
    return [...text.matchAll(/<entry>.*?<title>(.*?)<\/title>/g)].map(([, title]) => title).sort();
  };
  expect(await entries('admin')).toHaveLength(ALERT_KINDS.length); // of a mention, its thread
  expect(await entries('viewer')).toEqual(['A new AI agent on own.example: noticed by new_agent', 'Lobsters: Thread']);
});

test('no answer to a member who is limited changes when one visitor comes', async () => {
  const { site, named } = world.own;
  const { now } = server.clock;
  const arrive = async (visitors: string[], about: Partial<Event> = {}) => {
    const events = visitors.flatMap((visitor) =>
      ['pageview', 'signup'].map((name) =>
        makeEvent({
          site_id: site.id,
          visitor,
          time: now - 20_000,
          name,
          country: 'US',
          amount: '49',
          currency: 'EUR',
          ...about,
        }),
      ),
    );
    await server.app.collector.record(events, now);
    await server.settle();
  };
  const queries = PROCEDURE_NAMES.filter((name) => !isMutation(name));
  const exact = ['alerts.history', 'live.snapshot', 'session.current', 'sites.overview', 'stats.summary'];
  const answers = async (who: Who, names: readonly string[]) => {
    const asked = names.map(async (name) => {
      const { body } = await world.ask(name, PROCEDURES[name]?.input(named), headersOf(who));
      return [name, body] as const;
    });
    return new Map(await Promise.all(asked));
  };
  showsRefused('single visitors shown', queries.length);
  await limit(true);
  await arrive(['n1', 'n2', 'n3'], { time: now - 60_000 }); // with those before, a whole group
  const before = { viewer: await answers('viewer', queries), admin: await answers('admin', exact) };
  await arrive(['single'], { country: 'LI', page: '/only', source: 'only.example' });
  await notice('payment', { count: 1, amount: 49, currency: 'EUR' });
  const changedFor = async (who: keyof typeof before) => {
    const after = await answers(who, [...before[who].keys()]);
    return [...after].flatMap(([name, answer]) => (answer === before[who].get(name) ? [] : [name]));
  };
  expect(await changedFor('viewer')).toEqual([]);
  expect(await changedFor('admin')).toEqual(exact);
});

test('the list of sites counts the last day of a member who is limited in steps', async () => {
  const { id: site_id } = world.second;
  const { now } = server.clock;
  expect((await world.ask('sites.change', { site_id, limits_members: true }, world.own.login.headers)).status).toBe(
    200,
  );
  const lastDay = async (who: Who) => {
    const { body } = await world.ask('sites.overview', { site_ids: [site_id] }, headersOf(who));
    const answer = parse((JSON.parse(body) as { result: { data: string } }).result.data) as Overview[];
    return answer.map(({ visitors_24h, hours }) => [visitors_24h, Math.max(...hours), hours.length]);
  };
  for (const [index, shown] of [0, 0, 3, 3, 3, 6, 6].entries()) {
    const event = makeEvent({ site_id, visitor: `s${index}`, time: now - 600_000 + index * 20_000 });
    await server.app.collector.record([event], now);
    await server.settle();
    const count = index + 1;
    expect([await lastDay('admin'), await lastDay('viewer')]).toEqual([[[count, count, 24]], [[shown, shown, 24]]]);
  }
});

test('mentions are shown without their visits up to now, and with those of whole days', async () => {
  showsRefused('single visitors shown');
  await limit(true);
  const { site } = world.own;
  const { directory } = server.app.services;
  const url = 'https://lobste.rs/s/abc';
  const thread = { thread: 'abc', title: 'We compared six', url, postedAt: server.clock.now - DAY_MS };
  const found = [{ ...thread, said: '', points: 1, comments: 0 }];
  await addMentions(directory.db, { siteId: site.id, place: 'lobsters', found }, server.clock.now);
  const { referrer, source } = originOf(url) ?? {};
  const visit = (visitor: string, ago: number) =>
    makeEvent({ site_id: site.id, visitor, referrer, source, country: 'FR', time: server.clock.now - ago });
  const before = [1, 2, 3, 4, 5].map((n) => visit(`from${n}`, DAY_MS + HOUR_MS));
  await server.app.collector.record([...before, visit('new', HOUR_MS / 2)], server.clock.now);
  await server.settle();
  const visits = async (who: Who, period: string) => {
    const { mentions } = await answerOf<{ mentions: Record<string, unknown>[] }>('mentions.list', { period }, who);
    const own = mentions.find(({ title }) => title === thread.title);
    return [own?.['visits'], own?.['source_visits']];
  };
  for (const period of ['24h', '60m']) {
    expect([period, await visits('admin', period)]).toEqual([period, [1, 1]]);
    expect([period, await visits('viewer', period)]).toEqual([period, [null, null]]);
  }
  expect(await visits('admin', 'yesterday')).toEqual([5, 5]);
  expect(await visits('viewer', 'yesterday')).toEqual([about(5), about(5)]);
});

const userOf = (who: 'viewer' | 'admin'): string =>
  (world.askers[CALLERS[who]] as unknown as { userId: string }).userId;
