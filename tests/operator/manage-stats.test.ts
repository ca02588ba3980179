// `manage stats`: the numbers of a site in the terminal, through the running server or without one, equal to the API's.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SiteNumbers } from '../../server/api/rest/site-numbers.ts';
import { readConfig } from '../../server/config.ts';
import { openLog } from '../../server/process/log.ts';
import { Text } from '../../server/operator/command-line.ts';
import { openControl } from '../../server/operator/control-socket.ts';
import { manage } from '../../server/operator/manage.ts';
import { writeSeed } from '../../server/operator/seed/demo.ts';
import { createSite, type Site } from '../../server/sites/sites.ts';
import { LIST_NAMES, PRINTED_LISTS } from '../../server/vocabulary/numbers/printed-lists.ts';
import { NAMED_COMPARISONS, PERIOD_NAMES } from '../../server/vocabulary/time/periods.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { keyFor } from '../setup/api/rest.ts';
import { runManage } from '../setup/processes/manage.ts';

const NOW = Date.UTC(2026, 10, 20, 15, 30);

let server: TestApp;
let control: { close(): Promise<void> };
let site: Site;
let key: string;

beforeAll(async () => {
  const env = { RATE_LIMIT_PER_SECOND: '100000', RATE_LIMIT_PER_MINUTE: '100000' };
  server = await testApp({ now: NOW, env });
  control = await openControl({ app: server.app, dataDir: server.folder, log: openLog('silent') });
  const { account_id: accountId } = await server.addSite();
  const wish = { accountId, domain: 'tokyo.example', timezone: 'Asia/Tokyo' };
  site = await createSite(server.app.services.directory, wish, NOW);
  key = await keyFor(server, site);
  const options = { siteId: site.id, domain: site.domain, days: 20, visitsPerDay: 30, now: NOW, seed: 3 };
  await writeSeed(server.app.store, options, { onProgress: () => undefined, signal: new AbortController().signal });
});
afterAll(async () => {
  await control.close();
  await server[Symbol.asyncDispose]();
});

const command = (...args: string[]) =>
  manage(['stats', ...(args.includes('--site') ? [] : ['--site', site.domain]), ...args], {
    config: readConfig({ DATA_DIR: server.folder, PORT: '0', LOG_LEVEL: 'silent', NODE_ENV: 'test' }),
    now: NOW,
    say: () => undefined,
  });

async function api(path: string, asked: Record<string, string>): Promise<unknown> {
  const query = new URLSearchParams({ site_id: site.id, timezone: 'site', ...asked });
  const answer = await fetch(`${server.url}/v1/${path}?${query}`, { headers: { authorization: `Bearer ${key}` } });
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.json();
}

test('the numbers are the API’s, for every period, while the server runs', async () => {
  const custom = { period: 'custom', date_from: '2026-11-03', date_to: '2026-11-09' };
  const questions = PERIOD_NAMES.map((period) => (period === 'custom' ? custom : { period }));
  for (const asked of questions)
    for (const filter of asked.period === '7d' ? [undefined, 'page=/pricing'] : [undefined]) {
      const dates = 'date_from' in asked ? ['--date-from', asked.date_from, '--date-to', asked.date_to] : [];
      const filtered = filter === undefined ? [] : ['--filter', filter];
      const told = (await command('--period', asked.period, ...dates, ...filtered, '--json')) as SiteNumbers;
      const question = { ...asked, ...(filter && { 'filter[page]': '/pricing' }) };
      expect(told.timeseries, asked.period).toEqual(await api('stats/timeseries', question));
      const lists = LIST_NAMES.filter((name) => filter === undefined || name !== 'ai_agent');
      expect(Object.keys(told.breakdowns)).toEqual(lists);
      const expected = lists.map((dimension) => {
        const { metric: metrics } = PRINTED_LISTS[dimension];
        return api('stats/breakdown', { ...question, dimension, metrics, per_page: '10' });
      });
      expect(Object.values(told.breakdowns), asked.period).toEqual(await Promise.all(expected));
      if (['today', '7d', '30d', 'custom'].includes(asked.period))
        expect(told.stats).toEqual(await api('stats', question));
      const figures = Object.fromEntries(told.summary.metrics.map(({ name, value }) => [name, value]));
      expect(figures).toMatchObject({
        pageviews: told.stats.data['pageviews'],
        unique_visitors: told.stats.data['unique_visitors'],
      });
    }
});

test('the comparison can be chosen', async () => {
  const days = async (compare: string) => {
    const { summary } = (await command('--period', '7d', '--compare', compare, '--json')) as SiteNumbers;
    return summary.compare?.date_from ?? null;
  };
  expect(await Promise.all(NAMED_COMPARISONS.map(days))).toEqual(['2026-11-07', '2026-11-07', '2025-11-14', null]);
});

test('what is wrong is said in the words of the API', async () => {
  const wrong: [string[], string | RegExp][] = [
    [['--site', 'none.example'], 'There is no site none.example: create it first, with "site create".'],
    [['--period', 'soon'], /^--period must be one of today, /],
    [['--filter', 'page'], '--filter must be written DIMENSION=VALUE.'],
    [['--filter', 'colour=red'], /^filter\[colour\]: must name a dimension/],
    [['--filter', 'ai_agent=GPTBot'], /^filter\[ai_agent\]: /],
    [['--period', 'custom'], /^date_from: /],
    [['--period', 'custom', '--date-from', '2026-02-30', '--date-to', '2026-03-01'], /^date_from: must be a date/],
  ];
  for (const [args, message] of wrong) await expect(command(...args), args.join(' ')).rejects.toThrow(message);
});

test('people read tiles, a chart and lists; without a server too; without colours when nobody sees them', async () => {
  const drawn = await command('--period', '7d');
  expect(drawn).toBeInstanceOf(Text);
  const { text } = drawn as Text;
  for (const part of [
    'Last 7 days: ',
    '(Asia/Tokyo)',
    'Unique visitors by day',
    ...LIST_NAMES.map((name) => PRINTED_LISTS[name].title),
  ])
    expect(text).toContain(part);
  await control.close();
  await server.app.close(); // only one process may open the folder
  const env = { DATA_DIR: server.folder, FORCE_COLOR: '1' };
  const days = ['--period', 'custom', '--date-from', '2026-11-03', '--date-to', '2026-11-09'];
  const { code, stdout, stderr } = await runManage(['stats', '--site', site.domain, ...days], env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const printed = stdout.replace(/^\{"level":.*\n/, ''); // the log's line about the test's folder
  expect(printed).toMatch(/^tokyo\.example\nCustom range: 3 – 9 Nov 2026 \(Asia\/Tokyo\)\n/);
  expect(printed).not.toContain('\u001b');
});
