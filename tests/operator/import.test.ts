// `manage import`: from the files of each product to the numbers of the dashboard, and back.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openControl } from '../../server/operator/control-socket.ts';
import { openLog } from '../../server/process/log.ts';
import { runOperation } from '../../server/operator/operations.ts';
import { summaryQuestion } from '../../server/stats/query.ts';
import { SUMMED_DIMENSIONS } from '../../server/stats/days/summed-days.ts';
import { LABEL_NAMES } from '../../server/vocabulary/imports/formats/labels.ts';
import { FORMAT_NAMES, type FormatName } from '../../server/vocabulary/imports/formats/formats.ts';
import type { ImportFile } from '../../server/vocabulary/imports/import.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { fileOf, zipOf } from '../setup/imports.ts';
import { logOf } from '../setup/logs.ts';
import { runManage } from '../setup/processes/manage.ts';

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
  files(host: string): ImportFile[] | Promise<ImportFile[]>;
  said: { pageviews: number; visitors: number };
  rejected?: number;
  /** Visitors, visits, page views, and events. */
  counted: [number, number, number, number];
};
const PLAUSIBLE = {
  'imported_visitors_20250130_20250131.csv':
    'date,visitors,pageviews,bounces,visits,visit_duration\n2025-01-30,10,30,4,12,600\n2025-01-31,5,9,2,5,100\n',
  'imported_custom_events_20250130_20250131.csv':
    'date,name,link_url,path,visitors,events\n2025-01-30,signup,,/,3,4\n2025-01-31,signup,,/,1,1\n',
};
const CASES: Record<FormatName, Case> = {
  plausible: {
    files: async () => [await zipOf('export.zip', PLAUSIBLE)],
    said: { pageviews: 39, visitors: 15 },
    counted: [15, 17, 39, 5],
  },
  umami: {
    files: (host) => [
      fileOf(
        'website_event.csv',
        'session_id,hostname,browser,os,device,country,url_path,url_query,referrer_domain,event_type,event_name,created_at\n',
        `a,${host},firefox,Linux,desktop,DE,/,,google.com,1,,2025-01-30 10:00:00\n`,
        `a,${host},firefox,Linux,desktop,DE,/pricing,,,2,signup,2025-01-30 10:05:00\n`,
        `b,${host},firefox,Linux,desktop,DE,/,,,1,,2025-01-31 10:00:00\n`,
        `c,elsewhere.example,firefox,Linux,desktop,DE,/,,,1,,2025-01-31 10:00:00\n`,
      ),
    ],
    said: { pageviews: 2, visitors: 2 },
    rejected: 1,
    counted: [2, 2, 2, 1],
  },
  goatcounter: {
    files: () => [
      fileOf(
        'goatcounter-export.csv',
        '2Path,Title,Event,UserAgent,Browser,System,Session,Bot,Referrer,Referrer scheme,Screen size,Location,FirstVisit,Date\n',
        '/,,false,,Firefox 139,Linux,4a0f,0,,,,DE,true,2025-01-30T10:00:00Z\n',
        '/docs,,false,,Firefox 139,Linux,4a0f,0,,,,DE,false,2025-01-30T10:01:00Z\n',
        '/bot,,false,,,,5,7,,,,,true,2025-01-31T10:00:00Z\n',
      ),
    ],
    said: { pageviews: 2, visitors: 1 },
    rejected: 1,
    counted: [1, 1, 2, 0],
  },
  'simple-analytics': {
    files: (host) => [
      fileOf(
        'data-points.csv',
        'added_iso,hostname,path,query,is_unique,is_robot,document_referrer,utm_source,country_code,browser_name,os_name,device_type,datapoint,duration_seconds\n',
        `2025-01-30T10:00:00.000Z,${host},/a,,true,false,,,NL,Chrome,macOS,desktop,pageview,12\n`,
        `2025-01-31T10:02:00.000Z,${host},/a,,false,false,,,NL,Firefox,Linux,mobile,click_buy,\n`,
      ),
    ],
    said: { pageviews: 1, visitors: 2 },
    counted: [2, 2, 1, 1],
  },
  matomo: {
    files: (host) => [
      fileOf(
        'visits.json',
        JSON.stringify([
          {
            idVisit: '7',
            visitorId: 'c0ffee',
            countryCode: 'de',
            browserName: 'Firefox',
            operatingSystemName: 'Linux',
            deviceType: 'Desktop',
            actionDetails: [
              { type: 'action', url: `https://${host}/a`, timestamp: Date.UTC(2025, 0, 30, 10) / 1000 },
              { type: 'action', url: `https://${host}/b`, timestamp: Date.UTC(2025, 0, 30, 10, 5) / 1000 },
            ],
          },
        ]),
      ),
    ],
    said: { pageviews: 2, visitors: 1 },
    counted: [1, 1, 2, 0],
  },
  ga4: {
    files: () => [
      fileOf(
        'download.csv',
        '# Free form 1\n\nDate,Views,Active users,Sessions,Engaged sessions,Average session duration\n',
        '20250130,20,10,12,9,50\n20250131,1,1,1,0,0\n',
      ),
    ],
    said: { pageviews: 21, visitors: 11 },
    counted: [11, 13, 21, 0],
  },
  'access-log': {
    files: (host) => [
      fileOf(
        'access.log.1',
        logOf(
          'combined',
          [
            { time: Date.UTC(2025, 0, 31, 10), address: '203.0.113.8' },
            { time: Date.UTC(2025, 0, 31, 10, 5), address: '203.0.113.8', target: '/style.css' },
          ],
          host,
        ),
      ),
      fileOf('access.log.2', logOf('Caddy', [{ time: Date.UTC(2025, 0, 30, 10), address: '203.0.113.7' }], host)),
    ],
    said: { pageviews: 2, visitors: 2 },
    rejected: 1,
    counted: [2, 2, 2, 0],
  },
  csv: {
    files: () => [
      fileOf('days.csv', 'Datum;Seitenaufrufe;Besucher;Sitzungen\n30.01.2025;1.234;20;30\n31.01.2025;6;2;3\n'),
    ],
    said: { pageviews: 1240, visitors: 22 },
    counted: [22, 33, 1240, 0],
  },
};

