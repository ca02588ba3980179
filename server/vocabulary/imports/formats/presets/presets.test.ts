// The exports that products document, from tests/setup/exports.ts. Their numbers in the dashboard are in tests/operator/import.test.ts.
import { describe, expect, test } from 'vitest';
import { SAMPLES } from '../../../../../tests/setup/exports.ts';
import { fileOf, meaningsOf, readImport } from '../../../../../tests/setup/imports.ts';
import type { ImportedSum } from '../../import.ts';

const short = ({ day, dimension, label, ...numbers }: ImportedSum) =>
  [day.slice(-2), dimension, label, numbers.visitors, numbers.visits, numbers.pageviews, numbers.events].join(' ');

describe('Fathom', () => {
  test('has totals of the site, lists and events, in a file each', async () => {
    const { opened, sums, report } = await readImport(SAMPLES.fathom.files());
    expect(opened).toMatchObject({ format: 'fathom', product: 'Fathom', kind: 'sums' });
    expect(sums.map(short).filter((text) => text.startsWith('30'))).toEqual([
      '30   10 12 30 0',
      '30 page / 10 12 30 0',
      '30 hostname example.com 10 12 30 0',
      '30 referrer google.com 10 12 30 0',
      '30 country DE 10 12 30 0',
      '30 city Munich 10 12 30 0',
      '30 browser Chrome 10 12 30 0',
      '30 os macOS 10 12 30 0',
      '30 device desktop 10 12 30 0',
      '30 event signup 3   4',
      '30   0 0 0 4',
    ]);
    expect(sums[0]).toMatchObject({ bounces: 3, visit_seconds: 600 });
    expect(sums.map(({ dimension, label }) => dimension + label)).toContain('utm_sourcenews');
    expect(report).toMatchObject({ totals: { pageviews: 39, visitors: 15, visits: 17 }, rejected: 0 });
    expect(meaningsOf(opened)).toMatchObject({ referrer_pathname: null, state: null, pathname: 'page' });
  });

  test('may export visitors beside uniques, which are those of a page', async () => {
    const text = 'datetime,pathname,uniques,visitors,pageviews\n2025-01-30 00:00:00,/,10,7,30\n';
    const { opened, sums } = await readImport(fileOf('x.csv', text));
    expect(meaningsOf(opened)).toMatchObject({ uniques: null, visitors: 'visitors' });
    expect(sums.map(short)).toEqual(['30   7  30 0', '30 page / 7  30 0']);
  });
});

test('of Rybbit, the days are taken, and its hours and lists are left out', async () => {
  const { opened, sums } = await readImport(await SAMPLES.rybbit.files());
  expect(opened).toMatchObject({
    format: 'rybbit',
    left_out: ['rybbit-export.zip/pages.csv', 'rybbit-export.zip/weekdays-heatmap.csv'],
  });
  expect(sums.map(short)).toEqual(['30   10 12 30 0', '31   5 5 9 0']);
  expect(sums[0]).toMatchObject({ bounces: 3, visit_seconds: 600 });
});

test('Rybbit has bounce rates in per cent, also where all of them are below 1', async () => {
  const text =
    'time,sessions,pages_per_session,bounce_rate,session_duration,pageviews,users\n' +
    '2025-01-30 00:00:00,1000,2.5,0.9,50,30,10\n2025-01-31 00:00:00,1000,1.8,1,20,9,5\n';
  const { sums } = await readImport(fileOf('overview-timeseries.csv', text));
  expect(sums.map(({ bounces }) => bounces)).toEqual([9, 10]);
});

