/** @module-tag promise */
// `manage import`: from the files of each product to the numbers of the dashboard, and back.
import { writeFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Refusal } from '../../server/errors.ts';
import { listActions } from '../../server/accounts/account-log.ts';
import { openImporting } from '../../server/jobs/importing.ts';
import type { Site } from '../../server/sites/sites.ts';
import { importFiles } from '../../server/operator/import-files.ts';
import { openControl } from '../../server/operator/control-socket.ts';
import { openLog } from '../../server/process/log.ts';
import { runOperation } from '../../server/operator/operations.ts';
import { summaryQuestion } from '../../server/stats/query.ts';
import { ALL_TABLES } from '../../server/store/rows.ts';
import { SUMMED_DIMENSIONS } from '../../server/stats/days/summed-days.ts';
import { LABEL_NAMES } from '../../server/vocabulary/imports/formats/labels.ts';
import { FORMAT_NAMES } from '../../server/vocabulary/imports/formats/formats.ts';
import { DAY_MS, dayOf } from '../../server/vocabulary/time/time.ts';
import type { ImportFile } from '../../server/vocabulary/imports/import.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { filesWith } from '../setup/files.ts';
import { CHROME } from '../setup/browser/user-agent.ts';
import { ADDRESSES, PERSON, SAMPLES } from '../setup/exports.ts';
import { fileOf, unzip } from '../setup/imports.ts';
import { runManage } from '../setup/processes/manage.ts';
import { showsKept } from '../setup/run/harness.ts';

let server: TestApp;
beforeAll(async () => {
  server = await testApp({ env: { LOG_LEVEL: 'silent' }, start: true });
});
afterAll(() => server[Symbol.asyncDispose]());

let serial = 0;
const newSite = () => server.addSite(`moved${(serial += 1)}.example`);

async function written(files: readonly ImportFile[]): Promise<string[]> {
  return Promise.all(
    files.map(async ({ name, blob }) => {
      const path = join(server.folder, `${serial}-${name}`);
      await writeFile(path, Buffer.from(await blob.arrayBuffer()));
      return path;
    }),
  );
}

const run = () => ({ now: server.clock.now, onProgress: () => undefined, signal: new AbortController().signal });
type Said = { import: string; format: string; totals: object; rejected: number; reasons: object };
const imported = (files: readonly string[], domain: string, more: object = {}) =>
  runOperation('import-files', server.app, { files, domain, dryRun: false, ...more }, run()) as Promise<Said>;

/** What a product says of two visitors on 30 and 31 January 2025, and how the dashboard counts it. */
type Case = {
  said: { pageviews: number; visitors: number };
  rejected?: number;
  /** Visitors, visits, page views, and events; undefined if it does not tell them. */
  counted: (number | undefined)[];
};
const CASES: Record<keyof typeof SAMPLES, Case> = {
  footfall: { said: { pageviews: 7, visitors: 4 }, counted: [4, 5, 7, 1] },
  plausible: { said: { pageviews: 39, visitors: 15 }, counted: [15, 17, 39, 5] },
  umami: { said: { pageviews: 2, visitors: 2 }, rejected: 1, counted: [2, 2, 2, 1] },
  'umami dump': { said: { pageviews: 2, visitors: 2 }, rejected: 1, counted: [2, 2, 2, 1] },
  goatcounter: { said: { pageviews: 2, visitors: 1 }, rejected: 1, counted: [1, 1, 2, 0] },
  'goatcounter JSON': { said: { pageviews: 7, visitors: 7 }, counted: [7, undefined, 7, 2] },
  'simple-analytics': { said: { pageviews: 1, visitors: 2 }, counted: [2, 2, 1, 1] },
  matomo: { said: { pageviews: 2, visitors: 1 }, counted: [1, 1, 2, 0] },
  ga4: { said: { pageviews: 21, visitors: 11 }, counted: [11, 13, 21, 0] },
  fathom: { said: { pageviews: 39, visitors: 15 }, counted: [15, 17, 39, 4] },
  rybbit: { said: { pageviews: 39, visitors: 15 }, counted: [15, 17, 39, 0] },
  posthog: { said: { pageviews: 2, visitors: 2 }, counted: [2, 2, 2, 1] },
  'posthog JSON': { said: { pageviews: 1, visitors: 1 }, counted: [1, 1, 1, 0] },
  openpanel: { said: { pageviews: 2, visitors: 2 }, counted: [2, 2, 2, 1] },
  vercel: { said: { pageviews: 2, visitors: 2 }, counted: [2, 2, 2, 1] },
  'access-log': { said: { pageviews: 2, visitors: 2 }, rejected: 1, counted: [2, 2, 2, 0] },
  csv: { said: { pageviews: 1240, visitors: 22 }, counted: [22, 33, 1240, 0] },
};
const NAMES = Object.keys(SAMPLES) as (keyof typeof SAMPLES)[];

