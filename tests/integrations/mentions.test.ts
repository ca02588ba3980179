/** @module-tag attack */
// Mentions: each place answers as it publishes, on both databases; what is wrong, hostile or refused is skipped, counted and said.
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createAccount } from '../../server/accounts/accounts.ts';
import { originOf } from '../../server/api/dashboard/mentions.ts';
import { mentionBasesOf, readConfig } from '../../server/config.ts';
import { openDirectory } from '../../server/directory/open.ts';
import { openLog } from '../../server/process/log.ts';
import { readFeed } from '../../server/integrations/mentions/feed.ts';
import { isSaid } from '../../server/integrations/mentions/found.ts';
import { PLACES } from '../../server/integrations/mentions/places.ts';
import { listRuns, mentionRules, saveRules } from '../../server/integrations/mentions/rules.ts';
import { openMentionSearch } from '../../server/integrations/mentions/search.ts';
import { addMentions, listMentions, muteMention, withChange } from '../../server/integrations/mentions/stored.ts';
import { createSite } from '../../server/sites/sites.ts';
import {
  MENTION_OUTCOMES,
  MENTION_PLACE_NAMES,
  type MentionPlace,
  placeRow,
} from '../../server/vocabulary/settings/mentions.ts';
import { MAX_ADDRESS } from '../../server/vocabulary/limits.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { NOON } from '../setup/clock.ts';
import { directoryPlace, FORMS } from '../setup/directory.ts';
import { AUTHOR, POSTED_AT, RECORDED } from '../setup/internet/mention-answers.ts';
import { type Answer, FEED, openMentionPlaces } from '../setup/internet/mention-places.ts';

const RULES = { places: [...MENTION_PLACE_NAMES], words: ['Own Analytics'], feeds: [FEED] };

/** A directory with a site, and a job that searches. */
async function world(form: (typeof FORMS)[number] = 'sqlite', bases?: Partial<Record<MentionPlace, string>>) {
  const disposed = new AsyncDisposableStack();
  const place = disposed.use(await directoryPlace(form));
  const directory = disposed.adopt(await openDirectory(place), (opened) => opened.close());
  const places = disposed.use(await openMentionPlaces());
  const config = readConfig({ DATA_DIR: place.folder, NODE_ENV: 'test', ...places.env });
  const who = { email: 'ada@own.example', password: 'correct horse battery' };
  const { account } = await createAccount(directory, who, NOON);
  const site = await createSite(directory, { accountId: account.id, domain: 'own.example' }, NOON);
  const clock = { now: NOON };
  const options = {
    directory,
    billing: 'on',
    bases: bases ?? mentionBasesOf(config),
    network: places.network,
  } as const;
  const start = () => openMentionSearch({ ...options, now: () => clock.now, log: openLog('silent') });
  let job = start();
  disposed.defer(() => job.close());
  const own = { siteId: site.id };
  return {
    directory,
    places,
    own,
    answers: places.answers,
    kill: () => job.close(),
    restart: () => (job = start()),
    search: (now: number) => {
      clock.now = now;
      return job.run();
    },
    asked: () => places.asked.map(({ place: asked, url }) => `${asked} ${url}`),
    save: (rules: object, now = NOON, siteId = site.id) =>
      saveRules(directory, { siteId, rules: mentionRules.parse({ ...RULES, ...rules }) }, now),
    list: () => listMentions(directory, { ...own, last: 100 }),
    runs: () => listRuns(directory, own),
    [Symbol.asyncDispose]: () => disposed.disposeAsync(),
  };
}

const DOMAIN_PLACES = MENTION_PLACE_NAMES.filter((place) => placeRow(place).by.some((kind) => kind !== 'words'));

