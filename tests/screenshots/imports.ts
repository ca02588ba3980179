// Another product's files for the screenshots, and the imports of a site's settings.
import type { Page } from 'playwright-core';
import type { SiteId } from '../../server/vocabulary/event.ts';
import type { ImportedSum } from '../../server/vocabulary/imports/import.ts';
import { DAY_MS, dayOf, daysIn, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import type { TestApp } from '../setup/app.ts';
import { CHROME } from '../setup/browser/user-agent.ts';
import { zipOf } from '../setup/imports.ts';
import { logOf } from '../setup/logs.ts';

/** Views of a site that grows, is quiet at weekends and in August, and once had a good week. */
function viewsOf(time: number): number {
  const date = new Date(time);
  const grown = 40 + ((time - Date.UTC(2022, 0, 1)) / DAY_MS) * 0.35;
  const isQuiet = date.getUTCDay() % 6 === 0 || date.getUTCMonth() === 7;
  const isLoud = date.getUTCFullYear() === 2024 && date.getUTCMonth() === 3 && date.getUTCDate() < 8;
  return Math.round(grown * (isQuiet ? 0.55 : 1) * (isLoud ? 9 : 1));
}

const daysOf = (from: number, to: number) =>
  daysIn({ from, to }).map((time) => {
    const pageviews = viewsOf(time);
    const visits = Math.round(pageviews / 2.6);
    return { day: dayOf(time), pageviews, visits, visitors: Math.round(visits / 1.2), bounces: Math.round(visits / 2) };
  });

/** Chooses an export whose last days have numbers already, and of which some rows cannot be read. */
export async function chooseExport(page: Page): Promise<void> {
  const days = daysOf(Date.UTC(2022, 8, 14), Date.UTC(2026, 2, 2));
  const rows = days.map(
    ({ day, pageviews, visits, visitors, bounces }) =>
      `${day},${visitors},${pageviews},${bounces},${visits},${visits * 95}`,
  );
  const { name, blob } = await zipOf('letters.example_20220914_20260301.zip', {
    'imported_visitors_20220914_20260301.csv': [
      'date,visitors,pageviews,bounces,visits,visit_duration',
      ...rows,
      '2026-02-30,12,40,6,14,900',
      ',3,4,1,3,80',
      '2025-11-02,many,4,1,3,80',
      '',
    ].join('\n'),
    'imported_pages_20220914_20260301.csv': `date,hostname,page,visits,visitors,pageviews,total_scroll_depth,total_scroll_depth_visits,total_time_on_page,total_time_on_page_visits
2025-11-02,letters.example,/archive,20,18,31,900,18,1200,18
`,
  });
  const buffer = Buffer.from(await blob.arrayBuffer());
  await choose(page, { name, mimeType: 'application/zip', buffer });
}

/** Chooses a table whose columns no format knows. */
export async function chooseTable(page: Page): Promise<void> {
  const text = 'Datum;Seite;Aufrufe;Leute;Kommentar\n01.11.2025;/archiv;31;18;\n02.11.2025;/archiv;29;17;Feiertag\n';
  await choose(page, { name: 'statistik-november.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
}

/** Chooses an access log of ten weeks, with requests that are not for a page, and lines that are none. */
export async function chooseLog(page: Page): Promise<void> {
  const targets = ['/', '/archive', '/logo.png', '/pricing', '/feed.xml', '/about', '/'];
  const requests = daysIn({ from: Date.UTC(2025, 11, 8), to: Date.UTC(2026, 1, 16) }).flatMap((day, week) =>
    Array.from({ length: 30 + ((week * 13) % 17) }, (_, index) => ({
      time: day + index * 20 * MINUTE_MS,
      address: `203.0.113.${index}`,
      userAgent: CHROME,
      target: targets[(index + week) % targets.length] ?? '/',
      method: index % 17 === 16 ? 'POST' : 'GET',
      status: index % 23 === 22 ? 404 : 200,
    })),
  );
  const buffer = Buffer.from(`${logOf('combined', requests)}\\x16\\x03\\x01\n`);
  await choose(page, { name: 'access.log', mimeType: 'text/plain', buffer });
}

/** Opens what is for those who come from another Footfall. The key is a different one on each server. */
export async function openKey(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.locator('#import summary').first().click();
  const key = page.locator('#import [data-receiving-key]');
  await key.evaluate((code) => (code.textContent = 'footfall-key-J33AoLLLQfiwDxOpk8GoWIOcqg3k0C054iYHGN4ucwU'));
  await page.locator('#import').evaluate((card) => card.scrollIntoView());
}

/** Once the page has all its parts, since those above would move it. */
async function choose(page: Page, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.setInputFiles('#import input[type=file]', file);
  await page.locator('#import [data-preview]').waitFor();
  await page.locator('#import').evaluate((card) => card.scrollIntoView());
}

/** One import that counts, and one that was interrupted. */
export async function addImports(server: TestApp, siteId: SiteId): Promise<void> {
  const { importing } = server.app.services;
  const { now } = server.clock;
  server.clock.now = now - MINUTE_MS; // the latest import comes first
  const sums = daysOf(Date.UTC(2022, 0, 3), Date.UTC(2022, 8, 14)).map((day): ImportedSum => ({
    ...day,
    dimension: '',
    label: '',
    events: 0,
    visit_seconds: day.visits * 95,
  }));
  const done = await importing.begin({
    siteId,
    format: 'csv',
    file: 'before-september-2022.csv',
    content: 1,
  });
  await importing.add({ siteId, id: done.id, part: 0 }, { sums, hits: [] });
  await importing.finish({ siteId, id: done.id, replaced: [], notTaken: { no_date: 2 } });
  server.clock.now = now;
  const file = 'letters.example_20200101_20211231.zip';
  await importing.begin({ siteId, format: 'plausible', file, content: 2 });
}
