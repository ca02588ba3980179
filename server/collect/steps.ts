// What happens to a hit, in order: each step enriches (put…) or stops with a reason out of a closed set (drop…).
// After the last step nothing of the address and the user agent is left.
import { hash, type KeyObject, randomBytes } from 'node:crypto';
import type { AiVisit, Event, EventId, SiteId } from '../event.ts';
import { AUTOMATIC, PAGEVIEW } from '../event.ts';
import type { AddressHash } from '../http/address-hash.ts';
import type { Flood } from '../live/flood.ts';
import type { Windows } from '../live/windows.ts';
import type { SecurityLog } from '../security-log.ts';
import type { Site } from '../sites/sites.ts';
import type { DropReason } from '../vocabulary/drops.ts';
import { isPage } from './access-log.ts';
import { recogniseAi } from './ai.ts';
import { botReason } from './bots.ts';
import { attribute } from './channel.ts';
import { parseClient } from './device.ts';
import type { Geo } from './geo.ts';
import { readLanguage } from './language.ts';
import { pageOf } from './paths.ts';
import type { Payload } from './payload.ts';
import { screenClass } from './screen.ts';
import { isReferrerSpam } from './spam.ts';
import { type Page, hostOf, isHostOf, parseHttp, parsePage } from './url.ts';
import { visitorId } from './visitor.ts';

/** One request to count something, as it came in. */
export type Hit = {
  payload: Payload;
  page: Page;
  address: string;
  userAgent: string;
  /** Lower-case names. */
  headers: Readonly<Record<string, string | undefined>>;
  time: number;
  /** HTTP status, where it is known. */
  status: number;
  /** Of doors without a key: the address has a budget there. Servers that report, and imports, have shown who they are. */
  isFromAnybody?: true;
  /** Of doors that people's browsers reach beside the script: only agents of AI providers count there. */
  onlyAi?: boolean;
  /** Path and query of a request that a server of the site tells of: agents alone count, and pages alone. */
  reported?: string;
};

export type Context = {
  geo: Geo;
  windows: Pick<Windows, 'isRepeat'>;
  /** The site's salt of the UTC day of `time`. */
  saltOf(siteId: SiteId, time: number): Promise<KeyObject>;
  isOverQuota(site: Site): boolean;
  /** Where hits from anybody arrive. */
  flood?: Pick<Flood, 'takeEvent' | 'takeVisitor'> & { addresses: AddressHash; security: Pick<SecurityLog, 'limited'> };
};

/** `sender`: the hash of an address that has a budget. */
export type Draft = { hit: Hit; site: Site; event: Event; ai?: AiVisit; sender?: string };
type Step = (draft: Draft, context: Context) => DropReason | undefined | Promise<DropReason | undefined>;

export const STEPS: readonly Step[] = [
  dropPaused,
  dropForeignHost,
  dropFloodOfEvents,
  dropReportedFile,
  putAiVisit,
  dropBot,
  dropReportedPerson,
  dropOptedOut,
  dropReferrerSpam,
  dropOverQuota,
  dropSamePage,
  putPlace,
  putClient,
  putAttribution,
  putVisitor,
  dropFloodOfVisitors,
  dropRepeatView,
];

/** Runs the steps. Ends early with the reason for which a step dropped the hit, or with an AI visit. */
export async function runSteps(
  hit: Hit,
  site: Site,
  context: Context,
): Promise<{ recorded: Event | AiVisit } | { dropped: DropReason }> {
  const draft: Draft = { hit, site, event: blankEvent(hit, site) };
  for (const step of STEPS) {
    const answer = step(draft, context);
    const dropped = answer instanceof Promise ? await answer : answer;
    if (dropped) return { dropped };
    if (draft.ai) return { recorded: draft.ai };
  }
  return { recorded: draft.event };
}

export function blankEvent(hit: Hit, site: Site): Event {
  const { payload, page } = hit;
  return {
    kind: 'event',
    site_id: site.id,
    event_id: eventId(site.id, payload.id),
    time: hit.time,
    visitor_id: '' as Event['visitor_id'],
    name: payload.name,
    hostname: page.hostname,
    page: pageOf(page, site.settings),
    screen: '',
    language: '',
    props: payload.props ?? {},
    amount: payload.revenue?.amount ?? '',
    currency: payload.revenue?.currency ?? '',
    confirmed: hit.isFromAnybody !== true,
    interactive: !AUTOMATIC.has(payload.name) && payload.interactive !== false,
    engaged_ms: Math.round(payload.engaged ?? 0),
    scroll: Math.round(payload.scroll ?? 0),
    channel: '',
    source: '',
    referrer: '',
    utm_source: '',
    utm_medium: '',
    utm_campaign: '',
    utm_content: '',
    utm_term: '',
    country: '',
    region: '',
    city: '',
    browser: '',
    browser_version: '',
    os: '',
    os_version: '',
    device: 'other',
  };
}

/** 64 bits: of the sender's id on this site, or random where it sent none. */
export function eventId(siteId: SiteId, id: string | undefined): EventId {
  if (id === undefined) return randomBytes(8).toString('hex') as EventId;
  return hash('sha256', `${siteId}\0${id}`, 'hex').slice(0, 16) as EventId;
}

