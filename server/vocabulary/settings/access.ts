// Everything through which numbers of a site reach somebody, by kind. What is found of each is in server/api/access/list.ts.
import { t, textsOf } from '../habits/messages.ts';

type KindRow = {
  title: string;
  /** In “This site has no …”, for a site without any. */
  none: string;
  /** What the button says that ends one; null if nobody can end it here. */
  end: string | null;
  /** Of its last use, and of none. Null if no use is kept. */
  last: { at(when: string): string; never: string } | null;
};

export const ACCESS = textsOf(['title', 'none', 'end', 'never'], {
  person: {
    title: 'People of the account',
    none: 'people',
    end: 'Remove',
    last: { at: (when) => t('logged in {when}', { when }), never: 'not logged in' },
  },
  invitation: { title: 'Open invitations', none: 'open invitations', end: 'Withdraw', last: null },
  single_sign_on: { title: 'Single sign-on', none: 'people who join by single sign-on', end: null, last: null },
  link: {
    title: 'Share links',
    none: 'share links',
    end: 'Revoke',
    last: { at: (when) => t('last opened {when}', { when }), never: 'not opened yet' },
  },
  demo: { title: 'Demo', none: 'a public demo', end: null, last: null },
  page: { title: 'Page for visitors', none: 'a page for visitors', end: 'Switch off', last: null },
  report: {
    title: 'Reports by mail',
    none: 'reports by mail',
    end: 'Stop',
    last: { at: (when) => t('last sent {when}', { when }), never: 'not sent in 90 days' },
  },
  own_report: {
    title: 'Reports that people mail to themselves',
    none: 'reports that people mail to themselves',
    end: 'Stop',
    last: { at: (when) => t('last sent {when}', { when }), never: 'not sent in 90 days' },
  },
  feed: {
    title: 'Feeds and calendars',
    none: 'feeds and calendars',
    end: 'End',
    last: { at: (when) => t('last read {when}', { when }), never: 'not read yet' },
  },
  alert: {
    title: 'Alerts by mail',
    none: 'alerts by mail',
    end: 'Stop',
    last: { at: (when) => t('last sent {when}', { when }), never: 'not sent in 90 days' },
  },
  webhook: {
    title: 'Webhooks',
    none: 'webhooks',
    end: 'Stop',
    last: { at: (when) => t('last delivered {when}', { when }), never: 'nothing delivered in 30 days' },
  },
  key: {
    title: 'API keys and AI assistants',
    none: 'API keys@@inside a sentence',
    end: 'Revoke',
    last: { at: (when) => t('last used {when}', { when }), never: 'not used yet' },
  },
  export: { title: 'Export files', none: 'export files', end: 'Delete', last: null },
  transfer: { title: 'Move to another account', none: 'an offer to move the site', end: 'Withdraw', last: null },
} as const satisfies Record<string, KindRow>);

export type AccessKind = keyof typeof ACCESS;
export const ACCESS_KINDS = Object.keys(ACCESS) as [AccessKind, ...AccessKind[]];

export type AccessRow = {
  kind: AccessKind;
  /** Of the person, the link, the key …; the e-mail address of somebody without an account. */
  id: string;
  /** The report or the alert that reaches them, by id. */
  of: string | null;
  /** Who sees it, and what of it, in words: clean of what could turn other text around. */
  who: string;
  how: string;
  last_used_at: number | null;
  /** True if the caller may end it. */
  may_end: boolean;
  /** What ending it ends too, or why the caller cannot end it. */
  note: string | null;
  /** Of a viewer of some sites: the others, which stay. */
  keeps?: string[];
  is_self?: true;
};

/** Rows of one kind that are shown at once. Typing finds the others. */
export const MAX_SHOWN_ACCESS = 50;