describe.each(FORMS)('mentions on %s', (form) => {
  test('of every place are found in the answers that it publishes, and no author is kept', async () => {
    await using own = await world(form);
    await own.save({});
    await own.search(NOON);
    const found = await own.list();
    for (const place of MENTION_PLACE_NAMES) {
      const { path, asks, kept } = RECORDED[place];
      const request = own.places.asked.find(
        ({ place: asked, url }) =>
          asked === place &&
          url.split('?')[0] === path &&
          Object.entries(asks).every(([name, value]) => new URLSearchParams(url.split('?')[1]).get(name) === value),
      );
      expect(request, place).toBeDefined();
      expect(request?.headers.accept).toBe(PLACES[place].accept);
      const history = [{ at: NOON, points: kept.points, comments: kept.comments }];
      const id = expect.stringMatching(/^mention_/) as string;
      expect(found.filter((one) => one.place === place)).toEqual([
        { id, place, posted_at: POSTED_AT, is_muted: false, history, ...kept },
      ]);
    }
    const runs = await own.runs();
    // Each place was asked what it can be asked: the domain, the words, or the feed.
    expect(runs).toHaveLength(MENTION_PLACE_NAMES.flatMap((place) => placeRow(place).by).length);
    for (const { place, kind, outcome, asked_at, skipped } of runs) {
      expect([place, outcome, asked_at]).toEqual([place, 'found', NOON]);
      // The thread of another shape is counted, in every answer.
      expect([place, kind, skipped]).toEqual([place, kind, 1]);
    }
    const { db } = own.directory;
    const rows = await db.selectFrom('mentions').selectAll().execute();
    // The addresses of some places contain a name; without them nothing does.
    const stored = [
      ...rows.map(({ url: _, ...row }) => row),
      ...(await db.selectFrom('mention_searches').selectAll().execute()),
    ];
    expect(JSON.stringify(stored)).not.toContain(AUTHOR);
  });

  test('are found within the hour; points and comments follow each change; one that is muted stays so', async () => {
    await using own = await world(form);
    await own.save({ places: ['lobsters'] });
    own.answers.lobsters = { body: '[]' };
    await own.search(NOON);
    expect(await own.list()).toEqual([]);
    delete own.answers.lobsters;
    for (let minute = 1; minute < 60; minute += 1) await own.search(NOON + minute * MINUTE_MS);
    expect(own.asked()).toHaveLength(2); // now and then, although the job ran 60 times
    const [first] = await own.list();
    await muteMention(own.directory, { ...own.own, id: first?.id ?? '', isMuted: true });
    await own.search(NOON + HOUR_MS);
    own.answers.lobsters = { body: RECORDED.lobsters.body.replaceAll('"score":14', '"score":99') };
    await own.search(NOON + 2 * HOUR_MS);
    expect(await own.list()).toEqual([
      {
        ...first,
        is_muted: true,
        points: 99,
        history: [
          { at: NOON + 30 * MINUTE_MS, points: 14, comments: 2 },
          { at: NOON + 2 * HOUR_MS, points: 99, comments: 2 },
        ],
      },
    ]);
    await expect(muteMention(own.directory, { ...own.own, id: 'x', isMuted: true })).rejects.toThrow('no such mention');
  });

  test('are searched once, whatever runs twice or is killed', async () => {
    await using own = await world(form);
    await own.save({ places: ['lobsters', 'github'], words: [] });
    await Promise.all([own.search(NOON), own.search(NOON)]);
    expect(own.asked()).toHaveLength(2);
    expect(await own.list()).toHaveLength(2);
    // A search that is killed while it waits for the answer is repeated only when the next one is due.
    await own.save({ places: ['lobsters'] });
    own.places.hooks.onAsked = own.kill;
    await own.search(NOON + HOUR_MS);
    expect(own.asked()).toHaveLength(3);
    own.places.hooks.onAsked = () => undefined;
    own.restart();
    await own.search(NOON + HOUR_MS + 29 * MINUTE_MS);
    expect(own.asked()).toHaveLength(3);
    await own.search(NOON + HOUR_MS + 30 * MINUTE_MS);
    expect(own.asked()).toHaveLength(4);
    expect((await own.runs()).map(({ outcome }) => outcome)).toEqual(['found']);
  });

  test('accounts take turns, so that many searches of one do not delay another', async () => {
    await using own = await world(form);
    const many = ['one', 'two', 'three', 'four', 'five'];
    await own.save({ places: ['github'], words: many });
    const { account } = await createAccount(
      own.directory,
      { email: 'eve@x.example', password: 'correct horse battery' },
      NOON,
    );
    const other = await createSite(own.directory, { accountId: account.id, domain: 'zzz.example' }, NOON);
    await own.save({ places: ['github'], words: [] }, NOON + 1, other.id);
    await own.search(NOON + 1);
    expect(own.asked()).toHaveLength(PLACES.github.aMinute);
    expect(own.asked().filter((url) => url.includes('zzz.example'))).toHaveLength(1);
    await own.search(NOON + MINUTE_MS);
    expect(own.asked()).toHaveLength(many.length + 2);
  });

  test('of two feeds that number their entries alike are both kept, and one that is found twice at once is kept once', async () => {
    await using own = await world(form);
    const feeds = [FEED, 'http://news.example/other.xml'];
    const item =
      '<title>own.example</title><link>https://x.example/7</link><pubDate>Fri, 20 Nov 2026 08:00:00 GMT</pubDate>';
    own.answers.feed = { body: `<rss><channel><item><guid>7</guid>${item}</item></channel></rss>` };
    await own.save({ places: ['feed'], feeds });
    await own.search(NOON);
    await own.search(NOON + HOUR_MS);
    expect(own.asked()).toHaveLength(4);
    expect((await own.list()).map(({ url }) => url)).toEqual(['https://x.example/7', 'https://x.example/7']);
    const score = { points: 1, comments: 0, said: '' };
    const found = [{ thread: 'a', title: 'A', url: 'https://x.example/', postedAt: NOON, ...score }];
    const add = () => addMentions(own.directory.db, { ...own.own, place: 'reddit', found }, NOON);
    await Promise.all([add(), add()]);
    expect((await own.list()).filter(({ place }) => place === 'reddit')).toHaveLength(1);
  });

  test('the address of a feed can be as long as any, and have any character', async () => {
    await using own = await world(form);
    // Random, so that PostgreSQL cannot compress it into its index.
    const long = `https://x.example/${randomBytes(1_100).toString('hex')}`.slice(0, MAX_ADDRESS);
    const feeds = [long, 'https://x.example/\u0000漢', 'HTTPS://X.example/%00%E6%BC%A2'];
    await own.save({ places: ['feed'], feeds });
    const kept = [long, 'https://x.example/%00%E6%BC%A2'];
    expect((await own.runs()).map(({ query }) => query).toSorted()).toEqual(kept.toSorted());
  });

  test('of an account that cannot see its dashboard are not searched, take no turn, and go on soon after it pays', async () => {
    await using own = await world(form);
    await own.save({ places: ['lobsters'] });
    const { db } = own.directory;
    for (let n = 0; n < PLACES.lobsters.aMinute; n += 1) {
      const who = { email: `eve${n}@x.example`, password: 'correct horse battery' };
      const { account } = await createAccount(own.directory, who, NOON);
      const site = await createSite(own.directory, { accountId: account.id, domain: `own${n}.example` }, NOON);
      await own.save({ places: ['lobsters'] }, NOON - 1, site.id);
    }
    const others = db
      .updateTable('accounts')
      .where('id', 'in', (sites) =>
        sites.selectFrom('sites').select('account_id').where('domain', '!=', 'own.example'),
      );
    await others.set({ status: 'expired', kind: 'customer' }).execute();
    await own.search(NOON);
    expect(own.asked()).toEqual(['lobsters /domains/own.example.json']);
    await others.set({ status: 'active' }).execute();
    await own.search(NOON + 30 * MINUTE_MS);
    await own.search(NOON + 31 * MINUTE_MS);
    expect(own.asked()).toHaveLength(PLACES.lobsters.aMinute + 2);
  });
});

