import { describe, expect, test } from 'vitest';
import { fileOf, readImport } from '../../../../tests/setup/imports.ts';

const VISIT = {
  idVisit: '7',
  visitIp: '192.0.2.1',
  visitorId: 'c0ffee',
  userId: 'ann',
  referrerUrl: 'https://www.google.com/search?q=secret',
  countryCode: 'de',
  regionCode: 'BY',
  city: 'Munich',
  browserName: 'Chrome Mobile',
  browserVersion: '120.0',
  operatingSystemName: 'Android',
  operatingSystemVersion: '14',
  deviceType: 'Smartphone',
  languageCode: 'de-de',
  resolution: '360x800',
};
const ACTIONS = [
  { type: 'action', url: 'https://example.com/a?mtm_campaign=may&id=9', pageTitle: 'Hello Ann', timestamp: 1738230000 },
  { type: 'outlink', url: 'https://example.org/', timestamp: 1738230010 },
  { type: 'event', url: 'https://example.com/a', eventCategory: 'Video', eventAction: 'Play', timestamp: '1738230020' },
  { type: 'goal', goalName: 'Signup', timestamp: 1738230020 },
];
const HITS = [
  {
    time: 1738230000000,
    visitor: 'c0ffee',
    name: 'pageview',
    hostname: 'example.com',
    path: '/a?utm_campaign=may',
    referrer: 'https://www.google.com/search',
    country: 'DE',
    region: 'DE-BY',
    city: 'Munich',
    browser: 'Chrome',
    browser_version: '120',
    os: 'Android',
    os_version: '14',
    device: 'mobile',
    language: 'de-DE',
    screen_width: 360,
  },
  expect.objectContaining({ name: 'outbound_link', hostname: 'example.com', path: '', referrer: '' }),
  expect.objectContaining({ name: 'Play', path: '/a', time: 1738230020000 }),
];

describe('visits of Matomo', () => {
  test('are read from JSON, with lines and without', async () => {
    const visits = [
      { ...VISIT, actionDetails: ACTIONS },
      { ...VISIT, actionDetails: [] },
      { ...VISIT, actionDetails: 'x' },
    ];
    for (const text of [JSON.stringify(visits), JSON.stringify(visits, null, 2)]) {
      const { opened, hits, report } = await readImport(fileOf('visits.json', text));
      expect(opened).toMatchObject({ format: 'matomo', kind: 'hits' });
      expect(hits).toEqual(HITS);
      expect(report).toMatchObject({ rows: 3, reasons: { no_page: 2 }, totals: { pageviews: 1, visitors: 1 } });
    }
  });

  test('are read from CSV in UTF-16, as it sends it', async () => {
    const flat = Object.assign(
      { ...VISIT },
      ...ACTIONS.map((action, index) =>
        Object.fromEntries(Object.entries(action).map(([key, value]) => [`actionDetails_${index}_${key}`, value])),
      ),
    ) as Record<string, string>;
    const text = `\ufeff${Object.keys(flat).join(',')}\n${Object.values(flat)
      .map((value) => `"${value}"`)
      .join(',')}\n`;
    const { hits, report } = await readImport(
      fileOf('visits.csv', new Uint16Array([...text].map((char) => char.charCodeAt(0)))),
    );
    expect(hits).toEqual(HITS);
    expect(report).toMatchObject({ rows: 1, rejected: 0 });
  });

  test('by day are read from the CSV of a report', async () => {
    const text = 'date,nb_uniq_visitors,nb_visits,nb_actions,bounce_count,sum_visit_length\n2025-01-30,4,5,9,2,300';
    const { sums } = await readImport(fileOf('report.csv', text));
    expect(sums).toMatchObject([
      { dimension: '', visitors: 4, visits: 5, pageviews: 9, bounces: 2, visit_seconds: 300 },
    ]);
  });
});
