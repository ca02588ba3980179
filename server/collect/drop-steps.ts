// The steps that drop a hit. Each returns the reason, or undefined if the hit goes on.
import { PAGEVIEW } from '../vocabulary/event.ts';
import { isPage, isServed } from '../vocabulary/imports/logs/pages.ts';
import { botReason } from './agents/bots.ts';
import type { Draft, OwnContext, SharedContext, SharedDraft } from './draft.ts';
import { leftOutOf } from './left-out.ts';
import { pageOf } from '../sites/paths.ts';
import { measuresVitals, recordsErrors } from '../sites/settings.ts';
import { showsCopies } from './lists/copies.ts';
import { isSpam } from './sources/referrer.ts';
import { isHostOf, parsePage } from '../vocabulary/texts/url.ts';

export function dropPaused({ site }: Draft) {
  return site.paused ? 'paused' : undefined;
}

/** Measurements of a site that is not to be measured, for example while browsers still have the script of when it was. */
export function dropUnasked({ site }: Draft) {
  return measuresVitals(site.settings) ? undefined : 'vitals_off';
}

/** Errors of a site that does not record them. */
export function dropUnaskedErrors({ site }: Draft) {
  return recordsErrors(site.settings) ? undefined : 'errors_off';
}

export function dropForeignHost({ hit, site }: Draft) {
  const { hostname } = hit.page;
  if (isHostOf(hostname, site.domain, site.extra_hosts)) return undefined;
  return showsCopies(hostname) ? 'shown_elsewhere' : 'foreign_host';
}

export function dropLeftOutHost({ hit, site }: Draft) {
  return leftOutOf(site.settings)?.isHost(hit.page.hostname) ? 'left_out_host' : undefined;
}

/** A page is known by its own path, and by the one that the site's path rules give it, which the dashboard shows. */
export function dropLeftOutPage({ hit, site, event }: Draft) {
  const leftOut = leftOutOf(site.settings);
  return leftOut && (leftOut.isPage(hit.page.page) || leftOut.isPage(event.page)) ? 'left_out_page' : undefined;
}

export function dropOwnVisit({ hit, site }: Draft) {
  return leftOutOf(site.settings)?.isOwn(hit.address) ? 'own_visit' : undefined;
}

export function dropLeftOutCountry({ site, event }: Draft) {
  return leftOutOf(site.settings)?.isCountry(event.country) ? 'left_out_country' : undefined;
}

/** Runs before any costly step, and before AI visits are recognised, since anybody can pretend to be an AI agent. */
export function dropFloodOfEvents({ hit, sender }: SharedDraft, context: SharedContext) {
  return floodOf(sender, hit, context);
}

/** As many errors as page views, but counted apart: a page that fails takes nothing from the page views of its address. */
export function dropFloodOfErrors({ hit, sender }: SharedDraft, context: SharedContext) {
  return floodOf(sender === undefined ? undefined : `errors ${sender}`, hit, context);
}

function floodOf(sender: string | undefined, { time }: SharedDraft['hit'], { floods }: SharedContext) {
  if (!floods || sender === undefined) return undefined;
  return whenKnown(floods.flood.takeEvent(sender, time), (mayPass) => {
    if (mayPass) return undefined;
    floods.security.limited('flood_of_events');
    return 'flood' as const;
  });
}

/** Runs last, so that only errors that would be stored use the limits. */
export function dropErrorsOverLimit({ error, sender = '' }: SharedDraft, { floods }: SharedContext) {
  return error && floods?.flood.takeError(error, sender);
}

/** Images, styles, feeds and files for crawlers are not pages, as in access logs. */
export function dropFile({ hit }: Draft) {
  return isPage(hit.target) ? undefined : 'not_a_page';
}

/** Runs at doors that count only AI visits: people are counted by the script. */
export function dropNotAi() {
  return 'not_ai' as const;
}

/** Errors and redirects count only as AI visits: a person has not seen a page. */
export function dropNotServed({ hit: { status } }: Draft) {
  return isServed(status) ? undefined : 'not_ai';
}

export function dropBot({ hit: { userAgent, headers, webdriver } }: Draft) {
  return botReason({ userAgent, headers, webdriver });
}

/** Honours Global Privacy Control and Do Not Track if the site does. */
export function dropOptedOut({ hit, site }: Draft) {
  return site.respects_gpc && (hit.headers['sec-gpc'] === '1' || hit.headers['dnt'] === '1') ? 'opted_out' : undefined;
}

export function dropReferrerSpam({ hit }: Draft) {
  return isSpam(hit.referrer) ? 'referrer_spam' : undefined;
}

export function dropOverQuota({ site }: Draft, { limits }: OwnContext) {
  return limits?.isOverQuota(site) ? 'over_quota' : undefined;
}

/** A single-page app may change only the query. That is another page only if the site's rules say so. */
export function dropSamePage({ hit, site, event }: Draft) {
  if (event.name !== PAGEVIEW || !hit.previousUrl) return undefined;
  const previous = parsePage(hit.previousUrl);
  if (previous?.hostname !== hit.page.hostname || previous.page !== hit.page.page) return undefined;
  return pageOf(previous, site.settings) === event.page ? 'repeat_view' : undefined;
}

/** Drops visitors of an address that has too many, for example from a script that sends each request with a new user agent. */
export function dropFloodOfVisitors({ event, hit, sender }: SharedDraft, { floods }: SharedContext) {
  if (!floods || sender === undefined) return undefined;
  return whenKnown(floods.flood.takeVisitor(sender, event, hit.time), (mayPass) => {
    if (mayPass) return undefined;
    floods.security.limited('flood_of_visitors');
    return 'flood' as const;
  });
}

/** Some client-side routers fire twice for one navigation. */
export function dropRepeatView({ event }: SharedDraft, { windows }: SharedContext) {
  if (event.name !== PAGEVIEW) return undefined;
  return whenKnown(windows.isRepeat(event), (isRepeat) => (isRepeat ? ('repeat_view' as const) : undefined));
}

/** Continues synchronously if the value is already known, as it is without Redis. An `await` would delay every hit for nothing. */
export function whenKnown<Value, Next>(
  value: Value | Promise<Value>,
  next: (value: Value) => Next,
): Next | Promise<Awaited<Next>> {
  return value instanceof Promise ? (value.then(next) as Promise<Awaited<Next>>) : next(value);
}
