// The steps that stop a hit. Each answers the reason, or undefined where the hit goes on.
import { PAGEVIEW } from '../event.ts';
import { isPage } from './access-log.ts';
import { botReason } from './bots.ts';
import type { Context, Draft } from './draft.ts';
import { pageOf } from './paths.ts';
import { isReferrerSpam } from './spam.ts';
import { hostOf, isHostOf, parseHttp, parsePage } from './url.ts';

export function dropPaused({ site }: Draft) {
  return site.paused ? 'paused' : undefined;
}

export function dropForeignHost({ hit, site }: Draft) {
  return isHostOf(hit.page.hostname, site.domain, site.extra_hosts) ? undefined : 'foreign_host';
}

/** Before anything costly, and before AI visits, which anybody can claim to be. */
export async function dropFloodOfEvents(draft: Draft, { limits }: Context) {
  const { address, time } = draft.hit;
  if (!limits) return undefined;
  draft.sender = await limits.addresses.of(address, time);
  if (await limits.flood.takeEvent(draft.sender, time)) return undefined;
  limits.security.limited('flood_of_events');
  return 'flood';
}

/** As in access logs: images, styles, feeds and files for crawlers are no pages. */
export function dropFile({ hit }: Draft) {
  return isPage(hit.target) ? undefined : 'not_a_page';
}

/** People run the script: doors beside it count AI visits alone. */
export function dropNotAi() {
  return 'not_ai' as const;
}

/** Errors and redirects are shown for AI visits alone: no person has seen a page. */
export function dropNotServed({ hit: { status } }: Draft) {
  const isServed = (status >= 200 && status < 300) || status === 304;
  return isServed ? undefined : 'not_ai';
}

export function dropBot({ hit: { userAgent, headers, webdriver } }: Draft) {
  return botReason({ userAgent, headers, webdriver });
}

/** Global Privacy Control and Do Not Track, where the site honours them. */
export function dropOptedOut({ hit, site }: Draft) {
  return site.respects_gpc && (hit.headers['sec-gpc'] === '1' || hit.headers['dnt'] === '1') ? 'opted_out' : undefined;
}

export function dropReferrerSpam({ hit }: Draft) {
  const referrer = hit.referrer ? parseHttp(hit.referrer) : undefined;
  return referrer && isReferrerSpam(hostOf(referrer)) ? 'referrer_spam' : undefined;
}

export function dropOverQuota({ site }: Draft, { limits }: Context) {
  return limits?.isOverQuota(site) ? 'over_quota' : undefined;
}

/** A single-page app that changed its query: another page only where the rules of the site say so. */
export function dropSamePage({ hit, site, event }: Draft) {
  if (event.name !== PAGEVIEW || !hit.previousUrl) return undefined;
  const previous = parsePage(hit.previousUrl);
  if (previous?.hostname !== hit.page.hostname || previous.page !== hit.page.page) return undefined;
  return pageOf(previous, site.settings) === event.page ? 'repeat_view' : undefined;
}

/** One address that is many visitors: a script with a new user agent for each request. */
export async function dropFloodOfVisitors({ event, hit, sender }: Draft, { limits }: Context) {
  if (!limits || sender === undefined) return undefined;
  if (await limits.flood.takeVisitor(sender, event, hit.time)) return undefined;
  limits.security.limited('flood_of_visitors');
  return 'flood';
}

/** Routers that fire twice for one navigation. */
export async function dropRepeatView({ event }: Draft, { windows }: Context) {
  return event.name === PAGEVIEW && (await windows.isRepeat(event)) ? 'repeat_view' : undefined;
}
