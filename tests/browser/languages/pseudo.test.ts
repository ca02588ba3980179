// Every screen in a language that nobody speaks: no text is written in the code, and none is too long for its place.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { ACCOUNT_ROOMS, SITE_ROOMS } from '../../../src/lib/settings/rooms/tables.ts';
import { nameFormat } from '../../../server/vocabulary/habits/formatters.ts';
import { monthName } from '../../../src/lib/formats/format.ts';
import { LANGUAGES } from '../../../server/vocabulary/habits/languages.ts';
import { resize, roomsFilled } from '../../setup/browser/chromium.ts';
import { type openDashboard, shareDashboard } from '../../setup/browser/dashboard.ts';
import { speakPseudo, tooWide, unmarked } from '../../setup/browser/pseudo.ts';

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const nameOf = nameFormat('region');
const WIDTHS = [1440, 1024, 390, 320];
const CARD = 'main section';

type Screen = { path: string; shows: string; keys?: string };
const DASHBOARD: Screen[] = [
  { path: '/example.com', shows: '[data-panel="pages"][data-state="ready"]' },
  { path: '/example.com?details=page', shows: 'dialog tr:has([data-trend]) [data-column]' },
  { path: '/example.com', shows: 'dialog [role=option]', keys: '/' },
  { path: '/example.com', shows: 'dialog [role=combobox], dialog select', keys: 'f' },
  { path: '/example.com', shows: 'dialog kbd', keys: '?' },
  { path: '/example.com', shows: ':popover-open form', keys: 'c' },
  { path: '/example.com/live', shows: '[data-panel="live_pages"] [data-row]' },
  { path: '/', shows: '[data-state="ready"] [data-site]' },
  { path: '/sites/new', shows: '[name=domain]' },
];
const roomsBelow = (folder: string, rooms: readonly { path: string }[]) =>
  rooms.map(({ path }) => ({ path: `${folder}/settings${path ? `/${path}` : ''}`.replace('//', '/'), shows: CARD }));
const SCREENS = [...DASHBOARD, ...roomsBelow('/example.com', SITE_ROOMS), ...roomsBelow('', ACCOUNT_ROOMS)];

/** Names that `Intl` writes, and that languages have for themselves. */
const NAMES = new Set<string>([
  ...Object.values(LANGUAGES),
  ...Array.from({ length: 12 }, (_, month) => monthName(Date.UTC(2026, month))),
  ...LETTERS.flatMap((one) => LETTERS.map((other) => nameOf(one + other) ?? '')),
]);

/** What visitors, people and other products have named, and what `Intl` writes. */
const OF_DATA =
  /example\.com|owner@|^Google$|^(Firefox|Safari|macOS|iOS)\b|^(UTC|LCP|INP|CLS|FCP|TTFB|CSV|RSS|EUR|UTM)\b|\d{4}|\d (min|hours?|days?|seconds?)|ago$|\d(–|, )\d\d:|(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|^(HTML|Next\.js|SvelteKit|Astro|Nuxt|Vue, React|WordPress|Tag Manager|Shopify|Express|Node|Cloudflare|Hacker News|Reddit|Lobsters|Mastodon|Bluesky|DEV|GitHub|Slack|Discord|Pro)$|^\/pricing$|“owner”|\(Islas Malvinas\)|^(Hong Kong|Macao|Palestine)$|^\W*(Mo|Tu|We|Th|Fr|Sa|Su)$/;

async function openPseudo(dashboard: Awaited<ReturnType<typeof openDashboard>>, { path, shows, keys }: Screen) {
  const { page, server, context } = dashboard;
  await speakPseudo(context);
  await page.goto(server.url + path);
  if (keys) {
    await page.waitForSelector('[data-panel="pages"][data-state="ready"]');
    await page.keyboard.press(keys);
  }
  await page.waitForSelector(shows);
  if (path.includes('/settings')) await roomsFilled(page);
}

async function widthsOf(page: Page): Promise<Record<number, number>> {
  const found: Record<number, number> = {};
  for (const width of WIDTHS) {
    await resize(page, { width, height: 900 });
    found[width] = await tooWide(page);
  }
  return found;
}

describe('a language that nobody speaks', () => {
  const open = shareDashboard();

  test.each(SCREENS)('$path $keys', async (screen) => {
    await using dashboard = await open({ isBlank: true });
    const { page, troubles } = dashboard;
    await openPseudo(dashboard, screen);
    const left = (await unmarked(page)).filter((text) => !OF_DATA.test(text) && !NAMES.has(text));
    expect(left).toEqual([]);
    expect(await widthsOf(page)).toEqual(Object.fromEntries(WIDTHS.map((width) => [width, 0])));
    expect(troubles).toEqual([]);
  });
});
