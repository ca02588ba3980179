// The steps that enrich a draft with data from its hit.
import { errorOfView, PAGEVIEW, vitalsOfView } from '../vocabulary/event.ts';
import { recogniseAi } from './agents/ai.ts';
import { attribute } from './sources/channel.ts';
import { parseClient } from './agents/device.ts';
import type { Draft, OwnContext } from './draft.ts';
import { readError } from './errors/read.ts';
import { whenKnown } from './drop-steps.ts';
import { orderId } from './order.ts';
import { readLanguage } from './agents/language.ts';
import { screenClass } from './agents/screen.ts';
import { isHostOf } from '../vocabulary/texts/url.ts';
import { visitorId } from './visitor.ts';

/** Query parameters that name the source of a server's event. All others may contain anything, so they are ignored. */
const SOURCE_PARAMETER = /^(?:utm_.*|ref|source)$/i;

/** The sender of a hit at a door that needs no key or token, for the limits per address. */
export function putSender(draft: Draft, { limits }: OwnContext) {
  if (!limits) return undefined;
  return whenKnown(limits.addresses.of(draft.hit.address, draft.hit.time), (sender) => {
    draft.sender = sender;
    return undefined;
  });
}

/** AI agents are stored apart from people. Only their page views count as visits. */
export function putAiVisit(draft: Draft) {
  const { hit, site, event } = draft;
  const signatureAgent = hit.headers['signature-agent'];
  const ai = recogniseAi({ userAgent: hit.userAgent, ...(signatureAgent !== undefined && { signatureAgent }) });
  if (!ai) return undefined;
  if (hit.name !== PAGEVIEW) return 'bot_user_agent';
  draft.ai = {
    kind: 'ai_visit',
    site_id: site.id,
    event_id: event.event_id,
    time: hit.time,
    day: event.day,
    ...ai,
    hostname: hit.page.hostname,
    ai_page: event.page,
    status: hit.status,
    import_id: '',
  };
  return undefined;
}

export function putPlace({ hit, event }: Draft, { geo }: OwnContext) {
  Object.assign(event, geo.locate(hit.address));
  return undefined;
}

export function putClient({ hit, event }: Draft) {
  const { headers, width, touchPoints } = hit;
  const hints = {
    brands: headers['sec-ch-ua-full-version-list'] ?? headers['sec-ch-ua'],
    platform: headers['sec-ch-ua-platform'],
    platformVersion: headers['sec-ch-ua-platform-version'],
    mobile: headers['sec-ch-ua-mobile'],
    model: headers['sec-ch-ua-model'],
    touchPoints,
    width,
  };
  Object.assign(event, parseClient(hit.userAgent, hints));
  event.screen = screenClass(width);
  event.language = readLanguage(headers['accept-language'] ?? '');
  return undefined;
}

/** Place and client as the other product has recorded them. */
export function putImported({ hit: { imported }, event }: Draft) {
  if (!imported) return undefined;
  const { country, region, city, browser, browser_version, os, os_version, device, language, screen_width } = imported;
  Object.assign(event, { country, region, city, browser, browser_version, os, os_version, device, language });
  event.screen = screenClass(screen_width);
  return undefined;
}

export function putAttribution(draft: Draft) {
  attributeTo(draft, draft.hit.page.query);
  return undefined;
}

/** A server's event has a source only if the query of its URL names one. */
export function putTaggedSource(draft: Draft) {
  const tags = new URLSearchParams([...draft.hit.page.query].filter(([name]) => SOURCE_PARAMETER.test(name)));
  if (tags.size > 0) attributeTo(draft, tags);
  return undefined;
}

function attributeTo({ hit, site, event }: Draft, query: URLSearchParams): void {
  const { hostname } = hit.page;
  Object.assign(event, attribute({ referrer: hit.referrer, query, hostname, isOwnHost: ownHostsOf(site) }));
}

const ownHostsOf = (site: Draft['site']) => (host: string) => isHostOf(host, site.domain, site.extra_hosts);

/** Keeps only a keyed hash of the order number. */
export function putOrder({ hit, site, event }: Draft, { orderKey }: OwnContext) {
  if (orderKey && hit.order !== '') event.order_id = orderId(orderKey, site.id, hit.order);
  return undefined;
}

export function putVisitor({ hit, site, event }: Draft, { saltOf }: OwnContext) {
  return whenKnown(saltOf(site, hit.time), (salt) => {
    event.visitor_id = visitorId(salt, hit);
    return undefined;
  });
}

/** The last step of measurements: of the event, only what they have in common is kept. */
export function putVitals(draft: Draft) {
  draft.vitals = { ...vitalsOfView(draft.event), ...draft.hit.vitals };
  return undefined;
}

/** The same of an error. */
export function putError(draft: Draft) {
  const { error, page } = draft.hit;
  const read = error && readError(error, page, ownHostsOf(draft.site));
  if (!read) return 'foreign_error';
  draft.error = { ...errorOfView(draft.event), ...read };
  return undefined;
}
