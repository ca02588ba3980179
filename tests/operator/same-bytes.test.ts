// What programs read is the same in every language: the same bytes from `manage`, the CSV and the API on a computer in German, for somebody who
// has chosen German dates and numbers. There in processes of their own, since a process reads its language when it starts.
import { expect, test } from 'vitest';
import { keepHabits } from '../../server/directory/habits.ts';
import { openControl } from '../../server/operator/control-socket.ts';
import { openLog } from '../../server/process/log.ts';
import { goals } from '../../server/sites/definitions/goals.ts';
import type { Site } from '../../server/sites/sites.ts';
import { DAY_MS, HOUR_MS } from '../../server/vocabulary/time/time.ts';
import { signIn } from '../setup/accounts/sign-in.ts';
import { PASSWORD, testApp, type TestApp } from '../setup/app.ts';
import { keyFor } from '../setup/api/rest.ts';
import { makeEvent } from '../setup/event.ts';
import { tempFolder } from '../setup/folder.ts';
import { runManage } from '../setup/processes/manage.ts';
import { startServer } from '../setup/server.ts';

const FROM = Date.UTC(2025, 5, 10);
const DAYS = { date_from: '2025-06-10', date_to: '2025-06-12' };
const OWNER = 'owner@own.example';
const GERMAN = { LC_ALL: 'de_DE.UTF-8', LANG: 'de_DE.UTF-8', LANGUAGE: 'de' };

/** 3,703 page views of 1,234 visitors. The order of the pages by name depends on the language. */
async function fill(server: TestApp): Promise<Site> {
  const site = await server.addSite('own.example');
  const names = ['/über', '/uber', '/Zoo', '/äpfel', '/apfel', '/i', '/I'];
  const views = Array.from({ length: 3703 }, (_, index) =>
    makeEvent({
      site_id: site.id,
      visitor: `v${index % 1234}`,
      time: FROM + (index % 3) * DAY_MS + (index % 24) * HOUR_MS + index,
      page: names[index % names.length] ?? '',
    }),
  );
  await server.app.collector.record(views, server.clock.now);
  await server.settle();
  const definition = { kind: 'page', page: '/Zoo' } as const;
  await goals.create(server.app.services.directory, { siteId: site.id, name: 'Käufe', definition }, FROM);
  return site;
}

type Asked = { url: string; folder: string; site: Site; key: string };

/** `language`: of the computer, for the command line. */
async function answers({ url, folder, site, key }: Asked, language: Record<string, string>) {
  const read = async (path: string, headers: Record<string, string>) => {
    const answer = await fetch(`${url}${path}`, { headers: { 'accept-language': 'de', ...headers } });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.text();
  };
  const days = new URLSearchParams(DAYS).toString();
  const ask = (path: string) =>
    read(`/v1/${path}site_id=${site.id}&period=custom&${days}`, { authorization: `Bearer ${key}` });
  const dates = ['--period', 'custom', '--date-from', DAYS.date_from, '--date-to', DAYS.date_to];
  const stats = ['stats', '--site', site.domain, ...dates, '--json'];
  const { code, stdout } = await runManage(stats, { DATA_DIR: folder, ...language });
  expect(code).toBe(0);
  return {
    csv: await read(`/export/${site.id}.csv?${days}`, {
      cookie: await signIn(url, { email: OWNER, password: PASSWORD }),
    }),
    totals: await ask('stats?'),
    points: await ask('stats/timeseries?'),
    pages: await ask('stats/breakdown?dimension=page&'),
    goals: await ask('stats/breakdown?dimension=goal&'),
    // Whether anything was counted in the last 24 hours depends on the clock, which is that of the computer in the other process.
    command: stdout.replace(/"tracking":(true|false)/, ''),
  };
}

test('manage, the CSV and the API write the same bytes in German as in any other language', async () => {
  await using folder = await tempFolder();
  const place = { folder: folder.path };
  const asUsual = async () => {
    await using server = await testApp({ ...place, now: FROM + 3 * DAY_MS });
    const control = await openControl({ app: server.app, dataDir: folder.path, log: openLog('silent') });
    const site = await fill(server);
    const asked = { ...place, site, key: await keyFor(server, site) };
    const found = await answers({ ...asked, url: server.url }, { LC_ALL: 'C.UTF-8' });
    await control.close();
    const { db } = server.app.services.directory;
    const { id } = await db.selectFrom('users').select('id').executeTakeFirstOrThrow();
    await keepHabits(db, { userId: id }, { language: null, locale: 'de-DE', hours: 12, first_day: 7 });
    return { asked, found };
  };
  const { asked, found } = await asUsual();
  expect([found.command, found.totals]).toEqual([
    expect.stringContaining('"value":3703'),
    expect.stringContaining('"pageviews":3703'),
  ]);
  await using server = await startServer({ DATA_DIR: folder.path, ...GERMAN });
  expect(await answers({ ...asked, url: server.url }, GERMAN)).toEqual(found);
});
