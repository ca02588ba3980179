// Click identifiers that ad networks and newsletters append to links. They tell paid from organic visits. They are not kept, since their
// issuer can trace them to a click, and so to a person.
import type { Medium } from '../lists/sources.ts';

export type Click = {
  /** `paid` and `display`: the network appends the parameter only to paid links. */
  kind: 'paid' | 'display' | 'organic';
  source: string;
  medium: Medium;
};

const search = (source: string): Click => ({ kind: 'paid', source, medium: 'search' });
const social = (source: string): Click => ({ kind: 'paid', source, medium: 'social' });
const other = (source: string): Click => ({ kind: 'paid', source, medium: 'paid' });
const organic = (source: string, medium: Medium): Click => ({ kind: 'organic', source, medium });

/** Each parameter is taken from its network's documentation of auto-tagging. */
const CLICKS = new Map<string, Click>([
  ['gclid', search('Google')],
  ['gbraid', search('Google')],
  ['wbraid', search('Google')],
  ['gad_source', search('Google')],
  ['gad_campaignid', search('Google')],
  ['gclsrc', search('Google')],
  ['msclkid', search('Bing')],
  ['yclid', search('Yandex')], // Yandex Direct; Yahoo! Japan's ads use the same parameter
  ['ymclid', { kind: 'paid', source: 'Yandex Market', medium: 'shopping' }],
  ['bd_vid', search('Baidu')],
  ['qhclickid', search('360 Search')],
  ['n_media', search('Naver')],
  ['dclid', { kind: 'display', source: 'DoubleClick', medium: 'paid' }], // Display & Video 360, Campaign Manager 360
  ['ttclid', social('TikTok')],
  ['twclid', social('X')],
  ['li_fat_id', social('LinkedIn')],
  ['rdt_cid', social('Reddit')],
  ['sccid', social('Snapchat')],
  ['epik', social('Pinterest')],
  ['vk_click_id', social('VK')],
  ['qclid', social('Quora')],
  ['ldtag_cl', social('LINE')],
  ['obclid', other('Outbrain')],
  ['ob_click_id', other('Outbrain')],
  ['dicbo', other('Outbrain')],
  ['tblci', other('Taboola')],
  ['taboola_click_id', other('Taboola')],
  ['cto_pld', other('Criteo')],
  ['ttd_uuid', other('The Trade Desk')],
  ['rtbhc', other('RTB House')],
  ['adroll_click_id', other('AdRoll')],
  ['irclickid', { kind: 'paid', source: 'Impact', medium: 'affiliate' }],
  ['cjevent', { kind: 'paid', source: 'CJ', medium: 'affiliate' }],
  ['awc', { kind: 'paid', source: 'Awin', medium: 'affiliate' }],
  ['ranmid', { kind: 'paid', source: 'Rakuten Advertising', medium: 'affiliate' }],
  ['ransiteid', { kind: 'paid', source: 'Rakuten Advertising', medium: 'affiliate' }],
  ['sscid', { kind: 'paid', source: 'ShareASale', medium: 'affiliate' }],
  ['tduid', { kind: 'paid', source: 'Tradedoubler', medium: 'affiliate' }],
  ['admitad_uid', { kind: 'paid', source: 'Admitad', medium: 'affiliate' }],
  ['pjid', { kind: 'paid', source: 'Pepperjam', medium: 'affiliate' }],
  // Facebook appends fbclid to every outbound link, in posts and in ads: it reveals the source, but not whether the link was paid for.
  ['fbclid', organic('Facebook', 'social')],
  ['igshid', organic('Instagram', 'social')],
  ['igsh', organic('Instagram', 'social')],
  ['srsltid', organic('Google Shopping', 'shopping')], // Merchant Center's free listings
  ['ysclid', organic('Yandex', 'search')],
  ['mc_cid', organic('Mailchimp', 'email')],
  ['mc_eid', organic('Mailchimp', 'email')],
  ['_hsenc', organic('HubSpot', 'email')],
  ['_hsmi', organic('HubSpot', 'email')],
  ['mkt_tok', organic('Marketo', 'email')],
  ['_kx', organic('Klaviyo', 'email')],
  ['_ke', organic('Klaviyo', 'email')],
  ['vero_id', organic('Vero', 'email')],
  ['oly_enc_id', organic('Omeda', 'email')],
  ['oly_anon_id', organic('Omeda', 'email')],
  ['ml_subscriber', organic('MailerLite', 'email')],
  ['ml_subscriber_hash', organic('MailerLite', 'email')],
  ['ck_subscriber_id', organic('ConvertKit', 'email')],
  ['dm_i', organic('Dotdigital', 'email')],
  ['__s', organic('Drip', 'email')],
  ['bsft_clkid', organic('Blueshift', 'email')],
]);

/** Returns the first paid identifier of a link, or else its first organic one; undefined if it has none. */
export function readClick(query: URLSearchParams): Click | undefined {
  let found: Click | undefined;
  for (const [name, value] of query) {
    if (value === '') continue;
    const click = CLICKS.get(name.toLowerCase());
    if (click && click.kind !== 'organic') return click;
    found ??= click;
  }
  return found;
}

export const clickParameters: readonly string[] = [...CLICKS.keys()];