test('a known page is not sent again, until the question is another one', async () => {
  await using own = await world();
  await own.save({ places: ['feed'] });
  own.answers.feed = { headers: { etag: '"v1"', 'last-modified': 'Fri, 20 Nov 2026 08:00:00 GMT' } };
  await own.search(NOON);
  await own.search(NOON + HOUR_MS);
  const second = own.places.asked[1]?.headers;
  expect([second?.['if-none-match'], second?.['if-modified-since']]).toEqual(['"v1"', 'Fri, 20 Nov 2026 08:00:00 GMT']);
  expect((await own.runs())[0]?.outcome).toBe('unchanged');
  expect(await own.list()).toHaveLength(1);
  // Another word may be in the page that is known.
  await own.save({ places: ['feed'], words: ['Other'] }, NOON + HOUR_MS);
  await own.search(NOON + 2 * HOUR_MS);
  expect(own.places.asked[2]?.headers['if-none-match']).toBeUndefined();
  expect((await own.list()).map(({ title }) => title).toSorted()).toEqual(['Other', 'Own & others']);
});

test('a place that limits requests gets a pause for all sites, as long as it says', async () => {
  const limits: Answer[] = [
    { status: 429, headers: { 'retry-after': '7200' }, body: 'slow down' },
    { status: 403, headers: { 'x-ratelimit-remaining': '0', 'retry-after': '7200' } },
  ];
  for (const limit of limits) {
    await using own = await world();
    await own.save({ places: ['github', 'lobsters'], words: ['one word', 'another'] });
    own.answers.github = limit;
    await own.search(NOON);
    for (const minutes of [1, 30, 60, 119]) await own.search(NOON + minutes * MINUTE_MS);
    expect(own.asked().filter((url) => url.startsWith('github'))).toHaveLength(1);
    expect(own.asked().filter((url) => url.startsWith('lobsters'))).toHaveLength(4); // the others go on
    delete own.answers.github;
    await own.search(NOON + 120 * MINUTE_MS);
    expect((await own.runs()).map(({ outcome }) => outcome)).toEqual(Array(4).fill('found'));
  }
});

