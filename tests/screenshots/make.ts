// `npm run screenshots`: draws every screen and state, in every width and theme, into one contact sheet, checks each with axe, and compares
// them with the committed sheets. It ends with 1 if a screen changed beyond the tolerance, or if axe finds a fault. `-- --update` accepts
// the changes; `-- NAME…` draws only these screens.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { violations } from '../setup/browser/axe.ts';
import { openBrowser, roomsFilled } from '../setup/browser/chromium.ts';
import { type Screen, SCREENS, THEMES, WIDTH_OF_HTML, WIDTHS } from './screens.ts';
import { compareSheets, drawSheet, sizeOfPng } from './sheets.ts';
import { NOW, openSites, OWNER } from './sites.ts';

const COMMITTED = join(import.meta.dirname, 'committed');
const OUT = join(import.meta.dirname, '../../build/screenshots');

async function signIn(context: BrowserContext, { url, email }: { url: string; email: string }): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${url}/login`);
  await page.fill('[name=email]', email);
  await page.fill('[name=password]', OWNER.password);
  await page.click('button[type=submit]');
  await page.waitForURL(`${url}/`);
  await page.close();
}

/** A panel whose answer is not there, or whose map is loaded only once it is near. */
const UNFINISHED = ':is([data-state="loading"], :has(.skeleton))';

/** Scrolls to each panel, which only then loads, and back. Waits for panels, images and fonts, with the pointer out of the way. */
async function settle(page: Page, { asks }: { asks: boolean }): Promise<void> {
  await page.mouse.move(0, 0);
  const scrolled = await page.evaluate(() => scrollY);
  const seeNext = () =>
    page.evaluate((unfinished) => {
      const panel = document.querySelector(`[data-panel]${unfinished}`);
      panel?.scrollIntoView();
      return panel?.getAttribute('data-panel');
    }, UNFINISHED);
  for (let panel = asks && (await seeNext()); panel; panel = await seeNext())
    await page.waitForSelector(`[data-panel="${panel}"]:not(${UNFINISHED})`);
  if (asks) await roomsFilled(page);
  await page.evaluate(async (top) => {
    scrollTo(0, top);
    await document.fonts.ready;
    // An image out of view would otherwise be loaded while the picture is taken, or after it. One that fails is drawn as failed.
    const images = [...document.images].filter((image) => image.checkVisibility());
    for (const image of images) image.loading = 'eager';
    await Promise.allSettled(images.map((image) => image.decode()));
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  }, scrolled);
}

/** Requests with questions for statistics, among others or alone. */
const STATS = /\/trpc\/.*stats\./;

type Sites = Awaited<ReturnType<typeof openSites>>;

/** In a browser that remembers nothing of other screens, such as the height of a panel. */
async function shoot(
  options: BrowserContextOptions,
  sites: Sites,
  { screen, width }: { screen: Screen; width: number },
): Promise<{ shot: Buffer; found: string[] }> {
  await using context = await chromium.newContext(options);
  const page = await context.newPage();
  await page.clock.setFixedTime(NOW);
  if (screen.isPrinted) await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width, height: width < 500 ? 844 : 900 });
  if (screen.answers === 'never') await page.route(STATS, () => new Promise(() => undefined));
  if (screen.answers === 'failed') await page.route(STATS, (route) => route.abort());
  if (screen.html) await page.setContent(await screen.html(sites));
  else await page.goto(sites.url + screen.path);
  await screen.open?.(page);
  await page.waitForSelector(screen.shows);
  await settle(page, { asks: !screen.answers });
  if (screen.answers !== 'never' && !screen.hasFrame) await page.waitForLoadState('networkidle');
  const shot = await page.screenshot({ fullPage: !screen.open, animations: 'disabled', caret: 'hide' });
  const found = await violations(page);
  if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) found.push('wider than the window');
  return { shot, found };
}

const args = process.argv.slice(2);
const isUpdate = args.includes('--update');
const names = args.filter((arg) => !arg.startsWith('--'));
const screens = SCREENS.filter(({ name }) => names.length === 0 || names.includes(name));
await mkdir(OUT, { recursive: true });
await mkdir(COMMITTED, { recursive: true });
await using sites = await openSites();
await using chromium = await openBrowser({ isWhole: true });
const artist = await (await chromium.newContext()).newPage();
type Session = Awaited<ReturnType<BrowserContext['storageState']>>;
const sessions = new Map<string, Session>();
for (const email of new Set(screens.map((screen) => screen.email ?? OWNER.email))) {
  const context = await chromium.newContext();
  await signIn(context, { url: sites.url, email });
  sessions.set(email, await context.storageState());
}

const troubles: string[] = [];
for (const screen of screens) {
  const shots: Buffer[] = [];
  for (const width of screen.html ? [WIDTH_OF_HTML] : WIDTHS)
    for (const colorScheme of THEMES) {
      const options = {
        colorScheme,
        reducedMotion: 'reduce',
        locale: screen.locale ?? 'en-GB',
        timezoneId: 'UTC',
      } as const;
      const storageState = sessions.get(screen.email ?? OWNER.email);
      const own = screen.isSignedOut || !storageState ? options : { ...options, storageState };
      const { shot, found } = await shoot(own, sites, { screen, width }).catch((cause: unknown) => {
        throw new Error(`${screen.name} could not be drawn, ${width} pixels wide`, { cause });
      });
      shots.push(shot);
      await writeFile(join(OUT, `${screen.name}-${width}-${colorScheme}.png`), shot);
      troubles.push(...found.map((fault) => `${screen.name}, ${width}, ${colorScheme}: ${fault}`));
    }
  const after = await drawSheet(artist, shots);
  const path = join(COMMITTED, `${screen.name}.webp`);
  const before = await readFile(path).catch(() => undefined);
  const differences = join(OUT, `${screen.name}.differences.png`);
  const compared = before && (await compareSheets(artist, { before, after, sizes: shots.map(sizeOfPng) }, differences));
  const changed = `${(100 * Math.max(0, ...(compared?.shares ?? []))).toFixed(2)}% changed`;
  await writeFile(join(OUT, `${screen.name}.webp`), after);
  if (isUpdate && !compared?.isSame) await writeFile(path, after);
  if (!isUpdate && !compared) troubles.push(`${screen.name}: no sheet is committed`);
  if (!isUpdate && compared && !compared.isSame) troubles.push(`${screen.name}: a picture ${changed}: ${differences}`);
  console.log(`${screen.name}: ${compared ? `at most ${changed} in a picture` : 'new'}`);
}

const figures = SCREENS.map(({ name }) => `<h2>${name}</h2><img src="${name}.webp" alt="${name}">`).join('\n');
await writeFile(join(OUT, 'index.html'), `<!doctype html><meta charset="utf-8"><title>Screens</title>\n${figures}\n`);
console.log(`The contact sheet: ${join(OUT, 'index.html')}`);
for (const trouble of troubles) console.error(trouble);
console.log(`${screens.length} screens, ${troubles.length} problems`);
process.exitCode = troubles.length > 0 ? 1 : 0;
