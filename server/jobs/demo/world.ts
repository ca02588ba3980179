// The demo site's visitors, sources, devices and pages, as weighted tables. Some values are deliberately nasty. Names come from the
// collector's own tables, so that the demo never shows a name that real traffic could not have.
import { recogniseAi } from '../../collect/agents/ai.ts';
import { attribute } from '../../collect/sources/channel.ts';
import { parseClient } from '../../collect/agents/device.ts';
import { screenClass } from '../../collect/agents/screen.ts';
import { cleanText, readablePath } from '../../vocabulary/texts/spelling.ts';
import type { Attribution, Client, Place } from '../../vocabulary/event.ts';
import { weighted } from './random.ts';

/** The page where a visit starts. */
type Entry = 'home' | 'blog' | 'launch' | 'pricing' | 'docs';
export type Arrival = {
  attribution: Attribution;
  entry: Entry;
  /** Share of the visits that leave after the first page. */
  bounces: number;
};

function arrival(from: { referrer?: string; query?: string; entry: Entry; bounces: number }): Arrival {
  const { referrer = '', query = '', entry, bounces } = from;
  const hostname = 'demo.example';
  const attribution = attribute({ referrer, query: new URLSearchParams(query), hostname, isOwnHost: () => false });
  return { attribution, entry, bounces };
}

const search = (referrer: string, entry: Entry = 'blog') => arrival({ referrer, entry, bounces: 0.46 });
const social = (referrer: string) => arrival({ referrer, entry: 'blog', bounces: 0.62 });
const assistant = (referrer: string, query?: string) =>
  arrival({ referrer, entry: 'docs', bounces: 0.31, ...(query !== undefined && { query }) });
const site = (referrer: string, entry: Entry = 'home') => arrival({ referrer, entry, bounces: 0.4 });

export const BY_ITSELF = arrival({ entry: 'home', bounces: 0.38 });

const GOOGLE = 'https://www.google.com/';
const LINKEDIN = 'https://www.linkedin.com/';

export const drawArrival = weighted([
  [300, BY_ITSELF],
  [60, arrival({ entry: 'docs', bounces: 0.3 })],
  [250, search(GOOGLE)],
  [60, search('https://www.google.de/', 'home')],
  [26, search('https://www.bing.com/search')],
  [24, search('https://duckduckgo.com/')],
  [8, search('https://www.ecosia.org/')],
  [5, search('https://yandex.ru/')],
  [4, search('https://search.brave.com/')],
  [30, assistant('https://chatgpt.com/')],
  [6, assistant('', 'utm_source=chatgpt.com')],
  [12, assistant('https://www.perplexity.ai/')],
  [9, assistant('https://claude.ai/')],
  [7, assistant('https://gemini.google.com/')],
  [5, assistant('https://copilot.microsoft.com/')],
  [24, social('https://t.co/')],
  [22, social('https://www.reddit.com/r/selfhosted/')],
  [18, social(LINKEDIN)],
  [10, social('https://mastodon.social/@demo')],
  [9, social('https://bsky.app/')],
  [6, social('https://www.youtube.com/')],
  [8, social('https://news.ycombinator.com/')],
  [26, site('https://github.com/footfall/footfall', 'docs')],
  [9, site('https://dev.to/demo/cookie-free-analytics')],
  [7, site('https://alternativeto.net/software/footfall/')],
  [5, site('https://www.heise.de/news/article.html')],
  [3, site('https://xn--bcher-kva.example/empfehlung')],
  [2, site('https://very-long-subdomain-of-a-company-intranet.departments.corporate.example/a/b/c/d/e/f')],
] as const);

const campaign = (referrer: string, query: string, { to, bounces }: { to: Entry; bounces: number }) =>
  arrival({ referrer, query: `utm_source=${query}`, entry: to, bounces });
const AD = 'google&utm_medium=cpc&gclid=x';
const POST = 'linkedin&utm_medium=paid_social';
const PARTNER = 'partner.example&utm_medium=affiliate';
const OVERVIEW = 'Herbst%202026%20%E2%80%93%20%C3%9Cbersicht';

