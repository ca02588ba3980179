// The screens and states that `npm run screenshots` draws. A new screen is a row.
import type { Page } from 'playwright-core';
import { chooseExport, chooseLog, chooseTable, openKey } from './imports.ts';
import { drawMails } from './mails.ts';
import { GROUP, OUTGOING } from './outgoing.ts';
import { REACHED } from './reached.ts';
import { STORIES } from './stories.ts';
import { VIEWER } from '../setup/accounts/access.ts';
import { PICTURE_NAMES } from '../../server/vocabulary/settings/pictures.ts';

export const WIDTHS = [1280, 1024, 390, 320] as const;
export const WIDTH_OF_HTML = 1098;
export const THEMES = ['light', 'dark'] as const;

export type Screen = {
  /** Name of the sheet's file. */
  name: string;
  path: string;
  /** The screen is complete once this is visible. */
  shows: string;
  /** What happens to the dashboard's queries. Default: they are answered. */
  answers?: 'never' | 'failed';
  isSignedOut?: boolean;
  /** The language of the browser: British English by default. */
  locale?: string;
  /** Who looks: the owner of `demo.example` by default. */
  email?: string;
  /** What a reader does to get there. The picture is then of the window, and not of the whole page. */
  open?: (page: Page) => Promise<unknown>;
  /** Holds another page in a frame: the browser reports requests of both for its pictures, and finishes one of them. */
  hasFrame?: true;
  /** As it is printed. */
  isPrinted?: boolean;
  /** Drawn in place of `path`, in one width. */
  html?: (sites: { url: string; writeReports(): Promise<string[]> }) => Promise<string>;
};

const onDashboard = (page: Page) => page.waitForSelector('[data-panel="pages"][data-state="ready"]');
const press = (key: string) => async (page: Page) => {
  await onDashboard(page);
  await page.keyboard.press(key);
};
const click =
  (name: string, within = 'body') =>
  (page: Page) =>
    page.locator(within).first().getByRole('button', { name, exact: true }).first().click();
/** Does what the search palette offers under that name. */
const act = (name: string) => async (page: Page) => {
  await press('/')(page);
  await page.fill('dialog input', name);
  await page.waitForSelector(`dialog [role=option][aria-selected=true]:has-text("${name}")`);
  await page.keyboard.press('Enter');
};

/** Types a question into the search palette. */
const askInSearch = (question: string) => async (page: Page) => {
  await press('/')(page);
  await page.fill('dialog input', question);
};

/** All pictures of a link, as a README shows them. */
const drawPictures = (url: string) =>
  `<!doctype html><html lang="en" style="color-scheme: light dark"><title>README</title><body style="margin: 24px"><main><h1>README</h1>${PICTURE_NAMES.map(
    (name) => `<p><img src="${url}/share/demo/${name}.svg" alt="${name}"></p>`,
  ).join('')}</main>`;

/** The code of a live piece. Tokens of links are random, so the picture has another one. */
async function buildPiece(page: Page): Promise<void> {
  await act('Share')(page);
  const dialog = page.locator('dialog[open]');
  await dialog.getByLabel('Websites that may show it in a frame').fill('blog.example');
  await dialog.getByRole('button', { name: 'Create link' }).click();
  await dialog.getByRole('button', { name: 'Live pieces for other pages' }).click();
  await dialog.frameLocator('[data-piece-preview]').locator('footer').waitFor();
  await page.$$eval('dialog code', (codes) => {
    for (const code of codes)
      code.textContent = (code.textContent ?? '').replace(
        /share\/[\w-]{20,}/g,
        'share/kT2xvN8qLr4hYb7wZc5mPd9sJf3gAe6u',
      );
  });
  await dialog.locator('[data-piece-code]').scrollIntoViewIfNeeded();
}

const FILTERED = '/demo.example?period=30d&f=is:source:Google';

