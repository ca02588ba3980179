import { describe, expect, test } from 'vitest';
import { fileOf, gzipOf, meaningsOf, readImport } from '../../../../tests/setup/imports.ts';

const VERSION_2 = `2Path,Title,Event,UserAgent,Browser,System,Session,Bot,Referrer,Referrer scheme,Screen size,Location,FirstVisit,Date
/a.html?utm_source=x&name=ann,A title,false,Mozilla/5.0,Firefox 139,Windows 10,4a0f,0,https://example.org/x?q=1,h,"1920,1080,1",US-TX,true,2025-06-09T10:00:00Z
/b,,false,Mozilla/5.0,Safari 18.1,macOS 10.15,4a0f,0,Hacker News,g,,DE,false,2025-06-09T10:01:00Z
signup,,true,,Chrome 137,Android,4a0f,0,,,,,false,2025-06-09T10:02:00Z
/c,,false,,Chrome 137,Linux,,0,spring,c,,FR,true,2025-06-10T12:00:00+02:00
/bot,,false,,,,5,7,,,,,true,2025-06-10T10:00:00Z
/late,,false,,,,5,0,,,,,true,2025-06-31T10:00:00Z
`;

describe('an export of GoatCounter', () => {
  test('of version 2 is read hit by hit, also packed', async () => {
    const { opened, hits, report } = await readImport(await gzipOf('goatcounter-export.csv.gz', VERSION_2));
    expect(opened).toMatchObject({ format: 'goatcounter', kind: 'hits' });
    expect(hits).toMatchObject([
      {
        time: Date.UTC(2025, 5, 9, 10),
        visitor: '4a0f',
        name: 'pageview',
        path: '/a.html?utm_source=x',
        referrer: 'https://example.org/x',
        country: 'US',
        region: 'US-TX',
        browser: 'Firefox',
        browser_version: '139',
        os: 'Windows',
        os_version: '10',
        screen_width: 1920,
      },
      { path: '/b', referrer: 'news.ycombinator.com', os: 'macOS', os_version: '10.15', country: 'DE' },
      { name: 'signup', path: '', browser: 'Chrome' },
      { time: Date.UTC(2025, 5, 10, 10), visitor: 'line 5', path: '/c?utm_source=spring', referrer: '' },
    ]);
    expect(report).toMatchObject({
      days: { from: '2025-06-09', to: '2025-06-10', count: 2 },
      totals: { pageviews: 3, visitors: 2 },
      rows: 6,
      reasons: { bot: 1, no_date: 1 },
    });
  });

  test('of version 1 is read without its user agents', async () => {
    const text = `"1,Path",Title,Event,Bot,Session,FirstVisit,Referrer,Referrer scheme,Browser,Screen size,Location,Date
/a,,false,0,00000000-0000-0000-0000-000000000000,true,,,Mozilla/5.0 (X11; Linux),,NL,2020-01-02T03:04:05Z
`;
    const { opened, hits } = await readImport(fileOf('export.csv', text));
    expect(meaningsOf(opened)).toMatchObject({ '1,Path': 'path', Browser: null, Title: null });
    expect(hits).toMatchObject([{ visitor: 'line 2', path: '/a', browser: '', country: 'NL' }]);
  });

  test('may have its version in a column of the header alone', async () => {
    const { hits } = await readImport(fileOf('export.csv', VERSION_2.replace('2Path', '2,Path')));
    expect(hits).toHaveLength(4);
  });
});
