// What a site's page for its visitors says, from its real settings. A column of an event without words, or a setting that nothing reads, does not
// compile or fails a test. The words promise what the code does, and leave the law to the site's owner.
import type { Site } from '../../sites/sites.ts';
import type { settingsIn } from '../../sites/settings.ts';
import { plural } from '../../vocabulary/habits/formatters.ts';
import { fullNumber, quantity } from '../../vocabulary/numbers/format.ts';
import { countryName } from '../../vocabulary/questions/value-names.ts';
import type { EVENT_COLUMNS } from '../../vocabulary/event.ts';
import { FEWEST, MOST_CHANGE } from '../../vocabulary/settings/privacy.ts';
import { UTC } from '../../vocabulary/time/zones.ts';

export type Facts = {
  site: Pick<Site, 'domain' | 'paused' | 'extra_hosts' | 'respects_gpc' | 'currency' | 'max_amount' | 'timezone'>;
  settings: ReturnType<typeof settingsIn>;
  /** How many networks of the owner's own visits are left out. */
  networks: number;
  /** The site's share links that are not public, and how many of them show exact numbers. */
  links: { all: number; exact: number };
  /** Its public dashboard. */
  dashboard: { address: string; isExact: boolean } | undefined;
  /** Access logs of the site's web server were imported. */
  hasLogs: boolean;
  /** The host of this server. */
  host: string;
};

/** A paragraph, or a list. As in Markdown, `**` marks what stands out, and backticks code. An address becomes a link. */
export type Section = { title: string; id: string; parts: (string | string[])[] };

type Fact = 'page' | 'time' | 'source' | 'place' | 'device' | 'window' | 'events' | 'payments' | 'reading' | 'id';

/** Kept only by sites that are measured. */
const SPEED =
  '**How fast a page was**: when its parts appeared, how far they moved, how long it took to answer a click, the kind of element that was slowest (such as a picture or a button, without its text), and the kind of connection.';

/** Kept only by sites that record them. */
const ERRORS =
  '**What went wrong on a page**: the message of an error with placeholders for quoted texts, addresses and numbers, the script’s path and line, and how often it happened. Placeholders are put in by your browser, before anything is sent.';

/** Which line of the list a column belongs to; null for what says nothing about a visit. */
const COLUMNS: Record<keyof typeof EVENT_COLUMNS, Fact | null> = {
  site_id: null,
  event_id: null,
  time: 'time',
  day: 'time',
  visitor_id: 'id',
  name: 'events',
  hostname: 'page',
  page: 'page',
  channel: 'source',
  source: 'source',
  referrer: 'source',
  utm_source: 'source',
  utm_medium: 'source',
  utm_campaign: 'source',
  utm_content: 'source',
  utm_term: 'source',
  country: 'place',
  region: 'place',
  city: 'place',
  browser: 'device',
  browser_version: 'device',
  os: 'device',
  os_version: 'device',
  device: 'device',
  language: 'window',
  screen: 'window',
  props: 'events',
  order_id: 'payments',
  amount: 'payments',
  currency: 'payments',
  confirmed: 'payments',
  interactive: null,
  engaged_ms: 'reading',
  scroll: 'reading',
};

const listed = (names: readonly string[]): string => names.join(', ');

const ONE_GROUP = 'pages that match a pattern count as one page';

function pageFact({ settings: { path_rules } }: Facts): string {
  const { query, groups, trailing_slash, case: spelling } = path_rules;
  const kept = query.length > 0 ? `, except for the value of ${listed(query)}` : '';
  const joined = [
    ...(groups.length === 0
      ? []
      : [plural(groups.length, ONE_GROUP, `pages that match one of ${groups.length} patterns count as one page each`)]),
    ...(spelling === 'lower' ? ['addresses are kept in lower case'] : []),
    ...(trailing_slash === 'strip' ? ['a slash at their end is left out'] : []),
  ];
  const rules = joined.length > 0 ? ` On this site, ${joined.join('; ')}.` : '';
  return `**The pages that you open**: host and path, without what follows a “?”${kept}.${rules}`;
}

function paymentFact({ site: { currency, max_amount } }: Facts): string {
  const shown = currency === null ? '' : ` Sums are shown in ${currency}.`;
  return `**Payments**, if this site reports them: the amount, its currency, and a hash of the order number so that an order counts once.${shown} An amount above ${fullNumber(max_amount)} is set aside as implausible.`;
}

