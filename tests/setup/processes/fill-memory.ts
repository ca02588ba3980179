// Fills one memory with what strangers can send, and prints by how many bytes the heap grew and what the memory may hold: `node --expose-gc
// fill-memory.ts NAME`.
import { bytesFor, type MEMORIES } from '../../../server/process/bounded-memory.ts';
import { recogniseAi } from '../../../server/collect/agents/ai.ts';
import { botReason } from '../../../server/collect/agents/bots.ts';
import { openCollector } from '../../../server/collect/collector.ts';
import type { Hit } from '../../../server/collect/hit.ts';
import { parseClient } from '../../../server/collect/agents/device.ts';
import { readLanguage } from '../../../server/collect/agents/language.ts';
import { readReferrer, sourceOfName } from '../../../server/collect/sources/referrer.ts';
import type { SiteId, VisitorId } from '../../../server/vocabulary/event.ts';
import { openAnswers } from '../../../server/api/rest/answer-cache.ts';
import { openFollowing } from '../../../server/live/following.ts';
import { openMemoryFlood } from '../../../server/live/flood.ts';
import { openErrorQuota } from '../../../server/live/limits/errors.ts';
import { openMemoryWindows } from '../../../server/live/memory.ts';
import { openRecent } from '../../../server/queue/sqlite/recent.ts';
import { createSeenIds } from '../../../server/queue/sqlite/seen-ids.ts';
import { openVisits } from '../../../server/queue/writer/visits.ts';
import { openMemo } from '../../../server/stats/answer-cache.ts';
import { openSummedDays } from '../../../server/stats/days/summed-days.ts';
import { openDirectory } from '../../../server/directory/open.ts';
import { DAY_MS } from '../../../server/vocabulary/time/time.ts';
import { NOON } from '../clock.ts';
import { hexId, sampleEvent } from '../event.ts';

type Memory = (typeof MEMORIES)[number];

/** As the HTTP parser returns it: a view of one large text. */
const header = (n: number, start: string, kept: number) =>
  `${start}${n} ${'x'.repeat(16_000)}`.slice(0, 16_384).slice(0, kept + 20);
const long = (n: number, length: number) => JSON.parse(`"${n}${'x'.repeat(length)}"`) as string;
const visitor = (n: number) => ({ site_id: 'site_a' as SiteId, visitor_id: hexId(n) as VisitorId });
const MOZILLA = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.';

