/** @module-tag attack */
// Questions that dashboards follow over their socket, on the real path: what is pushed, to whom, and how often it is computed.
import { getEventListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Json } from '../../server/live/answer-differences.ts';
import { type Answers, MAX_FOLLOWED, openFollowing } from '../../server/live/following.ts';
import type { Followed } from '../../server/live/messages.ts';
import { openMemoryWindows } from '../../server/live/memory.ts';
import { openRedis } from '../../server/process/redis/redis.ts';
import { createShareLink, revokeShareLink } from '../../server/sites/sharing/share.ts';
import { createSegment } from '../../server/sites/definitions/segments.ts';
import { type LinkRules, NO_RULES } from '../../server/vocabulary/settings/share-links.ts';
import type { Asking } from '../../server/store/pool.ts';
import { FOLLOWED } from '../../server/vocabulary/questions/followed.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { type Asker, makeWorld, type World } from '../setup/accounts/callers.ts';
import { type Clock, fakeClock } from '../setup/clock.ts';
import { ADA, eventOf, OWN, startProcess, TICK_MS, VIV, watching } from '../setup/live/dashboard.ts';
import { eventually } from '../setup/eventually.ts';
import { openFollower, overHttp } from '../setup/live/following.ts';
import { showsRefused } from '../setup/run/harness.ts';
import { startRedis } from '../setup/stores/redis.ts';

const PATHS: readonly string[] = FOLLOWED;

