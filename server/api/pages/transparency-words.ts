// What a site's page for its visitors says, from its real settings. A column of an event without words, or a setting that nothing reads, does not
// compile or fails a test. The words promise what the code does, and leave the law to the site's owner.
import type { Site } from '../../sites/sites.ts';
import type { settingsIn } from '../../sites/settings.ts';
import { t, texts, tn } from '../../vocabulary/habits/messages.ts';
import { fullNumber } from '../../vocabulary/numbers/format.ts';
import { countryName } from '../../vocabulary/questions/value-names.ts';
import type { EVENT_COLUMNS } from '../../vocabulary/event.ts';
import { FEWEST, MOST_CHANGE } from '../../vocabulary/settings/privacy.ts';
import { UTC } from '../../vocabulary/time/zones.ts';

export type Facts = {
  site: Pick<Site, 'domain' | 'paused' | 'extra_hosts' | 'respects_gpc' | 'currency' | 'max_amount' | 'timezone'>;
  settings: ReturnType<typeof settingsIn>;
  /** How many networks of the owner's own visits are left out. */
  networks: number;
  /** The share links that open the site now, without the public one, and how many of them show exact numbers. */
  links: { all: number; exact: number };
  /** Its public dashboard. */
  dashboard: { address: string; isExact: boolean } | undefined;
  /** Access logs of the site's web server were imported. */
  hasLogs: boolean;
  /** The host of this server. */
  host: string;
};

/** A paragraph, or a list. As in Markdown, `**` marks what stands out, backticks code, and angle brackets an address that becomes a link. */
export type Section = { title: string; id: string; parts: readonly (string | readonly string[])[] };

type Fact = 'page' | 'time' | 'source' | 'place' | 'device' | 'window' | 'events' | 'payments' | 'reading' | 'id';

/** Kept only by sites that are measured. */
const speed = (): string =>
  t(
    '**How fast a page was**: when its parts appeared, how far they moved, how long it took to answer a click, the kind of element that was slowest (such as a picture or a button, without its text), and the kind of connection.',
  );

/** Kept only by sites that record them. */
const errors = (): string =>
  t(
    '**What went wrong on a page**: the message of an error with placeholders for quoted texts, addresses and numbers, the script’s path and line, and how often it happened. Placeholders are put in by your browser, before anything is sent.',
  );

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

/** Only addresses with https become links, so none leads to a script. */
const linked = (address: string): string => (address.startsWith('https://') ? `<${address}>` : address);

function pageFact({ settings: { path_rules } }: Facts): string {
  const { query, groups, trailing_slash, case: spelling } = path_rules;
  const kept =
    query.length > 0
      ? t('**The pages that you open**: host and path, without what follows a “?”, except for the value of {names}.', {
          names: listed(query),
        })
      : t('**The pages that you open**: host and path, without what follows a “?”.');
  const joined = [
    ...(groups.length === 0
      ? []
      : [
          tn(
            groups.length,
            'pages that match a pattern count as one page',
            'pages that match one of {n} patterns count as one page each',
          ),
        ]),
    ...(spelling === 'lower' ? [t('addresses are kept in lower case')] : []),
    ...(trailing_slash === 'strip' ? [t('a slash at their end is left out')] : []),
  ];
  return joined.length > 0 ? `${kept} ${t('On this site, {rules}.', { rules: joined.join('; ') })}` : kept;
}

function paymentFact({ site: { currency, max_amount } }: Facts): string {
  return [
    t(
      '**Payments**, if this site reports them: the amount, its currency, and a hash of the order number so that an order counts once.',
    ),
    ...(currency === null ? [] : [t('Sums are shown in {currency}.', { currency })]),
    t('An amount above {amount} is set aside as implausible.', { amount: fullNumber(max_amount) }),
  ].join(' ');
}

const FACTS: Record<Fact, (facts: Facts) => string> = {
  page: pageFact,
  time: ({ site }) =>
    t('**When**: the time, and the day, which begins at midnight in {zone}.', { zone: site.timezone ?? UTC }),
  source: () =>
    t(
      '**Where you came from**: the page that linked here, without what follows a “?”, and the campaign that the link names (utm_source and its kin).',
    ),
  place: () =>
    t(
      '**Where you are**: country, region and city, looked up from the IP address in a table on the server itself. Nobody else is asked.',
    ),
  device: () => t('**What you use**: browser and operating system with their versions, and the kind of device.'),
  window: () =>
    t('**Language and window**: the first language of your browser, and one of six classes of the window’s width.'),
  reading: () => t('**How a page is read**: how long it was visible, and how far down it was seen.'),
  events: () =>
    t(
      '**What you click**: links to other sites, downloads, sending a form (never what it contains), and actions that this site names, with the properties that it chooses.',
    ),
  payments: paymentFact,
  id: () => t('**A visitor number** that is valid for one day and this site alone. The next section explains it.'),
};

