import { describe, expect, test } from 'vitest';
import { fileOf, meaningsOf, readImport, zipOf } from '../../../../tests/setup/imports.ts';

const VISITORS = `"date","visitors","pageviews","bounces","visits","visit_duration"
"2025-01-30",10,30,4,12,600
"2025-01-31",5,9,2,5,100
"2025-02-01",1,1,1,1,0
`;
const SOURCES = `"date","source","referrer","utm_source","utm_medium","utm_campaign","utm_content","utm_term","pageviews","visitors","visits","visit_duration","bounces"
"2025-01-30","Google","google.com","","","","","",20,6,8,400,3
"2025-01-30","Direct / None","","newsletter","email","May","","",10,4,4,200,1
`;
const LOCATIONS = `date,country,region,city,visitors,visits,visit_duration,bounces,pageviews
2025-01-30,DE,DE-BY,2867714,7,8,500,2,20
2025-01-30,DE,,0,3,4,100,2,10
`;

const numbers = (visitors: number, visits: number, pageviews: number, bounces: number, visit_seconds: number) => ({
  visitors,
  visits,
  pageviews,
  events: 0,
  bounces,
  visit_seconds,
});

describe('an export of Plausible', () => {
  test('as a zip has the totals of its visitors, and a list for each other table', async () => {
    const zip = await zipOf('export.zip', {
      'imported_visitors_20250130_20250201.csv': VISITORS,
      'imported_sources_20250130_20250130.csv': SOURCES,
      'imported_locations_20250130_20250130.csv': LOCATIONS,
    });
    const { opened, sums, report } = await readImport(zip);
    expect(opened).toMatchObject({ format: 'plausible', product: 'Plausible', kind: 'sums', left_out: [] });
    expect(report).toMatchObject({
      days: { from: '2025-01-30', to: '2025-02-01', count: 3 },
      totals: { pageviews: 40, visitors: 16, visits: 18 },
      months: [
        { month: '2025-01', pageviews: 39, visitors: 15 },
        { month: '2025-02', pageviews: 1, visitors: 1 },
      ],
      rows: 7,
      rejected: 0,
      is_estimate: false,
    });
    const day = '2025-01-30';
    expect(sums.filter((sum) => sum.day === day)).toEqual([
      { day, dimension: '', label: '', ...numbers(10, 12, 30, 4, 600) },
      { day, dimension: 'source', label: 'Google', ...numbers(6, 8, 20, 3, 400) },
      { day, dimension: 'referrer', label: 'google.com', ...numbers(6, 8, 20, 3, 400) },
      { day, dimension: 'source', label: '', ...numbers(4, 4, 10, 1, 200) },
      { day, dimension: 'utm_source', label: 'newsletter', ...numbers(4, 4, 10, 1, 200) },
      { day, dimension: 'utm_medium', label: 'email', ...numbers(4, 4, 10, 1, 200) },
      { day, dimension: 'utm_campaign', label: 'May', ...numbers(4, 4, 10, 1, 200) },
      { day, dimension: 'country', label: 'DE', ...numbers(7, 8, 20, 2, 500) },
      { day, dimension: 'region', label: 'DE-BY', ...numbers(7, 8, 20, 2, 500) },
      { day, dimension: 'country', label: 'DE', ...numbers(3, 4, 10, 2, 100) },
    ]);
  });

  test.each([
    [
      'pages of the newest release',
      'date,hostname,page,visits,visitors,pageviews,total_scroll_depth,total_scroll_depth_visits,total_time_on_page,total_time_on_page_visits\n2025-01-30,example.com,/a?x=1,3,2,4,10,2,60,2',
      { dimension: 'page', label: '/a', visitors: 2, visits: 3, pageviews: 4 },
    ],
    [
      'pages of the oldest release',
      'date,hostname,page,visitors,pageviews,exits,time_on_page\n2025-01-30,example.com,/a,2,4,1,60',
      { dimension: 'page', label: '/a', visitors: 2, visits: null, pageviews: 4 },
    ],
    [
      'entry pages',
      'date,entry_page,visitors,entrances,visit_duration,bounces,pageviews\n2025-01-30,/a,2,3,60,1,4',
      { dimension: 'entry_page', label: '/a', visitors: 2, visits: 3, bounces: 1, visit_seconds: 60 },
    ],
    [
      'exit pages',
      'date,exit_page,visitors,visit_duration,exits,bounces,pageviews\n2025-01-30,/b,2,60,3,1,4',
      { dimension: 'exit_page', label: '/b', visitors: 2, visits: 3 },
    ],
    [
      'devices',
      'date,device,visitors,visits,visit_duration,bounces,pageviews\n2025-01-30,Laptop,2,3,60,1,4',
      { dimension: 'device', label: 'desktop', visitors: 2 },
    ],
    [
      'events',
      'date,name,link_url,path,visitors,events\n2025-01-30,Outbound Link: Click,https://example.org,,2,5',
      { dimension: 'event', label: 'outbound_link', visitors: 2, events: 5 },
    ],
  ])('reads %s', async (_, text, sum) => {
    const { sums } = await readImport(fileOf('table.csv', text));
    expect(sums.find(({ dimension }) => dimension !== '')).toMatchObject({ day: '2025-01-30', ...sum });
  });

  test('leaves out properties, which say nothing without their events', async () => {
    const text = 'date,property,value,visitors,events\n2025-01-30,author,Ann,2,5';
    const { opened, sums, rejected } = await readImport(fileOf('table.csv', text));
    expect(Object.values(meaningsOf(opened))).toEqual([null, null, null, null, null]);
    expect([sums, rejected]).toEqual([[], []]);
  });

  test('counts the events of a day in its totals, which are in another file', async () => {
    const events = 'date,name,link_url,path,visitors,events\n2025-01-30,Signup,,/,2,5\n2025-01-30,Trial,,/,1,3';
    const { sums } = await readImport([fileOf('a.csv', VISITORS), fileOf('b.csv', events)]);
    const ofDay = sums.filter(({ day, dimension }) => day === '2025-01-30' && dimension === '');
    expect(ofDay.map(({ visitors, events: count }) => [visitors, count])).toEqual([
      [10, 0],
      [0, 5],
      [0, 3],
    ]);
  });

  test('names versions with their browser and system', async () => {
    const browsers =
      'date,browser,browser_version,visitors,visits,visit_duration,bounces,pageviews\n2025-01-30,Microsoft Edge,120.0,2,3,60,1,4';
    const systems =
      'date,operating_system,operating_system_version,visitors,visits,visit_duration,bounces,pageviews\n2025-01-30,Mac,10.15,2,3,60,1,4';
    const { sums } = await readImport([fileOf('a.csv', browsers), fileOf('b.csv', systems)]);
    expect(sums.map(({ dimension, label }) => [dimension, label])).toEqual([
      ['', ''],
      ['browser', 'Edge'],
      ['browser_version', 'Edge 120'],
      ['os', 'macOS'],
      ['os_version', 'macOS 10.15'],
    ]);
  });

  test('takes the totals from its sources if the visitors are missing', async () => {
    const { report, sums } = await readImport([fileOf('a.csv', LOCATIONS), fileOf('b.csv', SOURCES)]);
    expect(report.totals).toEqual({ pageviews: 30, visitors: 10, visits: 12 });
    expect(sums.filter(({ dimension }) => dimension === '')).toHaveLength(2);
  });

  test('says what each column becomes, and leaves out what Footfall does not have', async () => {
    const { opened } = await readImport(
      fileOf(
        'a.csv',
        'date,hostname,page,visits,visitors,pageviews,total_scroll_depth\n2025-01-30,example.com,/,1,1,1,0',
      ),
    );
    expect(meaningsOf(opened)).toEqual({
      date: 'day',
      hostname: null,
      page: 'page',
      visits: 'visits',
      visitors: 'visitors',
      pageviews: 'pageviews',
      total_scroll_depth: null,
    });
  });

  test.each([
    [
      'visitors.csv',
      'date,visitors,pageviews,visits,views_per_visit,bounce_rate,visit_duration\n2025-01-30,1,1,1,1,100,0',
    ],
    ['sources.csv', 'name,visitors,bounce_rate,visit_duration\nGoogle,1,100,0'],
  ])('of the dashboard is refused with the way to the right one: %s', async (name, text) => {
    await expect(readImport(await zipOf('Plausible export.zip', { [name]: text }))).rejects.toThrow(
      `“Plausible export.zip/${name}” is from the Export button of Plausible's dashboard`,
    );
  });

  test('rejects rows one by one, with their lines', async () => {
    const { report } = await readImport(
      fileOf(
        'imported_visitors.csv',
        `${VISITORS}2025-02-30,1,1,1,1,1\n2025-02-02,-1,1,1,1,1\n2025-02-03,1\n2025-02-04,1,1,1,1,1,1\n`,
      ),
    );
    const file = 'imported_visitors.csv';
    expect(report).toMatchObject({
      rows: 7,
      rejected: 4,
      reasons: { no_date: 1, bad_number: 1, short_row: 1, unreadable: 1 },
    });
    expect(report.examples).toEqual([
      { file, line: 5, reason: 'no_date' },
      { file, line: 6, reason: 'bad_number' },
      { file, line: 7, reason: 'short_row' },
      { file, line: 8, reason: 'unreadable' },
    ]);
  });
});
