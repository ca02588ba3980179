// For bundlers: the same function, with types, and `start`, which loads the script from the server, so that no page runs an old version.
//   import { footfall, start } from './module.ts';
//   start({ site: 'example.com', source: 'https://stats.example.com/foot.js' });
//   footfall('purchase', { revenue: { amount: 19.9, currency: 'EUR' } });
import { attributesOf } from './attributes.ts';
import type { Before, Call, Details, Footfall, Props } from './payload.ts';

export type { Before, Details, Payload, Props, Revenue } from './payload.ts';

/** The events that the script sends by itself. */
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
  /** Address that events are posted to. Default: `foot` in the folder of the script. */
  endpoint?: string | undefined;
  /** Also sends from localhost and private addresses. The server accepts hosts that the site lists. */
  dev?: boolean | undefined;
  /** Uses the hash as the path: `/#/about` counts as `/about`. */
  hash?: boolean | undefined;
  /** Reports the canonical link of a page instead of its address. */
  canonical?: boolean | undefined;
  /** This page is a 404 page. */
  notFound?: boolean | undefined;
  /** `false`: navigations without a page load are not counted. */
  routing?: boolean | undefined;
  /** Automatic events to leave out. */
  off?: readonly AutomaticEvent[] | undefined;
  /** Properties of every page view. */
  props?: Props | undefined;
  /** Receives each event before it is sent. It may change the event, return another one, or return `false` to stop it. */
  before?: Before | undefined;
};

/** Settings that a server can write into a page: `before` is a function, and `start` takes it. */
export type PageSettings = Omit<Settings, 'before'>;

/** Loads the script once, in a browser. Does nothing on a server. */
export function start(settings: Settings): void {
  if (typeof window === 'undefined') return;
  const script = document.createElement('script');
  script.src = settings.source;
  // compared by address, since scripts of other products have a `data-site` too
  if ([...document.scripts].some(({ src }) => src === script.src)) return;
  for (const [name, value] of Object.entries(attributesOf(settings))) script.setAttribute(name, value);
  if (settings.before) {
    Object.assign(window, { [BEFORE]: settings.before });
    script.setAttribute('data-before', BEFORE);
  }
  document.head.append(script);
}

/** Sends an event. An event sent before the script has loaded waits until then. `footfall('pageview')` sends a page view by hand. */
export function footfall(name: string, details?: Details): void {
  if (typeof window !== 'undefined') (window.footfall ??= stub())(name, details);
}

/** A global name, since the script finds its hook by name. */
const BEFORE = 'footfallBefore';

function stub(): Footfall {
  const held: Call[] = [];
  return Object.assign((...call: Call) => void held.push(call), { q: held });
}