function counted(facts: Facts): Section {
  const { site, settings, networks } = facts;
  const { countries, pages, hostnames } = settings.left_out;
  const { domain } = site;
  const never = [
    ...(countries.length > 0 ? [t('visits from {countries}', { countries: listed(countries.map(countryName)) })] : []),
    ...(pages.length > 0 ? [tn(pages.length, '{n} page or group of pages', '{n} pages or groups of pages')] : []),
    ...(hostnames.length > 0 ? [tn(hostnames.length, '{n} host', '{n} hosts')] : []),
    ...(networks > 0
      ? [
          tn(
            networks,
            'visits from {n} network of the operator, known by a keyed hash',
            'visits from {n} networks of the operator, known by a keyed hash',
          ),
        ]
      : []),
  ];
  const known = new Set(Object.values(COLUMNS));
  return {
    title: t('What is counted'),
    id: 'counted',
    parts: [
      ...(site.paused
        ? [t('**Counting is paused at the moment.** Nothing of what follows is collected until it is resumed.')]
        : []),
      site.extra_hosts.length > 0
        ? t('Visits to {domain} and its subdomains, and {hosts}. For each page view or action, this is kept:', {
            domain,
            hosts: listed(site.extra_hosts),
          })
        : t('Visits to {domain} and its subdomains. For each page view or action, this is kept:', { domain }),
      [
        ...(Object.keys(FACTS) as Fact[]).filter((fact) => known.has(fact)).map((fact) => FACTS[fact](facts)),
        ...(settings.vitals ? [speed()] : []),
        ...(settings.errors ? [errors()] : []),
      ],
      ...(never.length > 0 ? [t('Left out altogether: {list}.', { list: never.join('; ') })] : []),
      t('Bots are left out. Requests by AI agents are counted apart, without anything about people.'),
    ],
  };
}

const recognised = ({ site: { timezone } }: Facts): Section => ({
  title: t('How visits of a day are told apart'),
  id: 'visitors',
  parts: [
    t(
      'Your browser sends its IP address and its user agent with every request, as it does to any server. From both, and a random secret of the day, the server computes a hash: the visitor number. The IP address and the user agent are then dropped. Footfall never writes them to a disk, a database or a log.',
    ),
    t(
      'The secret is destroyed when the day is over (midnight in {zone}). From then on nobody, including the operator, can connect a visitor number with a person, or tell whether two days’ visits were the same person’s. Until then the number is a pseudonym, so data of the current day may be personal data.',
      { zone: timezone ?? UTC },
    ),
  ],
});

type Kept = [what: string, how_long: string];

/** The limits of an address on new errors are those of a day. */
const ofErrors = (): Kept => [
  t('The same hash, beside the number of its errors, if your browser tells of any'),
  t('Until the day is over (in UTC). It is never stored with what is counted.'),
];

const kept = ({ settings }: Facts): Kept[] => [
  [t('IP address and user agent'), t('While a request is answered, in memory only.')],
  [
    t('Keyed hash of the IP address, against floods of requests'),
    t('Some minutes. It is never stored with what is counted.'),
  ],
  ...(settings.errors ? [ofErrors()] : []),
  [t('Secret of the day'), t('Until the day is over and its last events are stored.')],
  [t('Random number of each page view, so that none counts twice'), t('Compared for 24 hours, then without a use.')],
  [
    t('Counted page views and actions, as listed above'),
    t(
      'Until the operator deletes them or the site. A deleted site is gone from the database within a minute, and from backups when these are replaced.',
    ),
  ],
];

const NEVER: readonly string[] = texts([
  'Cookies, and anything else that recognises your browser on another day or on another site.',
  'IP addresses and user agents.',
  'What you type into forms.',
  'Names and e-mail addresses. Only the site itself could put them into an address of its pages or a property of an action; it is asked not to.',
  'Fingerprints of your device, movements of the mouse, and recordings.',
  'Identifiers of advertising networks.',
]);

/** What opens the numbers to people without an account. */
function openings({ links, dashboard }: Facts): string[] {
  return [
    ...(dashboard ? [publicWords(dashboard)] : []),
    ...(links.all > 0 ? [linkWords(links)] : []),
    ...(!dashboard && links.all === 0 ? [t('There is no link that opens them to others.')] : []),
  ];
}

