// The screens and states that `npm run screenshots` draws. A new screen is a row.
import type { Page } from 'playwright-core';
import { drawMails } from './mails.ts';
import { GROUP, OUTGOING } from './outgoing.ts';
import { STORIES } from './stories.ts';

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
  /** What a reader does to get there. The picture is then of the window, and not of the whole page. */
  open?: (page: Page) => Promise<unknown>;
  /** Drawn in place of `path`, in one width. */
  html?: (sites: { writeReports(): Promise<string[]> }) => Promise<string>;
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

export const SCREENS: Screen[] = [
  { name: 'start', path: '/', shows: 'h1', isSignedOut: true },
  {
    name: 'share-link',
    path: '/share/demo?period=30d',
    shows: '[data-panel="pages"][data-state="ready"]',
    isSignedOut: true,
  },
  { name: 'login', path: '/login', shows: '[name=password]', isSignedOut: true },
  { name: 'sites', path: '/', shows: '[data-state="ready"] [data-site]' },
  { name: 'new-site', path: '/sites/new', shows: '[name=domain]' },
  { name: 'snippet', path: '/sites/new?site=empty.example', shows: '[data-snippet]' },
  { name: 'dashboard', path: '/demo.example?period=30d', shows: '[data-panel="pages"][data-state="ready"]' },
  { name: 'dashboard-today', path: '/demo.example', shows: '[data-panel="pages"][data-state="ready"]' },
  {
    name: 'dashboard-filtered',
    path: '/demo.example?period=30d&f=is:source:Google',
    shows: '[data-panel="pages"][data-state="ready"]',
  },
  {
    name: 'chart-as-bars',
    path: '/demo.example?period=30d&chart=bars&numbers=table',
    shows: '[data-panel="pages"][data-state="ready"]',
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
  { name: 'dashboard-empty', path: '/empty.example', shows: '[data-panel="pages"][data-state="empty"]' },
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
    ...{ name: `story-${name}`, path: `/${domain}${query}` },
    shows: '[data-panel="pages"][data-state="ready"]',
  })),
  { name: 'live', path: '/demo.example/live', shows: '[data-panel="live_pages"] [data-row]' },
  { name: 'live-empty', path: '/empty.example/live', shows: '[data-panel="live_pages"][data-state="empty"]' },
  { name: 'palette', path: '/demo.example', shows: 'dialog [role=option]', open: press('/') },
  { name: 'filter', path: '/demo.example', shows: 'dialog [aria-label="Dimension"]', open: press('f') },
  { name: 'keys', path: '/demo.example', shows: 'dialog kbd', open: press('?') },
  { name: 'custom-range', path: '/demo.example', shows: ':popover-open form', open: press('c') },
  { name: 'site-settings', path: '/demo.example/settings', shows: '#agents [role=tabpanel]' },
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
  {
    name: 'outgoing-settings',
    path: `/${OUTGOING}/settings`,
    shows: '[data-reports][data-state="ready"] [data-report]',
  },
  { name: 'report-dialog', path: `/${OUTGOING}/settings`, shows: 'dialog form', open: click('Edit', '[data-report]') },
  { name: 'account-profile', path: '/settings/profile', shows: 'text=Kept in this browser' },
  { name: 'account-webhooks', path: '/settings/webhooks', shows: '[data-webhook]' },
  { name: 'mails', path: '', shows: 'iframe[height]', html: async (sites) => drawMails(await sites.writeReports()) },
  { name: 'account-plan', path: '/settings/plan', shows: '[data-section="Usage"]' },
  { name: 'not-found', path: '/no.such.site', shows: 'text=There is nothing here' },
];
