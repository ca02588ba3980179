// The channels: the kinds of traffic that a visit can come from, each with a sentence that says what counts. Their rules are in
// collect/sources/channel.ts. Names are those of the published vocabulary.
import { texts } from '../habits/messages.ts';
export const CHANNELS = texts({
  Direct: 'No referrer and no campaign tag: a typed address, a bookmark, or a link in an app.',
  'Cross-network': 'Links whose campaign name contains “cross-network”, as in ads that run on several networks.',
  'Paid Shopping': 'Ads on shopping sites, and paid links whose campaign name says shop. Unpaid links do not count.',
  'Paid Search': 'Ads in search engines, by a paid tag or the click id of an ad. Unpaid results do not count.',
  'Paid Social': 'Ads on social networks, by a paid tag or the click id of an ad. Ordinary posts do not count.',
  'Paid Video': 'Ads on video sites such as YouTube, by a paid tag. Links below a video do not count.',
  Display: 'Banner ads, by a tag such as display or banner, or by the click id of an ad.',
  'Paid Other': 'Ads anywhere else: links with a paid tag that are not search, social, video or shopping.',
  'AI assistants': 'People who follow a link in ChatGPT, Claude or another assistant. AI crawlers do not count.',
  'Organic Shopping': 'Unpaid links from shopping sites, and links whose campaign name says shop. Ads do not count.',
  'Organic Social': 'Unpaid links from social networks, and links tagged as social. Ads do not count.',
  'Organic Video': 'Unpaid links from video sites such as YouTube, and links tagged as video. Ads do not count.',
  'Organic Search': 'Unpaid results of search engines such as Google, Bing and DuckDuckGo. Ads do not count.',
  Referral: 'Links from other websites that fit no other channel. Links within this site do not count.',
  Email: 'Links from web mail, or tagged as email or newsletter. Untagged links in mail apps count as Direct.',
  Affiliates: 'Links tagged as affiliate, or with the click id of an affiliate network. Untagged links do not count.',
  Audio: 'Links tagged as audio or podcast. Untagged links in podcast apps count as Direct.',
  SMS: 'Links tagged as SMS. Untagged links in text messages count as Direct.',
  'Mobile Push Notifications': 'Links tagged as push, mobile or notification. Untagged ones count as Direct.',
} as const);

export type Channel = keyof typeof CHANNELS;
export const CHANNEL_NAMES = Object.keys(CHANNELS) as Channel[];
