// Finds the channel of a visit by the rules of Google Analytics 4's default channel group, in their order, with "AI assistants" added
// (https://support.google.com/analytics/answer/9756891).
import type { Attribution } from '../../vocabulary/event.ts';
import type { Channel } from '../../vocabulary/questions/channels.ts';
import { sourceKey } from '../../vocabulary/questions/spellings.ts';
import { readCampaign, type Campaign } from './campaign.ts';
import type { Medium } from '../lists/sources.ts';
import { readReferrer, sourceOfName, type NamedSource, type Referral } from './referrer.ts';

type Arrival = {
  referrer: string;
  /** The page's query. */
  query: URLSearchParams;
  /** The page's host. */
  hostname: string;
  isOwnHost(host: string): boolean;
};

/** Finds the origin of a visit. A direct visit has the source '' and the channel Direct. */
export function attribute({ referrer, query, hostname, isOwnHost }: Arrival): Attribution {
  const referral = readReferrer(referrer, (host) => host === hostname || isOwnHost(host));
  const campaign = readCampaign(query);
  const from = sourceOf(campaign, referral);
  return {
    channel: channelOf(campaign, from),
    source: from.source,
    referrer: referral?.referrer ?? '',
    utm_source: campaign.utm_source,
    utm_medium: campaign.utm_medium,
    utm_campaign: campaign.utm_campaign,
    utm_content: campaign.utm_content,
    utm_term: campaign.utm_term,
  };
}

type From = { source: string; medium: Medium | 'none'; paid?: boolean };

/** Values of `utm_source` that mark a visit as direct. */
const DIRECT = new Set(['direct', '(direct)']);
const NO_MEDIUM = new Set(['', 'none', '(none)', '(not set)']);

/** The link's own tags take precedence over the referrer, and known names over unknown ones. */
function sourceOf(campaign: Campaign, referral: Referral | undefined): From {
  const { utm_source: tag, ref, click } = campaign;
  if (isDirect(campaign)) return { source: '', medium: 'none' };
  const bought = click?.kind === 'organic' ? undefined : click;
  const tagged = sourceOfName(tag) ?? (tag === '' ? sourceOfName(ref) : undefined);
  if (tagged) return moreExact(tagged, referral);
  if (tag !== '') return { source: sourceKey(tag), medium: bought?.medium ?? mediumOf(campaign, referral) };
  if (bought) return { source: bought.source, medium: bought.medium };
  if (referral && referral.medium !== 'referral') return referral;
  if (click) return { source: click.source, medium: click.medium };
  if (referral) return referral;
  return ref === '' ? { source: '', medium: 'none' } : { source: sourceKey(ref), medium: 'referral' };
}

/** The medium of an unknown source: the referrer's, unless the link has a medium of its own. */
function mediumOf(campaign: Campaign, referral: Referral | undefined): Medium {
  return referral && (campaign.utm_medium === '' || referral.medium === 'ai') ? referral.medium : 'referral';
}

/** Prefers a more specific referrer: `utm_source=google` from news.google.com is still Google News. */
function moreExact(tagged: NamedSource, referral: Referral | undefined): From {
  return referral?.source.startsWith(`${tagged.source} `) ? referral : tagged;
}

function isDirect({ utm_source: tag, utm_medium }: Campaign): boolean {
  return tag !== '' && DIRECT.has(tag.toLowerCase()) && NO_MEDIUM.has(utm_medium.toLowerCase());
}

const PAID = /^(?:.*cp.*|ppc|retargeting|paid.*)$/;
const SHOP_CAMPAIGN = /^(?:.*(?:(?:[^a-df-z]|^)shop|shopping).*)$/;
const DISPLAY = new Set(['display', 'banner', 'expandable', 'interstitial', 'cpm']);
const SOCIAL = new Set(['social', 'social-network', 'social-media', 'sm', 'social network', 'social media']);
const REFERRAL = new Set(['referral', 'app', 'link']);
const EMAIL = new Set(['email', 'e-mail', 'e_mail', 'e mail']);
const AI = new Set(['ai-assistant', 'ai-assistants', 'ai_assistant', 'ai assistant']);
/** Mediums that already say how a link was sent. */
const EXPLICIT_MEDIUMS = new Set([...EMAIL, 'newsletter', 'affiliate', 'affiliates', 'audio', 'sms']);

