// For bundlers: the same functions, typed. It loads the script from the server, so that a page never runs an old one.
//   import { footfall, start } from './module.ts';
//   start({ site: 'example.com', source: 'https://stats.example.com/foot.js' });
//   footfall('purchase', { revenue: { amount: 19.9, currency: 'EUR' } });
import type { Before, Call, Details, Footfall, Props } from './payload.ts';

export type { Before, Details, Payload, Props, Revenue } from './payload.ts';

/** What is counted without being asked for. */
export const AUTOMATIC_EVENTS = [
  'pageview',
  'engagement',
  'outbound_link',
  'file_download',
  'email_link',
  'phone_link',
  'form_submit',
  'not_found',
] as const;
export type AutomaticEvent = (typeof AUTOMATIC_EVENTS)[number];

export type Settings = {
  /** Domain of the site, as registered. */
  site: string;
  /** Address of the script: `https://HOST/foot.js`. */
  source: string;
  /** Where events are posted. Default: `foot` beside the script. */
  endpoint?: string | undefined;
  /** Sends from localhost and private addresses, too; the server takes hosts that the site lists. */
  dev?: boolean | undefined;
  /** Routes by hash: `/#/about` counts as `/about`. */
  hash?: boolean | undefined;
  /** Reports the canonical link of a page in place of its address. */
  canonical?: boolean | undefined;
  /** This page is a 404 page. */
  notFound?: boolean | undefined;
  /** `false`: navigations without a load are not counted. */
  routing?: boolean | undefined;
  /** Automatic events to leave out. */
  off?: readonly AutomaticEvent[] | undefined;
  /** Properties of every page view. */
  props?: Props | undefined;
  /** Sees each event before it is sent: changes it, returns another, or stops it with `false`. */
  before?: Before | undefined;
};

/** Loads the script once, in a browser; does nothing on a server. */
export function start(settings: Settings): void {
  if (typeof window === 'undefined') return;
  const script = document.createElement('script');
  script.src = settings.source;
  // by its address: scripts of other makers have a `data-site`, too
  if ([...document.scripts].some(({ src }) => src === script.src)) return;
  for (const [name, value] of Object.entries(attributesOf(settings))) script.setAttribute(`data-${name}`, value);
  if (settings.before) Object.assign(window, { [BEFORE]: settings.before });
  document.head.append(script);
}

/** Sends an event; before the script has loaded, keeps it for then. `footfall('pageview')` sends a page view by hand. */
export function footfall(name: string, details?: Details): void {
  if (typeof window !== 'undefined') (window.footfall ??= stub())(name, details);
}

/** A global name, since the script looks its hook up by name. */
const BEFORE = 'footfallBefore';

function stub(): Footfall {
  const held: Call[] = [];
  return Object.assign((...call: Call) => void held.push(call), { q: held });
}

function attributesOf(settings: Settings): Record<string, string> {
  const { site, endpoint, dev, hash, canonical, notFound, routing, off = [], props = {}, before } = settings;
  const present = { dev, hash, canonical, 404: notFound };
  return {
    site,
    ...(endpoint && { endpoint }),
    ...(before && { before: BEFORE }),
    ...(routing === false && { routing: 'off' }),
    ...Object.fromEntries(Object.entries(present).flatMap(([name, isSet]) => (isSet ? [[name, '']] : []))),
    ...Object.fromEntries(off.map((name) => [name, 'off'])),
    ...Object.fromEntries(Object.entries(props).map(([key, value]) => [`foot-${key}`, String(value)])),
  };
}