function publicWords({ isExact, ...dashboard }: NonNullable<Facts['dashboard']>): string {
  const address = linked(dashboard.address);
  return isExact
    ? t('The dashboard at {address} is public: everybody sees it, with exact numbers, also small ones.', { address })
    : t('The dashboard at {address} is public: everybody sees it.', { address });
}

function linkWords({ all, exact }: Facts['links']): string {
  const open = tn(all, '{n} link opens them to whoever has it.', '{n} links open them to whoever has it.');
  if (exact === 0) return open;
  const more = tn(
    exact,
    'Of these, {n} shows exact numbers, also small ones.',
    'Of these, {n} show exact numbers, also small ones.',
  );
  return `${open} ${more}`;
}

function seen(facts: Facts): Section {
  const { settings } = facts;
  const limits = { fewest: FEWEST, most: MOST_CHANGE };
  return {
    title: t('Who sees the numbers'),
    id: 'seen',
    parts: [
      settings.limits_members
        ? t(
            'Administrators of this site’s account see all numbers. Other people of the account see none that fewer than {fewest} visitors made: narrowed numbers are changed by up to {most} visitors.',
            limits,
          )
        : t('The people of this site’s account see all numbers.'),
      ...openings(facts),
      t(
        'What others get, by a link or a report, singles nobody out: no number that a filter narrows to fewer than {fewest} visitors, and the others changed by up to {most} visitors.',
        limits,
      ),
    ],
  };
}

function objection({ site, settings: { transparency }, hasLogs }: Facts): Section {
  const { domain, extra_hosts: hosts, respects_gpc } = site;
  const page = transparency.opt_out_page;
  const address = linked(`https://${domain}${page}`);
  const storage = t(
    'Your browser then keeps one entry in its storage for this site, footfall_ignore = true. It is the same for everybody who objects, so it identifies nobody. The counting script reads it and sends nothing. It stays until you delete it, or the site’s data in your browser.',
  );
  return {
    title: t('How to object'),
    id: 'object',
    parts: [
      respects_gpc
        ? t(
            '**By a signal of your browser.** This site respects Global Privacy Control and Do Not Track: switch on either in your browser, and your visits are not counted. What the request tells is dropped at once.',
          )
        : t(
            '**By a signal of your browser: not on this site.** Its operator has not switched on respect for Global Privacy Control and Do Not Track, so these signals change nothing. Use the way below.',
          ),
      page === ''
        ? t(
            "**In this browser.** Open {domain}, open the developer tools of your browser (F12), and enter this in the console: `localStorage.footfall_ignore = 'true'`. To be counted again, enter `delete localStorage.footfall_ignore`.",
            { domain },
          )
        : t(
            '**In this browser.** Open {address} and tick “Do not count my visits in this browser”. Untick it to be counted again.',
            { address },
          ),
      storage,
      ...(hosts.length > 0
        ? [
            t('A browser keeps this for each host by itself. Repeat it on {hosts} if you use these.', {
              hosts: listed(hosts),
            }),
          ]
        : []),
      ...(hasLogs
        ? [
            t(
              'The operator has also imported logs of the web server, in which neither signal nor entry can be seen. Objections to those go to the operator.',
            ),
          ]
        : []),
    ],
  };
}

const RIGHTS: readonly string[] = texts([
  'Once a day is over, nothing that is kept can be traced to you. Nobody can then look up, correct or delete the entries of a single person: that would need an identifier that does not exist.',
  'Nothing here decides anything about you. If you think that data about you is handled wrongly, ask the operator first, or complain to a data protection authority.',
]);

type Words = { lead: string; sections: Section[]; kept: Kept[] };

/** `kept` is shown as a table, after the section `visitors`. */
export function wordsOf(facts: Facts): Words {
  return {
    lead: t(
      '{domain} counts its visits with Footfall, which runs at {host}. It uses no cookies, and keeps nothing that identifies you. Your browser sends what is counted there, or to {domain}, which passes it on. This page is made from the site’s settings as they are now. It is about Footfall alone: the web server of {domain} may keep logs of its own.',
      { domain: facts.site.domain, host: facts.host },
    ),
    kept: kept(facts),
    sections: [
      counted(facts),
      recognised(facts),
      { title: t('What is never kept'), id: 'never', parts: [NEVER] },
      seen(facts),
      objection(facts),
      { title: t('Your rights'), id: 'rights', parts: RIGHTS },
    ],
  };
}
