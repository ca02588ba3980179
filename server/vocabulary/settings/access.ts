// Everything through which numbers of a site reach somebody, by kind. What is found of each is in server/api/access/list.ts.

type KindRow = {
  title: string;
  /** Completes "None: …", for a site without any. */
  none: string;
  /** What the button says that ends one; null if nobody can end it here. */
  end: string | null;
  /** What comes before the time of its last use, and in place of it. Null if no use is kept. */
  last: { at: string; never: string } | null;
};

const row = <Row extends KindRow>(one: Row): Row => one;

export const ACCESS = {
  person: row({
    title: 'People of the account',
    none: 'people',
    end: 'Remove',
    last: { at: 'logged in', never: 'not logged in' },
  }),
  invitation: row({ title: 'Open invitations', none: 'open invitations', end: 'Withdraw', last: null }),
  single_sign_on: row({ title: 'Single sign-on', none: 'people who join by single sign-on', end: null, last: null }),
  link: row({
    title: 'Share links',
    none: 'share links',
    end: 'Revoke',
    last: { at: 'last opened', never: 'not opened yet' },
  }),
  demo: row({ title: 'Demo', none: 'a public demo', end: null, last: null }),
  page: row({ title: 'Page for visitors', none: 'a page for visitors', end: 'Switch off', last: null }),
  report: row({
    title: 'Reports by mail',
    none: 'reports by mail',
    end: 'Stop',
    last: { at: 'last sent', never: 'not sent in 90 days' },
  }),
  own_report: row({
    title: 'Reports that people mail to themselves',
    none: 'reports that people mail to themselves',
    end: 'Stop',
    last: { at: 'last sent', never: 'not sent in 90 days' },
  }),
  feed: row({
    title: 'Feeds and calendars',
    none: 'feeds and calendars',
    end: 'End',
    last: { at: 'last read', never: 'not read yet' },
  }),
  alert: row({
    title: 'Alerts by mail',
    none: 'alerts by mail',
    end: 'Stop',
    last: { at: 'last sent', never: 'not sent in 90 days' },
  }),
  webhook: row({
    title: 'Webhooks',
    none: 'webhooks',
    end: 'Stop',
    last: { at: 'last delivered', never: 'nothing delivered in 30 days' },
  }),
  key: row({
    title: 'API keys and AI assistants',
    none: 'API keys',
    end: 'Revoke',
    last: { at: 'last used', never: 'not used yet' },
  }),
  export: row({ title: 'Export files', none: 'export files', end: 'Delete', last: null }),
  transfer: row({ title: 'Move to another account', none: 'an offer to move the site', end: 'Withdraw', last: null }),
} as const satisfies Record<string, KindRow>;

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