const JANUARY = ['2025-01-01', '2025-01-31'];
async function totals(
  site: { id: string; domain: string },
  [date_from, date_to] = JANUARY,
): Promise<(number | undefined)[]> {
  const metrics = ['unique_visitors', 'visits', 'pageviews', 'events'] as const;
  const asked = { site_id: site.id, period: 'custom', date_from, date_to };
  const question = { ...summaryQuestion.parse(asked), metrics: [...metrics] };
  const { values } = await server.app.services.stats.totals(question, await found(site.domain), server.clock.now);
  return metrics.map((metric) => values[metric]);
}
const found = async (domain: string) => {
  const site = await server.app.services.directory.db
    .selectFrom('sites')
    .select(['currency', 'proposed_currency', 'max_amount', 'timezone'])
    .where('domain', '=', domain)
    .executeTakeFirstOrThrow();
  return site;
};

test('every format has an export here', () => {
  expect(new Set(NAMES.map((name) => SAMPLES[name].format))).toEqual(new Set(FORMAT_NAMES));
});

describe.each(NAMES)('an export of %s', (name) => {
  test('says what it holds, counts in the dashboard, is not taken twice, and is gone when it is removed', async () => {
    const { said, rejected = 0, counted } = CASES[name];
    const { format, files } = SAMPLES[name];
    const site = await newSite();
    const paths = await written(await files(site.domain));
    const dry = await imported(paths, site.domain, { dryRun: true });
    expect(dry).toMatchObject({ import: null, format });
    expect(await totals(site)).toEqual([0, 0, 0, 0]);

    const done = await imported(paths, site.domain);
    expect(done).toMatchObject({ format, totals: said, rejected });
    expect(await totals(site)).toEqual(counted);
    await expect(imported(paths, site.domain)).rejects.toThrow('this was imported before');

    await runOperation('remove-import', server.app, { id: done.import }, run());
    expect(await totals(site)).toEqual([0, 0, 0, 0]);
    await imported(paths, site.domain);
    expect(await totals(site)).toEqual(counted);
    for (const path of paths) await rm(path);
  });
});

test('nothing that the server keeps has what tells a person in any of these exports', async () => {
  showsKept('an import keeps nothing that tells a person in its files');
  for (const name of NAMES) {
    const files = await SAMPLES[name].files('example.com');
    const texts = await Promise.all(
      files.map(async ({ name: file, blob }) =>
        file.endsWith('.zip') ? Object.values(await unzip(blob)) : blob.text(),
      ),
    );
    expect([name, texts.flat().join('\n').includes(PERSON)]).toEqual([name, true]);
  }
  // Each of them was imported above, on the sites that are counted here.
  const rows = await Promise.all(ALL_TABLES.map((table) => server.app.store.query(`SELECT * FROM ${table}`, {})));
  const imported = JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  expect(imported).toContain('/pricing');
  for (const told of [PERSON, ...ADDRESSES]) expect([told, imported.includes(told)]).toEqual([told, false]);
  expect((await filesWith(server.folder, 'moved1.example')).length).toBeGreaterThan(0);
  expect(await filesWith(server.folder, PERSON, ...ADDRESSES)).toEqual([]);
});

test('what files become is what the server takes', () => {
  expect(SUMMED_DIMENSIONS).toEqual(expect.arrayContaining([...LABEL_NAMES]));
});

test('prints one line of JSON for an import, for the list, and for a removal; refusals are sentences', async () => {
  const site = await newSite();
  const [path = ''] = await written(SAMPLES.csv.files());
  const control = await openControl({ app: server.app, dataDir: server.folder, log: openLog('silent') });
  const manage = (...args: string[]) => runManage(args, { DATA_DIR: server.folder });
  const { stdout, code } = await manage('import', path, '--site', site.domain);
  expect(code).toBe(0);
  const done = JSON.parse(stdout) as Said;
  expect(done).toMatchObject({
    import: expect.stringMatching(/^import_/) as unknown,
    format: 'csv',
    days: { from: '2025-01-30', to: '2025-01-31', count: 2 },
    totals: { pageviews: 1240, visitors: 22, visits: 33 },
    rejected: 0,
    reasons: {},
  });
  const listed = JSON.parse((await manage('import', 'list', '--site', site.domain)).stdout) as object[];
  expect(listed).toMatchObject([{ id: done.import, format: 'csv', state: 'done' }]);
  const removed = await manage('import', 'remove', '--id', done.import);
  expect(JSON.parse(removed.stdout)).toEqual({ removed: done.import });
  const missing = join(server.folder, 'no-such-file');
  expect(await manage('import', path, missing, '--site', site.domain)).toEqual({
    code: 1,
    stdout: '',
    stderr: `${missing} cannot be read.\n`,
  });
  await control.close();
});