test('the pause of a place lasts longer than the search that was told of it', async () => {
  await using own = await world();
  await own.save({ places: ['github'], words: ['one word'] });
  own.answers.github = { status: 429, headers: { 'retry-after': '7200' } };
  await own.search(NOON);
  await own.save({ places: [], words: [] }, NOON + MINUTE_MS);
  await own.save({ places: ['github'], words: ['another'] }, NOON + MINUTE_MS);
  for (const minutes of [1, 119]) await own.search(NOON + minutes * MINUTE_MS);
  expect(own.asked()).toHaveLength(1);
  own.restart();
  await own.search(NOON + 119 * MINUTE_MS);
  expect(own.asked()).toHaveLength(1);
  delete own.answers.github;
  await own.search(NOON + 120 * MINUTE_MS);
  expect(own.asked()).toHaveLength(3);
});

test('a search that a place refuses stops no other search', async () => {
  await using own = await world();
  await own.save({ places: ['github'], words: ['one word'] });
  own.answers.github = { status: 403 };
  await own.search(NOON);
  expect((await own.runs()).map(({ outcome }) => outcome)).toEqual(['refused', 'refused']);
});

test('only a limit, or a place that cannot be reached, ends the turn of the other searches', async () => {
  const answers: [answer: Answer, asked: number][] = [
    [{ body: `[${'0,'.repeat(800_000)}` }, 3],
    [{ body: '{}' }, 3],
    [{ status: 404 }, 3],
    [{ status: 422 }, 3],
    [{ status: 429 }, 1],
    [{ headers: { 'content-length': '9', 'content-encoding': 'gzip' }, body: 'not gzip.' }, 1],
  ];
  for (const [answer, asked] of answers) {
    await using own = await world();
    await own.save({ places: ['github'], words: ['one word', 'another'] });
    own.answers.github = answer;
    await own.search(NOON);
    expect([answer.status, own.asked().length]).toEqual([answer.status, asked]);
  }
});