const FACTS: Record<Fact, (facts: Facts) => string> = {
  page: pageFact,
  time: ({ site }) => `**When**: the time, and the day, which begins at midnight in ${site.timezone ?? UTC}.`,
  source: () =>
    '**Where you came from**: the page that linked here, without what follows a “?”, and the campaign that the link names (utm_source and its kin).',
  place: () =>
    '**Where you are**: country, region and city, looked up from the IP address in a table on the server itself. Nobody else is asked.',
  device: () => '**What you use**: browser and operating system with their versions, and the kind of device.',
  window: () =>
    '**Language and window**: the first language of your browser, and one of six classes of the window’s width.',
  reading: () => '**How a page is read**: how long it was visible, and how far down it was seen.',
  events: () =>
    '**What you click**: links to other sites, downloads, sending a form (never what it contains), and actions that this site names, with the properties that it chooses.',
  payments: paymentFact,
  id: () => '**A visitor number** that is valid for one day and this site alone. The next section explains it.',
};

function counted(facts: Facts): Section {
  const { site, settings, networks } = facts;
  const { countries, pages, hostnames } = settings.left_out;
  const hosts = site.extra_hosts.length > 0 ? `, and ${listed(site.extra_hosts)}` : '';
  const never = [
    ...(countries.length > 0 ? [`visits from ${listed(countries.map(countryName))}`] : []),
    ...(pages.length > 0 ? [quantity(pages.length, 'page or group of pages', 'pages or groups of pages')] : []),
    ...(hostnames.length > 0 ? [quantity(hostnames.length, 'host', 'hosts')] : []),
    ...(networks > 0
      ? [`visits from ${quantity(networks, 'network', 'networks')} of the operator, known by a keyed hash`]
      : []),
  ];
  const known = new Set(Object.values(COLUMNS));
  return {
    title: 'What is counted',
    id: 'counted',
    parts: [
      ...(site.paused
        ? ['**Counting is paused at the moment.** Nothing of what follows is collected until it is resumed.']
        : []),
      `Visits to ${site.domain} and its subdomains${hosts}. For each page view or action, this is kept:`,
      [
        ...(Object.keys(FACTS) as Fact[]).filter((fact) => known.has(fact)).map((fact) => FACTS[fact](facts)),
        ...(settings.vitals ? [SPEED] : []),
        ...(settings.errors ? [ERRORS] : []),
      ],
      ...(never.length > 0 ? [`Left out altogether: ${never.join('; ')}.`] : []),
      'Bots are left out. Requests by AI agents are counted apart, without anything about people.',
    ],
  };
}

const recognised = ({ site: { timezone } }: Facts): Section => ({
  title: 'How visits of a day are told apart',
  id: 'visitors',
  parts: [
    'Your browser sends its IP address and its user agent with every request, as it does to any server. From both, and a random secret of the day, the server computes a hash: the visitor number. The IP address and the user agent are then dropped. Footfall never writes them to a disk, a database or a log.',
    `The secret is destroyed when the day is over (midnight in ${timezone ?? UTC}). From then on nobody, including the operator, can connect a visitor number with a person, or tell whether two days’ visits were the same person’s. Until then the number is a pseudonym, so data of the current day may be personal data.`,
  ],
});

type Kept = [what: string, how_long: string];

/** The limits of an address on new errors are those of a day. */
const OF_ERRORS: Kept = [
  'The same hash, beside the number of its errors, if your browser tells of any',
  'Until the day is over (in UTC). It is never stored with what is counted.',
];

const kept = ({ settings }: Facts): Kept[] => [
  ['IP address and user agent', 'While a request is answered, in memory only.'],
  [
    'Keyed hash of the IP address, against floods of requests',
    'Some minutes. It is never stored with what is counted.',
  ],
  ...(settings.errors ? [OF_ERRORS] : []),
  ['Secret of the day', 'Until the day is over and its last events are stored.'],
  ['Random number of each page view, so that none counts twice', 'Compared for 24 hours, then without a use.'],
  [
    'Counted page views and actions, as listed above',
    'Until the operator deletes them or the site. A deleted site is gone from the database within a minute, and from backups when these are replaced.',
  ],
];