/** The cost of one more entry in the memory. Keeps what it fills alive. */
const FILL: Record<Memory, () => Promise<(n: number) => unknown> | ((n: number) => unknown)> = {
  visits: () => {
    const visits = openVisits({ query: () => Promise.resolve([]), idsAQuery: 1 });
    return (n) => {
      const tags = {
        utm_source: long(n, 250),
        utm_medium: long(n, 250),
        utm_campaign: long(n, 250),
        page: long(n, 700),
      };
      visits.assign(sampleEvent(n, { ...visitor(n), ...tags, time: NOON }), NOON);
    };
  },
  windows: () => {
    const windows = openMemoryWindows();
    return (n) => {
      const texts = { page: header(n, '/', 900), source: header(n, '', 200) };
      return windows.record({
        ...visitor(n),
        ...texts,
        time: NOON + n,
        name: 'pageview',
        country: 'GB',
        engaged_ms: 0,
      });
    };
  },
  repeats: () => {
    const { isRepeat } = openMemoryWindows();
    return (n) => isRepeat({ ...visitor(n), page: header(n, '/', 900), time: NOON });
  },
  senders: () => {
    const flood = openMemoryFlood({ visitorsPerMinute: 1, eventsPerSecond: 1 });
    return (n) => [flood.takeEvent(hexId(n), NOON), flood.takeVisitor(hexId(n), visitor(0), NOON)];
  },
  knownVisitors: () => {
    const flood = openMemoryFlood({ visitorsPerMinute: 1e9, eventsPerSecond: 1e9 });
    return (n) => flood.takeVisitor('one', visitor(n), NOON);
  },
  errorQuotas: () => {
    const quota = openErrorQuota();
    return (n) => quota.take({ site_id: `site_${n}` as SiteId, error_shape: hexId(n), time: NOON }, hexId(n));
  },
  clients: () => (n) => parseClient(header(n, MOZILLA, 400), { brands: header(n, '"Chrome";v=', 200) }),
  ids: () => {
    const ids = createSeenIds(bytesFor('ids'));
    return (n) => ids.add({ high: n, low: n }, NOON);
  },
  recentEvents: () => {
    const recent = openRecent();
    return (n) => {
      const event = sampleEvent(n, { ...visitor(n), page: long(n, 300) });
      recent.add([event], { last: n, bytes: JSON.stringify(event).length });
    };
  },
  bots: () => (n) => botReason({ userAgent: header(n, MOZILLA, 480), headers: {}, webdriver: false }),
  agents: () => (n) => recogniseAi({ userAgent: header(n, MOZILLA, 480) }),
  referrers: () => (n) => readReferrer(`https://host${n}.example/${header(n, '', 1_900)}`, () => false),
  sources: () => (n) => sourceOfName(header(n, 'news', 240)),
  languages: () => (n) => readLanguage(header(n, 'en, de;q=0.', 230)),
  storeAnswers: () => {
    const rows = (n: number) => Array.from({ length: 10 }, (_, row) => ({ label: long(n + row, 900), visitors: row }));
    const memo = openMemo(
      { query: (_sql: string, bound) => Promise.resolve(rows(Number(bound['n'])) as never) },
      () => 1,
    );
    return (n) => memo({ site_id: 'site_a', range: { from: 0, to: 1 } }, { sql: 'SELECT', bound: { n } } as never);
  },
  summedDays: () => {
    const row = { on_day: '1970-01-01', row_count: '1', row_ids: '1', replaced: '0', payments: '1', has_visits: '1' };
    const remembered = (n: number) => () =>
      Promise.resolve([
        { ...row, kind: 'now', summing: '' },
        { ...row, kind: 'summed', summing: long(n, 4) },
      ]);
    const summedDays = openSummedDays(() => 1);
    return (n) => summedDays(remembered(n), { site_id: `site_${n}`, range: { from: 0, to: DAY_MS }, payments: '' });
  },
  apiAnswers: () => {
    const answers = openAnswers(() => 1);
    const question = (n: number) => ({ siteId: 'site_a', range: { from: 0, to: 1 }, text: long(n, 900) });
    return (n) =>
      answers(question(n), NOON, {
        signal: new AbortController().signal,
        work: () => Promise.resolve({ text: long(n, 5_000), etag: '' }),
      });
  },
  followedAnswers: () => {
    const following = openFollowing<string>({
      answers: { audienceOf: () => 'all', ask: (_dashboard, { path }) => Promise.resolve(long(Number(path), 2_000)) },
      isGuest: () => false,
      now: () => NOON,
      schedule: () => () => undefined,
    });
    return async (n) => {
      const dashboard = { data: { viewer: '' }, conn: { write: () => undefined } };
      following.follow(dashboard as never, 'site_a' as SiteId, [String(n), { site_id: 'site_a', text: long(n, 900) }]);
      await new Promise((resolve) => setImmediate(resolve));
    };
  },
  sites: async () => {
    const directory = await openDirectory({ path: ':memory:' });
    const collector = openCollector({
      directory,
      queue: { append: () => Promise.resolve([]) },
      context: {} as never,
      onNew: () => undefined,
    });
    const hitOf = (n: number) => ({ page: { hostname: long(n, 240) } }) as Hit;
    return (n) => collector.collect({ hit: hitOf(n), site: long(n, 240) }, NOON);
  },
};

/** Enough entries to fill each memory more than twice. */
const COUNT: Partial<Record<Memory, number>> = {
  senders: 200_000,
  ids: 500_000,
  knownVisitors: 200_000,
  errorQuotas: 20_000,
  sites: 8_000,
  recentEvents: 800, // it forgets all of them once it is full
  storeAnswers: 8_000,
};

const name = process.argv[2] as Memory;
const collect = globalThis.gc as () => void;
const fillOne = await FILL[name]();
for (let n = 0; n < 20; n += 1) await fillOne(n);
collect();
const before = process.memoryUsage();
for (let n = 20; n < (COUNT[name] ?? 30_000); n += 1) await fillOne(n);
await new Promise((resolve) => setImmediate(resolve));
collect();
const after = process.memoryUsage();
const grewBy = after.heapUsed + after.external - before.heapUsed - before.external;
process.stdout.write(`${JSON.stringify({ grewBy, may: bytesFor(name) })}\n`);
void fillOne(0);
