// The rooms of the settings and the cards in them: of a site, and of the account. The index, its search, the palette and old addresses read
// these two tables. A card's name is its anchor, and unique.
import { textsOf } from '../../../../server/vocabulary/habits/messages.ts';
import type { Session } from '../../api/types.ts';

/** Whoever looks at the settings. Their role is the same on all sites of the account. */
export type Reader = Pick<Session, 'account' | 'verifies_domains'>;

type Card = {
  name: string;
  title: string;
  about?: string;
  /** What else people call it, and what they want to do there. Searched, and not shown. */
  words: string;
  /** Default: everybody. */
  isFor?: (reader: Reader) => boolean;
};
export type Room = {
  /** Below `/DOMAIN/settings` for a site, and below `/settings` for the account. */
  path: string;
  title: string;
  about?: string;
  cards: readonly Card[];
};

const isOwner = ({ account }: Reader) => account.role === 'owner';
/** Who may change sites, and invite people. */
export const isAdmin = ({ account }: Pick<Reader, 'account'>): boolean =>
  account.role === 'owner' || account.role === 'admin';
const ADMIN = { isFor: isAdmin };
const OWNER = { isFor: isOwner };

export const SITE_ROOMS = textsOf(['title', 'about', 'words'], [
  {
    path: '',
    title: 'General',
    about: 'The snippet, and what the site is.',
    cards: [
      {
        name: 'snippet',
        title: 'Snippet',
        about: 'Add this to every page of this site.',
        words: 'tracking code script tag install installation set up setup javascript wordpress npm html head',
      },
      {
        name: 'domain',
        title: 'Domain',
        about: 'The history and the API’s site_id stay the same when the domain changes.',
        words: 'rename the site change address url website name',
        ...ADMIN,
      },
      {
        name: 'ownership',
        title: 'Ownership',
        about: 'If two accounts want the same domain, the one that verifies it gets it.',
        words: 'verify verification prove dns txt record claim mine',
        isFor: (reader) => isAdmin(reader) && reader.verifies_domains,
      },
      {
        name: 'time-zone',
        title: 'Time zone',
        about: 'When a day begins for this site, from now on.',
        words: 'timezone days midnight utc local time clock hours',
        ...ADMIN,
      },
    ],
  },
  {
    path: '/counting',
    title: 'Counting',
    about: 'What counts, under which name, and in which currency.',
    cards: [
      {
        name: 'counting',
        title: 'What counts',
        about: 'Changes take effect within seconds.',
        words:
          'pause stop resume counting tracking do not track dnt global privacy control gpc subdomain hosts domains speed web vitals performance lcp inp cls errors exceptions javascript',
        ...ADMIN,
      },
      {
        name: 'pages',
        title: 'Page addresses',
        about: 'Which addresses count as one page. Changes apply to what is counted from now on.',
        words: 'path rules url group merge pages query parameters trailing slash upper lower case pattern wildcard ids',
        ...ADMIN,
      },
      {
        name: 'revenue',
        title: 'Revenue',
        about: 'Anyone can send a payment from a browser. These settings decide which payments count.',
        words: 'currency money euro dollar eur usd payments orders sales largest amount limit',
        ...ADMIN,
      },
    ],
  },
  {
    path: '/exclusions',
    title: 'What does not count',
    about:
      'Lists about one question: your rules for visits to come, visits that you took out afterwards, what was counted and is unusual, and what was not counted.',
    cards: [
      {
        name: 'left-out',
        title: 'Left out',
        about: 'Your rules. From now on, what fits one of them is not counted and cannot be brought back.',
        words:
          'exclude exclusion exclusions ignore me my ip address own visits myself office internal traffic block filter out countries pages hosts staging shields',
        ...ADMIN,
      },
      {
        name: 'purged',
        title: 'Purged visits',
        about: 'Visits that had been counted, and that somebody took out of all numbers. They can be put back.',
        words: 'undo purge restore bring back removed spam deleted visits',
        ...ADMIN,
      },
      {
        name: 'unusual',
        title: 'Counted, but unusual',
        about: 'Visits of the last 30 days that may not be people, or not on pages for visitors.',
        words: 'suspicious strange odd fake unknown browser system traffic quality new source hosts translate doubt',
        ...ADMIN,
      },
      {
        name: 'not-counted',
        title: 'Not counted',
        about:
          'Everything that arrived in the last 30 days without being counted, and why: your rules, bots, mistakes.',
        words: 'dropped rejected missing visits why not bots spam reasons debug troubleshoot problem no data',
        ...ADMIN,
      },
    ],
  },
  {
    path: '/goals',
    title: 'Goals and funnels',
    about: 'What visitors should do, and in which steps. Both count the past too.',
    cards: [
      {
        name: 'goals',
        title: 'Goals',
        about: 'In the order in which the dashboard shows them.',
        words: 'conversion conversions new goal target sign-up signup event',
        ...ADMIN,
      },
      {
        name: 'funnels',
        title: 'Funnels',
        about: 'Steps through pages and events. The dashboard shows where visitors leave.',
        words: 'new funnel steps checkout drop-off',
        ...ADMIN,
      },
    ],
  },
  {
    path: '/people',
    title: 'People and sharing',
    about: 'Who sees the numbers of this site, and what its visitors are told.',
    cards: [
      {
        name: 'access',
        title: 'Access',
        about: 'The people, links, mails, webhooks and keys through which numbers of this site reach somebody.',
        words: 'who can see this site permissions who has access revoke',
        ...ADMIN,
      },
      {
        name: 'share-links',
        title: 'Share links',
        about: 'Links to this dashboard that work without an account.',
        words: 'public link dashboard embed iframe badge picture password client readme',
        ...ADMIN,
      },
      {
        name: 'exact-numbers',
        title: 'Exact numbers',
        about: 'Whether members who are not admins see exact numbers.',
        words: 'limit members viewers rounded works council employees privacy',
        ...ADMIN,
      },
      {
        name: 'transparency',
        title: 'For visitors',
        about: 'What this site tells the people it counts.',
        words: 'privacy policy notice page opt out opt-out gdpr transparency contact consent cookie banner object',
        ...ADMIN,
      },
    ],
  },
  {
    path: '/reports',
    title: 'Reports and alerts',
    about: 'What is sent to people or fetched by their programs, regularly or when something happens.',
    cards: [
      {
        name: 'reports',
        title: 'Reports',
        about: 'The numbers of this site by mail or to webhooks, every day, week or month.',
        words: 'weekly mail monthly daily email e-mail newsletter digest summary send schedule pdf',
        ...ADMIN,
      },
      {
        name: 'alerts',
        title: 'Alerts',
        about: 'Get told when something unusual happens.',
        words: 'alarm notify notification notifications spike drop warning tell me slack outage down',
        ...ADMIN,
      },
      {
        name: 'feeds',
        title: 'Feed and calendar',
        about: 'For programs that cannot log in. Each has a secret address that is yours alone.',
        words: 'rss atom feed reader ics ical icalendar calendar subscribe notes mentions alerts address',
      },
    ],
  },
  {
    path: '/integrations',
    title: 'Integrations',
    about: 'What other servers know about this site: your own, Google, and those where people talk.',
    cards: [
      {
        name: 'agents',
        title: 'AI agents',
        about: 'Visits by crawlers and assistants that run no script.',
        words: 'ai crawlers robots gptbot chatgpt claude llm ingest token server-side server log middleware',
        ...ADMIN,
      },
      {
        name: 'search-console',
        title: 'Search Console',
        about: 'The terms with which people find this site at Google.',
        words: 'google gsc seo keywords search terms queries connect',
        ...ADMIN,
      },
      {
        name: 'mentions',
        title: 'Mentions',
        about: 'Threads on other sites that mention this one.',
        words: 'hacker news reddit lobsters mastodon rss feed backlinks brand monitoring',
        ...ADMIN,
      },
    ],
  },
  {
    path: '/data',
    title: 'Data',
    about: 'Numbers from elsewhere, and all of yours to take along.',
    cards: [
      {
        name: 'import',
        title: 'Import@@heading',
        about: 'Numbers of this site that were counted elsewhere.',
        words:
          'upload csv migrate move from plausible umami matomo google analytics fathom history access log old data another footfall',
        ...ADMIN,
      },
      {
        name: 'export',
        title: 'Export',
        about: 'The numbers of this site as a file.',
        words: 'download csv backup raw data excel spreadsheet take out',
        ...ADMIN,
      },
    ],
  },
  {
    path: '/danger',
    title: 'Danger',
    about: 'Steps that are hard or impossible to take back.',
    cards: [
      {
        name: 'move',
        title: 'Move',
        about: 'Gives the site to another account, whose owner accepts it.',
        words: 'transfer hand over give away sell site to another account',
        ...OWNER,
      },
      {
        name: 'delete',
        title: 'Delete',
        about: 'Permanently deletes the site and everything that was counted for it.',
        words: 'remove this site erase everything data danger',
        ...OWNER,
      },
    ],
  },
] as const satisfies readonly Room[]);

