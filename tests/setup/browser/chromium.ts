// Debian's Chromium through playwright-core, headless, with its own empty profile, for tests that look at pages as people do. Every host
// under .test is this machine.
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { CHROME } from './user-agent.ts';
import { findProgram } from '../run/apt-packages.mjs';

/** Root needs no-sandbox. Test machines have no network, so Chromium's own requests are switched off. */
export const CHROMIUM_FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP *.test 127.0.0.1',
];

/** A browser that does not reveal that it is automated, like those of people. Headless Chromium and webdriver are dropped as bots. */
const AS_PEOPLE_HAVE = ['--disable-blink-features=AutomationControlled'];

/** The browser itself puts pictures of the page together: a tenth less CPU for each page. */
const ONE_PROCESS_LESS = ['--in-process-gpu'];

export type OpenBrowser = AsyncDisposable & {
  browser: Browser;
  /** A context with its own cookies, storage and cache. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
};

/** How long is waited for what should come: far longer than it takes, even on a busy machine. */
const PATIENCE_MS = 120_000;

type Options = {
  args?: string[];
  /** The browser that people have, whose letters stand a little differently: for pictures. */
  isWhole?: boolean;
  isPerson?: boolean;
  /** Only the whole browser has it, and Playwright switches it off. Pages that come back from it fire no `load`: go back with `history.back()`. */
  backForwardCache?: boolean;
  /** Scroll bars that take 15 pixels of the page, as on a desktop. Playwright hides them. */
  scrollBars?: boolean;
};

/** `chromium-headless-shell` has the same pages without the windows around them, and starts three times as fast. */
export function chromiumPath(name: 'chromium' | 'chromium-headless-shell'): string {
  const path = findProgram(name);
  if (path) return path;
  throw new Error(`The browser tests need Debian’s ${name}: install it, or run \`npm test\`, which does.`);
}

/** Running browsers by their options, which the tests of a file share: to start one takes longer than most of what it is used for. */
const running = new Map<string, { browser: Promise<Browser>; users: number }>();
let isKept = false;

/** Browsers stay open once nobody uses them, until the returned function is called. */
export function keepBrowsers(): () => Promise<void> {
  isKept = true;
  return async () => {
    for (const { browser } of running.values()) await (await browser).close();
    running.clear();
  };
}

export async function openBrowser(options: Options = {}): Promise<OpenBrowser> {
  const key = JSON.stringify(options);
  const shared = running.get(key) ?? { browser: launch(options), users: 0 };
  running.set(key, shared);
  shared.users += 1;
  const browser = await shared.browser;
  const contexts: BrowserContext[] = [];
  const userAgent = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version().split('.')[0]}.0.0.0 Safari/537.36`;
  return {
    browser,
    newContext: async (contextOptions = {}) => {
      const context = await browser.newContext({
        locale: 'en-GB',
        ...(options.isPerson && { userAgent }),
        ...contextOptions,
      });
      context.setDefaultTimeout(PATIENCE_MS);
      contexts.push(context);
      return context;
    },
    [Symbol.asyncDispose]: async () => {
      for (const context of contexts) await context.close();
      shared.users -= 1;
      if (isKept || shared.users > 0) return;
      running.delete(key);
      await browser.close();
    },
  };
}

/** Headless Chromium also says that it is in hints, which servers on loopback or with TLS get: now only what people's browsers say. */
export async function hideHeadless(page: Page): Promise<void> {
  const brands = [{ brand: 'Chromium', version: '142' }];
  const unknown = { platformVersion: '', architecture: '', model: '', mobile: false };
  const userAgentMetadata = { brands, fullVersionList: brands, platform: 'Linux', ...unknown };
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setUserAgentOverride', { userAgent: CHROME, userAgentMetadata });
}

async function launch(options: Options): Promise<Browser> {
  const { args = [], isWhole = false, isPerson = false, backForwardCache = false, scrollBars = false } = options;
  const isShell = !isWhole && !backForwardCache;
  return chromium.launch({
    executablePath: chromiumPath(isShell ? 'chromium-headless-shell' : 'chromium'),
    args: [...CHROMIUM_FLAGS, ...(isShell ? ONE_PROCESS_LESS : []), ...(isPerson ? AS_PEOPLE_HAVE : []), ...args],
    ignoreDefaultArgs: [
      ...(backForwardCache ? ['--disable-back-forward-cache'] : []),
      ...(scrollBars ? ['--hide-scrollbars'] : []),
    ],
  });
}

/** Gives the window another size, and resolves once the page has been drawn in it. What follows by script may still come a moment later. */
export async function resize(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size);
  await page.waitForFunction(({ width }) => innerWidth === width, size);
  await drawn(page);
}

/** Resolves once what has changed is on the screen: sizes that depend on a container's width are right one frame later. */
export const drawn = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Resolves once the lists in the room that short ones leave are there. They are asked for last, one after another: two at most. */
export async function roomsFilled(page: Page): Promise<void> {
  for (let time = 0; time < 3; time += 1) {
    await drawn(page);
    await page.waitForFunction(() => !document.querySelector('.room[aria-busy="true"]'));
  }
}
