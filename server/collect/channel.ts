// The channel of a visit: the rules of Google Analytics 4's default channel group, in their order, with "AI assistants" added
// (https://support.google.com/analytics/answer/9756891). Names are those of the published vocabulary.
import type { Attribution } from '../event.ts';
import { readCampaign, type Campaign } from './campaign.ts';
import type { Medium, Source } from './lists/sources.ts';
import { readReferrer, sourceOfName, type Referral } from './referrer.ts';

export const CHANNELS = [
  'Direct',
  'Cross-network',
  'Paid Shopping',
  'Paid Search',
  'Paid Social',
  'Paid Video',
  'Display',
  'Paid Other',
  'AI assistants',
  'Organic Shopping',
  'Organic Social',
  'Organic Video',
  'Organic Search',
  'Referral',
  'Email',
  'Affiliates',
  'Audio',
  'SMS',
  'Mobile Push Notifications',
] as const;
export type Channel = (typeof CHANNELS)[number];

export type Arrival = {
  referrer: string;
  /** Of the page. */
  query: URLSearchParams;
  /** Of the page. */
  hostname: string;
  isOwnHost(host: string): boolean;
};

/** Where a visit comes from. A direct one has the source '' and the channel Direct. */
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

type From = { source: string; medium: Medium | 'none' };

/** What a link says of itself comes before where it was clicked, and a name that is known before one that is not. */
function sourceOf(campaign: Campaign, referral: Referral | undefined): From {
  const { utm_source: tag, ref, click } = campaign;
  const tagged = sourceOfName(tag) ?? (tag === '' ? sourceOfName(ref) : undefined);
  if (tagged) return moreExact(tagged, referral);
  if (tag !== '')
    return { source: tag, medium: click?.kind === 'paid' ? click.medium : (referral?.medium ?? 'referral') };
  if (click?.kind === 'paid') return { source: click.source, medium: click.medium };
  if (referral && referral.medium !== 'referral') return referral;
  if (click) return { source: click.source, medium: click.medium };
  if (referral) return referral;
  return ref === '' ? { source: '', medium: 'none' } : { source: ref, medium: 'referral' };
}

/** `utm_source=google` from news.google.com is still Google News. */
function moreExact(tagged: Source, referral: Referral | undefined): Source {
  return referral?.source.startsWith(`${tagged.source} `) ? referral : tagged;
}

const PAID = /^(?:.*cp.*|ppc|retargeting|paid.*)$/;
const SHOP_CAMPAIGN = /^(?:.*(?:(?:[^a-df-z]|^)shop|shopping).*)$/;
const DISPLAY = new Set(['display', 'banner', 'expandable', 'interstitial', 'cpm']);
const SOCIAL = new Set(['social', 'social-network', 'social-media', 'sm', 'social network', 'social media']);
const REFERRAL = new Set(['referral', 'app', 'link']);
const EMAIL = new Set(['email', 'e-mail', 'e_mail', 'e mail']);
/** Google's table of sources has its own news among the search engines. */
const SEARCH_NEWS = new Set(['Google News']);

function channelOf(campaign: Campaign, from: From): Channel {
  const medium = campaign.utm_medium.toLowerCase();
  const source = campaign.utm_source.toLowerCase();
  const name = campaign.utm_campaign.toLowerCase();
  if (name.includes('cross-network')) return 'Cross-network';
  const isShop = from.medium === 'shopping' || SHOP_CAMPAIGN.test(name);
  if (PAID.test(medium) || isPaidClick(campaign, medium)) return paidChannel(from.medium, medium, isShop);
  if (DISPLAY.has(medium)) return 'Display';
  if (from.medium === 'ai') return 'AI assistants';
  if (isShop) return 'Organic Shopping';
  if (from.medium === 'social' || SOCIAL.has(medium)) return 'Organic Social';
  if (from.medium === 'video' || medium.includes('video')) return 'Organic Video';
  if (from.medium === 'search' || medium === 'organic' || SEARCH_NEWS.has(from.source)) return 'Organic Search';
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

function paidChannel(kind: Medium | 'none', medium: string, isShop: boolean): Channel {
  if (isShop) return 'Paid Shopping';
  if (kind === 'search') return 'Paid Search';
  if (kind === 'social') return 'Paid Social';
  if (kind === 'video') return 'Paid Video';
  return DISPLAY.has(medium) ? 'Display' : 'Paid Other';
}

/** Google leaves the rest unassigned; here web mail and newsletters are Email, and Referral takes what is left. */
function unassigned({ click }: Campaign, medium: string, from: From): Channel {
  if (from.medium === 'email' || /newsletter|e-?mail|mailing/.test(medium)) return 'Email';
  if (click?.medium === 'affiliate' || medium.includes('affiliate')) return 'Affiliates';
  if (medium.includes('podcast')) return 'Audio';
  return from.medium === 'none' && medium === '' ? 'Direct' : 'Referral';
}