/** Sources that Google's table puts into a different category than similar ones. */
const COUNTED_AS = new Map<string, Medium>([
  ['Google News', 'search'],
  ['Google Play', 'search'],
  ['SmartNews', 'social'],
  ['Niconico', 'social'],
  ['Tudou', 'social'],
]);

/**
 * Sources of Google's table that campaigns use as names: for these, the source takes precedence over the medium. For all others, such as
 * Substack, the medium is more reliable.
 */
const TABLED = new Set(
  (
    'Google|Bing|MSN|Yahoo!|DuckDuckGo|Ecosia|Qwant|Yandex|Baidu|Naver|Daum|Seznam|AOL|Ask|Sogou|360 Search|Facebook|Messenger|' +
    'Instagram|WhatsApp|X|LinkedIn|Reddit|Pinterest|TikTok|Snapchat|Telegram|Skype|LINE|KakaoTalk|WeChat|Weibo|Zalo|VK|Quora|' +
    'Tumblr|Flipboard|Meetup|Yelp|Tripadvisor|Glassdoor|Hootsuite|WordPress|Blogger|XING|YouTube|Vimeo|Twitch|Dailymotion|' +
    'Netflix|Hulu|Disney+|TED|Wistia|Amazon|Google Shopping|eBay|Etsy|Walmart|Alibaba|Shopify|Stripe|Mercado Libre'
  ).split('|'),
);

function channelOf(campaign: Campaign, from: From): Channel {
  const medium = campaign.utm_medium.toLowerCase();
  const source = campaign.utm_source.toLowerCase();
  const name = campaign.utm_campaign.toLowerCase();
  if (name.includes('cross-network')) return 'Cross-network';
  const counted = COUNTED_AS.get(from.source) ?? from.medium;
  if (PAID.test(medium) || isPaidClick(campaign, medium) || (from.paid === true && medium === ''))
    return paidChannel(counted, medium, SHOP_CAMPAIGN.test(name));
  if (DISPLAY.has(medium) || campaign.click?.kind === 'display') return 'Display';
  const kind = EXPLICIT_MEDIUMS.has(medium) && !TABLED.has(from.source) ? 'referral' : counted;
  if (kind === 'ai' || AI.has(medium)) return 'AI assistants';
  if (kind === 'shopping' || SHOP_CAMPAIGN.test(name)) return 'Organic Shopping';
  if (kind === 'social' || SOCIAL.has(medium)) return 'Organic Social';
  if (kind === 'video' || medium.includes('video')) return 'Organic Video';
  if (kind === 'search' || medium === 'organic') return 'Organic Search';
  if (REFERRAL.has(medium)) return 'Referral';
  if (EMAIL.has(medium) || EMAIL.has(source)) return 'Email';
  if (medium === 'affiliate' || medium === 'affiliates') return 'Affiliates';
  if (medium === 'audio') return 'Audio';
  if (medium === 'sms' || source === 'sms') return 'SMS';
  if (
    medium.endsWith('push') ||
    medium.includes('mobile') ||
    medium.includes('notification') ||
    source === 'firebase'
  ) {
    return 'Mobile Push Notifications';
  }
  return unassigned(campaign, medium, from);
}

function isPaidClick({ click }: Campaign, medium: string): boolean {
  return click?.kind === 'paid' && click.medium !== 'affiliate' && !DISPLAY.has(medium);
}

function paidChannel(kind: Medium | 'none', medium: string, isShopCampaign: boolean): Channel {
  if (kind === 'shopping' || isShopCampaign) return 'Paid Shopping';
  if (kind === 'search') return 'Paid Search';
  if (kind === 'social') return 'Paid Social';
  if (kind === 'video') return 'Paid Video';
  return DISPLAY.has(medium) ? 'Display' : 'Paid Other';
}

const MAILING = /newsletter|e-?mail|mailing/;

/**
 * Assigns a channel to visits that Google leaves unassigned: newsletters and web mail to Email, others by their medium, and the rest to
 * Referral.
 */
function unassigned(campaign: Campaign, medium: string, from: From): Channel {
  if (from.medium === 'email' || MAILING.test(medium) || MAILING.test(campaign.utm_source.toLowerCase()))
    return 'Email';
  if (from.medium === 'paid') return 'Display'; // an advertising network's own host
  if (campaign.click?.medium === 'affiliate' || medium.includes('affiliate')) return 'Affiliates';
  if (medium.includes('social')) return 'Organic Social';
  if (medium.includes('podcast')) return 'Audio';
  return from.medium === 'none' && NO_MEDIUM.has(medium) ? 'Direct' : 'Referral';
}