export const drawCampaign = weighted([
  [50, campaign(GOOGLE, `${AD}&utm_campaign=autumn_sale&utm_term=web+analytics`, { to: 'pricing', bounces: 0.5 })],
  [18, campaign(GOOGLE, `${AD}&utm_campaign=brand&utm_term=footfall`, { to: 'home', bounces: 0.25 })],
  [20, campaign(LINKEDIN, `${POST}&utm_campaign=autumn_sale&utm_content=carousel_b`, { to: 'pricing', bounces: 0.58 })],
  [12, campaign('', `${PARTNER}&utm_campaign=${OVERVIEW}`, { to: 'pricing', bounces: 0.4 })],
] as const);

export const HACKER_NEWS = arrival({ referrer: 'https://news.ycombinator.com/item', entry: 'launch', bounces: 0.66 });
export const PRODUCT_HUNT = arrival({
  referrer: 'https://www.producthunt.com/posts/demo',
  query: 'ref=producthunt',
  entry: 'home',
  bounces: 0.42,
});

/** The newsletter is sent each Tuesday; `week` numbers it. */
export function newsletter(week: number): Arrival {
  const query = `utm_source=newsletter&utm_medium=email&utm_campaign=weekly_${week}`;
  return arrival({ query, entry: 'blog', bounces: 0.3 });
}

type Home = Place & { language: string };
const home = (place: string, city: string, language: string): Home => {
  const [country = '', region = ''] = place.split('-');
  return { country, region: region && `${country}-${region}`, city, language };
};

export const drawHome = weighted([
  [90, home('US-CA', 'San Francisco', 'en-US')],
  [70, home('US-NY', 'New York', 'en-US')],
  [40, home('US-TX', 'Austin', 'en-US')],
  [22, home('US-FL', 'Miami', 'es-US')],
  [60, home('DE-BE', 'Berlin', 'de-DE')],
  [36, home('DE-BY', 'Munich', 'de-DE')],
  [18, home('DE-HH', 'Hamburg', 'de-DE')],
  [14, home('AT-9', 'Vienna', 'de-AT')],
  [16, home('CH-ZH', 'Zurich', 'de-CH')],
  [70, home('GB-ENG', 'London', 'en-GB')],
  [9, home('GB-SCT', 'Edinburgh', 'en-GB')],
  [44, home('FR-IDF', 'Paris', 'fr-FR')],
  [10, home('FR-ARA', 'Lyon', 'fr-FR')],
  [30, home('NL-NH', 'Amsterdam', 'nl-NL')],
  [24, home('ES-MD', 'Madrid', 'es-ES')],
  [20, home('IT-25', 'Milan', 'it-IT')],
  [18, home('PL-14', 'Warsaw', 'pl-PL')],
  [16, home('SE-AB', 'Stockholm', 'sv-SE')],
  [34, home('CA-ON', 'Toronto', 'en-CA')],
  [9, home('CA-QC', 'Montréal', 'fr-CA')],
  [46, home('IN-KA', 'Bengaluru', 'en-IN')],
  [20, home('IN-MH', 'Mumbai', 'hi-IN')],
  [26, home('BR-SP', 'São Paulo', 'pt-BR')],
  [22, home('JP-13', 'Tokyo', 'ja-JP')],
  [20, home('AU-NSW', 'Sydney', 'en-AU')],
  [12, home('TR-34', 'Istanbul', 'tr-TR')],
  [8, home('IL-TA', 'Tel Aviv', 'he-IL')],
  [7, home('AE-DU', 'Dubai', 'ar-AE')],
  [9, home('ZA-WC', 'Cape Town', 'en-ZA')],
  [8, home('MX-CMX', 'Mexico City', 'es-MX')],
  [7, home('KR-11', 'Seoul', 'ko-KR')],
  [5, home('NG-LA', 'Lagos', 'en-NG')],
  [3, home('IS-1', 'Reykjavík', 'is-IS')],
  [6, home('', '', '')],
] as const);

type Machine = Client & { screen: string };
const machine = (userAgent: string, width: number): Machine => ({
  ...parseClient(userAgent, { width }),
  screen: screenClass(width),
});
const chrome = (system: string, version: number, more = '') =>
  `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 ${more}Safari/537.36`;
