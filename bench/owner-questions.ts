// Answers twenty questions of a site's owner on the demo's dashboard in Chromium, and prints the clicks and seconds of each, as Markdown.
// node bench/owner-questions.ts
// A key, and an entry chosen in a menu, count as a click each; so does a question typed into the search. It ends with 1 if an answer is not
// shown, or takes more than three clicks.
import type { Page } from 'playwright-core';
import { tempFolder } from '../tests/setup/folder.ts';
import { openOwner } from './arrivals.ts';
import { manage, startServer } from './server.ts';

const MOST_CLICKS = 3;
/** As high as the demo's dashboard. */
const SCROLLED_PX = 6000;

type Step = { click: string } | { key: string } | { type: string } | { choose: string; from: string };
type Question = { asked: string; steps: Step[]; shows: string };

const row = (panel: string, name = '') => `[data-panel="${panel}"] [data-row${name && `="${name}"`}]`;
const tab = (panel: string, label: string): Step => ({
  click: `[data-panel="${panel}"] [role=tab]:has(:text-is("${label}"))`,
});
/** The rows of a tab, once it is the chosen one. */
const rowsOf = (panel: string, label: string) =>
  `[data-panel="${panel}"]:has([role=tab][aria-selected=true]:has(:text-is("${label}"))) [data-row]`;
/** A part of the dashboard, once it is filtered by that. */
const filtered = (by: string, part: string) => `body:has(.chip:has-text("${by}")) ${part}`;
const ask = (question: string): Step[] => [{ key: '/' }, { type: question }, { key: 'Enter' }];

const QUESTIONS: Question[] = [
  {
    asked: 'Why was yesterday different?',
    steps: [
      { key: 'e' },
      { click: '[aria-label="Explain Unique visitors"]' },
      { click: ':text("What changed it most")' },
    ],
    shows: '[data-mover]',
  },
  {
    asked: 'Which pages are read on phones in Germany?',
    steps: ask('pages on phones in germany'),
    shows: filtered('Germany', row('pages', '/')),
  },
  {
    asked: 'What did the newsletter’s campaign sell?',
    steps: [tab('sources', 'Campaigns'), { click: `${rowsOf('sources', 'Campaigns')} button` }],
    shows: filtered('Campaign', row('payments')),
  },
  {
    asked: 'Which release changed sign-ups?',
    steps: [{ click: '[data-goals] [data-goal] >> nth=0' }, { click: '[data-pennant] button >> nth=0' }],
    shows: 'dialog [data-note]',
  },
  { asked: 'What do AI agents look for and miss?', steps: [], shows: row('ai_errors') },
  { asked: 'Who links here?', steps: [tab('sources', 'Referrers')], shows: rowsOf('sources', 'Referrers') },
  {
    asked: 'Who is here now, and on which page?',
    steps: [{ click: '[data-live="current_visitors"]' }],
    shows: '[data-panel="live_activity"] li',
  },
  { asked: 'Where do visits end?', steps: [tab('pages', 'Exit')], shows: rowsOf('pages', 'Exit') },
  {
    asked: 'Which sources bring sign-ups?',
    steps: [{ click: '[data-goals] [data-goal] >> nth=0' }],
    shows: filtered('Signed up', row('sources')),
  },
  {
    asked: 'How many people does ChatGPT send?',
    steps: [tab('sources', 'AI')],
    shows: `${rowsOf('sources', 'AI')} >> text=ChatGPT`,
  },
  { asked: 'Where do buyers give up?', steps: [], shows: row('funnels') },
  { asked: 'What do people open after the first page?', steps: [], shows: '[data-panel="journeys"] [data-block]' },
  {
    asked: 'Is this month better than the same month last year?',
    steps: [
      { key: 'm' },
      { click: 'button:has-text("vs previous")' },
      { click: '.item:has-text("last year"), button:has-text("Same days last year")' },
    ],
    shows: '[aria-label^="vs last year"]',
  },
  {
    asked: 'At what hours are people here?',
    steps: [{ click: 'button[aria-label="Chart options"]' }, { click: ':text-is("Hours of the week")' }],
    shows: '[data-cell]',
  },
  {
    asked: 'Which versions of Chrome do they have?',
    steps: [{ click: `${row('devices', 'Chrome')} button` }, { click: `${row('devices', 'Chrome')} button` }],
    shows: '[data-panel="devices"]:has([data-inside="browser_version"]) [data-row]',
  },
  {
    asked: 'Which regions of Germany are they in?',
    steps: [{ click: `${row('places', 'DE')} button` }],
    shows: '[data-panel="places"] [data-row^="DE-"]',
  },
  {
    asked: 'Which countries pay most?',
    steps: [{ choose: 'country', from: '[data-panel="payments"] select' }],
    shows: row('payments', 'US'),
  },
  {
    asked: 'What is left out of the numbers?',
    steps: [{ click: '[aria-label="Explain Unique visitors"]' }],
    shows: '[data-dropped]',
  },
  {
    asked: 'Who read an article to the end?',
    steps: [{ click: '[data-goals] [data-goal] >> nth=3' }],
    shows: filtered('Read an article to the end', row('pages')),
  },
  { asked: 'Is there talk about us elsewhere?', steps: [], shows: '[data-panel="mentions"] a' },
];

async function take(page: Page, step: Step): Promise<number> {
  if ('click' in step) await page.locator(step.click).first().click();
  else if ('key' in step) await page.keyboard.press(step.key);
  else if ('type' in step) {
    await page.locator('dialog input').fill(step.type);
    await page.waitForSelector('dialog [role=option][aria-selected=true]');
  } else await page.locator(step.from).selectOption(step.choose);
  return 'choose' in step ? 2 : 1;
}

await using folder = await tempFolder();
const demo = manage(folder.path, 'seed', '--live') as { email: string; password: string };
const server = await startServer(folder.path, 'build/server/main.js', { DEMO: 'on' });
const { browser, page } = await openOwner(server.url, demo);
page.setDefaultTimeout(20_000);

let failed = 0;
console.log('| question | clicks | seconds |\n| --- | --- | --- |');
for (const { asked, steps, shows } of QUESTIONS) {
  await page.goto(`${server.url}/demo.example?period=30d`, { waitUntil: 'networkidle' });
  const startedAt = performance.now();
  let clicks = 0;
  const answered = await (async () => {
    for (const step of steps) clicks += await take(page, step);
    await page.waitForLoadState('networkidle');
    const answer = page.locator(shows).first();
    // Chapters load once they are scrolled to.
    for (let y = 0; y < SCROLLED_PX && !(await answer.isVisible()); y += 500) {
      await page.mouse.wheel(0, 500);
      await page.waitForLoadState('networkidle');
    }
    await answer.waitFor();
  })().then(
    () => '',
    (cause: Error) => ` ${cause.message.split('\n')[0]}`,
  );
  if (answered || clicks > MOST_CLICKS) failed += 1;
  console.log(`| ${asked}${answered} | ${clicks} | ${((performance.now() - startedAt) / 1000).toFixed(1)} |`);
}
await browser.close();
await server.stop();
process.exitCode = failed > 0 ? 1 : 0;
