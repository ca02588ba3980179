import { expect, test } from 'vitest';
import { type Channel, CHANNEL_NAMES } from '../../vocabulary/questions/channels.ts';
import { attribute } from './channel.ts';
import { clickParameters } from './clicks.ts';
import { parsePage } from '../../vocabulary/texts/url.ts';

function arrive(query: string, referrer = '') {
  const page = parsePage(`https://example.com/?${query}`);
  if (!page) throw new Error(query);
  return attribute({
    referrer,
    query: page.query,
    hostname: page.hostname,
    isOwnHost: (host) => host === 'example.com' || host.endsWith('.example.com'),
  });
}

const ARRIVALS: [query: string, referrer: string, channel: Channel, source: string][] = [
  ['', '', 'Direct', ''],
  ['', 'https://shop.example.com/', 'Direct', ''],
  ['utm_campaign=spring', '', 'Direct', ''],
  ['utm_source=(direct)&utm_medium=(none)', '', 'Direct', ''],
  ['utm_source=direct', 'https://www.google.com/', 'Direct', ''],
  ['utm_source=google&utm_medium=cpc&utm_campaign=cross-network', '', 'Cross-network', 'Google'],
  ['utm_source=google&utm_medium=cpc&utm_campaign=summer_shopping', '', 'Paid Shopping', 'Google'],
  ['utm_source=amazon&utm_medium=ppc', '', 'Paid Shopping', 'Amazon'],
  ['utm_source=google&utm_medium=cpc', '', 'Paid Search', 'Google'],
  ['utm_source=bing&utm_medium=paid', '', 'Paid Search', 'Bing'],
  ['utm_source=google&utm_medium=CPM', '', 'Paid Search', 'Google'],
  ['utm_medium=cpc', 'https://www.google.com/', 'Paid Search', 'Google'],
  ['gclid=x', '', 'Paid Search', 'Google'],
  ['gclid=x', 'https://www.google.com/', 'Paid Search', 'Google'],
  ['gbraid=x&utm_source=google', '', 'Paid Search', 'Google'],
  ['wbraid=x', '', 'Paid Search', 'Google'],
  ['msclkid=x', 'https://www.bing.com/', 'Paid Search', 'Bing'],
  ['yclid=1', '', 'Paid Search', 'Yandex'],
  ['utm_source=google_ads', '', 'Paid Search', 'Google'],
  ['utm_source=adwords', '', 'Paid Search', 'Google'],
  ['utm_source=news.google.com&utm_medium=cpc', '', 'Paid Search', 'Google News'],
  ['utm_source=facebook&utm_medium=paid_social', '', 'Paid Social', 'Facebook'],
  ['utm_source=ig&utm_medium=cpc', '', 'Paid Social', 'Instagram'],
  ['utm_source=linkedin&utm_medium=retargeting', '', 'Paid Social', 'LinkedIn'],
  ['ttclid=x', '', 'Paid Social', 'TikTok'],
  ['utm_source=fb-ads', '', 'Paid Social', 'Facebook'],
  ['utm_source=social&utm_medium=cpc', '', 'Paid Social', 'Social'],
  ['twclid=x', 'https://t.co/', 'Paid Social', 'X'],
  ['li_fat_id=x', 'https://www.linkedin.com/', 'Paid Social', 'LinkedIn'],
  ['utm_source=youtube&utm_medium=cpc', '', 'Paid Video', 'YouTube'],
  ['utm_source=news-site&utm_medium=display', '', 'Display', 'news-site'],
  ['utm_source=partner&utm_medium=banner', '', 'Display', 'partner'],
  ['dclid=x', 'https://www.nytimes.com/', 'Display', 'DoubleClick'],
  ['utm_source=newsletter-x&utm_medium=cpc', '', 'Paid Other', 'newsletter-x'],
  ['utm_source=partner&utm_medium=cpc', 'https://www.google.com/', 'Paid Other', 'partner'],
  ['utm_source=taboola&utm_medium=cpc', '', 'Paid Other', 'Taboola'],
  ['', 'https://chatgpt.com/', 'AI assistants', 'ChatGPT'],
  ['utm_source=chatgpt.com', '', 'AI assistants', 'ChatGPT'],
  ['utm_source=chatgpt.com', 'https://chatgpt.com/', 'AI assistants', 'ChatGPT'],
  ['utm_source=perplexity', '', 'AI assistants', 'Perplexity'],
  ['utm_source=copilot.com', 'https://www.bing.com/', 'AI assistants', 'Copilot'],
  ['', 'android-app://com.openai.chatgpt/', 'AI assistants', 'ChatGPT'],
  ['', 'https://gemini.google.com/', 'AI assistants', 'Gemini'],
  ['utm_source=partner&utm_medium=ai-assistant', '', 'AI assistants', 'partner'],
  ['utm_source=partner&utm_medium=web', 'https://chatgpt.com/', 'AI assistants', 'partner'],
  ['', 'https://www.amazon.com/', 'Organic Shopping', 'Amazon'],
  ['utm_campaign=shop', 'https://blog.example.org/', 'Organic Shopping', 'blog.example.org'],
  ['srsltid=x', 'https://www.google.com/', 'Organic Search', 'Google'],
  ['srsltid=x', '', 'Organic Shopping', 'Google Shopping'],
  ['', 'https://l.facebook.com/', 'Organic Social', 'Facebook'],
  ['fbclid=x', 'https://l.facebook.com/', 'Organic Social', 'Facebook'],
  ['fbclid=x', '', 'Organic Social', 'Facebook'],
  ['fbclid=x', 'https://l.instagram.com/', 'Organic Social', 'Instagram'],
  ['utm_source=team&utm_medium=social', '', 'Organic Social', 'team'],
  ['ref=producthunt', '', 'Organic Social', 'Product Hunt'],
  ['utm_source=threads', '', 'Organic Social', 'Threads'],
  ['utm_source=facebook_ads&utm_medium=social', '', 'Organic Social', 'Facebook'],
  ['utm_source=facebook&utm_medium=email', '', 'Organic Social', 'Facebook'],
  ['utm_source=team&utm_medium=organic_social', '', 'Organic Social', 'team'],
  ['', 'https://www.smartnews.com/', 'Organic Social', 'SmartNews'],
  ['', 'https://www.youtube.com/', 'Organic Video', 'YouTube'],
  ['utm_source=us&utm_medium=video', '', 'Organic Video', 'us'],
  ['', 'https://www.google.com/', 'Organic Search', 'Google'],
  ['ref=nav', 'https://www.google.com/', 'Organic Search', 'Google'],
  ['utm_source=gmb&utm_medium=organic', '', 'Organic Search', 'Google'],
  ['utm_source=google', '', 'Organic Search', 'Google'],
  ['', 'https://news.google.com/', 'Organic Search', 'Google News'],
  ['', 'https://play.google.com/', 'Organic Search', 'Google Play'],
  ['', 'https://blog.example.org/post', 'Referral', 'blog.example.org'],
  ['ref=jane', '', 'Referral', 'jane'],
  ['utm_source=docs&utm_medium=link', '', 'Referral', 'docs'],
  ['utm_source=partner&utm_medium=referral', 'https://www.facebook.com/', 'Referral', 'partner'],
  ['utm_source=newsletter&utm_medium=email', '', 'Email', 'newsletter'],
  ['utm_source=mailchimp&utm_medium=e-mail', '', 'Email', 'Mailchimp'],
  ['', 'https://mail.google.com/', 'Email', 'Gmail'],
  ['mc_cid=1', '', 'Email', 'Mailchimp'],
  ['utm_source=spring&utm_medium=newsletter', '', 'Email', 'spring'],
  ['utm_source=weekly_newsletter', '', 'Email', 'weekly_newsletter'],
  ['utm_source=substack&utm_medium=email', '', 'Email', 'Substack'],
  ['utm_source=orange&utm_medium=email', '', 'Email', 'orange'],
  ['utm_source=newsletter&utm_medium=email', 'https://l.facebook.com/', 'Email', 'newsletter'],
  ['utm_source=jane&utm_medium=affiliate', '', 'Affiliates', 'jane'],
  ['awc=1', '', 'Affiliates', 'Awin'],
  ['utm_source=show&utm_medium=audio', '', 'Audio', 'show'],
  ['utm_source=crm&utm_medium=sms', '', 'SMS', 'crm'],
  ['utm_source=slack&utm_medium=sms', '', 'SMS', 'Slack'],
  ['utm_source=app&utm_medium=web_push', '', 'Mobile Push Notifications', 'app'],
  ['utm_source=firebase&utm_medium=x', '', 'Mobile Push Notifications', 'firebase'],
];

test.each(ARRIVALS)('?%s from "%s" is %s, %s', (query, referrer, channel, source) => {
  expect(arrive(query, referrer)).toMatchObject({ channel, source });
});

test('each channel occurs', () => {
  const reached = new Set(ARRIVALS.map(([, , channel]) => channel));
  expect(CHANNEL_NAMES.filter((channel) => !reached.has(channel))).toEqual([]);
});

test('campaign tags are kept as written, cleaned and limited', () => {
  expect(
    arrive('utm_source=News%20Letter&UTM_Medium=Email&utm_campaign=%C3%BCber%00&utm_content=a&utm_term=b&utm_term=c'),
  ).toMatchObject({
    utm_source: 'News Letter',
    utm_medium: 'Email',
    utm_campaign: 'über',
    utm_content: 'a',
    utm_term: 'b',
  });
  expect(arrive(`utm_source=${'x'.repeat(1_500)}`).utm_source).toHaveLength(255);
});

test.each(clickParameters)('the click identifier %s decides the channel, and is not stored', (parameter) => {
  const attribution = arrive(`${parameter}=CLICK-0815`);
  expect(attribution.channel).not.toBe('Direct');
  expect(JSON.stringify(attribution)).not.toContain('0815');
});
