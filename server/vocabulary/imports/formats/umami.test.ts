import { describe, expect, test } from 'vitest';
import { VISITOR_OF_UMAMI } from '../../../../tests/setup/exports.ts';
import { fileOf, readImport, zipOf } from '../../../../tests/setup/imports.ts';

const HEADER =
  'website_id,session_id,visit_id,event_id,hostname,browser,os,device,screen,language,country,region,city,url_path,url_query,' +
  'referrer_path,referrer_query,referrer_domain,page_title,event_type,event_name,tag,distinct_id,created_at';
const row = (cells: Partial<Record<string, string>>) =>
  HEADER.split(',')
    .map((column) => `"${cells[column] ?? ''}"`)
    .join(',');
const VIEW = {
  session_id: 's1',
  hostname: 'Example.com',
  browser: 'edge-chromium',
  os: 'Windows 10',
  device: 'laptop',
  screen: '1920x1080',
  language: 'en-US',
  country: 'DE',
  region: 'DE-BY',
  city: 'Munich',
  url_path: '/pricing',
  url_query: 'utm_source=x&email=ann@example.com&gclid=abc',
  referrer_path: '/search',
  referrer_query: 'q=secret',
  referrer_domain: 'google.com',
  page_title: 'Hello Ann',
  event_type: '1',
  distinct_id: 'ann',
  created_at: '2025-03-01 23:59:59',
};
const FILE = [
  HEADER,
  row(VIEW),
  row({ ...VIEW, event_type: '2', event_name: 'signup', created_at: '2025-03-02 00:00:01' }),
  row({ ...VIEW, session_id: 's2' }),
  row({ ...VIEW, created_at: '2025-02-30 00:00:00' }),
  row({ ...VIEW, url_path: '' }),
].join('\n');

describe('an export of Umami', () => {
  test('is read hit by hit, without what is personal', async () => {
    const { opened, hits, report } = await readImport(fileOf('website_event.csv', FILE));
    expect(opened).toMatchObject({ format: 'umami', product: 'Umami', kind: 'hits' });
    expect(hits).toHaveLength(3);
    expect(hits[0]).toEqual({
      time: Date.UTC(2025, 2, 1, 23, 59, 59),
      visitor: 's1',
      name: 'pageview',
      hostname: 'example.com',
      path: '/pricing?utm_source=x&gclid=1',
      referrer: 'https://google.com/search',
      ...VISITOR_OF_UMAMI,
    });
    expect(hits[1]).toMatchObject({ name: 'signup', time: Date.UTC(2025, 2, 2, 0, 0, 1) });
    expect(JSON.stringify(hits)).not.toMatch(/ann|secret|abc/i);
    expect(report).toMatchObject({
      days: { from: '2025-03-01', to: '2025-03-02', count: 2 },
      totals: { pageviews: 2, visitors: 3, visits: null },
      rows: 5,
      rejected: 2,
      reasons: { no_date: 1, no_page: 1 },
    });
    expect(report.examples.map(({ line }) => line)).toEqual([5, 6]);
  });

  test('is found in its zip beside tables that are not imported', async () => {
    const zip = await zipOf('umami.zip', {
      'event_data.csv': 'website_id,event_id,data_key,number_value,created_at,visits\na,b,c,1,2025-03-01,3',
      'website_event.csv': FILE,
    });
    const { opened, hits } = await readImport(zip);
    expect([opened.format, opened.left_out, hits.length]).toEqual(['umami', ['umami.zip/event_data.csv'], 3]);
  });

  test('takes campaigns from the columns of newer releases', async () => {
    const text =
      'session_id,url_path,url_query,utm_source,utm_medium,event_type,created_at\ns,/,\\N,news,email,1,2025-03-01 10:00:00';
    const { hits } = await readImport(fileOf('x.csv', text));
    expect(hits[0]?.path).toBe('/?utm_source=news&utm_medium=email');
  });
  test('may be the tables of its database, joined with psql: of doubled columns, those of the event count', async () => {
    const text =
      'session_id,website_id,created_at,url_path,event_type,browser,country,created_at\n' +
      's,w,2025-03-01 10:00:00.25+00,/,1,firefox,DE,2025-02-01 09:00:00+00\n';
    const { hits } = await readImport(fileOf('website_event.csv', text));
    expect(hits).toMatchObject([{ time: Date.UTC(2025, 2, 1, 10, 0, 0, 250), browser: 'Firefox', country: 'DE' }]);
  });
});
