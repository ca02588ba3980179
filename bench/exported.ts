// Exports of other products, as large as they are wanted: daily sums of Plausible, hits of Umami, and an access log in the combined format.
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

const AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.7 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)',
];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** Of ten requests, four are for pages. */
const requests = (row: number) => {
  const time = new Date(START + row * 1_000).toISOString();
  const day = `${time.slice(8, 10)}/${MONTHS[Number(time.slice(5, 7)) - 1]}/${time.slice(0, 4)}`;
  const target = row % 10 < 4 ? `/articles/${row % 997}/how-it-works?utm_source=letter` : `/assets/${row % 211}.png`;
  return `203.0.${(row >> 8) & 255}.${row & 255} - - [${day}:${time.slice(11, 19)} +0000] "GET ${target} HTTP/1.1" 200 ${row % 9_999} "https://www.example.org/page" "${AGENTS[row % 3]}"`;
};

export const EXPORTS = {
  plausible: { header: SOURCES, row: sources },
  umami: { header: EVENTS, row: events },
  'access-log': { header: '', row: requests },
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
