import { describe, expect, test } from 'vitest';
import { fileOf, meaningsOf, readImport } from '../../../../tests/setup/imports.ts';
import { openImport } from '../open.ts';

test('data points of Simple Analytics are read hit by hit, without robots', async () => {
  const text = `added_iso,hostname,path,query,is_unique,is_robot,document_referrer,utm_source,country_code,browser_name,browser_version,os_name,os_version,device_type,screen_width,lang_language,lang_region,datapoint,duration_seconds
2025-01-30T10:00:00.500Z,example.com,/a,token=1,true,false,https://duckduckgo.com/?q=x,news,NL,Chrome,120.1,macOS,14.2,desktop,1440,nl,nl,pageview,12
2025-01-30T10:01:00.000Z,example.com,/a,,false,true,,,,,,,,,,,,pageview,
2025-01-30T10:02:00.000Z,example.com,/a,,false,false,,,NL,Firefox,130,Linux,,mobile,,,,click_buy,
30.01.2025,example.com,/a,,false,false,,,,,,,,,,,,pageview,
`;
  const { opened, hits, report } = await readImport(fileOf('data-points.csv', text));
  expect(opened).toMatchObject({ format: 'simple-analytics', kind: 'hits' });
  expect(hits).toEqual([
    {
      time: Date.UTC(2025, 0, 30, 10, 0, 0, 500),
      visitor: 'line 2',
      name: 'pageview',
      hostname: 'example.com',
      path: '/a?utm_source=news',
      referrer: 'https://duckduckgo.com/',
      country: 'NL',
      region: '',
      city: '',
      browser: 'Chrome',
      browser_version: '120',
      os: 'macOS',
      os_version: '14.2',
      device: 'desktop',
      language: 'nl-NL',
      screen_width: 1440,
    },
    expect.objectContaining({ name: 'click_buy', path: '/a', device: 'mobile', visitor: 'line 4' }),
  ]);
  expect(report).toMatchObject({ rows: 4, reasons: { bot: 1, no_date: 1 } });
});

describe('visitors of Simple Analytics', () => {
  const HEAD = 'added_iso,path,is_unique,country_code,browser_name,os_name,device_type,session_id,datapoint\n';
  type Row = [minute: number, isUnique: boolean | '', browser: string, session?: string, event?: string];
  const textOf = (rows: Row[], head = HEAD) =>
    head +
    rows
      .map(([minute, isUnique, browser, session = '', event = '']) => {
        const time = new Date(Date.UTC(2025, 0, 30, 10, minute)).toISOString();
        return `${time},/${minute},${isUnique},NL,${browser},macOS,desktop,${session},${event}\n`;
      })
      .join('');
  const visitorsOf = ({ hits }: { hits: { path: string; visitor: string }[] }) =>
    Object.fromEntries(hits.map(({ path, visitor }) => [path.slice(1), visitor]));
  const ROWS: Row[] = [
    [0, true, 'Chrome'],
    [1, true, 'Firefox'],
    [2, false, 'Chrome'],
    [3, true, 'Chrome'],
    [4, false, 'Chrome'],
    [5, false, 'Firefox'],
    [6, '', 'Firefox', '', 'click'],
  ];

  test('are its unique page views: the others belong to the latest visitor with the same properties', async () => {
    const read = await readImport(fileOf('data-points.csv', textOf(ROWS)));
    expect(visitorsOf(read)).toEqual({
      0: 'line 2',
      1: 'line 3',
      2: 'line 2',
      3: 'line 5',
      4: 'line 5',
      5: 'line 3',
      6: 'line 3',
    });
    expect(read.report).toMatchObject({ totals: { pageviews: 6, visitors: 3 } });
    expect(meaningsOf(read.opened)).toMatchObject({ is_unique: 'visitor' });
  });

  test('are the same in a file whose newest rows come first', async () => {
    const read = await readImport(fileOf('data-points.csv', textOf(ROWS.toReversed())));
    const { 0: chrome, 1: firefox, 3: second } = visitorsOf(read);
    expect(visitorsOf(read)).toEqual({
      0: chrome,
      1: firefox,
      2: chrome,
      3: second,
      4: second,
      5: firefox,
      6: firefox,
    });
    expect(read.report).toMatchObject({ totals: { pageviews: 6, visitors: 3 } });
  });

  test('are the same each time that a file is read', async () => {
    const opened = await openImport([fileOf('data-points.csv', textOf([[0, false, 'Chrome'], ...ROWS.slice(1)]))]);
    const read = async () => {
      const visitors: string[] = [];
      for await (const { hits } of opened.read()) visitors.push(...hits.map(({ visitor }) => visitor));
      return visitors;
    };
    const first = await read();
    expect(first).toEqual(['line 2', 'line 3', 'line 2', 'line 5', 'line 5', 'line 3', 'line 3']);
    expect(await read()).toEqual(first);
  });

  test('who came before the file began are one for each set of properties, and sessions keep together', async () => {
    const rows: Row[] = [
      [0, false, 'Chrome'],
      [1, false, 'Chrome'],
      [2, true, 'Firefox', 'a'],
      [3, true, 'Firefox', 'b'],
      [4, false, 'Firefox', 'a'],
      [5, false, 'Firefox', 'c'],
    ];
    const read = await readImport(fileOf('data-points.csv', textOf(rows)));
    expect(Object.values(visitorsOf(read))).toEqual(['line 2', 'line 2', 'line 4', 'line 5', 'line 4', 'line 4']); // c came after a
    const newestFirst = await readImport(fileOf('data-points.csv', textOf(rows.toReversed())));
    expect(newestFirst.report).toMatchObject({ totals: { pageviews: 6, visitors: 3 } });
  });

  test('are sessions where the file does not say which page views are unique, and else each row', async () => {
    const rows = ROWS.map(([minute, , browser]): Row => [minute, '', browser, minute < 3 ? 'a' : '']);
    const read = await readImport(fileOf('data-points.csv', textOf(rows, HEAD.replace('is_unique', 'x'))));
    expect(Object.values(visitorsOf(read))).toEqual(['a', 'a', 'a', 'line 5', 'line 6', 'line 7', 'line 8']);
  });
});