describe('on the real path', () => {
  const pace = fakeClock();
  let server: TestApp;
  let world: World;
  let siteId: string;
  let link: Asker & { id: string };
  let visitors = 0;

  beforeAll(async () => {
    server = await testApp({ schedule: pace.schedule, env: { LOG_LEVEL: 'silent', TRUST_PROXY: 'loopback' } });
    world = await makeWorld(server);
    siteId = world.own.site.id;
    link = await linkThat({ fewest: 1, properties: true });
  });
  afterAll(async () => server[Symbol.asyncDispose]());
  beforeEach(() => void vi.restoreAllMocks());

  async function linkThat(shows: Parameters<typeof createShareLink>[1]['shows'], rules: LinkRules = NO_RULES) {
    const { directory } = server.app.services;
    const made = await createShareLink(directory, { siteId: world.own.site.id, name: 'link', shows, rules }, 0);
    return { id: made.id, headers: { 'x-share-token': made.token } };
  }
  /** A view of a new visitor, who comes from Berlin. */
  const view = (page: string, more: Record<string, unknown> = {}) =>
    server.foot(
      { site: world.own.site.domain, name: 'pageview', url: `https://${world.own.site.domain}${page}`, ...more },
      { 'x-forwarded-for': `2.125.160.${(visitors += 1)}` },
    );
  /** The socket's pace follows both. */
  const advance = async (ms: number) => {
    server.clock.now += ms;
    await pace.advance(ms);
  };
  const stored = async () => {
    await server.settle();
    await advance(4000);
  };
  const today = (more: Record<string, Json> = {}): Json => ({ site_id: siteId, period: 'today', ...more });
  const questions: Record<string, () => Followed> = {
    'stats.summary': () => ['stats.summary', today({ compare: 'previous' })],
    'stats.timeseries': () => ['stats.timeseries', today({ compare: 'previous', metric: 'unique_visitors' })],
    'stats.breakdown': () => ['stats.breakdown', today({ dimension: 'page', metrics: ['unique_visitors'] })],
    'shares.piece': () => ['shares.piece', { site_id: siteId, piece: 'list', period: 'today' }],
  };
  const noteAsking = (note: (asking: Asking) => void) => {
    const { stats } = server.app.services;
    const { askedBy } = stats;
    vi.spyOn(stats, 'askedBy').mockImplementation((asking, sight) => {
      note(asking);
      return askedBy(asking, sight);
    });
  };
  /** How often stats were asked for, by whom. */
  const countAsking = () => {
    const lanes: (string | undefined)[] = [];
    noteAsking(({ lane }) => lanes.push(lane));
    return lanes;
  };
  const follower = (asker: Asker) => openFollower(server.url, asker, siteId);
  const answered = (one: { heard: unknown[] }, times = 1) =>
    eventually(() => expect(one.heard.length).toBeGreaterThanOrEqual(times));

  /** Follows questions, and has their answers. */
  async function joined(asker: Asker, ...asked: Followed[]) {
    const one = await follower(asker);
    const topics = await one.follow(...asked);
    await nextTurn();
    await advance(4000);
    await answered(one, asked.length);
    return Object.assign(one, { topics });
  }

  test('each procedure that may be followed pushes what it answers over HTTP, as plain JSON', async () => {
    expect(Object.keys(questions)).toEqual(PATHS);
    await view('/each');
    await stored();
    for (const path of PATHS)
      for (const asker of [world.own.login, link]) {
        const question = questions[path]?.() as Followed;
        using one = await joined(asker, question);
        const [topic] = one.topics;
        const expected = await overHttp(server, question, asker);
        expect(expected).toBeTypeOf('object');
        expect(JSON.parse(JSON.stringify(expected))).toEqual(expected);
        expect(one.heard).toEqual([{ topic, number: 1, answer: JSON.parse(JSON.stringify(expected)) as Json }]);
      }
  });

  test('two members share one computation and the same bytes, and a link with another access has one of its own', async () => {
    const question = questions['stats.breakdown']?.() as Followed;
    using one = await joined(world.own.login, question);
    using other = await joined(world.askers['a viewer'], question);
    using guest = await joined(link, question);
    const before = one.heard.length;
    const asked = countAsking();
    await view('/shared');
    await stored();
    for (const who of [one, other, guest]) await answered(who, who === one ? before + 1 : 2);
    expect(asked.toSorted()).toEqual([world.own.account.id, link.id].toSorted());
    expect(other.heard.at(-1)).toEqual(one.heard.at(-1));
    const [last] = one.heard.slice(-1);
    expect(last && 'difference' in last && JSON.stringify(last.difference)).toContain('"/shared"');
    for (const who of [one, other, guest]) {
      const [answer] = who.answers.values();
      expect(answer).toEqual(JSON.parse(JSON.stringify(await overHttp(server, question, world.own.login))));
    }
  });

  test('a question that is followed for days listens to its end only while it is being answered', async () => {
    using one = await joined(world.own.login, questions['stats.summary']?.() as Followed);
    const signals = new Set<AbortSignal | undefined>();
    noteAsking(({ signal }) => signals.add(signal));
    for (let run = 1; run <= 3; run += 1) {
      await view('/for-days');
      await stored();
      await answered(one, 1 + run);
    }
    expect([...signals].map((signal) => signal && getEventListeners(signal, 'abort').length)).toEqual([0]);
  });

  test('nothing is pushed when nothing has changed, and nothing is computed for questions that nobody follows', async () => {
    using one = await follower(world.own.login);
    const other: Followed = ['stats.breakdown', today({ dimension: 'event', metrics: ['events'] })];
    const [topic] = await one.follow(other);
    await answered(one);
    await view('/not-an-event');
    await stored();
    await one.caughtUp();
    expect(one.heard.length).toBe(1);
    one.browser.emit('unfollow', [topic as string]);
    await one.caughtUp();
    const asked = countAsking();
    await view('/nobody');
    await stored();
    expect(asked).toEqual([]);
  });

  test('a view with filters, a comparison and a segment moves to exact numbers', async () => {
    const { directory } = server.app.services;
    const filters = [{ dimension: 'page' as const, operator: 'is' as const, values: ['/filtered'] }];
    const ofSegment = { siteId: world.own.site.id, owner: null, name: 'filtered', filters };
    const segment = await createSegment(directory, ofSegment, 0);
    const views: Followed[] = [
      ['stats.summary', today({ filters: filters as unknown as Json, compare: 'previous' })],
      ['stats.summary', today({ segment: segment.id, versus: 'all' })],
    ];
    using one = await follower(world.own.login);
    const topics = await one.follow(...views);
    await answered(one, 2);
    const visitorsOf = (index: number) => {
      const { metrics } = one.answers.get(topics[index] as string) as { metrics: { name: string; value: number }[] };
      return metrics.find(({ name }) => name === 'unique_visitors')?.value;
    };
    expect([visitorsOf(0), visitorsOf(1)]).toEqual([0, 0]);
    await view('/filtered');
    await view('/filtered');
    await view('/another');
    await stored();
    await answered(one, 4);
    expect([visitorsOf(0), visitorsOf(1)]).toEqual([2, 2]);
    for (const [index, question] of views.entries())
      expect(one.answers.get(topics[index] as string)).toEqual(await overHttp(server, question, world.own.login));
  });

  test('a personal segment is answered to its owner alone', async () => {
    const { directory } = server.app.services;
    const { userId } = world.askers['a viewer'];
    const filters = [{ dimension: 'page' as const, operator: 'is' as const, values: ['/'] }];
    const made = { siteId: world.own.site.id, owner: userId, name: 'mine', filters };
    const segment = await createSegment(directory, made, 0);
    const question: Followed = ['stats.summary', today({ segment: segment.id })];
    using owner = await follower(world.askers['a viewer']);
    using other = await follower(world.own.login);
    const [[own], [foreign]] = [await owner.follow(question), await other.follow(question)];
    await answered(owner);
    await answered(other);
    expect(owner.heard).toMatchObject([{ topic: own, number: 1 }]);
    expect(other.heard).toEqual([{ ended: [foreign] }]);
    expect(await overHttp(server, question, world.own.login)).toBe(404);
  });

  test('a link that hides small numbers, properties and lists never gets more than over HTTP', async () => {
    const strict = await linkThat({ fewest: 3, properties: false });
    await view('/few', { props: { plan: 'secret-plan' } });
    const hidden: Followed[] = [
      ['stats.summary', today({ filters: [{ dimension: 'page', operator: 'is', values: ['/few'] }] })],
      ['stats.breakdown', today({ dimension: 'city', metrics: ['unique_visitors'] })],
      ['stats.breakdown', today({ dimension: 'prop:plan', metrics: ['events'] })],
      ['stats.summary', today({ currency: 'JPY' })],
    ];
    using guest = await follower(strict);
    using _member = await joined(world.own.login, ...hidden);
    const topics = await guest.follow(...hidden);
    await answered(guest, 4);
    await view('/few');
    await stored();
    for (const [index, question] of hidden.entries()) {
      const expected = await overHttp(server, question, strict);
      const topic = topics[index] as string;
      if (expected === 403) expect(guest.heard).toContainEqual({ ended: [topic] });
      else await eventually(() => expect(guest.answers.get(topic)).toEqual(expected));
    }
    expect(await Promise.all(hidden.slice(2).map((one) => overHttp(server, one, strict)))).toEqual([403, 403]);
    expect(JSON.stringify(guest.heard)).not.toContain('secret-plan');
    const summary = guest.answers.get(topics[0] as string) as { metrics: { value: number }[] };
    expect(summary.metrics.every(({ value }) => value === 0)).toBe(true);
  });

  test('a link that says nothing about who is there now moves when something is stored, too', async () => {
    const quiet = await linkThat({ fewest: 1, properties: true }, { ...NO_RULES, parts: ['pages'] });
    const figure: Followed = ['shares.piece', today({ piece: 'figure', metric: 'pageviews' })];
    using guest = await follower(quiet);
    await guest.follow(figure);
    await answered(guest);
    for (let times = 2; times <= 3; times += 1) {
      await view('/quiet');
      await server.settle();
      await advance(300);
      await answered(guest, times);
    }
    expect(guest.heard.map((one) => 'number' in one && one.number)).toEqual([1, 2, 3]);
    const [answer] = guest.answers.values();
    expect(answer).toEqual(await overHttp(server, figure, quiet));
  });

  test('access that is withdrawn ends it for that dashboard, at once if it is the one that would ask', async () => {
    const temporary = await linkThat({ fewest: 1, properties: true });
    const question = questions['stats.summary']?.() as Followed;
    const admin = world.askers['an admin'];
    using lost = await joined(admin, question);
    using kept = await joined(world.own.login, question);
    using guest = await joined(temporary, question);
    await world.ask('people.remove', { user_id: admin.userId }, world.own.login.headers);
    const { directory } = server.app.services;
    const [topic] = lost.answers.keys();
    await view('/withdrawn');
    await server.settle();
    await advance(300);
    await answered(kept, 2);
    await answered(lost, 2);
    expect(lost.heard.slice(1)).toEqual([{ ended: [topic] }]);
    await revokeShareLink(directory, { siteId: world.own.site.id, linkId: temporary.id }, 0);
    await advance(5000);
    expect(await guest.closed).toBe('io server disconnect');
    const asked = countAsking();
    const before = lost.heard.length;
    await view('/afterwards');
    await stored();
    await answered(kept, 3);
    expect(asked).toEqual([world.own.account.id]);
    expect(lost.heard.length).toBe(before);
  });

  test('a dashboard that comes back gets only what it has missed; after a lost number it gets the whole again', async () => {
    const question = questions['stats.breakdown']?.() as Followed;
    using _still = await joined(world.own.login, question);
    const first = await joined(world.own.login, question);
    const [topic] = first.topics;
    const { number } = first.heard[0] as { number: number };
    first.browser.disconnect();
    await advance(4000);

    using same = await follower(world.own.login);
    expect(await same.follow([...question.slice(0, 2), topic, number] as never)).toEqual([topic]);
    await advance(4000);
    await same.caughtUp();
    expect(same.heard).toEqual([]);
    await view('/missed');
    await stored();
    await answered(same);
    expect(same.heard).toMatchObject([{ topic, number: number + 1, difference: { total: expect.anything() as Json } }]);

    using late = await follower(world.own.login);
    await late.follow([...question.slice(0, 2), topic, number] as never);
    await advance(4000);
    await answered(late);
    expect(late.heard).toMatchObject([{ topic, number: number + 1, answer: expect.anything() as Json }]);
    await late.follow(question); // as after a lost number
    await advance(4000);
    await answered(late, 2);
    expect(late.heard[1]).toEqual(late.heard[0]);
  });

  test('another site, rest and the end of the connection end it', async () => {
    const question = questions['stats.summary']?.() as Followed;
    const ends: Record<string, (one: Awaited<ReturnType<typeof follower>>) => unknown> = {
      'another site': (one) => one.watch(world.second.id),
      rest: (one) => one.browser.emit('rest'),
      disconnect: (one) => one.browser.disconnect(),
    };
    for (const [name, end] of Object.entries(ends)) {
      using one = await joined(world.own.login, question);
      await end(one);
      const asked = countAsking();
      // The server hears of the end of a connection a moment later.
      await eventually(async () => {
        asked.splice(0);
        await view(`/${name}`);
        await stored();
        expect([name, asked]).toEqual([name, []]);
      });
      vi.restoreAllMocks();
    }
  });

  test('an answer that moves without events is computed again after a minute', async () => {
    using one = await follower(world.own.login);
    await one.follow(['stats.timeseries', today({ metric: 'pageviews', interval: 'hour' })]);
    await answered(one);
    server.clock.now += 3_600_000;
    await advance(5000);
    await answered(one, 2);
    expect(one.heard[1]).toMatchObject({ number: 2, difference: { points: expect.anything() as Json } });
  });

  test('hostile questions are refused, and end nothing but themselves', async () => {
    showsRefused('WebSocket', 20);
    const question = questions['stats.summary']?.() as Followed;
    using one = await follower(world.own.login);
    using hostile = await follower(world.own.login);
    await one.follow(question);
    const refused: unknown[] = [
      null,
      7,
      'stats.summary',
      {},
      [],
      [question],
      ['stats.summary'],
      ['stats.summary', null],
      ['stats.summary', [siteId]],
      ['stats.summary', { site_id: { toString: siteId } }],
      ['stats.summary', { site_id: world.other.site.id, period: 'today' }],
      ['stats.summary', { site_id: world.second.id, period: 'today' }], // not the one that it watches
      ['stats.week', today({ metric: 'pageviews' })],
      ...['sites.list', '__proto__', 'constructor', 'toString', 'stats'].map((path) => [path, today()]),
    ];
    expect(await hostile.follow(...(refused as Followed[]))).toEqual(refused.map(() => null));
    const wrong: unknown[] = [
      ['stats.summary', today({ period: 'never' })],
      ['stats.summary', today({ filters: Array.from({ length: 21 }, () => ({})) })],
      ['stats.summary', JSON.parse(`{"site_id":"${siteId}","__proto__":{"period":"today"}}`)],
      ['stats.breakdown', today({ dimension: 'page', metrics: [], per_page: 1e9 })],
    ];
    const topics = await hostile.follow(...(wrong as Followed[]));
    await answered(hostile, wrong.length);
    expect(hostile.heard).toEqual(topics.map((topic) => ({ ended: [topic] })));
    const emit = hostile.browser.emit.bind(hostile.browser) as (...args: unknown[]) => void;
    for (const args of [
      ['follow'],
      ['follow', 1],
      ['follow', [question]],
      ['follow', {}, 1],
      ['unfollow'],
      ['unfollow', [{}, null]],
    ])
      emit(...args);
    await hostile.caughtUp();
    expect(hostile.browser.connected).toBe(true);
    emit('follow', [['stats.summary', today({ search: 'x'.repeat(8192) })]], () => undefined);
    await hostile.closed;
    await answered(one);
    expect(one.heard.length).toBe(1);
  });

  test('a dashboard follows a limited number of questions', async () => {
    using one = await follower(world.own.login);
    const many = Array.from({ length: MAX_FOLLOWED }, (_, index): Followed => [
      'stats.breakdown',
      today({ dimension: 'page', metrics: ['pageviews'], page: index + 1 }),
    ]);
    const topics = [...(await one.follow(...many.slice(0, 20))), ...(await one.follow(...many.slice(20)))];
    expect(new Set(topics).size).toBe(MAX_FOLLOWED);
    expect(await one.follow(questions['stats.summary']?.() as Followed)).toEqual([null]);
    expect(await one.follow(many[0] as Followed)).toEqual([topics[0]]);
  });
});