test('an import and its removal are in the log of the account, by the operator, and the list says who imported', async () => {
  const site = await newSite();
  const { directory } = server.app.services;
  const [path = ''] = await written(SAMPLES.csv.files());
  const log = join(server.folder, `${serial}-access.log`);
  await writeFile(log, `203.0.113.7 - - [20/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "${CHROME}"\n`);
  const entries = async () => {
    const { entries: all } = await listActions(directory, site.account_id, { page: 1 });
    return all
      .filter(({ domain }) => domain === site.domain)
      .map(({ action, actor, by, name }) => ({ action, actor, by, name }))
      .filter(({ action }) => action !== 'site_made');
  };
  await imported([path], site.domain, { dryRun: true });
  expect(await entries()).toEqual([]);
  server.clock.now += 1;
  const { import: id } = await imported([path], site.domain);
  const name = basename(path);
  const done = { action: 'history_imported', actor: 'operator', by: null, name };
  expect(await entries()).toEqual([done]);
  const listed = await runOperation('imports', server.app, { domain: site.domain }, run());
  expect(listed).toMatchObject([{ id, file: name, actor: 'operator', by: null }]);
  server.clock.now += 1;
  await runOperation('remove-import', server.app, { id }, run());
  const gone = { action: 'import_removed', actor: 'operator', by: null, name };
  expect(await entries()).toEqual([gone, done]);
  server.clock.now += 1;
  const readLog = () => runOperation('import', server.app, { file: log, domain: site.domain }, run());
  await readLog();
  await readLog(); // again: nothing is imported, and nothing logged
  expect(await entries()).toEqual([{ ...done, name: basename(log) }, gone, done]);
});

test('the security log says which site and import a command was about', async () => {
  const site = await newSite();
  const [path = ''] = await written(SAMPLES.csv.files());
  const lines: string[] = [];
  const { security } = server.app.services;
  const noted = vi.spyOn(security, 'note').mockImplementation((...said) => void lines.push(JSON.stringify(said)));
  const control = await openControl({ app: server.app, dataDir: server.folder, log: openLog('silent') });
  const manage = (...args: string[]) => runManage(args, { DATA_DIR: server.folder });
  const { import: id } = JSON.parse((await manage('import', path, '--site', site.domain)).stdout) as Said;
  await manage('import', path, '--site', site.domain);
  await manage('import', 'access-log', 'nothing.log', '--site', site.domain);
  await manage('import', path, '--site', 'nobody.example');
  const removing = vi
    .spyOn(server.app.services.importing, 'remove')
    .mockRejectedValueOnce(new Refusal('bad_request', 'busy'));
  await manage('import', 'remove', '--id', id);
  await manage('import', 'remove', '--id', id);
  removing.mockRestore();
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    ['command', { command: 'import', outcome: 'done', site_id: site.id }],
    ['command', { command: 'import', outcome: 'refused', site_id: site.id }],
    ['command', { command: 'import access-log', outcome: 'refused', site_id: site.id }],
    ['command', { command: 'import', outcome: 'refused' }],
    ['command', { command: 'import remove', outcome: 'refused', site_id: site.id, import_id: id }],
    ['command', { command: 'import remove', outcome: 'done', site_id: site.id, import_id: id }],
  ]);
  await control.close();
  noted.mockRestore();
});

/** Says how many page views and visitors each day has. */
const daily = (name: string, ...days: string[]) =>
  fileOf(name, 'date,pageviews,visitors\n', ...days.map((day) => `${day}\n`));

