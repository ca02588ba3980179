import { expect, test } from 'vitest';
import { SAMPLES } from '../../../../../tests/setup/exports.ts';
import { fileOf, meaningsOf, readImport, zipOf } from '../../../../../tests/setup/imports.ts';

const PATHS = '{"id":1,"path":"/a?id=7","title":""}\n{"id":2,"event":true,"path":"Outbound Link: Click","title":""}\n';
const hit = (more: object) =>
  `${JSON.stringify({ hour: '2026-03-05T19:00:00Z', path_id: 1, ref_id: 9, count: 4, ...more })}\n`;

test('the JSON export of GoatCounter is joined to daily sums', async () => {
  const { opened, sums, report } = await readImport(await SAMPLES['goatcounter JSON'].files());
  expect(opened).toMatchObject({ format: 'goatcounter', kind: 'sums' });
  expect(opened.left_out).toEqual(
    ['info.json', 'locations.jsonl', 'languages.jsonl', 'size_stats.jsonl'].map(
      (name) => `goatcounter-export.zip/${name}`,
    ),
  );
  const labelled = sums.map(({ day, dimension, label, visitors, pageviews, events }) => [
    day.slice(-2),
    dimension,
    label,
    visitors,
    pageviews,
    events,
  ]);
  expect(labelled).toEqual([
    ['30', 'browser', 'Firefox', 6, 6, 0],
    ['30', 'browser_version', 'Firefox 83', 6, 6, 0],
    ['30', 'os', 'Windows', 6, 6, 0],
    ['30', 'os_version', 'Windows 10', 6, 6, 0],
    ['30', 'country', 'DE', 6, 6, 0],
    ['30', 'region', 'DE-BW', 6, 6, 0],
    ['30', 'language', 'de', 6, 6, 0],
    ['30', '', '', 4, 4, 0],
    ['30', 'page', '/', 4, 4, 0],
    ['30', 'source', 'Google', 4, 4, 0],
    ['30', 'referrer', 'www.google.com', 4, 4, 0],
    ['30', '', '', 2, 2, 0],
    ['30', 'page', '/', 2, 2, 0],
    ['30', 'source', '', 2, 2, 0],
    ['30', '', '', 0, 0, 2],
    ['30', 'event', 'signup', 2, null, 2],
    ['31', '', '', 1, 1, 0],
    ['31', 'page', '/api', 1, 1, 0],
    ['31', 'source', 'example.org', 1, 1, 0],
    ['31', 'referrer', 'example.org/x', 1, 1, 0],
  ]);
  expect(report).toMatchObject({
    days: { from: '2025-01-30', to: '2025-01-31', count: 2 },
    totals: { pageviews: 7, visitors: 7, visits: null },
    untold: ['visits', 'bounces', 'visit_seconds'],
    rejected: 0,
  });
});

test('its files can be in any order, and campaigns are sources', async () => {
  const files = [
    fileOf('hit_stats.jsonl', hit({}), hit({ path_id: 2, count: 1 })),
    fileOf('paths.jsonl', PATHS),
    fileOf('refs.jsonl', '{"id":9,"ref":"newsletter","ref_scheme":"c"}\n'),
  ];
  const { opened, sums } = await readImport(files);
  expect(meaningsOf(opened)).toMatchObject({ hour: 'day', ref_id: 'source', count: 'visitors', ref_scheme: null });
  expect(sums.map(({ dimension, label }) => [dimension, label])).toEqual([
    ['', ''],
    ['page', '/a'],
    ['source', 'newsletter'],
    ['utm_source', 'newsletter'],
    ['', ''],
    ['event', 'outbound_link'],
  ]);
  expect(
    sums
      .flatMap(({ visits, bounces, visit_seconds }) => [visits, bounces, visit_seconds])
      .every((told) => told === null),
  ).toBe(true);
});

test('rows that cannot be read are reported one by one', async () => {
  const rows = [{ hour: '2026-02-30T00:00:00Z' }, { count: -1 }, { count: undefined }, { path_id: 7 }, { count: 1e12 }];
  const files = [fileOf('paths.jsonl', PATHS, '{"path":"/"}\n'), fileOf('hit_stats.jsonl', ...rows.map(hit), hit({}))];
  const { report } = await readImport(files);
  expect(report.reasons).toEqual({ no_date: 1, bad_number: 3, no_page: 1, unreadable: 1 });
  expect(report.totals.pageviews).toBe(4);
});

test('an export of a later version is refused', async () => {
  const zip = await zipOf('x.zip', { 'x/info.json': '{"export_version": "2.0"}', 'x/paths.jsonl': PATHS });
  await expect(readImport(zip)).rejects.toThrow(
    "“x.zip/info.json” is of version 2 of GoatCounter's export. Footfall reads version 1.",
  );
});

test('lists that do not fit into memory are refused', async () => {
  const path = 'x'.repeat(900_000);
  const rows = Array.from({ length: 60 }, (_, id) => `{"id":${id},"path":"/${path}"}\n`);
  await expect(readImport(fileOf('paths.jsonl', ...rows))).rejects.toThrow(
    '“paths.jsonl” names more pages and sources than fit into memory, so it cannot be imported.',
  );
});