function dropPaused({ site }: Draft) {
  return site.paused ? 'paused' : undefined;
}

function dropForeignHost({ hit, site }: Draft) {
  return isHostOf(hit.page.hostname, site.domain, site.extra_hosts) ? undefined : 'foreign_host';
}

/** Before anything costly, and before AI visits, which anybody can claim to be. */
async function dropFloodOfEvents(draft: Draft, { flood }: Context) {
  const { address, time, isFromAnybody } = draft.hit;
  if (!flood || !isFromAnybody) return undefined;
  draft.sender = await flood.addresses.of(address, time);
  if (await flood.takeEvent(draft.sender, time)) return undefined;
  flood.security.limited('flood_of_events');
  return 'flood';
}

/** As in access logs: images, styles, feeds and files for crawlers are no pages. */
function dropReportedFile({ hit }: Draft) {
  return hit.reported !== undefined && !isPage(hit.reported) ? 'not_a_page' : undefined;
}

/** AI providers' agents are stored apart, and never in human numbers; what they send beside page views is no visit. */
function putAiVisit(draft: Draft) {
  const { hit, site, event } = draft;
  const signatureAgent = hit.headers['signature-agent'];
  const ai = recogniseAi({ userAgent: hit.userAgent, ...(signatureAgent !== undefined && { signatureAgent }) });
  if (!ai) return hit.onlyAi ? 'not_ai' : undefined;
  if (hit.payload.name !== PAGEVIEW) return 'bot_user_agent';
  draft.ai = {
    kind: 'ai_visit',
    site_id: site.id,
    event_id: event.event_id,
    time: hit.time,
    ...ai,
    hostname: hit.page.hostname,
    ai_page: event.page,
    status: hit.status,
  };
  return undefined;
}

function dropBot({ hit }: Draft) {
  return botReason({ userAgent: hit.userAgent, headers: hit.headers, webdriver: hit.payload.webdriver === true });
}

/** People run the script; of them a server tells nothing that could be counted. */
function dropReportedPerson({ hit }: Draft) {
  return hit.reported === undefined ? undefined : 'not_ai';
}

/** Global Privacy Control and Do Not Track, where the site honours them: nothing personal is kept of anybody. */
function dropOptedOut({ hit, site }: Draft) {
  return site.respects_gpc && (hit.headers['sec-gpc'] === '1' || hit.headers['dnt'] === '1') ? 'opted_out' : undefined;
}

function dropReferrerSpam({ hit }: Draft) {
  const referrer = hit.payload.referrer ? parseHttp(hit.payload.referrer) : undefined;
  return referrer && isReferrerSpam(hostOf(referrer)) ? 'referrer_spam' : undefined;
}

function dropOverQuota({ site }: Draft, context: Context) {
  return context.isOverQuota(site) ? 'over_quota' : undefined;
}

/** A single-page app that changed its query: another page only where the rules of the site say so. */
function dropSamePage({ hit, site, event }: Draft) {
  if (event.name !== PAGEVIEW || !hit.payload.from) return undefined;
  const from = parsePage(hit.payload.from);
  if (from?.hostname !== hit.page.hostname || from.page !== hit.page.page) return undefined;
  return pageOf(from, site.settings) === event.page ? 'repeat_view' : undefined;
}

function putPlace({ hit, event }: Draft, context: Context) {
  Object.assign(event, context.geo.locate(hit.address));
  return undefined;
}

function putClient({ hit, event }: Draft) {
  const { headers, payload } = hit;
  const hints = {
    brands: headers['sec-ch-ua-full-version-list'] ?? headers['sec-ch-ua'],
    platform: headers['sec-ch-ua-platform'],
    platformVersion: headers['sec-ch-ua-platform-version'],
    mobile: headers['sec-ch-ua-mobile'],
    model: headers['sec-ch-ua-model'],
    touchPoints: payload.touch,
    width: payload.width,
  };
  Object.assign(event, parseClient(hit.userAgent, hints));
  event.screen = screenClass(payload.width);
  event.language = readLanguage(headers['accept-language'] ?? '');
  return undefined;
}

function putAttribution({ hit, site, event }: Draft) {
  const isOwnHost = (host: string) => isHostOf(host, site.domain, site.extra_hosts);
  const { hostname, query } = hit.page;
  Object.assign(event, attribute({ referrer: hit.payload.referrer ?? '', query, hostname, isOwnHost }));
  return undefined;
}

async function putVisitor({ hit, site, event }: Draft, context: Context) {
  event.visitor_id = visitorId(await context.saltOf(site.id, hit.time), hit);
  return undefined;
}

/** One address that is many visitors: a script with a new user agent for each request. */
async function dropFloodOfVisitors({ event, hit, sender }: Draft, { flood }: Context) {
  if (!flood || sender === undefined) return undefined;
  if (await flood.takeVisitor(sender, event, hit.time)) return undefined;
  flood.security.limited('flood_of_visitors');
  return 'flood';
}

/** Routers that fire twice for one navigation. */
async function dropRepeatView({ event }: Draft, context: Context) {
  return event.name === PAGEVIEW && (await context.windows.isRepeat(event)) ? 'repeat_view' : undefined;
}
