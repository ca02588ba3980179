/** @module-tag promise */
// The script stores nothing and recognises nobody. The test watches every browser feature that could, and none is used.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenBrowser, openBrowser } from '../../setup/browser/chromium.ts';
import { showsKept } from '../../setup/run/harness.ts';
import { openSite } from './site.ts';

declare global {
  interface Window {
    touched: string[];
  }
}

let chromium: OpenBrowser;
beforeAll(async () => {
  chromium = await openBrowser();
});
afterAll(() => chromium[Symbol.asyncDispose]());

/** Records each use of a feature that stores something in a browser, or tells browsers apart. */
function watch(): void {
  window.touched = [];
  const note = (name: string) => void window.touched.push(name);
  const wrap = (owner: object, name: string, label: string) => {
    for (let at: object | null = owner; at; at = Object.getPrototypeOf(at) as object | null) {
      const found = Object.getOwnPropertyDescriptor(at, name);
      if (!found?.configurable) continue;
      const { value, get, set } = found;
      if (typeof value === 'function') {
        const call = value as (...args: unknown[]) => unknown;
        Object.defineProperty(at, name, {
          ...found,
          value(this: unknown, ...args: unknown[]) {
            note(label);
            return call.apply(this, args);
          },
        });
      } else
        Object.defineProperty(at, name, {
          configurable: true,
          get() {
            note(label);
            return get?.call(this) as unknown;
          },
          set(given: unknown) {
            note(`${label} =`);
            set?.call(this, given);
          },
        });
      return;
    }
  };
  wrap(document, 'cookie', 'document.cookie');
  for (const name of ['setItem', 'removeItem', 'clear', 'key']) wrap(Storage.prototype, name, `Storage.${name}`);
  for (const name of ['open', 'databases']) wrap(IDBFactory.prototype, name, `indexedDB.${name}`);
  wrap(window, 'caches', 'caches');
  wrap(window, 'cookieStore', 'cookieStore');
  for (const name of ['getContext', 'toDataURL', 'toBlob']) wrap(HTMLCanvasElement.prototype, name, `canvas.${name}`);
  for (const name of ['AudioContext', 'OfflineAudioContext', 'RTCPeerConnection', 'FontFace', 'Worker', 'SharedWorker'])
    wrap(window, name, name);
  for (const name of [
    'plugins',
    'mimeTypes',
    'hardwareConcurrency',
    'deviceMemory',
    'languages',
    'platform',
    'getBattery',
    'getGamepads',
    'mediaDevices',
    'connection',
    'geolocation',
    'permissions',
    'serviceWorker',
    'keyboard',
    'usb',
    'bluetooth',
    'storage',
  ])
    wrap(navigator, name, `navigator.${name}`);
  for (const name of ['colorDepth', 'pixelDepth', 'availWidth', 'availHeight']) wrap(screen, name, `screen.${name}`);
  wrap(Date.prototype, 'getTimezoneOffset', 'timezone');
  wrap(Intl.DateTimeFormat.prototype, 'resolvedOptions', 'Intl');
  wrap(document, 'fonts', 'document.fonts');
  wrap(window, 'matchMedia', 'matchMedia');
}

test('the script sets no cookie, stores nothing, and reads nothing that tells browsers apart', async () => {
  showsKept('the script uses no cookie, no storage and no fingerprinting API');
  await using site = await openSite();
  site.page('/', '<a id="out" href="https://other.example/">out</a><form id="f"><input name="q"></form>');
  site.page('/next');
  const page = await site.newPage(chromium);
  await page.addInitScript(watch);
  await page.goto(site.url('/'));
  await page.evaluate(() => window.footfall?.('signup', { props: { plan: 'pro' } }));
  await page.evaluate(() => {
    document.addEventListener('click', (event) => event.preventDefault());
    document.getElementById('out')?.click();
    history.pushState({}, '', '/next');
  });
  expect((await site.namesUntilNow(page)).length).toBeGreaterThanOrEqual(4);

  // The one thing it reads: whether this browser's owner opted out.
  expect([...new Set(await page.evaluate(() => window.touched))]).toEqual([]);
  expect(await page.context().cookies()).toEqual([]);
  expect(await page.evaluate(() => [localStorage.length, sessionStorage.length])).toEqual([0, 0]);
  expect(await page.evaluate(async () => (await indexedDB.databases()).length)).toBe(0);
});