test('pauses grow after each failure, up to a day, and a clock that was ahead stops nothing', async () => {
  await using own = await world();
  await own.save({ places: ['lobsters'] });
  own.answers.lobsters = { status: 500 };
  const pauses = [];
  let now = NOON;
  for (let n = 0; n < 8; n += 1) {
    await own.search(now);
    const [run] = await own.runs();
    pauses.push(((run?.next_at ?? 0) - now) / HOUR_MS);
    now = run?.next_at ?? 0;
  }
  expect(pauses).toEqual([0.5, 1, 2, 4, 8, 16, 24, 24]);
  delete own.answers.lobsters;
  await own.search(NOON - 10 * DAY_MS); // the clock was set back
  expect((await own.runs())[0]).toMatchObject({ outcome: 'found', next_at: NOON - 10 * DAY_MS + 30 * MINUTE_MS });
});

describe('bad answers', () => {
  const laughs = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "own.example">${Array.from(
    { length: 9 },
    (_, n) => `<!ENTITY lol${n + 1} "${`&lol${n === 0 ? '' : n};`.repeat(10)}">`,
  ).join('')}]><rss><channel><item><title>&lol9;</title><link>https://x.example/</link></item></channel></rss>`;
  const BAD: Record<string, [answer: Answer, outcome: keyof typeof MENTION_OUTCOMES]> = {
    'HTML instead of JSON': [{ body: '<!doctype html><title>Sign in</title>' }, 'other_shape'],
    'JSON of another shape': [{ body: '{"error":"x"}' }, 'other_shape'],
    'deep JSON': [{ body: '['.repeat(200_000) }, 'other_shape'],
    nothing: [{ body: '' }, 'other_shape'],
    'endless bytes': [{ body: `[${'0,'.repeat(800_000)}` }, 'too_large'],
    'a refusal': [{ status: 403 }, 'refused'],
    'a rate limit': [{ status: 429 }, 'limited'],
    'an error': [{ status: 500 }, 'error'],
    'an address that is gone': [{ status: 410 }, 'missing'],
    'a redirect into a private network': [{ status: 302, headers: { location: 'http://127.0.0.1:22/' } }, 'private'],
    'half an answer': [
      { headers: { 'content-length': '9', 'content-encoding': 'gzip' }, body: 'not gzip.' },
      'unreachable',
    ],
  };
  test.each(Object.entries(BAD))('%s: said, and nothing is found', async (_, [answer, outcome]) => {
    await using own = await world();
    await own.save({ words: [] });
    for (const place of MENTION_PLACE_NAMES) own.answers[place] = answer;
    await own.search(NOON);
    const runs = await own.runs();
    expect(runs.map(({ place }) => place)).toEqual(DOMAIN_PLACES.toSorted());
    for (const run of runs) expect([run.place, run.outcome]).toEqual([run.place, outcome]);
    expect(await own.list()).toEqual([]);
  });

  test('each failure that is said has a case here', () => {
    const failures = Object.entries(MENTION_OUTCOMES).flatMap(([name, { isFailure }]) => (isFailure ? [name] : []));
    expect([...new Set(Object.values(BAD).map(([, outcome]) => outcome))].toSorted()).toEqual(failures.toSorted());
  });

  test('only addresses that the operator configured may be private, and only for their place', async () => {
    await using own = await world('sqlite', {});
    const inner = `http://127.0.0.1:${own.places.port}/lobsters/domains/own.example.json`;
    await own.save({ places: ['feed'], feeds: [inner, `http://localhost:${own.places.port}/x`] });
    await own.search(NOON);
    expect((await own.runs()).map(({ outcome }) => outcome)).toEqual(['private', 'private']);
    expect(own.asked()).toEqual([]);
    await using configured = await world('sqlite');
    const same = `http://127.0.0.1:${configured.places.port}/lobsters/domains/own.example.json`;
    await configured.save({ places: ['feed', 'lobsters'], feeds: [same] });
    await configured.search(NOON);
    expect((await configured.runs()).map(({ place, outcome }) => [place, outcome])).toEqual([
      ['feed', 'private'],
      ['lobsters', 'found'],
    ]);
  });

  test('a feed cannot expand entities, nest without end, or claim the future', async () => {
    expect(readFeed(laughs)).toEqual({ found: [], skipped: 1 }); // no date
    expect(
      readFeed(laughs.replace('<link>', '<pubDate>Fri, 20 Nov 2026 08:00:00 GMT</pubDate><link>'))?.found,
    ).toMatchObject([{ title: '&lol9;' }]);
    const deep = `<rss><channel><item><title>${'<a>'.repeat(300_000)}own.example`;
    expect(readFeed(deep)?.found).toEqual([]);
    await using own = await world();
    await own.save({ places: ['feed'] });
    const ahead = new Date(NOON + 1000 * DAY_MS).toUTCString();
    const item = (id: number, at: string) =>
      `<item><title>own.example\u0000\u202e ${id}</title><guid>${id}</guid><link>https://x.example/1</link><pubDate>${at}</pubDate></item>`;
    const before = 'Fri, 20 Nov 1026 08:00:00 GMT';
    own.answers.feed = { body: `<rss version="2.0"><channel>${item(1, ahead)}${item(2, before)}</channel></rss>` };
    await own.search(NOON);
    expect((await own.list()).map(({ posted_at, title }) => [posted_at, title])).toEqual([[NOON, 'own.example 1']]);
  });

  test('a domain is mentioned only as a whole word, in linear time', () => {
    for (const said of [
      'own.example',
      'See https://OWN.example/x.',
      '(own.example)',
      'www.own.example',
      'own.example.',
    ])
      expect([said, isSaid(said, 'own.example')]).toEqual([said, true]);
    for (const said of ['notown.example', 'own.examples', 'my-own.example', 'own-example', 'own.example.au', ''])
      expect([said, isSaid(said, 'own.example')]).toEqual([said, false]);
    expect(isSaid('own.examplex'.repeat(80_000), 'own.example')).toBe(false);
  });
});

