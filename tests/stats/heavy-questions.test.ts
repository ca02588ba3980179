/**
 * @module-tag attack
 * @module-tag fault
 */
// One account's long queries delay nobody else's, through the real store and at every door.
import { join } from 'node:path';
import { parse, stringify } from 'devalue';
import { expect, test } from 'vitest';
import { Refusal, Unavailable } from '../../server/errors.ts';
import { createKey } from '../../server/accounts/keys.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { createShareLink } from '../../server/sites/sharing/share.ts';
import { openStore, READERS } from '../../server/store/open.ts';
import type { Summary } from '../../server/stats/answers/summary.ts';
import type { Asking, Bound } from '../../server/store/pool.ts';
import { DAY_MS, dayOf } from '../../server/vocabulary/time/time.ts';
import { testApp } from '../setup/app.ts';
import { makeEvent } from '../setup/event.ts';
import { eventually } from '../setup/eventually.ts';
import { tempFolder } from '../setup/folder.ts';
import { ENDLESS, endlessOnes, engineOf } from '../setup/processes/engine.ts';
import { showsRefused, showsSurvived, sized } from '../setup/run/harness.ts';

test('endless queries of one account, with bound values as usual, leave readers of the store for others', async () => {
  await using folder = await tempFolder();
  const store = await openStore({ url: undefined, path: folder.path, limits: { max_execution_time: 10 } });
  const endless = 'SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = {hash:UInt64}';
  const order: string[] = [];
  const note = (what: string) => () => void order.push(what);
  const greedy = Array.from({ length: READERS / 2 }, (_, hash) =>
    store.query(endless, { hash }, { lane: 'greedy' }).catch(note('ended')),
  );
  for (const number of [1, 2, 3]) {
    expect(await store.query('SELECT {number:UInt8} AS number', { number }, { lane: 'other' })).toEqual([{ number }]);
    order.push('answered');
  }
  const waits = store.query('SELECT 1', {}, { lane: 'greedy' }).then(note('its next'), note('its next'));
  await Promise.all([...greedy, waits]);
  expect(order.slice(0, 3)).toEqual(['answered', 'answered', 'answered']);
  expect(order.indexOf('its next')).toBeGreaterThan(order.indexOf('ended'));
  await store.close();
});

test('queries asked at the same moment each have their own values', async () => {
  await using folder = await tempFolder();
  const store = await openStore({ url: undefined, path: folder.path });
  const asked = Array.from({ length: 400 }, async (_, index) => {
    const bound = { text: `it's ${index}\n`, list: [`'${index}`, '\\'], number: index };
    const sql = 'SELECT {text:String} AS text, {list:Array(String)} AS list, {number:UInt32} AS number';
    return [await store.query(sql, bound, { lane: `lane ${index % 7}` }), [bound]];
  });
  for (const [answer, expected] of await Promise.all(asked)) expect(answer).toEqual(expected);
  // No answer uses values that an earlier query bound.
  await expect(store.query('SELECT {text:String} AS text', {})).rejects.toThrow(/lacks its value text/);
  await expect(store.query('SELECT {text:String} AS text', {})).rejects.not.toThrow(Unavailable);
  await store.close();
});

