// The entries of the search palette on signed-in pages other than a dashboard.
import { isAccountPage } from '../../account/pages';
import type { Session } from '../../api/types';
import { leave } from '../../account/sign-in/auth';
import type { Board } from '../../view/board.svelte';
import { domainName } from '../../formats/domain';
import { jumpTo } from '../../browser/jump';
import {
  ACCOUNT_SETTINGS,
  action,
  ADD_SITE,
  ALL_SITES,
  type Entry,
  goTo,
  siteEntries,
  siteSettings,
  themeEntries,
} from './palette';

export type PageContext = {
  /** The page's path. No entry leads to the page itself. */
  path: string;
  sites: Session['sites'];
  /** The site that the page is about. */
  board?: Board | undefined;
  /** Actions that only this page has. */
  actions?: Entry[];
};

export function pageEntries({ path, sites, board, actions = [] }: PageContext): Entry[] {
  const others = sites.filter(({ id }) => id !== board?.site.id);
  const settings = board && `/${board.site.domain}/settings`;
  return [
    ...sectionEntries(path),
    ...(board ? ofSite(board, path) : []),
    ...siteEntries(others, (domain) => board?.otherSite(domain) ?? `/${domain}`),
    ...(path === '/' ? [] : [ALL_SITES]),
    ...(path === '/sites/new' ? [] : [ADD_SITE]),
    ...(board && settings && path !== settings && board.site.role !== 'viewer'
      ? [siteSettings(board.elsewhere(settings))]
      : []),
    ...(isAccountPage(path) ? [] : [ACCOUNT_SETTINGS]),
    ...actions,
    ...themeEntries(),
    action('API documentation', () => location.assign('/docs')),
    action('Log out', leave),
  ];
}

function ofSite(board: Board, path: string): Entry[] {
  const live = `${board.base}/live`;
  const dashboard: Entry = {
    id: 'dashboard',
    group: 'Sites',
    label: 'Dashboard',
    hint: domainName(board.site.domain),
    run: goTo(board.address({})),
  };
  return [dashboard, ...(path === live ? [] : [action('Live view', goTo(board.elsewhere(live)))])];
}

/** The sections of a settings page. */
function sectionEntries(path: string): Entry[] {
  return [...document.querySelectorAll<HTMLElement>('main [data-section]')].map((section) => {
    const label = section.dataset['section'] ?? '';
    return {
      id: `${path} ${label}`,
      group: 'Settings',
      label,
      hint: 'On this page',
      run: () => jumpTo(section, 'start'),
    };
  });
}
