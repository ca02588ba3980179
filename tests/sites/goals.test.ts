// Goals and funnels of a site, from both directory databases to the command line and the API.
import { describe, expect, test } from 'vitest';
import { createAccount } from '../../server/accounts/accounts.ts';
import type { Directory } from '../../server/directory/open.ts';
import { Refusal } from '../../server/errors.ts';
import { manage } from '../../server/operator/manage.ts';
import { readConfig } from '../../server/config.ts';
import { funnelDefinition, funnels, resolveFunnel } from '../../server/sites/definitions/funnels.ts';
import { goalDefinition, goals } from '../../server/sites/definitions/goals.ts';
import { createSite } from '../../server/sites/sites.ts';
import { MAX_GOALS } from '../../server/vocabulary/limits.ts';
import { type GoalDefinition, MAX_FUNNELS } from '../../server/vocabulary/questions/goals.ts';
import { NOON } from '../setup/clock.ts';
import { makeEvent } from '../setup/event.ts';
import { FORMS, testDirectory } from '../setup/directory.ts';
import { test as restTest } from '../setup/api/rest-test.ts';

const signup = { kind: 'event', event: 'signup', props: {} } as const;
const thanks = { kind: 'page', page: '/thanks' } as const;

async function siteIn(directory: Directory, domain = 'example.com') {
  const email = `owner@${domain}`;
  const { account } = await createAccount(directory, { email, password: 'correct horse' }, NOON);
  return { siteId: (await createSite(directory, { accountId: account.id, domain }, NOON)).id };
}

const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'nothing was refused',
    (error: unknown) => (error instanceof Refusal ? error.message : String(error)),
  );

describe.each(FORMS)('goals and funnels in %s', (form) => {
  test('keep their ids when they are renamed, and the order that people give them', async () => {
    await using directory = await testDirectory(form);
    const site = await siteIn(directory);
    const make = (name: string) => goals.create(directory, { ...site, name, definition: signup }, NOON);
    const made = [await make('a'), await make('b'), await make('c')];
    expect(made[0]).toEqual({ id: expect.stringMatching(/^goal_/) as string, name: 'a', created_at: NOON, ...signup });
    await goals.rename(directory, { ...site, id: made[1]?.id ?? '', name: ' Sign-up ' });
    await goals.move(directory, { ...site, id: made[2]?.id ?? '', to: 0 });
    const list = await goals.list(directory, site);
    expect(list.map(({ id, name }) => [id, name])).toEqual([
      [made[2]?.id, 'c'],
      [made[0]?.id, 'a'],
      [made[1]?.id, 'Sign-up'],
    ]);
    await goals.delete(directory, { ...site, id: made[0]?.id ?? '' });
    expect((await goals.list(directory, site)).map(({ name }) => name)).toEqual(['c', 'Sign-up']);
  });

  test('are refused past the limit of a site, also when many are created at the same moment', async () => {
    await using directory = await testDirectory(form);
    const site = await siteIn(directory);
    for (let n = 0; n < MAX_GOALS - 1; n++)
      await goals.create(directory, { ...site, name: `goal ${n}`, definition: signup }, NOON);
    const last = ['x', 'y', 'z'].map((name) =>
      refusal(goals.create(directory, { ...site, name, definition: signup }, NOON)),
    );
    const tooMany = 'A site can have 100 goals: delete one to make another.';
    expect((await Promise.all(last)).sort()).toEqual([tooMany, tooMany, 'nothing was refused']);
    const steps = [signup, thanks];
    const make = (n: number) =>
      funnels.create(directory, { ...site, name: `funnel ${n}`, definition: funnelDefinition.parse({ steps }) }, NOON);
    for (let n = 0; n < MAX_FUNNELS; n++) await make(n);
    expect(await refusal(make(MAX_FUNNELS))).toBe('A site can have 50 funnels: delete one to make another.');
  });

  test('have unique names on a site, and those of another site are unknown', async () => {
    await using directory = await testDirectory(form);
    const [site, other] = [await siteIn(directory), await siteIn(directory, 'other.example')];
    const made = await goals.create(directory, { ...site, name: 'Sign-up', definition: signup }, NOON);
    const again = goals.create(directory, { ...site, name: 'Sign-up', definition: thanks }, NOON);
    expect(await refusal(again)).toBe('name: this site already has a goal with that name.');
    await goals.create(directory, { ...other, name: 'Sign-up', definition: thanks }, NOON);
    const unknown = 'There is no such goal on this site.';
    for (const id of [made.id, 'goal_00000000000000000000000000', 'x', "' OR 1=1 --"]) {
      expect(await refusal(goals.rename(directory, { ...other, id, name: 'mine' }))).toBe(unknown);
      expect(await refusal(goals.move(directory, { ...other, id, to: 0 }))).toBe(unknown);
      expect(await refusal(goals.delete(directory, { ...other, id }))).toBe(unknown);
    }
    const steps = [{ goal: made.id }, thanks];
    const foreign = funnels.create(
      directory,
      { ...other, name: 'f', definition: funnelDefinition.parse({ steps }) },
      NOON,
    );
    expect(await refusal(foreign)).toBe(
      'steps.0.goal: must be the id of a goal of this site, as in the list of goals.',
    );
  });

  test('a funnel keeps the condition of a deleted goal, and says which goal it was', async () => {
    await using directory = await testDirectory(form);
    const site = await siteIn(directory);
    const goal = await goals.create(
      directory,
      { ...site, name: 'Paid', definition: { ...signup, props: { plan: 'pro' } } },
      NOON,
    );
    const definition = funnelDefinition.parse({ steps: [thanks, { goal: goal.id }], within: 'day' });
    const funnel = await funnels.create(directory, { ...site, name: 'f', definition }, NOON);
    await goals.delete(directory, { ...site, id: goal.id });
    const kept = { kind: 'event', event: 'signup', props: { plan: 'pro' }, deleted_goal: 'Paid' };
    expect(await funnels.list(directory, site)).toEqual([{ ...funnel, steps: [thanks, kept] }]);
  });

  test('a funnel is resolved while one of its goals is being deleted', async () => {
    await using directory = await testDirectory(form);
    const site = await siteIn(directory);
    const goal = await goals.create(directory, { ...site, name: 'Paid', definition: signup }, NOON);
    const definition = funnelDefinition.parse({ steps: [thanks, { goal: goal.id }] });
    const { id } = await funnels.create(directory, { ...site, name: 'f', definition }, NOON);
    let isDeleted = false;
    const db = directory.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        if (!isDeleted) {
          isDeleted = true;
          await goals.delete(directory, { ...site, id: goal.id });
        }
        return result;
      },
    });
    const { resolved } = await resolveFunnel({ db }, { ...site, id });
    expect(resolved.map(({ name, condition }) => [name, condition])).toEqual([
      ['/thanks', thanks],
      ['Paid', signup],
    ]);
  });
});