test('the report is the whole one of the dashboard, also before anything is imported', async () => {
  const site = await newSite();
  const rows = ['2025-01-30,10,5', '2025-02-01,20,6', 'no day,1,1'];
  const [path = ''] = await written([daily('old.csv', ...rows)]);
  const file = basename(path);
  const column = (name: string, becomes: string) => ({ file, column: name, becomes });
  const report = {
    format: 'csv',
    product: 'CSV',
    kind: 'sums',
    days: { from: '2025-01-30', to: '2025-02-01', count: 2 },
    untold: ['visits', 'bounces', 'visit_seconds'],
    totals: { pageviews: 30, visitors: 11, visits: null },
    months: [
      { month: '2025-01', pageviews: 10, visitors: 5 },
      { month: '2025-02', pageviews: 20, visitors: 6 },
    ],
    columns: [column('date', 'date'), column('pageviews', 'pageviews'), column('visitors', 'visitors')],
    left_out: [],
    rows: 3,
    rejected: 1,
    reasons: { no_date: 1 },
    examples: [{ file, line: 4, reason: 'no_date' }],
    not_served: 0,
    is_estimate: false,
    overlap: { counted: [], paid: [], imported: [] },
  };
  const { site_id, ...dry } = (await imported([path], site.domain, { dryRun: true })) as Said & { site_id: string };
  expect([site_id, dry]).toEqual([site.id, { import: null, ...report }]);
  const { import: id, ...done } = await imported([path], site.domain);
  expect(done).toEqual({ site_id, ...report });
  const again = await imported([path], site.domain, { dryRun: true });
  const days = ['2025-01-30', '2025-02-01'];
  expect(again).toMatchObject({ overlap: { counted: [], paid: [], imported: [{ id, file, days }] } });
});

test('visitors that the files do not tell are null in the report and in the list', async () => {
  const site = await newSite();
  const [path = ''] = await written([fileOf('views.csv', 'date,pageviews\n2025-01-30,10\n2025-02-01,20\n')]);
  const untold = { totals: { pageviews: 30, visitors: null }, months: [{ visitors: null }, { visitors: null }] };
  expect(await imported([path], site.domain, { dryRun: true })).toMatchObject(untold);
  expect(await imported([path], site.domain)).toMatchObject(untold);
  const listed = await runOperation('imports', server.app, { domain: site.domain }, run());
  expect(listed).toMatchObject([{ brought: { days: 2, pageviews: 30, visitors: null } }]);
});

test('days of an earlier import need a word, and one of them counts', async () => {
  const site = await newSite();
  const [first = '', second = ''] = await written([
    daily('first.csv', '2025-01-05,7,1', '2025-01-06,7,1'),
    daily('second.csv', '2025-01-05,100,10', '2025-01-06,100,10', '2025-01-09,100,10'),
  ]);
  const { import: id } = await imported([first], site.domain);
  await expect(imported([second], site.domain)).rejects.toThrow(
    `An earlier import has days of these files: 2025-01-05 – 2025-01-06 in ${basename(first)} (${id}). Use --overlap replace to count this import for them, or --overlap keep to count the earlier one.`,
  );
  // Nothing has begun, and the same file again is no overlap with itself.
  expect(await runOperation('imports', server.app, { domain: site.domain }, run())).toHaveLength(1);
  await expect(imported([first], site.domain)).rejects.toThrow('this was imported before');
  server.clock.now += 1;
  const kept = await imported([second], site.domain, { overlap: 'keep' });
  expect(await totals(site)).toEqual([12, undefined, 114, 0]);
  await runOperation('remove-import', server.app, { id: kept.import }, run());
  server.clock.now += 1;
  await imported([second], site.domain, { overlap: 'replace' });
  expect(await totals(site)).toEqual([30, undefined, 300, 0]);
});

test('days that were counted here are replaced if they are named, and days with payments never', async () => {
  const site = await newSite();
  const { now } = server.clock;
  const [day, paid, other] = [0, 1, 2].map((ago) => dayOf(now - ago * DAY_MS));
  const visit = (more: object = {}) =>
    server.foot({ site: site.domain, name: 'pageview', url: `https://${site.domain}/`, ...more });
  server.clock.now = now - DAY_MS;
  await visit({ name: 'order', revenue: { amount: 5, currency: 'EUR' } });
  server.clock.now = now;
  await visit();
  await server.settle();
  const [path = ''] = await written([daily('all.csv', `${other},100,10`, `${paid},100,10`, `${day},100,10`)]);
  const dry = await imported([path], site.domain, { dryRun: true });
  expect(dry).toMatchObject({ overlap: { counted: [paid, day], paid: [paid], imported: [] } });
  const importing = (replaceCounted: unknown) => imported([path], site.domain, { replaceCounted });
  await expect(importing([paid])).rejects.toThrow(
    `--replace-counted: ${paid}: days with payments keep their own numbers.`,
  );
  await expect(importing([other])).rejects.toThrow(
    `--replace-counted: ${other}: these days are not in the files, or nothing was counted here on them.`,
  );
  const views = async () => (await totals(site, [other ?? '', day ?? '']))[2];
  for (const [chosen, counted] of [
    [undefined, 101],
    [[day], 200],
    ['all', 200],
  ]) {
    const { import: id } = await importing(chosen);
    expect(await views()).toBe(counted);
    await runOperation('remove-import', server.app, { id }, run());
  }
  const [hits = ''] = await written(SAMPLES.umami.files(site.domain));
  await expect(imported([hits], site.domain, { replaceCounted: 'all' })).rejects.toThrow(
    '--replace-counted is for files of daily totals: these hold single page views.',
  );
  const wrong = ['import', path, '--site', site.domain, '--replace-counted', '2025-02-30'];
  expect((await runManage(wrong, { DATA_DIR: server.folder })).stderr).toContain(
    '--replace-counted must be "all", or days such as 2026-12-30,2026-12-31.',
  );
});

