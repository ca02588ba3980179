// The screens and states that `npm run screenshots` draws. A new screen is a row.
import type { Page } from 'playwright-core';
import { STORIES } from './stories.ts';

export const WIDTHS = [1280, 1024, 390, 320] as const;
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
  /** What a reader does to get there. */
  open?: (page: Page) => Promise<unknown>;
};

/** For dialogs that the address alone opens. */
const nothing = () => Promise.resolve();
const press = (key: string) => (page: Page) => page.keyboard.press(key);

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
    open: nothing,
  },
  {
    name: 'card',
    path: '/demo.example?period=30d&details=page&row=/pricing',
    shows: 'dialog [data-part="Sources"][data-state="ready"]',
    open: nothing,
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
  { name: 'account-plan', path: '/settings/plan', shows: '[data-section="Usage"]' },
  { name: 'not-found', path: '/no.such.site', shows: 'text=There is nothing here' },
];
