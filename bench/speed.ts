// Measures the chapter on speed over 5 million measured page views of 30 days: what the dashboard asks when the chapter appears, without filters and with
// one of each kind, and each of its questions alone; and the bytes of a view on disk.
// node bench/speed.ts [views; 5000000 by default] [folder to keep them in: the engine fills it once, in half a minute] [rounds]
// Values are like those of the field: 2,000 pages of which the first has a seventh of the views, 60 countries, 12 browsers, three views a visit,
// logarithmically normal values, slower on phones and on some pages.
import { vitalsHistogramQuestion, vitalsListQuestion, vitalsQuestion } from '../server/stats/query.ts';
import { openStats } from '../server/stats/run.ts';
import { type EventStore, openStore } from '../server/store/open.ts';
import { VITALS } from '../server/vocabulary/numbers/vitals.ts';
import { DAY_MS, startOfDay } from '../server/vocabulary/time/time.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { median } from './interleaved.ts';
import { cpuMs, print } from './server.ts';
import { lastDays, SITE } from './traffic.ts';

const DAYS = 30;
const VIEWS_A_VISIT = 3;
const SITE_ID = 'site_bench';

/** SQL for a number from 0 to 1 that is always the same for a visit or a view. */
const chance = (of: 'visit' | 'number', salt: string) => `(cityHash64(${of}, '${salt}') % 1000003 + 1) / 1000004`;
/** SQL for one of the first numbers, the first ones most often: a seventh of 2,000 is the first. */
const often = (most: number, random: string) => `toUInt32(floor(pow(${most + 1}, ${random})))`;
const normal = (salt: string) =>
  `(sqrt(-2 * log(${chance('number', `${salt} far`)})) * cos(2 * pi() * ${chance('number', `${salt} way`)}))`;
/** SQL for a value in the steps that are stored: see `stepped` in vocabulary/numbers/vitals.ts. */
function stepped(sql: string): string {
  const decade = `exp10(floor(log10(${sql})))`;
  const step = `(${decade} * multiIf(${sql} >= 5 * ${decade}, 0.05, ${sql} >= 2 * ${decade}, 0.02, 0.01))`;
  return `toFloat32(round(${sql} / ${step}) * ${step})`;
}

const SLOWNESS = `multiIf(device = 'mobile', 1.4, device = 'tablet', 1.2, 1) * (0.7 + (cityHash64(page) % 100) / 120)`;
const COLUMNS: Record<string, string> = {
  site_id: `'${SITE_ID}'`,
  visit: `intDiv(number, ${VIEWS_A_VISIT})`,
  time: `fromUnixTimestamp64Milli(toInt64({from:Int64} + (visit % ${DAYS}) * ${DAY_MS} + floor(${chance('visit', 'time')} * ${DAY_MS - 300_000})
    + (number % ${VIEWS_A_VISIT}) * 40000 + cityHash64(number) % 20000))`,
  day: 'toDate(time)',
  event_id: "cityHash64(number, 'event')",
  visitor_id: "cityHash64(visit, 'visitor')",
  visit_id: "cityHash64(visit, 'visit')",
  hostname: `'example.com'`,
  page_rank: often(2000, chance('number', 'page')),
  page: "concat('/', ['blog', 'docs', 'shop', 'news', 'help'][page_rank % 5 + 1], '/', toString(page_rank))",
  entry_page: `concat('/blog/', toString(${often(2000, chance('visit', 'entry'))}))`,
  channel: `['Direct', 'Organic Search', 'Referral', 'Paid Search', 'Organic Social'][${often(5, chance('visit', 'channel'))}]`,
  source: `concat('Source ', toString(${often(40, chance('visit', 'source'))}))`,
  country: `concat(char(64 + ${often(60, chance('visit', 'country'))} % 25), 'X')`,
  city: `concat(country, '-', toString(${often(100, chance('visit', 'city'))}))`,
  browser: `concat('Browser ', toString(${often(12, chance('visit', 'browser'))}))`,
  browser_version: `toString(${often(30, chance('visit', 'version'))})`,
  os: `['Windows', 'iOS', 'Android', 'macOS', 'Linux'][${often(5, chance('visit', 'os'))}]`,
  device: `['mobile', 'desktop', 'tablet'][${often(3, chance('visit', 'device'))}]`,
  language: `concat('l', toString(${often(30, chance('visit', 'language'))}))`,
  screen: `concat('s', toString(${often(20, chance('visit', 'screen'))}))`,
  navigation: `if(number % ${VIEWS_A_VISIT} = 0, 'navigate', ['navigate', 'back_forward', 'reload'][${often(3, chance('number', 'navigation'))}])`,
  connection: `['4g', '3g', '', 'slow-2g'][${often(4, chance('visit', 'connection'))}]`,
  lcp_element: `['img', 'h1', 'p', 'video', 'div'][${often(5, chance('number', 'element'))}]`,
  inp_element: `['button', 'a', 'input', 'select'][${often(4, chance('number', 'inp element'))}]`,
  slowness: SLOWNESS,
  ttfb: stepped(`(400 * slowness * exp(0.7 * ${normal('ttfb')}))`),
  fcp: stepped(`(ttfb + 600 * slowness * exp(0.6 * ${normal('fcp')}))`),
  lcp: stepped(`(fcp + 700 * slowness * exp(0.8 * ${normal('lcp')}))`),
  inp: `if(${chance('number', 'clicked')} < 0.4, NULL, ${stepped(`(90 * slowness * exp(0.9 * ${normal('inp')}))`)})`,
  cls: `if(${chance('number', 'moved')} < 0.5, 0, ${stepped(`(0.04 * slowness * exp(1.2 * ${normal('cls')}))`)})`,
};
/** Other values are computed from these, and not stored. */
const HELPERS = ['visit', 'page_rank', 'slowness'];
const MEASURED_ONLY = ['navigation', 'connection', 'lcp_element', 'inp_element', ...Object.keys(VITALS)];