const safari = (system: string, version: string, more = '') =>
  `Mozilla/5.0 (${system}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/${version} ${more}Safari/604.1`;
const firefox = (system: string, version: number) =>
  `Mozilla/5.0 (${system}; rv:${version}.0) Gecko/20100101 Firefox/${version}.0`;
const samsung = (system: string, version: number) =>
  chrome(system, version, 'Mobile ').replace('Chrome/', 'SamsungBrowser/28.0 Chrome/');
const WINDOWS = 'Windows NT 10.0; Win64; x64';
const MAC = 'Macintosh; Intel Mac OS X 10_15_7';
const PHONE = 'Linux; Android 10; K';
const IPHONE = (version: string) => `iPhone; CPU iPhone OS ${version} like Mac OS X`;

export const drawMachine = weighted([
  [150, machine(chrome(WINDOWS, 142), 1536)],
  [60, machine(chrome(WINDOWS, 141), 1920)],
  [14, machine(chrome(WINDOWS, 109), 1366)],
  [90, machine(chrome(MAC, 142), 1440)],
  [20, machine(chrome('X11; Linux x86_64', 142), 1920)],
  [6, machine(chrome('X11; CrOS x86_64 14541.0.0', 141), 1280)],
  [70, machine(safari(MAC, '26.0'), 1512)],
  [22, machine(safari(MAC, '18.5'), 1440)],
  [36, machine(firefox(WINDOWS, 145), 1600)],
  [20, machine(firefox('X11; Ubuntu; Linux x86_64', 145), 1920)],
  [12, machine(firefox('Macintosh; Intel Mac OS X 10.15', 144), 1280)],
  [44, machine(chrome(WINDOWS, 142, '').replace(/$/, ' Edg/142.0.0.0'), 1536)],
  [8, machine(chrome(WINDOWS, 141).replace(/$/, ' OPR/125.0.0.0'), 1366)],
  [120, machine(safari(IPHONE('18_7'), '26.0', 'Mobile/15E148 '), 393)],
  [40, machine(safari(IPHONE('18_5'), '18.5', 'Mobile/15E148 '), 390)],
  [14, machine(safari('iPad; CPU OS 18_7 like Mac OS X', '26.0', 'Mobile/15E148 '), 820)],
  [110, machine(chrome(PHONE, 142, 'Mobile '), 412)],
  [20, machine(samsung('Linux; Android 15; SM-S921B', 130), 384)],
  [10, machine(firefox('Android 15; Mobile', 145), 412)],
  [6, machine(chrome('Linux; Android 14; SM-X710', 141), 1024)],
  [2, machine(chrome('Web0S; Linux/SmartTV', 120), 1920)],
] as const);

const POSTS = [
  [60, '/blog/counting-visitors-without-cookies'],
  [44, '/blog/gdpr-and-analytics-what-you-need-to-know'],
  [30, '/blog/bounce-rate-explained'],
  [26, '/blog/how-ai-crawlers-read-your-site'],
  [18, '/blog/moving-from-google-analytics'],
  [12, '/blog/a-dashboard-that-answers-in-two-seconds'],
  [9, '/blog/utm-tags-done-right'],
  [6, '/blog/'],
] as const;
const DOCS = [
  [40, '/docs'],
  [34, '/docs/install'],
  [26, '/docs/events'],
  [18, '/docs/api'],
  [14, '/docs/self-hosting'],
  [8, '/docs/goals-and-funnels'],
] as const;
const LAUNCH_POST = '/blog/we-built-analytics-that-forget-you';

export const drawEntry: Record<Entry, ReturnType<typeof weighted<string>>> = {
  home: weighted([[1, '/']]),
  blog: weighted(POSTS),
  launch: weighted([
    [9, LAUNCH_POST],
    [1, '/'],
  ]),
  pricing: weighted([
    [4, '/pricing'],
    [1, '/'],
  ]),
  docs: weighted(DOCS),
};