describe('the pace', () => {
  const following = (answers: Answers<string>, { now, schedule }: Pick<Clock, 'now' | 'schedule'>) =>
    openFollowing<string>({
      answers,
      now,
      schedule,
      stopwatch: now,
      maxBytes: 30_000,
      isGuest: (viewer) => viewer === 'guest',
    });
  const dashboard = (viewer: string, write: (text: string) => void = () => undefined) => ({
    data: { viewer },
    conn: {
      write: (_: string, { wsPreEncodedFrame: [frame] }: { wsPreEncodedFrame: Buffer[] }) => write(String(frame)),
    },
  });

  test.each([
    [0, 300],
    [1000, 1500],
  ])(
    'an answer that takes %d ms is computed every %d ms at most, and never twice at a time',
    async (tookMs, everyMs) => {
      const clock = fakeClock();
      const runs: number[] = [];
      let [running, most] = [0, 0];
      const ask = async () => {
        runs.push(clock.now());
        most = Math.max(most, (running += 1));
        if (tookMs > 0) await new Promise<void>((resolve) => clock.schedule(resolve, tookMs));
        running -= 1;
        return { runs: runs.length };
      };
      const own = following({ audienceOf: () => 'all', ask }, clock);
      expect(own.follow(dashboard('member') as never, OWN, ['q', { site_id: OWN }])).not.toBeNull();
      for (let ms = 0; ms < 9000; ms += 50) {
        own.stored(OWN);
        await clock.advance(50);
      }
      expect(most).toBe(1);
      const gaps = new Set(runs.slice(1).map((at, index) => at - (runs[index] ?? 0)));
      expect([...gaps]).toEqual([everyMs]);
    },
  );

  test('answers beyond the memory are not followed, and viewers of links use at most half of it', async () => {
    showsRefused('memory filled by a stranger', 100);
    const guests = await fill('guest', openOwn());
    const members = await fill('member', openOwn());
    const both = openOwn();
    expect([guests, members]).toEqual([4, 9]);
    expect(await fill('guest', both)).toBe(4);
    expect(await fill('member', both)).toBe(5);
  });

  const openOwn = () =>
    following({ audienceOf: () => 'all', ask: () => Promise.resolve('x'.repeat(500)) }, fakeClock());

  /** Follows until there is no room. Each question and its answer of 500 characters take 3 kB. */
  async function fill(viewer: string, own: ReturnType<typeof openOwn>): Promise<number> {
    let count = 0;
    const ended = (text: string) => void (count -= text.includes('"ended"') ? 1 : 0);
    for (let n = 0; n < 50; n += 1) {
      const followed = own.follow(dashboard(viewer, ended) as never, OWN, [`${viewer} ${n}`, { site_id: OWN }]);
      if (followed !== null) count += 1;
      await nextTurn();
    }
    return count;
  }
});