test.each([
  [{ kind: 'event', event: ' signup ' }, { ...signup }],
  [
    { kind: 'event', event: 'signup', props: { plan: 'pro' } },
    { ...signup, props: { plan: 'pro' } },
  ],
  [
    { kind: 'page', page: '/caf%C3%A9/**' },
    { kind: 'page', page: '/café/**' },
  ],
  [
    { kind: 'scroll', page: '/docs/*', scroll: 75 },
    { kind: 'scroll', page: '/docs/*', scroll: 75 },
  ],
  [
    { kind: 'time', page: '/', seconds: 30 },
    { kind: 'time', page: '/', seconds: 30 },
  ],
])('a goal %j is stored as it will be counted', (sent, kept) => {
  expect(goalDefinition.parse(sent)).toEqual(kept);
});

test.each([
  [{ kind: 'click' }, 'kind: must be one of event, page, scroll, time'],
  [{ kind: 'event', event: '' }, 'event: must be text of 1 to 64 characters'],
  [{ kind: 'event', event: '\u202e' }, 'event: must be text of 1 to 64 characters'],
  [{ kind: 'event', event: 'pageview' }, 'event: must be a custom event; for page views, use a goal of kind "page"'],
  [{ kind: 'page', page: 'thanks' }, 'page: must begin with a slash, such as /users/*'],
  [{ kind: 'page', page: '/a/**/b' }, 'page: may have ** only as its last segment'],
  [{ kind: 'page', page: `/${'a'.repeat(256)}` }, 'page: must have at most 256 characters'],
  [{ kind: 'scroll', page: '/', scroll: 101 }, 'scroll: must be a whole number from 1 to 100'],
  [{ kind: 'time', page: '/', seconds: 0.5 }, 'seconds: must be a whole number from 1 to 86400'],
])('a goal %j is refused with a sentence that names the field', (sent, sentence) => {
  expect(problems(goalDefinition.safeParse(sent))).toContain(sentence);
});

