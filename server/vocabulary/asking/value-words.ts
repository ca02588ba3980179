// Words for values that we name ourselves: channels, devices, systems, assistants.
import { RENAMED_ASSISTANTS } from '../ai.ts';
import { CHANNEL_NAMES, type Channel } from '../questions/channels.ts';
import type { Dimension } from '../questions/dimensions.ts';
import { AI_PURPOSES, DEVICES } from '../event.ts';
import { valueName } from '../questions/value-names.ts';
import type { Entry, NamedValue } from './meanings.ts';

const value = (dimension: Dimension, name: string): NamedValue => ({ dimension, value: name });

const entryOf = (phrase: string, all: readonly NamedValue[], sureness: Entry['sureness'] = 'usual'): Entry => ({
  phrase,
  label: all.map((one) => valueName(one.dimension as Dimension, one.value)).join(' and '),
  meaning: { kind: 'value', all },
  sureness,
});

/** A name of a campaign or a source wins over these words. */
const LOOSE = /^(?:newsletters?|mailings?|podcasts?|banners|.* ads)$/;

const CHANNELS: Partial<Record<Channel, string>> = {
  Direct: 'direct traffic|typed|bookmarks',
  'Paid Search': 'search ads|sem|ppc|google ads',
  'Paid Social': 'social ads|facebook ads|instagram ads|linkedin ads',
  'Paid Video': 'video ads|youtube ads',
  Display: 'display ads|banners|banner ads',
  'AI assistants': 'ai assistants|assistants|chatbots|ai search|llms|ai referrals',
  'Organic Social': 'social|social media|social networks',
  'Organic Video': 'video|videos',
  'Organic Search': 'search|seo|search engines|organic',
  Referral: 'referrals|other sites|other websites',
  Email: 'mail|e-mail|emails|newsletter|newsletters|mailing|mailings',
  Affiliates: 'affiliate|affiliate links',
  Audio: 'podcast|podcasts',
  SMS: 'text messages|texts',
  'Mobile Push Notifications': 'push|push notifications|notifications',
};

const OTHERS: readonly [phrases: string, ...all: NamedValue[]][] = [
  [
    'phone|phones|mobiles|smartphone|smartphones|cell phones|mobile devices|mobile phones|mobile users',
    value('device', 'mobile'),
  ],
  ['tablets', value('device', 'tablet')],
  ['desktops|computers|computer|pc|pcs|laptops|laptop|desktop users', value('device', 'desktop')],
  ['tvs|television|televisions|smart tvs', value('device', 'tv')],
  ['consoles|game consoles', value('device', 'console')],
  ['wearables|watches|smartwatches', value('device', 'wearable')],
  ['cars', value('device', 'car')],
  ['android phones', value('os', 'Android'), value('device', 'mobile')],
  ['iphone|iphones', value('os', 'iOS'), value('device', 'mobile')],
  ['ipad|ipads', value('os', 'iOS'), value('device', 'tablet')],
  ['mac|macs|mac os|os x|macbook|macbooks', value('os', 'macOS')],
  ['training crawlers|training bots|crawlers for training|ai training', value('ai_purpose', 'crawler')],
  ['search indexers|ai search bots|indexers', value('ai_purpose', 'search')],
  ['user requests|on behalf of users|on a user’s behalf', value('ai_purpose', 'user')],
  ['homepage|home page|front page|home', value('page', '/')],
  ['twitter|tweets', value('source', 'X')],
  ['hn|hackernews|ycombinator', value('source', 'Hacker News')],
  ['insta', value('source', 'Instagram')],
  ['fb', value('source', 'Facebook')],
  ['ddg', value('source', 'DuckDuckGo')],
];

/** Names that are as they are in our lists. Other names are understood if they occur in the site's data. */
const NAMES: readonly (readonly [Dimension, readonly string[]])[] = [
  [
    'source',
    [
      'Google',
      'Bing',
      'DuckDuckGo',
      'Ecosia',
      'Facebook',
      'Instagram',
      'LinkedIn',
      'Reddit',
      'YouTube',
      'Hacker News',
      'GitHub',
      'Mastodon',
      'Bluesky',
      'Pinterest',
      'TikTok',
      'Wikipedia',
      'Product Hunt',
      ...RENAMED_ASSISTANTS,
      'Perplexity',
      'DeepSeek',
      'Mistral',
    ],
  ],
  [
    'browser',
    ['Chrome', 'Firefox', 'Safari', 'Edge', 'Opera', 'Samsung Internet', 'Brave', 'Internet Explorer', 'Vivaldi'],
  ],
  ['os', ['Windows', 'macOS', 'Linux', 'Android', 'iOS', 'Chrome OS', 'Ubuntu']],
  [
    'ai_provider',
    [
      'OpenAI',
      'Anthropic',
      'Google',
      'Apple',
      'Meta',
      'Amazon',
      'Microsoft',
      'xAI',
      'ByteDance',
      'Cohere',
      'Common Crawl',
    ],
  ],
  [
    'ai_agent',
    [
      'GPTBot',
      'OAI-SearchBot',
      'ChatGPT-User',
      'ClaudeBot',
      'Claude-User',
      'Claude-SearchBot',
      'PerplexityBot',
      'Perplexity-User',
      'Google-Extended',
      'CCBot',
      'Bytespider',
      'Amazonbot',
      'Applebot',
      'Applebot-Extended',
      'meta-externalagent',
      'FacebookBot',
    ],
  ],
];

export const valueEntries: readonly Entry[] = [
  ...CHANNEL_NAMES.flatMap((name) => [
    entryOf(name, [value('channel', name)], 'own'),
    ...(CHANNELS[name] ?? '')
      .split('|')
      .filter(Boolean)
      .map((phrase) => entryOf(phrase, [value('channel', name)], LOOSE.test(phrase) ? 'loose' : 'usual')),
  ]),
  ...DEVICES.filter((name) => name !== 'other').map((name) => entryOf(name, [value('device', name)], 'own')),
  ...AI_PURPOSES.map((name) => entryOf(valueName('ai_purpose', name), [value('ai_purpose', name)], 'own')),
  ...OTHERS.flatMap(([phrases, ...all]) => phrases.split('|').map((phrase) => entryOf(phrase, all))),
  ...NAMES.flatMap(([dimension, names]) => names.map((name) => entryOf(name, [value(dimension, name)]))),
];