const NEVER = [
  'Cookies, and anything else that recognises your browser on another day or on another site.',
  'IP addresses and user agents.',
  'What you type into forms.',
  'Names and e-mail addresses. Only the site itself could put them into an address of its pages or a property of an action; it is asked not to.',
  'Fingerprints of your device, movements of the mouse, and recordings.',
  'Identifiers of advertising networks.',
];

/** What opens the numbers to people without an account. */
function openings({ links, dashboard }: Facts): string[] {
  const shown = dashboard?.isExact ? ', with exact numbers, also small ones.' : '.';
  const exact =
    links.exact > 0 ? ` Of these, ${quantity(links.exact, 'shows', 'show')} exact numbers, also small ones.` : '';
  return [
    ...(dashboard ? [`The dashboard at ${dashboard.address} is public: everybody sees it${shown}`] : []),
    ...(links.all > 0 ? [`${quantity(links.all, 'link opens', 'links open')} them to whoever has it.${exact}`] : []),
    ...(!dashboard && links.all === 0 ? ['There is no link that opens them to others.'] : []),
  ];
}

function seen(facts: Facts): Section {
  const { settings } = facts;
  return {
    title: 'Who sees the numbers',
    id: 'seen',
    parts: [
      settings.limits_members
        ? `Administrators of this site’s account see all numbers. Other people of the account see none that fewer than ${FEWEST} visitors made: narrowed numbers are changed by up to ${MOST_CHANGE} visitors.`
        : 'The people of this site’s account see all numbers.',
      ...openings(facts),
      `What others get, by a link or a report, singles nobody out: no number that a filter narrows to fewer than ${FEWEST} visitors, and the others changed by up to ${MOST_CHANGE} visitors.`,
    ],
  };
}

function objection({ site, settings: { transparency }, hasLogs }: Facts): Section {
  const { domain, extra_hosts: hosts, respects_gpc } = site;
  const page = transparency.opt_out_page;
  const address = `https://${domain}${page}`;
  const storage =
    'Your browser then keeps one entry in its storage for this site, footfall_ignore = true. It is the same for everybody who objects, so it identifies nobody. The counting script reads it and sends nothing. It stays until you delete it, or the site’s data in your browser.';
  return {
    title: 'How to object',
    id: 'object',
    parts: [
      respects_gpc
        ? '**By a signal of your browser.** This site respects Global Privacy Control and Do Not Track: switch on either in your browser, and your visits are not counted. What the request tells is dropped at once.'
        : '**By a signal of your browser: not on this site.** Its operator has not switched on respect for Global Privacy Control and Do Not Track, so these signals change nothing. Use the way below.',
      page === ''
        ? `**In this browser.** Open ${domain}, open the developer tools of your browser (F12), and enter this in the console: \`localStorage.footfall_ignore = 'true'\`. To be counted again, enter \`delete localStorage.footfall_ignore\`.`
        : `**In this browser.** Open ${address} and tick “Do not count my visits in this browser”. Untick it to be counted again.`,
      storage,
      ...(hosts.length > 0
        ? [`A browser keeps this for each host by itself. Repeat it on ${listed(hosts)} if you use these.`]
        : []),
      ...(hasLogs
        ? [
            'The operator has also imported logs of the web server, in which neither signal nor entry can be seen. Objections to those go to the operator.',
          ]
        : []),
    ],
  };
}

const RIGHTS = [
  'Once a day is over, nothing that is kept can be traced to you. Nobody can then look up, correct or delete the entries of a single person: that would need an identifier that does not exist.',
  'Nothing here decides anything about you. If you think that data about you is handled wrongly, ask the operator first, or complain to a data protection authority.',
];

type Words = { lead: string; sections: Section[]; kept: Kept[] };

/** `kept` is shown as a table, after the section `visitors`. */
export function wordsOf(facts: Facts): Words {
  return {
    lead: `${facts.site.domain} counts its visits with Footfall, which runs at ${facts.host}. It uses no cookies, and keeps nothing that identifies you. Your browser sends what is counted there, or to ${facts.site.domain}, which passes it on. This page is made from the site’s settings as they are now. It is about Footfall alone: the web server of ${facts.site.domain} may keep logs of its own.`,
    kept: kept(facts),
    sections: [
      counted(facts),
      recognised(facts),
      { title: 'What is never kept', id: 'never', parts: [NEVER] },
      seen(facts),
      objection(facts),
      { title: 'Your rights', id: 'rights', parts: RIGHTS },
    ],
  };
}