test.each([
  [{ steps: [thanks] }, 'steps: must be a list of 2 to 8 steps'],
  [{ steps: Array.from({ length: 9 }, () => thanks) }, 'steps: must be a list of 2 to 8 steps'],
  [{ steps: [thanks, { kind: 'event', event: '' }] }, 'steps.1.event: must be text of 1 to 64 characters'],
  [{ steps: [thanks, { goal: 7 }] }, 'steps.1.goal: must be the id of a goal'],
  [{ steps: [thanks, { ...signup, deleted_goal: 'x' }] }, 'steps.1: Unrecognized key: "deleted_goal"'],
  [{ steps: [thanks, signup], within: 'week' }, 'within: must be one of visit, day'],
  [{ steps: [thanks, signup], order: 'random' }, 'order: must be one of any_between, strict, any'],
])('a funnel %j is refused with a sentence that names the field', (sent, sentence) => {
  expect(problems(funnelDefinition.safeParse(sent))).toContain(sentence);
});

function problems({ error }: { error?: { issues: { path: PropertyKey[]; message: string }[] } | undefined }): string[] {
  return (error?.issues ?? []).map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
}

describe('the command line', () => {
  const open = async () => {
    const directory = await testDirectory('sqlite');
    await siteIn(directory);
    const config = readConfig({ DATA_DIR: directory.place.folder });
    const context = { config, now: NOON, say: () => undefined };
    return { directory, run: (...args: string[]) => manage(args, context) as Promise<Record<string, unknown>> };
  };
  const goal = ['goal', 'create', '--site', 'example.com', '--name', 'G'];

  test.each([
    [['--event', 'signup'], signup],
    [
      ['--event', 'signup', '--prop', 'plan=pro', '--prop', 'from=a=b'],
      { ...signup, props: { plan: 'pro', from: 'a=b' } },
    ],
    [['--page', '/docs/**'], { kind: 'page', page: '/docs/**' }],
    [['--scroll', '75', '--page', '/docs'], { kind: 'scroll', page: '/docs', scroll: 75 }],
    [['--seconds', '30', '--page', '/docs'], { kind: 'time', page: '/docs', seconds: 30 }],
  ])('creates a goal by %j, and prints it as the API shows it', async (given, definition) => {
    const { directory, run } = await open();
    await using _ = directory;
    const made = await run(...goal, ...given);
    const id = expect.stringMatching(/^goal_[0-9A-HJKMNP-TV-Z]{26}$/) as string;
    expect(made).toEqual({ id, name: 'G', created_at: new Date(NOON).toISOString(), ...definition });
  });

  test.each([
    [[], 'A goal is one of --event E, --page PATTERN, --scroll N --page P or --seconds N --page P.'],
    [
      ['--event', 'a', '--page', '/'],
      'A goal is one of --event E, --page PATTERN, --scroll N --page P or --seconds N --page P.',
    ],
    [
      ['--scroll', '5', '--seconds', '5'],
      'A goal is one of --event E, --page PATTERN, --scroll N --page P or --seconds N --page P.',
    ],
    [['--page', '/', '--prop', 'a=b'], '--prop needs --event.'],
    [['--event', 'a', '--prop', 'b'], '--prop must be written KEY=VALUE.'],
    [['--scroll', '5'], 'page: must be a path such as /thanks, or a pattern such as /docs/**.'],
  ])('refuses a goal by %j', async (given, sentence) => {
    const { directory, run } = await open();
    await using _ = directory;
    await expect(run(...goal, ...given)).rejects.toThrow(sentence);
  });

  test('creates a funnel from goals and conditions', async () => {
    const { directory, run } = await open();
    await using _ = directory;
    const { id } = await run(...goal, '--event', 'signup');
    const steps = [{ kind: 'page', page: '/pricing' }, { kind: 'event', event: 'trial' }, { goal: id }];
    const funnel = ['funnel', 'create', '--site', 'example.com', '--name', 'F', '--steps', JSON.stringify(steps)];
    expect(await run(...funnel, '--within', 'day')).toEqual({
      id: expect.stringMatching(/^funnel_/) as string,
      name: 'F',
      created_at: new Date(NOON).toISOString(),
      steps: [steps[0], { kind: 'event', event: 'trial', props: {} }, { goal: id }],
      within: 'day',
      order: 'any_between',
    });
    await expect(run(...funnel.slice(0, -1), '[')).rejects.toThrow('--steps must be JSON.');
    await expect(run(...funnel.slice(0, -1), '[]')).rejects.toThrow('steps: must be a list of 2 to 8 steps.');
  });
});