export const ACCOUNT_ROOMS = textsOf(['title', 'about', 'words'], [
  {
    path: '/profile',
    title: 'Profile',
    cards: [
      {
        name: 'email',
        title: 'E-mail address',
        about: 'You log in with it, and Footfall writes to it.',
        words: 'change my email mail login name profile',
      },
      {
        name: 'theme',
        title: 'Theme',
        about: 'Kept in this browser.',
        words: 'dark light mode colours colors appearance system',
      },
      {
        name: 'dates-and-numbers',
        title: 'Dates and numbers',
        about: 'How Footfall writes dates, hours and numbers for you, here and in mails.',
        words:
          'region locale language format clock 12 24 hours am pm first day of week decimal separator comma currency',
      },
      {
        name: 'own-data',
        title: 'Your data',
        about: 'What Footfall holds about you, apart from the accounts that you belong to.',
        words: 'gdpr personal data request download my data json subject access',
      },
      { name: 'delete-login', title: 'Delete login', words: 'remove my user close login erase me right' },
    ],
  },
  {
    path: '/security',
    title: 'Security',
    cards: [
      {
        name: 'authenticator',
        title: 'Authenticator app',
        words: 'two-factor two factor 2fa second factor mfa totp otp code',
      },
      { name: 'passkeys', title: 'Passkeys', words: 'passkey security key webauthn fingerprint face touch id yubikey' },
      {
        name: 'required-factor',
        title: 'Everybody in this account',
        words: 'require two-factor enforce second factor for all members',
        ...OWNER,
      },
      { name: 'password', title: 'Password', words: 'change my password new forgotten credentials' },
      {
        name: 'sessions',
        title: 'Sessions',
        about: 'The browsers in which you are logged in. A new password ends all others.',
        words: 'devices browsers log out everywhere logged in',
      },
    ],
  },
  {
    path: '/people',
    title: 'People',
    cards: [
      {
        name: 'people',
        title: 'People',
        about: 'Everybody who belongs to this account. Changes take effect at once.',
        words: 'team members colleagues users roles admins viewers permissions',
        ...ADMIN,
      },
      {
        name: 'invite',
        title: 'Invite somebody',
        about: 'With a link, for people with or without a login on this server.',
        words: 'invitation colleague add user member team person client',
        ...ADMIN,
      },
      { name: 'leave', title: 'Leave', words: 'leave this account quit resign' },
    ],
  },
  {
    path: '/plan',
    title: 'Plan',
    cards: [
      {
        name: 'plan',
        title: 'Plan',
        words: 'billing subscription trial limit quota events this month',
        isFor: ({ account }) => account.has_plan,
      },
      {
        name: 'plans',
        title: 'Plans',
        words: 'subscribe pricing price pay payment method credit card upgrade downgrade cancel billing',
        isFor: ({ account }) => account.may_pay,
      },
      {
        name: 'invoices',
        title: 'Invoices',
        words: 'invoice bill receipt vat tax billing address payments',
        isFor: ({ account }) => account.may_pay,
      },
    ],
  },
  {
    path: '/plan',
    title: 'Usage',
    cards: [
      {
        name: 'usage',
        title: 'Usage',
        words: 'events this month quota limit how many billing plan',
        isFor: ({ account }) => !account.has_plan && account.monthly_events !== null,
      },
    ],
  },
  {
    path: '/keys',
    title: 'API keys',
    cards: [
      {
        name: 'api',
        title: 'API keys',
        about: 'Keys for the REST API. Each is shown once, when you create it. Only its hash is stored.',
        words: 'token rest mcp programs developer secret',
        ...OWNER,
      },
    ],
  },
  {
    path: '/webhooks',
    title: 'Webhooks',
    cards: [
      {
        name: 'webhooks',
        title: 'Webhooks',
        about: 'Reports and alerts go to these addresses. A delivery that fails is retried for 24 hours.',
        words: 'slack discord teams channel integration callback',
        ...ADMIN,
      },
      {
        name: 'add-webhook',
        title: 'Add a webhook',
        about: 'At most 20. The address is stored encrypted, and only its host is shown.',
        words: 'new webhook connect slack discord',
        isFor: (reader) => isAdmin(reader) && reader.account.can_see_dashboard,
      },
    ],
  },
  {
    path: '/log',
    title: 'Log',
    cards: [
      {
        name: 'log',
        title: 'Log',
        about: 'What people did in this account in the last 12 months. Network addresses are never kept.',
        words: 'audit trail history activity who did what',
        ...OWNER,
      },
    ],
  },
  {
    path: '/account',
    title: 'Account',
    cards: [
      {
        name: 'export-everything',
        title: 'Export everything',
        about: 'Everything that Footfall holds about the account, or about one of its sites.',
        words: 'backup download take out whole account move another server archive',
        ...OWNER,
      },
      {
        name: 'delete-account',
        title: 'Delete account',
        words: 'close account remove cancel erase everything',
        ...OWNER,
      },
    ],
  },
] as const satisfies readonly Room[]);

