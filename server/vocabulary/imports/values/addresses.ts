// Addresses of pages and referrers. Of a query only what says where a visit came from is kept: the rest may name a person.
import { MAX_PAGE_LENGTH, cleanText, cut, readablePath } from '../../texts/spelling.ts';
import { remember } from './memo.ts';

/** The click identifiers that the collector knows (collect/sources/clicks.ts; a test compares them). */
const CLICK_IDS = new Set(
  (
    'gclid gbraid wbraid gad_source gad_campaignid gclsrc msclkid yclid ymclid bd_vid qhclickid n_media dclid ttclid twclid li_fat_id ' +
    'rdt_cid sccid epik vk_click_id qclid ldtag_cl obclid ob_click_id dicbo tblci taboola_click_id cto_pld ttd_uuid rtbhc ' +
    'adroll_click_id irclickid cjevent awc ranmid ransiteid sscid tduid admitad_uid pjid fbclid igshid igsh srsltid ysclid mc_cid ' +
    'mc_eid _hsenc _hsmi mkt_tok _kx _ke vero_id oly_enc_id oly_anon_id ml_subscriber ml_subscriber_hash ck_subscriber_id dm_i __s ' +
    'bsft_clkid'
  ).split(' '),
);
export const clickIds: readonly string[] = [...CLICK_IDS];

const CAMPAIGN = new Set(['utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term', 'ref', 'source']);
/** Matomo's own names of the same. */
const MATOMO: ReadonlyMap<string, string> = new Map(
  Object.entries({ kwd: 'utm_term', keyword: 'utm_term', campaign: 'utm_campaign' }),
);
const MAX_QUERY = 2_048;
const MAX_TAG = 255;

/**
 * The part of a query that is kept, with its question mark; '' for none. A click identifier can be traced to a person, so it is kept without its
 * value: its name alone tells the network.
 */
export const keptQuery = remember((query: string): string => {
  if (query === '') return '';
  const kept = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(query.slice(0, MAX_QUERY))) {
    const tag = tagOf(name.toLowerCase());
    if (value === '' || kept.has(tag)) continue;
    if (CAMPAIGN.has(tag)) kept.set(tag, cut(value, MAX_TAG));
    else if (CLICK_IDS.has(tag)) kept.set(tag, '1');
  }
  return kept.size === 0 ? '' : `?${kept.toString()}`;
});

function tagOf(name: string): string {
  const [, matomo] = /^(?:mtm|pk|piwik|matomo)_(\w+)$/.exec(name) ?? [];
  return matomo === undefined ? name : (MATOMO.get(matomo) ?? `utm_${matomo}`);
}

/** Path and kept query of a page, from its path, its query and tags that the file has beside them. '' if there is no page. */
export function pathOf(path: string, query = ''): string {
  const end = path.search(/[?#]/);
  const own = end === -1 ? path : path.slice(0, end);
  if (own.trim() === '') return '';
  const rest = end !== -1 && path[end] === '?' ? path.slice(end + 1).split('#')[0] : '';
  const page = cleanText(own.startsWith('/') ? own : `/${own}`, MAX_PAGE_LENGTH);
  return page + keptQuery(query === '' ? (rest ?? '') : query);
}

/** Host and path of an address, with its kept query; undefined if it is none. */
export function placeOf(address: string): { hostname: string; path: string } | undefined {
  const url = address.length <= 8_192 ? URL.parse(address.trim()) : null;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
  return { hostname: url.hostname, path: pathOf(url.pathname, url.search) };
}

export const hostnameOf = remember((text: string): string => cleanText(text, 253).toLowerCase());

/** The label of a page in a list: the path alone, as the collector writes it. */
export function pageLabel(text: string): string {
  const address = text.includes('://') ? (placeOf(text)?.path ?? text) : text;
  const end = address.search(/[?#]/);
  const path = (end === -1 ? address : address.slice(0, end)).trim();
  return path === '' ? '' : readablePath(cleanText(path, MAX_PAGE_LENGTH));
}

/** A referring page without query, fragment and the name of a user: address or host. */
export const referrerOf = remember((text: string): string => {
  const end = text.search(/[?#]/);
  const address = cleanText(end === -1 ? text : text.slice(0, end), MAX_PAGE_LENGTH);
  return address.replace(/^([a-z+-]{1,20}:\/\/)?[^/@]*@/i, '$1');
});

/** The label of a referrer in a list: host and path, without the scheme. */
export const referrerLabel = (text: string): string =>
  referrerOf(text)
    .replace(/^https?:\/\//i, '')
    .replace(/\/$/, '');