/** Draws the next page of a visit, whatever the current page is. */
export const drawNext = weighted([
  [22, '/'],
  [34, '/pricing'],
  [24, '/features'],
  [10, '/about'],
  [8, '/customers'],
  [6, '/changelog'],
  [16, '/demo'],
  ...DOCS.map(([weight, page]) => [weight / 3, page] as const),
  ...POSTS.map(([weight, page]) => [weight / 5, page] as const),
]);

/** Nasty paths as in real traffic: very long, in other scripts and directions, or meant to break something. */
export const drawNastyPage = weighted(
  [
    `/archive/${'a-very-long-path-segment/'.repeat(40)}`,
    '/שלום/עולם',
    '/مرحبا/بالعالم',
    '/日本語/料金',
    '/🎉/launch-🚀',
    '/caf%C3%A9/cr%C3%A8me-br%C3%BBl%C3%A9e',
    '/search/%3Cscript%3Ealert(1)%3C/script%3E',
    "/'; DROP TABLE events; --",
    '/=1+1',
    '/%00%FF',
    '/{x:String}',
    '/a//b/../c',
  ].map((path) => [1, readablePath(path)] as const),
);

/** Nasty values as in real traffic, in the form that the collector accepts. */
export const drawNastyValue = weighted(
  [
    '<script>alert("demo")</script>',
    '<img src=x onerror=alert(1)>',
    '=HYPERLINK("https://evil.example","click")',
    "=cmd|' /C calc'!A0",
    '+49 30 123456',
    '@SUM(1+1)*cmd',
    "Robert'); DROP TABLE events;--",
    '"quoted", with; separators',
    'שלום עולם',
    'مرحبا',
    '👩‍👩‍👧‍👦 family 🏳️‍🌈',
    'Ａfull-width',
    'Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘',
    '\u202eevil.exe',
    'null',
    '__proto__',
    'x'.repeat(600),
  ].map((value) => [1, cleanText(value, 512)] as const),
);

export const drawQuery = weighted([
  [30, 'pricing'],
  [22, 'self hosting'],
  [16, 'gdpr'],
  [12, 'funnels'],
  [9, 'wordpress plugin'],
  [6, 'datenschutz'],
  [4, '料金'],
] as const);

/** Plans with their price in euros per month. */
export const drawPlan = weighted([
  [50, { plan: 'free', price: 0 }],
  [32, { plan: 'starter', price: 9 }],
  [18, { plan: 'pro', price: 19 }],
] as const);

/** AI agents by their user agents, with weights. */
const AGENTS = [
  [30, 'GPTBot/1.2'],
  [22, 'ClaudeBot/1.0'],
  [14, 'Bytespider'],
  [12, 'meta-externalagent/1.1'],
  [10, 'Amazonbot/0.1'],
  [9, 'Applebot/0.1'],
  [8, 'CCBot/2.0'],
  [16, 'OAI-SearchBot/1.0'],
  [12, 'PerplexityBot/1.0'],
  [6, 'Claude-SearchBot/1.0'],
  [24, 'ChatGPT-User/1.0'],
  [8, 'Perplexity-User/1.0'],
  [7, 'Claude-User/1.0'],
] as const;

/** Agents that come in the last quarter only: they are new on the dashboard. */
const NEW_AGENTS = [
  [3, 'MistralAI-User/1.0'],
  [3, 'DuckAssistBot/1.2'],
] as const;

const recognised = (agents: readonly (readonly [number, string])[]) =>
  weighted(
    agents.flatMap(([weight, userAgent]) => {
      const agent = recogniseAi({ userAgent });
      return agent ? [[weight, agent] as const] : [];
    }),
  );

export const drawEarlyAgent = recognised(AGENTS);
export const drawAgent = recognised([...AGENTS, ...NEW_AGENTS]);

/** Visits by hour of the day in UTC: Europe's morning, America's morning, and a quiet night. */
export const drawHour = weighted(
  [14, 10, 8, 7, 8, 11, 18, 30, 46, 56, 58, 55, 52, 57, 62, 64, 60, 54, 48, 44, 41, 36, 27, 19].map(
    (weight, hour) => [weight, hour] as const,
  ),
);