test('members and keys of an account ask in its lane, and viewers of a share link in that link’s lane, at every door', async () => {
  await using server = await testApp();
  const { app, url, clock } = server;
  const site = await server.addSite('own.example');
  const { directory } = app.services;
  const cookie = await server.logIn('owner@own.example');
  const { key } = await createKey(directory, { accountId: site.account_id, name: 'ci' }, clock.now);
  const shows = { properties: true };
  const { token, id: linkId } = await createShareLink(directory, { siteId: site.id, name: 'all', shows }, clock.now);
  // Days on which nobody came need no statement.
  const visits = openVisits(app.store);
  for (const time of [clock.now - DAY_MS, clock.now]) {
    const event = makeEvent({ site_id: site.id, time, day: dayOf(time) });
    await app.store.insert({ events: [visits.assign(event, time) ?? []].flat(), ai_visits: [] }, String(time));
  }
  const lanes = new Set<string | undefined>();
  const query = app.store.query.bind(app.store);
  app.store.query = (sql, bound, asking) => {
    lanes.add(asking?.lane);
    return query(sql, bound, asking);
  };
  const input = (what: unknown) => encodeURIComponent(JSON.stringify(stringify(what)));
  const days = 'date_from=2026-11-20&date_to=2026-11-20';
  const doorsOf = (asked: { site_id: string; period: string }) => [
    `/trpc/stats.summary?input=${input(asked)}`,
    `/trpc/stats.timeseries?input=${input({ ...asked, metric: 'pageviews' })}`,
    `/trpc/stats.breakdown?input=${input({ ...asked, dimension: 'page', metrics: ['pageviews'] })}`,
    `/trpc/stats.properties?input=${input(asked)}`,
    `/export/${site.id}.csv?${days}`,
  ];
  const own = [
    '/trpc/session.current',
    `/trpc/sites.overview?input=${input({ site_ids: [site.id] })}`,
    `/trpc/sites.arrivals?input=${input({ site_id: site.id })}`,
  ];
  const rest = ['/v1/stats', '/v1/stats/timeseries', '/v1/stats/breakdown', '/v1/stats/reading'].map(
    (path) => `${path}?site_id=${site.id}${path.endsWith('breakdown') ? '&dimension=page' : ''}`,
  );
  const doors = doorsOf({ site_id: site.id, period: 'today' });
  const ofLink = doorsOf({ site_id: site.id, period: 'yesterday' }); // an answer that has arrived is shared by all lanes
  const lanesOf = async (paths: string[], headers: Record<string, string>) => {
    const found = [];
    for (const path of paths) {
      lanes.clear();
      clock.now += 60_000; // nothing is cached
      const answer = await fetch(`${url}${path}`, { headers });
      await answer.text();
      found.push([answer.status, ...lanes]);
    }
    return found;
  };
  const all = (paths: string[], lane: string) => paths.map(() => [200, lane]);
  expect(await lanesOf([...doors, ...own], { cookie })).toEqual(all([...doors, ...own], site.account_id));
  expect(await lanesOf(rest, { authorization: `Bearer ${key}` })).toEqual(all(rest, site.account_id));
  expect(await lanesOf(ofLink, { 'x-share-token': token })).toEqual(all(ofLink, linkId));
});

test('15 heavy queries of a viewer who left delay neither the next viewer nor the owner', async () => {
  showsRefused('share link that holds others up', 15);
  await using server = await testApp();
  const { app, url, clock } = server;
  const site = await server.addSite('own.example');
  const cookie = await server.logIn('owner@own.example');
  const { directory } = app.services;
  const [link, other] = [
    await createShareLink(directory, { siteId: site.id, name: 'one' }, clock.now),
    await createShareLink(directory, { siteId: site.id, name: 'another' }, clock.now),
  ];
  // The real store answers; queries about months before this year are made heavy on the way to it.
  const endless = 'SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 1';
  const order: string[] = [];
  let heavy = 0;
  const query = app.store.query.bind(app.store);
  app.store.query = (sql, bound, asking) => {
    if (!(Number(bound['from']) < Date.UTC(2026, 0, 1))) return query(sql, bound, asking);
    const name = `heavy ${(heavy += 1)}`;
    const asked = query<never>(endless, {}, asking);
    asked.catch((error: unknown) => order.push(error instanceof Refusal ? 'left the queue' : name));
    return asked;
  };
  const ask = async (dates: object, headers: Record<string, string>, signal: AbortSignal | null = null) => {
    const asked = { site_id: site.id, period: 'custom', dimension: 'page', metrics: ['pageviews'], ...dates };
    const input = encodeURIComponent(JSON.stringify(stringify(asked)));
    return (await fetch(`${url}/trpc/stats.breakdown?input=${input}`, { headers, signal })).status;
  };
  const leaving = new AbortController();
  const viewer = { 'x-share-token': link.token };
  const asked = Array.from({ length: 15 }, (_, month) => {
    const date = new Date(Date.UTC(2024, month, 1)).toISOString().slice(0, 10);
    return ask({ date_from: date, date_to: date }, viewer, leaving.signal);
  });
  await eventually(() => expect(heavy).toBe(15)); // each first asks which days of its month are summed
  const endedBefore = order.length; // on a busy machine the first ones have reached their time limit by now
  leaving.abort();
  await Promise.allSettled(asked);
  const today = { date_from: '2026-11-20', date_to: '2026-11-20' };
  for (const headers of [viewer, { cookie }, { 'x-share-token': other.token }] as Record<string, string>[])
    expect(await ask(today, headers)).toBe(200);
  // The running query ended by its time limit. The others were never run.
  await eventually(() => expect(order.length).toBe(15));
  expect(order.filter((what) => what !== 'left the queue').length).toBeLessThanOrEqual(endedBefore + 1);
});

