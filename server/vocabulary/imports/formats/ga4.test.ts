import { describe, expect, test } from 'vitest';
import { fileOf, readImport } from '../../../../tests/setup/imports.ts';

test('hours of Google Analytics count for their day', async () => {
  const text = 'Date + hour (YYYYMMDDHH),Sessions,Views\n2025013010,3,5\n2025013023,2,4\n2025013100,1,1\n';
  const { sums, report } = await readImport(fileOf('hours.csv', `# Hours\n${text}`));
  expect(sums.map(({ day, visits, pageviews }) => [day, visits, pageviews])).toEqual([
    ['2025-01-30', 3, 5],
    ['2025-01-30', 2, 4],
    ['2025-01-31', 1, 1],
  ]);
  expect(report).toMatchObject({ rejected: 0, totals: { visits: 6, pageviews: 10 } });
});

describe('a report of Google Analytics 4', () => {
  test('is read below its comments, without its row of totals', async () => {
    const text = `# ----------------------------------------
# Free form 1
# 20250101-20250131
# ----------------------------------------

Date,Session source / medium,Views,Active users,Sessions,Engaged sessions,Average session duration,Event count
,,30,15,20,12,45.5,99,Grand total
20250130,google / organic,20,10,12,9,50,60
20250130,(direct) / (none),10,5,8,3,25.5,39
20250131,(not set),1,1,1,0,0,2
`;
    const { opened, sums, report } = await readImport(fileOf('download.csv', text));
    expect(opened).toMatchObject({ format: 'ga4', kind: 'sums' });
    expect(sums.filter(({ dimension }) => dimension === 'source')).toEqual([
      {
        day: '2025-01-30',
        dimension: 'source',
        label: 'google',
        visitors: 10,
        visits: 12,
        pageviews: 20,
        events: 0,
        bounces: 3,
        visit_seconds: 600,
      },
      {
        day: '2025-01-30',
        dimension: 'source',
        label: '',
        visitors: 5,
        visits: 8,
        pageviews: 10,
        events: 0,
        bounces: 5,
        visit_seconds: 204,
      },
      {
        day: '2025-01-31',
        dimension: 'source',
        label: '',
        visitors: 1,
        visits: 1,
        pageviews: 1,
        events: 0,
        bounces: 1,
        visit_seconds: 0,
      },
    ]);
    expect(report).toMatchObject({ totals: { pageviews: 31, visitors: 16, visits: 21 }, rejected: 0 });
  });

  test.each([
    ['German', 'Datum,Seitenpfad und Bildschirmklasse,Aufrufe,Aktive Nutzer'],
    ['French', "Date,Chemin de la page et classe de l'écran,Vues,Utilisateurs actifs"],
    ['Spanish', 'Fecha,Ruta de la página y clase de pantalla,Vistas,Usuarios activos'],
  ])('is known in %s', async (_, header) => {
    const { opened, sums } = await readImport(fileOf('a.csv', `${header}\n20250130,/a,4,2`));
    expect(opened.format).toBe('ga4');
    expect(sums.at(-1)).toMatchObject({ dimension: 'page', label: '/a', pageviews: 4, visitors: 2 });
  });

  test('by event leaves out what it counts by itself', async () => {
    const text =
      'Date,Event name,Event count,Active users\n20250130,page_view,9,5\n20250130,session_start,5,5\n20250130,sign_up,2,1';
    const { sums } = await readImport(fileOf('a.csv', text));
    expect(sums).toMatchObject([{ dimension: 'event', label: 'sign_up', events: 2, visitors: 1 }]);
  });
});

describe('its export to BigQuery', () => {
  const hit = {
    event_timestamp: '1738230000123456',
    event_name: 'page_view',
    user_pseudo_id: '123.456',
    user_id: 'ann@example.com',
    event_params: [
      { key: 'page_location', value: { string_value: 'https://example.com/a?utm_source=x&token=secret' } },
      { key: 'page_title', value: { string_value: 'Hello Ann' } },
      { key: 'page_referrer', value: { string_value: 'https://t.co/abc?x=1' } },
    ],
    geo: { country: 'United States', region: 'Texas', city: 'Austin' },
    device: {
      category: 'desktop',
      operating_system: 'Windows',
      operating_system_version: 'Windows 10',
      language: 'en-us',
      web_info: { browser: 'Chrome', browser_version: '120.0.0.0' },
    },
  };

  test('is read hit by hit, and a broken line costs itself alone', async () => {
    const lines = [
      JSON.stringify(hit),
      '{"event_timestamp": "17382',
      JSON.stringify({ ...hit, event_name: 'session_start' }),
      JSON.stringify({ ...hit, event_name: 'purchase', event_timestamp: 1738230001000000 }),
      JSON.stringify({ ...hit, event_timestamp: 'never' }),
    ];
    const { opened, hits, report } = await readImport(fileOf('events_20250130', lines.join('\n')));
    expect(opened).toMatchObject({ format: 'ga4', kind: 'hits' });
    expect(hits).toEqual([
      {
        time: 1738230000123,
        visitor: '123.456',
        name: 'pageview',
        hostname: 'example.com',
        path: '/a?utm_source=x',
        referrer: 'https://t.co/abc',
        country: 'US',
        region: '',
        city: 'Austin',
        browser: 'Chrome',
        browser_version: '120',
        os: 'Windows',
        os_version: '10',
        device: 'desktop',
        language: 'en-US',
        screen_width: 0,
      },
      expect.objectContaining({ name: 'purchase', time: 1738230001000 }),
    ]);
    expect(report).toMatchObject({ rows: 5, rejected: 2, reasons: { unreadable: 1, no_date: 1 } });
    expect(report.examples).toEqual([
      { file: 'events_20250130', line: 5, reason: 'no_date' },
      { file: 'events_20250130', line: 2, reason: 'unreadable' },
    ]);
  });
});
