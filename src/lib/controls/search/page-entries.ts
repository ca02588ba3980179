// The entries of the search palette on signed-in pages other than a dashboard.
import type { Session } from '../../api/types';
import { leave } from '../../account/sign-in/auth';
import type { Board } from '../../view/board.svelte';
import { domainName } from '../../formats/domain';
import { recall } from '../../browser/storage';
import { isAdmin } from '../../settings/rooms/tables';
import { LAST_SITE } from '../../view/early';
import { addSite, allSites, type Entry, goTo, liveView, signedInActions, siteEntries } from './palette';
import { settingsEntries } from './settings-entries';
import { t } from '../../../../server/vocabulary/habits/messages.ts';

export type PageContext = {
  /** The page's path. */
  path: string;
  session: Session;
  /** The site that the page is about. */
  board?: Board | undefined;
  /** Actions that only this page has. */
  actions?: Entry[];
};

export function pageEntries({ path, session, board, actions = [] }: PageContext): Entry[] {
  const { sites } = session;
  const others = sites.filter(({ id }) => id !== board?.site.id);
  return [
    ...(board ? ofSite(board, path) : []),
    ...siteEntries(others, (domain) => board?.otherSite(domain) ?? `/${domain}`),
    ...(path === '/' ? [] : [allSites()]),
    ...(path === '/sites/new' || !isAdmin(session) ? [] : [addSite()]),
    ...actions,
    ...signedInActions(leave),
    ...settingsEntries(session, settingsOf(session, board)),
  ];
}

/** Of the page's site, or of the one that was open last. */
function settingsOf({ sites }: Session, board: Board | undefined) {
  if (board)
    return {
      id: 'site settings',
      label: t('Site settings'),
      addressOf: (path: string) => board.linkTo(`/${board.site.domain}/settings${path}`),
    };
  const site = sites.find(({ domain }) => domain === recall(LAST_SITE)) ?? sites[0];
  return (
    site && {
      id: 'settings of the last site',
      label: t('Settings of {site}', { site: domainName(site.domain) }),
      addressOf: (path: string) => `/${site.domain}/settings${path}`,
    }
  );
}

function ofSite(board: Board, path: string): Entry[] {
  const live = `${board.base}/live`;
  const dashboard: Entry = {
    id: 'dashboard',
    group: 'sites',
    label: t('Dashboard'),
    hint: domainName(board.site.domain),
    words: 'dashboard numbers figures statistics stats chart back',
    run: goTo(board.address({})),
  };
  return [dashboard, ...(path === live ? [] : [liveView(goTo(board.linkTo(live)))])];
}