test('1,000 heavy questions end when their askers leave, and others are answered meanwhile', async () => {
  showsSurvived('1,000 abandoned questions');
  await using server = await testApp({ env: { LOG_LEVEL: 'silent' } });
  const { app, url, folder } = server;
  const events = join(folder, 'events');
  const sites = [await server.newSite(), await server.newSite()];
  const other = await server.newSite();
  const headersOf = async ({ domain }: { domain: string }) => ({ cookie: await server.logIn(`owner@${domain}`) });
  for (const { domain } of [...sites, other])
    await server.foot({ site: domain, name: 'pageview', url: `https://${domain}/` });
  await server.settle();
  const pid = await engineOf(events);
  const rejections: unknown[] = [];
  const note = (reason: unknown) => rejections.push(reason);
  process.on('unhandledRejection', note);

  // The real store answers; what the greedy accounts ask is made heavy on the way to it.
  const heavy = new Set<string | undefined>();
  const asked = { begun: 0, ended: {} as Record<string, number> };
  let gate = Promise.withResolvers<undefined>();
  const query = app.store.query.bind(app.store);
  app.store.query = <Row>(sql: string, bound: Bound, asking: Asking = {}) => {
    if (!heavy.has(asking.lane) || sql.includes(' AS summing')) return query<Row>(sql, bound, asking);
    asked.begun += 1;
    return gate.promise
      .then(() => query<Row>(ENDLESS, {}, asking))
      .catch((error: unknown) => {
        const { message } = error as Error;
        asked.ended[message] = (asked.ended[message] ?? 0) + 1;
        throw error;
      });
  };
  let page = 0;
  /** Sends questions in one request, as a dashboard does. */
  const send = (siteId: string, count: number, request: RequestInit) => {
    const inputs = Array.from({ length: count }, () => {
      const another = { dimension: 'page', operator: 'is_not', values: [`/${(page += 1)}`] }; // no cache has it
      return stringify({ site_id: siteId, period: 'today', filters: [another] });
    });
    const names = inputs.map(() => 'stats.summary').join();
    return fetch(`${url}/trpc/${names}?batch=1&input=${encodeURIComponent(JSON.stringify({ ...inputs }))}`, request);
  };
  const ask = async (siteId: string, headers: Record<string, string>) => {
    const [answer] = (await (await send(siteId, 1, { headers })).json()) as { result: { data: string } }[];
    return (parse(answer?.result.data ?? '') as Summary).metrics.find(({ name }) => name === 'pageviews')?.value;
  };
  const headers = await headersOf(other);
  const greedy = await Promise.all(
    sites.map(async (site) => ({ id: site.id, lane: site.account_id, headers: await headersOf(site) })),
  );
  const took = { ended: [] as number[], answered: [] as number[] };
  for (let round = 0; round < sized({ short: 1, long: 50 }); round += 1) {
    const leaving = new AbortController();
    Object.assign(asked, { begun: 0, ended: {} });
    gate = Promise.withResolvers();
    for (const { lane } of greedy) heavy.add(lane);
    const sent = greedy.flatMap(({ id, headers }) =>
      Array.from({ length: 50 }, () => send(id, 10, { headers, signal: leaving.signal })),
    );
    const left = Promise.allSettled(sent);
    await eventually(() => expect(asked.begun).toBe(1000));
    gate.resolve(undefined); // only now, so that they leave the processor to those that come
    await eventually(async () => expect(await endlessOnes(events)).toBe(READERS - 1));
    const askedAt = performance.now();
    expect(await ask(other.id, headers)).toBe(1);
    took.answered.push(performance.now() - askedAt);
    expect(asked.ended).toEqual({});
    const leftAt = performance.now();
    leaving.abort();
    const atOnce = ask(other.id, headers);
    await eventually(async () => expect(await endlessOnes(events)).toBe(0), { everyMs: 1 });
    took.ended.push(performance.now() - leftAt);
    expect(await atOnce).toBe(1);
    await left;
    await eventually(() => expect(asked.ended).toEqual({ 'The requester has left.': 1000 }));
    heavy.clear();
    for (const { id, headers } of greedy) expect(await ask(id, headers)).toBe(1);
  }
  process.off('unhandledRejection', note);
  expect(rejections).toEqual([]);
  expect(await engineOf(events)).toBe(pid);
  if (process.env['HARNESS'] === undefined) return;
  for (const [what, times] of Object.entries(took)) {
    const sorted = times.map(Math.round).sort((a, b) => a - b);
    console.log(`${what} after ${sorted[sorted.length >> 1]} ms, at most ${sorted.at(-1)}`);
  }
});