async function fill(store: EventStore, views: number): Promise<void> {
  const from = startOfDay(Date.now()) - DAYS * DAY_MS;
  const given = Object.entries(COLUMNS).map(([name, sql]) => `${sql} AS ${name}`);
  const insert = async (table: string, columns: string[], more: Record<string, string> = {}) => {
    const selected = [...columns, ...Object.values(more)].join(', ');
    await store.derive({
      sql: `INSERT INTO ${table} (${[...columns, ...Object.keys(more)].join(', ')}) SELECT ${selected} FROM (SELECT ${given.join(', ')}, number
        FROM numbers({views:UInt64})) SETTINGS max_partitions_per_insert_block = 0`,
      bound: { views, from },
    });
  };
  const columns = Object.keys(COLUMNS).filter((name) => !HELPERS.includes(name));
  await insert('vitals', columns);
  // a filter by events or by goals looks for their visits among the page views
  const ofEvents = columns.filter((name) => !MEASURED_ONLY.includes(name));
  await insert('events', ofEvents, { name: "'pageview'", visit_started: `number % ${VIEWS_A_VISIT} = 0` });
}

const [views = '5000000', kept, rounds = '7'] = process.argv.slice(2);
await using temporary = await tempFolder();
const store = await openStore({ url: undefined, path: `${kept ?? temporary.path}/events` });
const [filled] = await store.query<{ rows: number }>('SELECT count() AS rows FROM vitals', {});
if (Number(filled?.rows) === 0) {
  const startedAt = performance.now();
  await fill(store, Number(views));
  print({ filled_in_s: Math.round((performance.now() - startedAt) / 1000) });
}
const sizes = await store.query<{ rows: number; bytes: number; parts: number }>(
  "SELECT sum(rows) AS rows, sum(bytes_on_disk) AS bytes, count() AS parts FROM system.parts WHERE active AND table = 'vitals'",
  {},
);
const [size] = sizes;
print({
  views: Number(size?.rows),
  parts: Number(size?.parts),
  bytes_a_view: Number((Number(size?.bytes) / Number(size?.rows)).toFixed(1)),
});

const is = (dimension: string, value: string) => [{ dimension, operator: 'is' as const, values: [value] }];
const FILTERS = {
  whole: [],
  page: is('page', '/docs/1'),
  rare_page: is('page', '/blog/1500'),
  country: is('country', 'AX'),
  device: is('device', 'mobile'),
  browser: is('browser', 'Browser 2'),
  two: [...is('page', '/docs/1'), ...is('device', 'mobile')],
};
const stats = openStats(store, () => undefined); // nothing is cached
const now = Date.now();
const { question } = lastDays(SITE_ID as never, DAYS);
const asked = (filters: unknown) => ({ ...question, filters });
const QUESTIONS: Record<string, (filters: unknown) => Promise<unknown>> = {
  figures: (filters) => stats.vitals(vitalsQuestion.parse(asked(filters)), SITE, now),
  pages: (filters) =>
    stats.vitalsList(vitalsListQuestion.parse({ ...asked(filters), vital: 'lcp', per_page: 8 }), SITE, now),
  slow_pages: (filters) =>
    stats.vitalsList(
      vitalsListQuestion.parse({
        ...asked(filters),
        vital: 'lcp',
        per_page: 8,
        order: { by: 'lcp_poor', direction: 'desc' },
      }),
      SITE,
      now,
    ),
  devices: (filters) =>
    stats.vitalsList(
      vitalsListQuestion.parse({ ...asked(filters), split: 'device', vital: 'lcp', per_page: 8 }),
      SITE,
      now,
    ),
  elements: (filters) =>
    stats.vitalsList(
      vitalsListQuestion.parse({ ...asked(filters), split: 'lcp_element', vital: 'lcp', per_page: 8 }),
      SITE,
      now,
    ),
  spread: (filters) =>
    stats.vitalsHistogram(vitalsHistogramQuestion.parse({ ...asked(filters), vital: 'lcp' }), SITE, now),
};
/** What is asked when the chapter appears. */
const CHAPTER = ['figures', 'pages'];
const chapterOf = (filters: unknown) =>
  Object.entries(QUESTIONS)
    .filter(([name]) => CHAPTER.includes(name))
    .map(([, ask]) => ask(filters));
const ROUNDS = Number(rounds);

type Cost = { ms: number; cpu_ms: number };
/** The middle of some rounds, and the least CPU time: other processes lengthen the first. */
async function cost(work: () => Promise<unknown>): Promise<Cost> {
  const each: Cost[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [before, startedAt] = [await cpuMs(), performance.now()];
    await work();
    const ms = performance.now() - startedAt;
    each.push({ ms, cpu_ms: (await cpuMs()) - before });
  }
  const least = Math.round(Math.min(...each.map(({ cpu_ms }) => cpu_ms)));
  return { ms: median(each.map(({ ms }) => ms)), cpu_ms: least };
}
for (const [filter, filters] of Object.entries(FILTERS)) {
  const chapter = await cost(() => Promise.all(chapterOf(filters)));
  const figures: Record<string, Cost> = {};
  for (const [name, ask] of Object.entries(QUESTIONS)) figures[name] = await cost(() => ask(filters));
  print({ filter, chapter_ms: chapter.ms, chapter_cpu_ms: chapter.cpu_ms, ...figures });
}
await store.close();