test('files that are no export, sites that are not there and a stop are refused with a sentence', async () => {
  const site = await newSite();
  const [poem = ''] = await written([fileOf('poem.txt', 'Roses are red,\nviolets are blue\n')]);
  await expect(imported([poem], site.domain)).rejects.toThrow('poem.txt');
  const [days = ''] = await written(SAMPLES.csv.files());
  await expect(imported([days], 'nobody.example')).rejects.toThrow('There is no site nobody.example');
  await expect(runOperation('remove-import', server.app, { id: 'import_0' }, run())).rejects.toThrow(
    'There is no such import.',
  );
  const stopped = { ...run(), signal: AbortSignal.abort() };
  const given = { files: [days], domain: site.domain, dryRun: false };
  await expect(runOperation('import-files', server.app, given, stopped)).rejects.toThrow('Stopped');
});

describe('parts are stored in their order, one at a time, while the next is read', () => {
  const ROWS = Array.from({ length: 5_000 }, (_, n) => `2025-01-30,/page/${n},1\n`);
  /** `onSave` is called for each part while it is stored; what is stored is told by `log`. */
  const runWith = async (
    { site, rows }: { site: Site; rows: readonly string[] },
    onSave: (part: number, stop: AbortController) => Promise<void>,
  ) => {
    const [path = ''] = await written([fileOf('pages.csv', 'date,page,views\n', ...rows)]);
    const stop = new AbortController();
    const log: string[] = [];
    const { store, services, geo } = server.app;
    const save: typeof store.imported.save = async (of, { rows: sums, token }) => {
      const part = Number(token.split('/')[1]);
      log.push(`begin ${part}: ${sums.length}`);
      await onSave(part, stop);
      await store.imported.save(of, { rows: sums, token });
      log.push(`end ${part}`);
    };
    const importing = openImporting({
      directory: services.directory,
      store: { ...store, imported: { ...store.imported, save } },
      versions: { heard: () => undefined },
      geo,
      onChanged: () => undefined,
      now: () => server.clock.now,
    });
    const given = { files: [path], site, isDryRun: false };
    const ended = await importFiles(importing, given, { ...run(), signal: stop.signal }).catch(
      (error: unknown) => error,
    );
    return { log, ended };
  };

  test('a part that cannot be stored is the last, and those that the server has are not sent again', async () => {
    const site = await newSite();
    const failed = await runWith({ site, rows: ROWS }, async (part) => {
      await nextTurn();
      if (part === 1) throw new Error('the disk is full');
    });
    expect(failed.log).toEqual(['begin 0: 2000', 'end 0', 'begin 1: 2000']);
    expect(failed.ended).toEqual(new Error('the disk is full'));
    const { log, ended } = await runWith({ site, rows: ROWS }, () => nextTurn());
    expect(log).toEqual(['begin 1: 2000', 'end 1', 'begin 2: 1003', 'end 2']);
    expect(ended).toMatchObject({ totals: { pageviews: 5_000 } });
  });

  test('a part that is being stored when the command is stopped is stored whole', async () => {
    const rows = Array.from({ length: 60_000 }, (_, n) => `2025-01-30,/page/${n},1\n`);
    const { log, ended } = await runWith({ site: await newSite(), rows }, async (_, stop) => {
      stop.abort();
      for (let turn = 0; turn < 100; turn++) await nextTurn();
    });
    expect(log).toEqual(['begin 0: 2000', 'end 0']);
    expect(String(ended)).toContain('Stopped: run the same command again to continue.');
  });
});