test('visits are those of a thread only if its address without a query is its own', () => {
  expect(originOf('https://lobste.rs/s/abc')).toEqual({ referrer: 'lobste.rs/s/abc', source: 'Lobsters' });
  expect(originOf('https://news.ycombinator.com/item?id=42')).toEqual({ referrer: undefined, source: 'Hacker News' });
  for (const url of ['https://x.example/', 'https://x.example/?p=7'])
    expect(originOf(url)).toEqual({ referrer: undefined, source: 'x.example' });
});

test('a word whose tag is another word is mentioned only where the text has the word itself', async () => {
  const tags: [word: string, mastodon: string, dev_to: string, isExact: boolean][] = [
    ['Own Analytics', 'ownanalytics', 'ownanalytics', true],
    ['हिन्दी', 'हिन्दी', 'हिन्दी', true],
    ['C++', 'c', 'c', false],
    ['.NET', 'net', 'net', false],
    ['a b', 'ab', 'ab', false],
  ];
  for (const [text, mastodon, dev_to, isExact] of tags) {
    const query = { kind: 'words' as const, text };
    expect(PLACES.mastodon.path(query)).toBe(`/api/v1/timelines/tag/${encodeURIComponent(mastodon)}?limit=40`);
    expect(new URLSearchParams(PLACES.dev_to.path(query).split('?')[1]).get('tag')).toBe(dev_to);
    for (const place of ['mastodon', 'dev_to'] as const)
      expect([text, PLACES[place].isExact?.(query)]).toEqual([text, isExact]);
  }
  const underscored = { kind: 'words' as const, text: 'own_x' };
  expect(PLACES.mastodon.path(underscored)).toContain('/tag/own_x?');
  expect([PLACES.mastodon.isExact?.(underscored), PLACES.dev_to.isExact?.(underscored)]).toEqual([true, false]);
  await using own = await world();
  await own.save({ places: ['mastodon'], words: ['C++'] });
  const status = { uri: 'https://m.example/1', created_at: new Date(NOON).toISOString() };
  const contents = ['I like #c', 'I like C++ #c'];
  own.answers.mastodon = {
    body: JSON.stringify(contents.map((content, id) => ({ ...status, id: String(id), content }))),
  };
  await own.search(NOON);
  expect((await own.list()).map(({ title }) => title)).toEqual(['I like C++ #c']);
});