export type CardName = (typeof SITE_ROOMS | typeof ACCOUNT_ROOMS)[number]['cards'][number]['name'];

const ROOMS: readonly Room[] = [...SITE_ROOMS, ...ACCOUNT_ROOMS];

/** The room of a site's settings that has this card: of an old anchor, for example. */
export const siteRoomOf = (card: string): Room | undefined =>
  SITE_ROOMS.find(({ cards }) => cards.some(({ name }) => name === card));

export function cardOf(name: CardName): Card {
  const card = ROOMS.flatMap(({ cards }) => cards).find((one) => one.name === name);
  if (!card) throw new Error(`There is no card ${name}.`);
  return card;
}

/** True for a card that is called as its room, whose title stands above it. */
export const isCalledAsRoom = (card: string): boolean =>
  ROOMS.some(({ title, cards }) => cards.some((one) => one.name === card && one.title === title));

export const isShown = ({ isFor }: Card, reader: Reader): boolean => isFor === undefined || isFor(reader);

/** The rooms in which the reader sees a card, with these cards alone. */
export const roomsFor = (rooms: readonly Room[], reader: Reader): Room[] =>
  rooms
    .map((room) => ({ ...room, cards: room.cards.filter((card) => isShown(card, reader)) }))
    .filter(({ cards }) => cards.length > 0);
