// Debian's Chromium through playwright-core, with an empty profile, for tests that look at pages as people do.
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions } from 'playwright-core';
import { findProgram } from './packages.mjs';

/** Root needs no-sandbox; the network of test machines is closed, so Chromium's own calls home are off. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A browser that does not say that it is driven: what people have. Headless Chromium and webdriver are dropped as bots. */
const AS_PEOPLE_HAVE = ['--disable-blink-features=AutomationControlled'];

export type TestBrowser = AsyncDisposable & {
  browser: Browser;
  /** A context of its own: cookies, storage and cache of nobody else. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
};

export async function openBrowser(options: { args?: string[]; isPerson?: boolean } = {}): Promise<TestBrowser> {
  const executablePath = findProgram('chromium');
  if (!executablePath)
    throw new Error('The browser tests need Debian’s chromium: install it, or run `npm test`, which does.');
  const { args = [], isPerson = false } = options;
  const browser = await chromium.launch({
    executablePath,
    args: [...FLAGS, ...(isPerson ? AS_PEOPLE_HAVE : []), ...args],
  });
  const userAgent = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version().split('.')[0]}.0.0.0 Safari/537.36`;
  return {
    browser,
    newContext: (contextOptions = {}) => browser.newContext({ ...(isPerson && { userAgent }), ...contextOptions }),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}
