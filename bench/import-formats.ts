// Measures how many rows of an export are read in a second: a million of each, or ROWS:
// `node --expose-gc --max-semi-space-size=16 bench/import-formats.ts [ROWS]`.
import { openAsBlob } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { tempFolder } from '../tests/setup/folder.ts';
import type { ImportFile } from '../server/vocabulary/imports/import.ts';
import { openImport } from '../server/vocabulary/imports/open.ts';
import { openReport } from '../server/vocabulary/imports/report.ts';
import { DAY_MS, dayOf } from '../server/vocabulary/time/time.ts';
import { print } from './server.ts';

const ROWS = Number(process.argv[2] ?? 1_000_000);
const PART_ROWS = 10_000;
const START = Date.UTC(2021, 0, 1);

const SOURCES =
  'date,source,referrer,utm_source,utm_medium,utm_campaign,utm_content,utm_term,pageviews,visitors,visits,visit_duration,bounces';
const sources = (row: number) =>
  `"${dayOf(START + Math.floor(row / 700) * DAY_MS)}","Google","google.com/${row % 50}","","","","","",${row % 90},${row % 70},${row % 60},${row % 999},${row % 50}`;

const EVENTS =
  'website_id,session_id,visit_id,event_id,hostname,browser,os,device,screen,language,country,region,city,url_path,url_query,' +
  'referrer_path,referrer_query,referrer_domain,page_title,event_type,event_name,tag,distinct_id,created_at';
const uuid = (value: number) => `${value.toString(16).padStart(8, '0')}-1234-4234-8234-123456789012`;
const events = (row: number) => {
  const time = new Date(START + row * 3_000).toISOString().slice(0, 19).replace('T', ' ');
  return `"${uuid(1)}","${uuid(row % 50_021)}","${uuid(row)}","${uuid(row)}","example.com","chrome","Windows 10","desktop","1920x1080","en-US","DE","DE-BY","Munich","/page/${row % 1000}","utm_source=a&x=1","/search","","google.com","A title, quoted",1,"","","","${time}"`;
};

/** On disk: what a file holds must not count as memory that reading it takes. */
async function fileOf(path: string, header: string, row: (index: number) => string): Promise<ImportFile> {
  const file = await open(path, 'w');
  await file.write(`${header}\n`);
  for (let from = 0; from < ROWS; from += PART_ROWS) {
    const length = Math.min(PART_ROWS, ROWS - from);
    await file.write(Array.from({ length }, (_, index) => `${row(from + index)}\n`).join(''));
  }
  await file.close();
  return { name: 'export.csv', blob: await openAsBlob(path) };
}

async function measure(file: ImportFile) {
  globalThis.gc?.(); // what was left of writing the file
  const startedAt = performance.now();
  const opened = await openImport([file]);
  const report = openReport(opened);
  let heapBytes = 0;
  let batches = 0;
  for await (const batch of opened.read()) {
    report.add(batch);
    batches += 1;
    if (batches % 20 === 0) heapBytes = Math.max(heapBytes, process.memoryUsage().heapUsed);
  }
  const { rows } = report.report();
  const rowsPerSecond = Math.round((rows / (performance.now() - startedAt)) * 1000);
  print({ product: opened.product, rows, rowsPerSecond, heapMb: Math.round(heapBytes / 1e6) });
}

await using folder = await tempFolder();
await measure(await fileOf(join(folder.path, 'sources.csv'), SOURCES, sources));
await measure(await fileOf(join(folder.path, 'events.csv'), EVENTS, events));
