import { describe, expect, test } from 'vitest';
import { fileOf, readImport } from '../../../../../tests/setup/imports.ts';

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

  test('by day are read from a list, whose dimension its segments or its name tell', async () => {
    const HEAD = 'date,label,nb_uniq_visitors,nb_visits,nb_actions,bounce_count,sum_visit_length';
    const countries =
      `${HEAD},metadata_segment,metadata_code\n` +
      '2025-01-30,Germany,4,5,9,2,300,countryCode==de,de\n2025-01-30,Unknown,1,1,1,1,0,,xx\n2025-01-30\n' +
      '2025-01-31,France,2,2,2,2,0,countryCode==fr,fr\n';
    const total = `${HEAD.replace(',label', '')}\n2025-01-30,5,6,10,3,300\n2025-01-31,2,2,2,2,0\n`;
    const read = await readImport([fileOf('a.csv', countries), fileOf('b.csv', total)]);
    expect(read.opened).toMatchObject({ format: 'matomo', kind: 'sums' });
    expect(read.sums.map((sum) => [sum.day, sum.dimension, sum.label, sum.visitors, sum.visits])).toEqual([
      ['2025-01-30', 'country', 'DE', 4, 5],
      ['2025-01-30', 'country', '', 1, 1],
      ['2025-01-31', 'country', 'FR', 2, 2],
      ['2025-01-30', '', '', 5, 6],
      ['2025-01-31', '', '', 2, 2],
    ]);
    expect(read.report.reasons).toEqual({ short_row: 1 });
    expect(read.report.totals).toEqual({ pageviews: 12, visitors: 7, visits: 8 });
    const alone = await readImport(fileOf('a.csv', countries));
    expect(alone.report.totals).toEqual({ pageviews: 12, visitors: 7, visits: 8 });
    const named = await readImport(fileOf('UserCountry.getCountry.csv', `${HEAD}\n2025-01-30,Germany,4,5,9,2,300\n`));
    expect(named.sums.map(({ dimension, label }) => dimension + label)).toEqual(['', 'countryDE']);
  });

  test.each([
    ['regionCode==BY;countryCode==de', 'Bavaria, Germany', 'region DE-BY'],
    ['city==Munich;regionCode==BY;countryCode==de', 'Munich, Bavaria, Germany', 'city Munich'],
    ['browserCode==FF', 'Firefox', 'browser Firefox'],
    ['operatingSystemCode==MAC', 'Mac', 'os macOS'],
    ['deviceType==smartphone', 'Smartphone', 'device mobile'],
    ['languageCode==pt-br', 'Brazilian Portuguese (pt-br)', 'language pt-BR'],
    ['referrerType==search;referrerName==Google', 'Google', 'source Google'],
    ['referrerType==campaign;referrerName==may', 'may', 'utm_campaign may'],
    ['pageUrl==https%3A%2F%2Fexample.com%2Fa', '/a', 'page /a'],
  ])('by day have the dimension of %s', async (segment, label, expected) => {
    const text =
      'date,label,nb_visits,nb_actions,nb_hits,metadata_segment,metadata_region,metadata_country\n' +
      `2025-01-30,"${label}",5,9,9,${segment},BY,de\n`;
    const { sums } = await readImport(fileOf('x.csv', text));
    expect(sums.filter((sum) => sum.dimension !== '').map((sum) => `${sum.dimension} ${sum.label}`)).toEqual([
      expected,
    ]);
    expect(sums.at(-1)).toMatchObject({ visits: 5, pageviews: 9 });
    const isPartial = /^(?:source|utm_campaign) /.test(expected); // not every visit is in such a list
    expect(sums).toHaveLength(isPartial ? 1 : 2);
  });

  test('by day have the numbers of entry pages, without their folders', async () => {
    const text =
      'date,label,nb_visits,nb_hits,entry_nb_visits,entry_nb_actions,entry_bounce_count,metadata_url,metadata_segment\n' +
      '2025-01-30,/a,9,12,3,7,1,https://example.com/a,entryPageUrl==x\n2025-01-30,store,4,4,2,2,1,,pageUrl=^x\n';
    const { sums, report } = await readImport(fileOf('x.csv', text));
    expect(sums.at(-1)).toMatchObject({ dimension: 'entry_page', label: '/a', visits: 3, pageviews: 7, bounces: 1 });
    expect(report).toMatchObject({ totals: { visits: 3, pageviews: 7 }, reasons: { no_page: 1 } });
  });

  test('by day are refused for a list of what Footfall has no dimension for', async () => {
    const text =
      'date,label,nb_visits,metadata_segment\n2025-01-30,Firefox 139,5,browserCode==FF;browserVersion==139\n';
    await expect(readImport(fileOf('x.csv', text))).rejects.toThrow('is not an export that Footfall knows');
  });

  test('by day are read by the headings of the interface', async () => {
    const text =
      'Date,Unique visitors,Visits,Actions,Bounce Rate,Avg. Visit Duration (in seconds)\n2025-01-30,4,5,9,40%,60\n';
    const { sums } = await readImport(fileOf('report.csv', text));
    expect(sums).toMatchObject([
      { dimension: '', visitors: 4, visits: 5, pageviews: 9, bounces: 2, visit_seconds: 300 },
    ]);
  });

  test('by day are read from the CSV of a report', async () => {
    const text = 'date,nb_uniq_visitors,nb_visits,nb_actions,bounce_count,sum_visit_length\n2025-01-30,4,5,9,2,300';
    const { sums } = await readImport(fileOf('report.csv', text));
    expect(sums).toMatchObject([
      { dimension: '', visitors: 4, visits: 5, pageviews: 9, bounces: 2, visit_seconds: 300 },
    ]);
  });
});