async function totals(site: { id: string; domain: string }): Promise<(number | undefined)[]> {
  const metrics = ['unique_visitors', 'visits', 'pageviews', 'events'] as const;
  const asked = { site_id: site.id, period: 'custom', date_from: '2025-01-01', date_to: '2025-01-31' };
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

describe.each(FORMAT_NAMES)('an export of %s', (format) => {
  test('says what it holds, counts in the dashboard, is not taken twice, and is gone when it is removed', async () => {
    const { files, said, rejected = 0, counted } = CASES[format];
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
  });
});

test('what files become is what the server takes', () => {
  expect(SUMMED_DIMENSIONS).toEqual(expect.arrayContaining([...LABEL_NAMES]));
});

test('prints one line of JSON for an import, for the list, and for a removal; refusals are sentences', async () => {
  const site = await newSite();
  const [path = ''] = await written(await CASES.csv.files(''));
  const control = await openControl({ app: server.app, dataDir: server.folder, log: openLog('silent') });
  const manage = (...args: string[]) => runManage(args, { DATA_DIR: server.folder });
  const { stdout, code } = await manage('import', path, '--site', site.domain);
  expect(code).toBe(0);
  const done = JSON.parse(stdout) as Said;
  expect(done).toEqual({
    import: expect.stringMatching(/^import_/) as unknown,
    format: 'csv',
    days: { from: '2025-01-30', to: '2025-01-31', count: 2 },
    totals: { pageviews: 1240, visitors: 22 },
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

test('files that are no export, sites that are not there and a stop are refused with a sentence', async () => {
  const site = await newSite();
  const [poem = ''] = await written([fileOf('poem.txt', 'Roses are red,\nviolets are blue\n')]);
  await expect(imported([poem], site.domain)).rejects.toThrow('poem.txt');
  const [days = ''] = await written(await CASES.csv.files(''));
  await expect(imported([days], 'nobody.example')).rejects.toThrow('There is no site nobody.example');
  await expect(runOperation('remove-import', server.app, { id: 'import_0' }, run())).rejects.toThrow(
    'There is no such import.',
  );
  const stopped = { ...run(), signal: AbortSignal.abort() };
  const given = { files: [days], domain: site.domain, dryRun: false };
  await expect(runOperation('import-files', server.app, given, stopped)).rejects.toThrow('Stopped');
});