describe('PostHog', () => {
  test('is read from a CSV, without what is personal or its own', async () => {
    const { opened, hits, report } = await readImport(SAMPLES.posthog.files('example.com'));
    expect(opened).toMatchObject({ format: 'posthog', kind: 'hits' });
    expect(hits).toMatchObject([
      { name: 'pageview', time: Date.UTC(2025, 0, 30, 10, 0, 0, 500), visitor: 'd1', path: '/?utm_source=x' },
      { name: 'signup', path: '/pricing', visitor: 'd1' },
      { name: 'pageview', path: '/b', visitor: 'ann@example.com', browser: 'Firefox' },
    ]);
    expect(JSON.stringify(hits)).not.toMatch(/pro|id=7/);
    expect(report).toMatchObject({ rows: 4, rejected: 0 });
  });

  test('is read from newline-delimited JSON', async () => {
    const { hits } = await readImport(SAMPLES['posthog JSON'].files('example.com'));
    expect(hits).toMatchObject([{ hostname: 'example.com', referrer: '', os: 'macOS', country: 'DE', path: '/' }]);
  });

  test('reports events that cannot be read', async () => {
    const rows = [
      'a,"{""x"":1",2025-01-30 10:00:00,1',
      '$pageview,{},2025-01-30 10:00:00,1',
      'a,{},2025-02-30 10:00:00,1',
    ];
    const text = `event,properties,timestamp,distinct_id\n${rows.join('\n')}\n,[],2025-01-30 10:00:00,1`;
    const { report } = await readImport(fileOf('x.csv', text));
    expect(report.reasons).toEqual({ unreadable: 2, no_page: 1, no_date: 1 });
  });
});

test('OpenPanel has page views as screen views, and the tags of their query as properties', async () => {
  const { opened, hits, report } = await readImport(SAMPLES.openpanel.files('example.com'));
  expect(opened).toMatchObject({ format: 'openpanel', kind: 'hits' });
  expect(hits[0]).toEqual({
    time: Date.UTC(2025, 0, 30, 10, 0, 0, 123),
    visitor: 'd1',
    name: 'pageview',
    hostname: 'example.com',
    path: '/?utm_source=news',
    referrer: 'https://google.com/search',
    country: 'DE',
    region: '',
    city: 'Munich',
    browser: 'Chrome',
    browser_version: '140',
    os: 'macOS',
    os_version: '10.15',
    device: 'desktop',
    language: '',
    screen_width: 0,
  });
  expect(hits.slice(1)).toMatchObject([{ name: 'signup' }, { visitor: 'd2', path: '/b?utm_source=news' }]);
  expect(JSON.stringify(hits)).not.toMatch(/ann|pro"|secret/);
  expect(report).toMatchObject({ rows: 4, rejected: 0, totals: { pageviews: 2, visitors: 2 } });
});

test('OpenPanel’s sessions are no events', async () => {
  const text = '{"id":"s","device_id":"d","profile_id":"p","entry_path":"/","created_at":"2025-01-30 10:00:00.000"}\n';
  await expect(readImport(fileOf('sessions.jsonl', text))).rejects.toThrow('is not an export that Footfall knows');
});

test('what a drain of Vercel sent is read as an array or line by line', async () => {
  const { opened, hits } = await readImport(SAMPLES.vercel.files('example.com'));
  expect(opened).toMatchObject({ format: 'vercel', kind: 'hits' });
  expect(hits[0]).toMatchObject({
    time: Date.UTC(2025, 0, 30, 10),
    visitor: '67890',
    hostname: 'example.com',
    path: '/dashboard?utm_source=google',
    region: 'US-CA',
    city: 'San Francisco',
    browser: 'Chrome',
    browser_version: '114',
    os: 'macOS',
    os_version: '13.4',
    device: 'desktop',
  });
  expect(hits.slice(1)).toMatchObject([{ name: 'signup' }, { path: '/b?utm_source=google', visitor: '12345' }]);
  expect(JSON.stringify(hits)).not.toMatch(/ann/);
  const [file] = SAMPLES.vercel.files('example.com');
  const lines = (JSON.parse((await file?.blob.text()) ?? '') as object[]).map((one) => `${JSON.stringify(one)}\n`);
  expect((await readImport(fileOf('drain.ndjson', ...lines))).hits).toEqual(hits);
});