describe('the API', () => {
  restTest(
    'lists goals and funnels in the order of the dashboard, page by page',
    async ({ server, site, rest, data }) => {
      const { directory } = server.app.services;
      const own = { siteId: site.id };
      const made = [];
      for (const [name, definition] of Object.entries({ a: signup, b: thanks }))
        made.push(await goals.create(directory, { ...own, name, definition }, server.clock.now));
      await goals.move(directory, { ...own, id: made[1]?.id ?? '', to: 0 });
      const created_at = new Date(server.clock.now).toISOString();
      const [b, a] = [
        { ...made[1], created_at },
        { ...made[0], created_at },
      ];
      expect(await data(`/v1/goals?site_id=${site.id}`)).toEqual([b, a]);
      expect((await rest.ask(`/v1/goals?site_id=${site.id}&per_page=1&page=2`)).body).toEqual({
        data: [a],
        meta: { page: 2, per_page: 1, total: 2 },
      });
      const definition = funnelDefinition.parse({ steps: [thanks, { goal: made[0]?.id }] });
      const funnel = await funnels.create(directory, { ...own, name: 'f', definition }, server.clock.now);
      expect(await data(`/v1/funnels?site_id=${site.id}`)).toEqual([{ ...funnel, created_at }]);
    },
  );

  restTest('counts conversions to the digit as the dashboard does', async ({ server, site, data }) => {
    const { directory, stats } = server.app.services;
    const make = async (name: string, definition: GoalDefinition, siteId = site.id) =>
      (await goals.create(directory, { siteId, name, definition }, server.clock.now)).id;
    const [signedUp, viewed, upgraded, never] = [
      await make('Signed up', signup),
      await make('Viewed', { kind: 'page', page: '/docs/**' }),
      await make('Upgraded', { kind: 'event', event: 'plan_upgraded', props: { plan: 'pro' } }),
      await make('Never', { kind: 'event', event: 'never', props: {} }),
    ];
    const visit = (visitor: string, names: string[], page: string, props = {}) =>
      names.map((name, index) =>
        makeEvent({
          site_id: site.id,
          visitor,
          id: `${visitor}${index}${site.id.at(-1)}`,
          name,
          page,
          props,
          time: server.clock.now - 60_000 + index,
        }),
      );
    await server.app.collector.record(
      [
        ...visit('a', ['pageview', 'signup', 'signup'], '/docs/a'),
        ...visit('b', ['pageview', 'signup'], '/'),
        ...['c', 'd'].flatMap((visitor) => visit(visitor, ['pageview'], '/docs/b')),
        ...visit('', ['plan_upgraded'], '/account', { plan: 'pro' }), // sent by a server
      ],
      server.clock.now,
    );
    await server.settle();

    const by = `/v1/stats/breakdown?site_id=${site.id}&period=today`;
    const metrics = 'conversions,converted_visitors,conversion_rate';
    const row = (goal: string, ...[conversions, converted_visitors, conversion_rate]: number[]) => ({
      goal,
      conversions,
      converted_visitors,
      conversion_rate,
    });
    const list = [row(signedUp, 3, 2, 50), row(viewed, 3, 3, 75)].sort((one, other) =>
      one.goal < other.goal ? -1 : 1,
    );
    expect(await data(`${by}&dimension=goal&metrics=${metrics}`)).toEqual([...list, row(upgraded, 1, 0, 0)]);
    expect(await data(`${by}&dimension=page&metrics=conversion_rate&filter[goal]=${signedUp}`)).toEqual([
      { page: '/', conversion_rate: 100 },
      { page: '/docs/a', conversion_rate: 100 },
    ]);
    const series = `/v1/stats/timeseries?site_id=${site.id}&period=today&interval=day&metrics=${metrics}`;
    expect(await data(`${series}&filter[goal]=${signedUp}`)).toMatchObject([
      { conversions: 3, converted_visitors: 2, conversion_rate: 50 },
    ]);
    // A goal of another site gets the same answer as an unknown one.
    const other = await server.addSite('stranger.example');
    for (const id of [await make('Theirs', signup, other.id), 'goal_0', "' OR 1=1 --", never]) {
      const filter = `filter[goal]=${encodeURIComponent(id)}`;
      expect(await data(`${by}&dimension=page&${filter}`)).toEqual([]);
      expect(await data(`/v1/stats?site_id=${site.id}&period=today&${filter}`)).toMatchObject({ pageviews: 0 });
    }
    const preview = await stats.preview({ site_id: site.id, definition: signup }, site, server.clock.now);
    expect(preview).toEqual({ conversions: 3, converted_visitors: 2 });
  });
});