/** One with long words, one from right to left, and one without spaces. */
const LANGUAGES = [
  ['german', 'de-DE'],
  ['arabic', 'ar-EG'],
  ['japanese', 'ja-JP'],
] as const;

export const SCREENS: Screen[] = [
  { name: 'start', path: '/', shows: 'h1', isSignedOut: true },
  {
    name: 'share-link',
    path: '/share/demo?period=30d',
    shows: '[data-panel="pages"][data-state="ready"]',
    isSignedOut: true,
  },
  {
    name: 'social-preview',
    path: '',
    shows: 'img',
    html: ({ url }) =>
      Promise.resolve(`<body style="margin:0"><img src="${url}/share/demo/preview.png" alt="Preview" width="1098">`),
  },
  { name: 'pictures', path: '', shows: 'img', html: ({ url }) => Promise.resolve(drawPictures(url)) },
  ...['piece=chart&metric=pageviews&period=30d', 'piece=list&dimension=country&period=30d', 'piece=map&period=30d'].map(
    (asked): Screen => ({
      name: `piece-${/piece=(\w+)/.exec(asked)?.[1]}`,
      path: `/share/demo?${asked}`,
      shows: 'main footer',
      isSignedOut: true,
    }),
  ),
  { name: 'piece-builder', path: '/demo.example?period=30d', shows: 'dialog iframe', open: buildPiece, hasFrame: true },
  { name: 'transparency', path: '/share/demo.example/privacy', shows: 'h1', isSignedOut: true },
  {
    name: 'public-dashboard',
    path: '/share/demo.example?period=30d',
    shows: '[data-panel="pages"][data-state="ready"]',
    isSignedOut: true,
  },
  { name: 'directory', path: '/share', shows: 'h1', isSignedOut: true },
  { name: 'sign-up', path: '/setup', shows: 'main h1, form', isSignedOut: true },
  { name: 'forgot', path: '/forgot', shows: '[name=email]', isSignedOut: true },
  { name: 'login', path: '/login', shows: '[name=password]', isSignedOut: true },
  { name: 'sites', path: '/', shows: '[data-state="ready"] [data-site]' },
  { name: 'new-site', path: '/sites/new', shows: '[name=domain]' },
  {
    name: 'next-steps',
    path: '/new.example',
    shows: '[data-next-step="goal"] button:has-text("Count it")',
    email: 'owner@new.example',
    open: (page) => page.locator('[data-next-steps]').scrollIntoViewIfNeeded(),
  },
  { name: 'snippet', path: '/sites/new?site=empty.example', shows: '[data-snippet]' },
  { name: 'dashboard', path: '/demo.example?period=30d', shows: '[data-panel="pages"][data-state="ready"]' },
  ...LANGUAGES.map(([name, locale]) => ({
    name: `dashboard-${name}`,
    path: '/demo.example?period=30d',
    shows: '[data-panel="pages"][data-state="ready"]',
    locale,
  })),
  ...LANGUAGES.map(([name, locale]) => ({
    name: `settings-${name}`,
    path: '/demo.example/settings/goals',
    shows: '[data-funnels] [data-funnel]',
    locale,
  })),
  { name: 'dashboard-today', path: '/demo.example', shows: '[data-panel="pages"][data-state="ready"]' },
  {
    name: 'dashboard-filtered',
    path: '/demo.example?period=30d&f=is:source:Google',
    shows: '[data-panel="pages"][data-state="ready"]',
  },
  {
    name: 'filters-in-sight',
    path: `${FILTERED}&f=contains:page:/&sources=source.referrer`,
    shows: ':popover-open',
    open: async (page) => {
      await page.waitForSelector('[data-inside="referrer"]');
      await page.$eval('[data-panel="sources"]', (panel) => panel.scrollIntoView());
      await click('More for these filters')(page);
    },
  },
  {
    name: 'filter-change',
    path: FILTERED,
    shows: ':popover-open [role=option]',
    open: click('Change filter Source is Google'),
  },
  {
    name: 'address-unread',
    path: '/demo.example?f=is:foo:bar&period=fortnight',
    shows: '[data-metric]',
    open: (page) => page.locator('[data-unread]').waitFor(),
  },
  {
    name: 'chart-as-bars',
    path: '/demo.example?period=30d&chart=bars&numbers=table',
    shows: '[data-panel="pages"][data-state="ready"]',
  },
  {
    name: 'chart-with-metrics',
    open: onDashboard,
    path: '/demo.example?period=30d&lines=metric_visit_duration,metric_pageviews',
    shows: '[role=group] button[data-line="metric_visit_duration"][aria-pressed="true"]',
  },
  {
    name: 'details',
    path: '/demo.example?period=30d&details=page',
    shows: 'dialog tr:has([data-trend]) [data-column]',
    open: onDashboard,
  },
  {
    name: 'card',
    path: '/demo.example?period=30d&details=page&row=/pricing',
    shows: 'dialog [data-part="Sources"][data-state="ready"]',
    open: onDashboard,
  },
  {
    name: 'details-loading',
    path: '/demo.example?period=30d&details=page',
    answers: 'never',
    shows: 'dialog [data-state="loading"]',
    open: (page) => page.waitForSelector('dialog'),
  },
  {
    name: 'details-failed',
    path: '/demo.example?period=30d&details=page',
    answers: 'failed',
    shows: 'dialog [role=alert]',
    open: (page) => page.waitForSelector('dialog'),
  },
  {
    name: 'heat-map',
    path: '/demo.example?period=30d&chart=heatmap',
    open: onDashboard,
    shows: '[data-heat-map][data-state="ready"]',
  },
  {
    name: 'dashboard-printed',
    path: '/demo.example?period=30d',
    isPrinted: true,
    shows: '[data-panel="pages"][data-state="ready"]',
  },
  { name: 'dashboard-empty', path: '/empty.example', shows: '[data-unused] code:has-text("/foot.js")' },
  {
    name: 'dashboard-loading',
    path: '/demo.example',
    shows: '[data-panel="pages"][data-state="loading"]',
    answers: 'never',
  },
  {
    name: 'dashboard-failed',
    path: '/demo.example',
    shows: '[data-panel="pages"][data-state="failed"]',
    answers: 'failed',
  },
  { name: 'dashboard-hostile', path: '/hostile.example', shows: '[data-panel="pages"][data-state="ready"]' },
  ...Object.entries(STORIES).map(([name, { domain, query }]) => ({
    name: `story-${name}`,
    path: `/${domain}${query}`,
    shows: '[data-panel="pages"][data-state="ready"]',
  })),
  { name: 'live', path: '/demo.example/live', shows: '[data-panel="live_pages"] [data-row]' },
  { name: 'live-empty', path: '/empty.example/live', shows: '[data-panel="live_pages"][data-state="empty"]' },
  {
    name: 'live-failed',
    path: '/demo.example/live',
    answers: 'failed',
    shows: '[data-panel="live_map"][data-state="failed"]',
  },
  { name: 'palette', path: '/demo.example', shows: 'dialog [role=option]', open: press('/') },
  {
    name: 'palette-question',
    path: '/demo.example',
    shows: 'dialog ul[aria-label="How it was understood"]',
    open: askInSearch('signup rate by source on phones in october vs september'),
  },
  {
    name: 'palette-question-unsure',
    path: '/demo.example',
    shows: 'dialog ul[aria-label="How it was understood"]',
    open: askInSearch('vistors from germny and atlantis to prcing by revenue last week'),
  },
  { name: 'filter', path: '/demo.example', shows: 'dialog [aria-label="Dimension"]', open: press('f') },
  { name: 'keys', path: '/demo.example', shows: 'dialog kbd', open: press('?') },
  { name: 'custom-range', path: '/demo.example', shows: ':popover-open form', open: press('c') },
  {
    name: 'share-dialog',
    path: '/demo.example',
    shows: 'dialog h2',
    hasFrame: true,
    open: async (page) => {
      await act('Share')(page);
      const preview = page.frameLocator('iframe[title="Preview"]');
      await preview.locator('[data-panel="devices"][data-state="ready"]').waitFor();
    },
  },
  {
    name: 'share-dialog-public',
    path: '/demo.example',
    shows: 'dialog [data-public]',
    hasFrame: true,
    open: async (page) => {
      await act('Share')(page);
      await page.getByRole('button', { name: 'More: Open numbers' }).click();
      await page.getByRole('button', { name: 'Change', exact: true }).click();
      await page.locator('[data-public-options]').scrollIntoViewIfNeeded();
      const preview = page.frameLocator('iframe[title="Preview"]');
      await preview.locator('[data-panel="devices"][data-state="ready"]').waitFor();
    },
  },
  { name: 'report-of-view', path: '/demo.example', shows: 'dialog form', open: act('E-mail this view') },
  { name: 'segment-dialog', path: FILTERED, shows: 'dialog [required]', open: act('Save as segment') },
  { name: 'purge-dialog', path: FILTERED, shows: 'dialog h2', open: act('Purge these visits') },
  { name: 'goal-dialog', path: `/${OUTGOING}?period=30d`, shows: 'dialog [required]', open: click('New goal') },
  {
    name: 'numbers-menu',
    path: FILTERED,
    shows: 'text="Copy as MCP call"',
    open: async (page) => {
      await onDashboard(page);
      await click('Copy or download these numbers', '[data-panel="pages"]')(page);
    },
  },
  {
    name: 'explained',
    path: '/demo.example?period=30d',
    shows: '[data-card="unique_visitors"] [data-mover]',
    open: async (page) => {
      await onDashboard(page);
      await page.locator('[data-driver]').click();
      await page.waitForSelector('[data-card] [data-dropped]');
    },
  },
  {
    name: 'speed',
    path: '/demo.example?period=30d',
    shows: '[data-vitals-by="page"] [data-row]',
    open: async (page) => {
      await onDashboard(page);
      await page.locator('[data-chapter="speed"]').evaluate((chapter) => chapter.scrollIntoView());
      await page.waitForSelector('[data-vitals-by="page"] [data-row]');
      await page.locator('[data-chapter="speed"]').evaluate((chapter) => chapter.scrollIntoView());
    },
  },
  {
    name: 'speed-card',
    path: '/demo.example?period=30d&details=speed&row=page:/',
    shows: '[data-speed-card] [data-part-row="video"]',
  },
  {
    name: 'errors',
    path: '/demo.example?period=30d',
    shows: '[data-panel="errors"] [data-row]',
    open: async (page) => {
      await onDashboard(page);
      await page.locator('[data-chapter="speed"]').evaluate((chapter) => chapter.scrollIntoView());
      await page.waitForSelector('[data-panel="errors"] [data-row]');
      await page.locator('[data-panel="errors"]').evaluate((panel) => panel.scrollIntoView());
    },
  },
  {
    name: 'funnel-editor',
    path: '/demo.example?period=30d',
    shows: 'dialog [required]',
    open: async (page) => {
      await onDashboard(page);
      await page.locator('[data-panel="funnels"]').scrollIntoViewIfNeeded();
      await click('Change this funnel')(page);
    },
  },
  {
    name: 'alert-form',
    path: `/${OUTGOING}/settings/reports`,
    shows: '#alerts form',
    open: async (page) => {
      await click('New alert')(page);
      await page.locator('#alerts form').scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'access',
    path: `/${REACHED.domain}/settings/access`,
    email: REACHED.email,
    shows: '[data-access=transfer]',
  },
  { name: 'access-of-few', path: '/empty.example/settings/access', shows: '[data-access=person]' },
  {
    name: 'access-ending',
    path: `/${REACHED.domain}/settings/access`,
    email: REACHED.email,
    shows: 'text="Press again to confirm."',
    open: async (page) => {
      await page.getByRole('button', { name: 'Revoke For ACME' }).click();
      await page.getByRole('button', { name: `Remove ${VIEWER}` }).click();
      await page.locator('[data-section="People of the account"]').scrollIntoViewIfNeeded();
    },
  },
  { name: 'site-settings', path: '/demo.example/settings', shows: '#time-zone input' },
  { name: 'settings-counting', path: '/demo.example/settings/counting', shows: '#pages [aria-live] p' },
  { name: 'settings-exclusions', path: '/demo.example/settings/exclusions', shows: '#left-out textarea' },
  { name: 'settings-goals', path: '/demo.example/settings/goals', shows: '[data-funnels] [data-funnel]' },
  { name: 'settings-people', path: '/demo.example/settings/people', shows: '#transparency textarea' },
  { name: 'settings-reports', path: `/${OUTGOING}/settings/reports`, shows: '[data-reports] [data-report]' },
  { name: 'settings-integrations', path: `/${OUTGOING}/settings/integrations`, shows: '#mentions textarea' },
  {
    name: 'settings-data',
    path: `/${OUTGOING}/settings/data`,
    shows: '[data-imports][data-state="ready"] [data-import]',
  },
  { name: 'settings-danger', path: '/demo.example/settings/danger', shows: '#move form' },
  {
    name: 'settings-search',
    path: '/demo.example/settings',
    shows: '[aria-label="Found"] a',
    open: (page) => page.getByLabel('Search the settings').fill('mail'),
  },
  { name: 'group', path: `/?group=${GROUP}`, shows: '[data-group][data-state="ready"] [data-row]' },
  { name: 'group-dialog', path: `/?group=${GROUP}`, shows: 'dialog [type=checkbox]', open: click('Edit group') },
  {
    name: 'search-terms-and-mentions',
    path: `/${OUTGOING}?period=30d&sources=search_terms`,
    shows: '[data-panel="sources"][data-state="ready"] [data-row]',
  },
  {
    name: 'search-terms-details',
    path: `/${OUTGOING}?period=30d&details=search_terms`,
    shows: 'dialog tr[data-row]',
    open: onDashboard,
  },
  { name: 'import-preview', path: `/${OUTGOING}/settings/data`, shows: '#import [data-preview]', open: chooseExport },
  { name: 'import-columns', path: `/${OUTGOING}/settings/data`, shows: '#import [data-preview]', open: chooseTable },
  { name: 'import-log', path: `/${OUTGOING}/settings/data`, shows: '#import [data-preview]', open: chooseLog },
  { name: 'import-key', path: '/empty.example/settings/data', shows: '#import [data-receiving-key]', open: openKey },
  {
    name: 'report-dialog',
    path: `/${OUTGOING}/settings/reports`,
    shows: 'dialog form',
    open: click('Edit', '[data-report]'),
  },
  { name: 'account-profile', path: '/settings/profile', shows: 'text=Kept in this browser' },
  { name: 'account-people', path: '/settings/people', shows: '[data-row]' },
  { name: 'account-security', path: '/settings/security', shows: 'text=Password' },
  { name: 'account-keys', path: '/settings/keys', shows: 'text=API documentation' },
  { name: 'account-log', path: '/settings/log', shows: '[aria-posinset]' },
  { name: 'account-webhooks', path: '/settings/webhooks', shows: '[data-webhook]' },
  { name: 'account-exports', path: '/settings/account', shows: '[data-export][data-state="ready"]' },
  { name: 'mails', path: '', shows: 'iframe[height]', html: async (sites) => drawMails(await sites.writeReports()) },
  { name: 'account-plan', path: '/settings/plan', shows: '[data-section="Usage"]' },
  { name: 'not-found', path: '/no.such.site', shows: 'text=There is nothing here' },
];
