// `foot.js?vitals` measures how fast a page felt, with Google's `web-vitals`, and sends one message when the page is first hidden or left.
import { type Metric, onCLS, onFCP, onINP, onLCP, onTTFB } from 'web-vitals';
import { addressNow } from '../address.ts';
import { tell } from '../beacon.ts';
import { isIgnored } from '../ignore.ts';
import { options } from '../options.ts';
import type { Measured } from './measured.ts';

/** What has been measured of the current page view; undefined once it is sent. */
let measured: Measured | undefined;
/** The address of the page that was loaded: a router may have changed it by the end. */
let url: string;

const begin = (): void => {
  url = addressNow();
  measured = {};
};

/** The kind of an element: its tag, and its role if it has one. Its id, its classes and its text may tell something about a person. */
const kindOf = (element: Element): string => `${element.localName} ${element.getAttribute('role')}`;

const keep = ({ name, value, navigationType, entries }: Metric): void => {
  if (!measured) return;
  const { element, target } = (entries.at(-1) ?? {}) as { element?: Element; target?: Element };
  const of = element || target;
  const key = name.toLowerCase() as Lowercase<typeof name>;
  measured.navigation = navigationType;
  measured[key] = value;
  if (of) measured[`${key as 'lcp' | 'inp'}_element`] = kindOf(of);
};

const send = (): void => {
  if (!document.hidden || !measured?.navigation) return;
  measured.connection = (navigator as { connection?: { effectiveType: string } }).connection?.effectiveType;
  const vitals = measured;
  measured = undefined;
  tell(url, 'vitals', { vitals });
};

const start = (): void => {
  begin();
  // before the listeners of the library, which report at once
  addEventListener('pageshow', ({ persisted }) => persisted && begin(), true);
  [onCLS, onFCP, onINP, onLCP, onTTFB].map((measure) => measure(keep));
  // after those of the library, which report what they know by then: it adds some late, on a page that was prerendered, but all in the capture phase
  document.addEventListener('visibilitychange', send);
};

/** The browser keeps its entries, so nothing is lost by waiting until it has nothing else to do. */
const wait = (): unknown => (window.requestIdleCallback || setTimeout)(start);

if (options.site && !isIgnored && options.vitals !== 'off' && !(Math.random() * 100 > Number(options.vitals || 100)))
  if (document.readyState === 'complete') wait();
  else addEventListener('load', wait);
