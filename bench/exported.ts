// Exports of other products, as large as they are wanted: daily sums of Plausible, and hits of Umami.
import { open } from 'node:fs/promises';
import { DAY_MS, dayOf } from '../server/vocabulary/time/time.ts';

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
  return `"${uuid(1)}","${uuid(row % 50_021)}","${uuid(row)}","${uuid(row)}","umami.example","chrome","Windows 10","desktop","1920x1080","en-US","DE","DE-BY","Munich","/page/${row % 1000}","utm_source=a&x=1","/search","","google.com","A title, quoted",1,"","","","${time}"`;
};

export const EXPORTS = {
  plausible: { header: SOURCES, row: sources },
  umami: { header: EVENTS, row: events },
} as const;

export async function writeExport(path: string, name: keyof typeof EXPORTS, rows: number): Promise<void> {
  const { header, row } = EXPORTS[name];
  const file = await open(path, 'w');
  await file.write(`${header}\n`);
  for (let from = 0; from < rows; from += PART_ROWS) {
    const length = Math.min(PART_ROWS, rows - from);
    await file.write(Array.from({ length }, (_, index) => `${row(from + index)}\n`).join(''));
  }
  await file.close();
}