test('dashboards of another process hear of what this one stores', async () => {
  await using redis = await startRedis();
  const [ofOne, ofOther] = [await openRedis(redis.url), await openRedis(redis.url)];
  const clock = fakeClock();
  const windows = openMemoryWindows();
  let count = 0;
  const answers = { audienceOf: () => 'all', ask: () => Promise.resolve({ count, more: 'x'.repeat(50) }) };
  await using one = await startProcess({ clock, windows, redis: ofOne, answers });
  await using other = await startProcess({ clock, windows, redis: ofOther, answers });
  using follower = await openFollower(other.origin, { headers: ADA }, OWN);
  await follower.follow(['q', { site_id: OWN }]);
  await eventually(() => expect(follower.heard).toMatchObject([{ number: 1, answer: { count: 0 } }]));
  count = 7;
  await eventually(async () => {
    await clock.advance(TICK_MS);
    one.socket.stored([OWN]);
    expect(follower.heard.slice(1)).toMatchObject([{ number: 2, difference: { count: [7] } }]);
  });
  await Promise.all([ofOne.close(), ofOther.close()]);
});

test('answers of a dashboard that sees a site in steps are asked anew once they can include the step', async () => {
  const clock = fakeClock();
  let count = 0;
  const answers = { audienceOf: () => 'viewers', ask: () => Promise.resolve({ count, more: 'x'.repeat(50) }) };
  await using process = await startProcess({ clock, answers });
  await watching(process, OWN, VIV);
  using follower = await openFollower(process.origin, { headers: { cookie: VIV.cookie } }, OWN);
  await follower.follow(['q', { site_id: OWN }]);
  await eventually(() => expect(follower.heard).toMatchObject([{ number: 1, answer: { count: 0 } }]));
  for (const visitor of [1, 2, 3]) await process.arrive(eventOf(OWN, visitor, { time: clock.now() }));
  count = 3; // nothing is stored after this
  for (let tick = 0; tick < 4; tick += 1) await clock.advance(TICK_MS);
  await eventually(() => expect(follower.heard.slice(1)).toMatchObject([{ number: 2, difference: { count: [3] } }]));
});
