import { expect, test } from 'vitest';
import { fileOf, readImport } from '../../../../tests/setup/imports.ts';

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
