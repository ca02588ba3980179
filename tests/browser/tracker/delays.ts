// A page with known delays, where Google's library measures beside our script: what it says is the reference.
import { readFile } from 'node:fs/promises';
import type { Site } from './site.ts';

const LIBRARY = new URL('../../../node_modules/web-vitals/dist/web-vitals.iife.js', import.meta.url);
/** Collects what the library reports, beside the script. */
export const REFERENCE = `<script src="/library.js"></script>
  <script>const seen = {}; for (const name of ['CLS', 'FCP', 'INP', 'LCP', 'TTFB']) webVitals['on' + name]((metric) => { seen[name.toLowerCase()] = metric.value }, { reportAllChanges: true })</script>`;

export async function putScripts(site: Site, script: string): Promise<void> {
  site.text('/vitals.js', script);
  site.text('/library.js', await readFile(LIBRARY, 'utf8'));
}

export const tagOf = (site: Site, attributes = '') =>
  `<script async data-site="site.test" ${attributes} src="${site.origin('stats.test')}/vitals.js"></script>`;

const DELAY = 300;
/** What is held for so many milliseconds, and what is true of the values then. `ofLargest`: where the browser tells of the largest drawing. */
export const DELAYS = [
  {
    held: '/late',
    where: 'its server',
    says: `seen.ttfb >= ${DELAY} && seen.fcp > 0`,
    ofLargest: 'seen.lcp >= seen.fcp',
  },
  {
    held: '/late.css',
    where: 'a style sheet that blocks it',
    says: `seen.fcp - seen.ttfb >= ${DELAY}`,
    ofLargest: 'seen.lcp > 0',
  },
  {
    held: '/late.js',
    where: 'a script that draws it',
    says: 'seen.fcp > 0',
    ofLargest: `seen.lcp - seen.ttfb >= ${DELAY} && seen.lcp > seen.fcp`,
  },
];

/** Opens the page by `go`. `isDrawn`: resolves once something is on the screen. */
export async function openLate(
  site: Site,
  held: string,
  { go, isDrawn }: { go: (url: string) => Promise<unknown>; isDrawn: () => Promise<unknown> },
): Promise<void> {
  const head = `${REFERENCE}${tagOf(site)}<link rel="stylesheet" href="/late.css"><script async src="/late.js"></script>`;
  site.page('/late', '<h1>Hello</h1>', { bare: true, head });
  site.page('/late.css', 'h1 { font-size: 20px }', { bare: true, headers: { 'content-type': 'text/css' } });
  const paragraph = `document.createElement('p'), { style: 'font-size: 90px', textContent: 'Here I am' }`;
  site.text('/late.js', `document.body.append(Object.assign(${paragraph}))`);
  site.hold(held);
  const going = go(site.url('/late'));
  await site.asked(held);
  if (held === '/late.js') await isDrawn(); // the script draws below what is there already
  await new Promise((resolve) => setTimeout(resolve, DELAY));
  site.release(held);
  await going;
}