test('rules are checked, and a search that is no longer wanted ends', async () => {
  await using own = await world();
  for (const wrong of [
    { words: ['ab'] },
    { words: ['"…"'] },
    { words: Array(6).fill('word') },
    { feeds: Array(6).fill(FEED) },
    { feeds: ['ftp://x.example/'] },
    { feeds: ['https://me:secret@x.example/'] },
    { feeds: ['file:///etc/passwd'] },
    { feeds: [`https://x.example/${'漢'.repeat(2_000)}`] },
    { places: ['twitter'] },
  ])
    expect([wrong, mentionRules.safeParse({ ...RULES, ...wrong }).success]).toEqual([wrong, false]);
  await own.save({});
  await own.search(NOON);
  await own.save({ places: ['lobsters', 'feed'] }, NOON + MINUTE_MS);
  expect((await own.runs()).map(({ place, asked_at }) => [place, asked_at])).toEqual([
    ['feed', NOON],
    ['lobsters', NOON],
  ]);
  expect(await own.list()).toHaveLength(MENTION_PLACE_NAMES.length);
  await own.directory.db.deleteFrom('sites').execute();
  expect([await own.list(), await own.runs()]).toEqual([[], []]);
});

test('a site keeps its newest mentions, and of a thread the last change of each hour, and later of each day', async () => {
  await using own = await world();
  const thread = (id: number) => ({
    thread: String(id),
    title: `Thread ${id}`,
    url: 'https://x.example/',
    said: '',
    postedAt: NOON - id * MINUTE_MS,
    points: 1,
    comments: 0,
  });
  const found = Array.from({ length: 520 }, (_, id) => thread(id));
  await addMentions(own.directory.db, { ...own.own, place: 'reddit', found }, NOON);
  const kept = await listMentions(own.directory, { ...own.own, last: 1000 });
  expect([kept.length, kept.at(-1)?.title]).toEqual([500, 'Thread 499']);

  await muteMention(own.directory, { ...own.own, id: kept[0]?.id ?? '', isMuted: true });
  const first = async (last: number) =>
    (await listMentions(own.directory, { ...own.own, last })).map(({ title }) => title);
  expect(await first(2)).toEqual(['Thread 1', 'Thread 2']);
  expect((await first(500)).at(-1)).toBe('Thread 0'); // a muted one takes no place

  let history: ReturnType<typeof withChange> = [];
  const halves = 5 * 48;
  for (let half = 0; half < halves; half += 1)
    history = withChange(history, { at: NOON + half * 30 * MINUTE_MS, points: half, comments: 0 });
  expect(history.length).toBeLessThanOrEqual(36);
  expect([history[0]?.points, history.at(-1)?.points]).toEqual([0, halves - 1]);
  expect(withChange(history, { at: NOON + 9 * DAY_MS, points: halves - 1, comments: 0 })).toEqual(history);
});
