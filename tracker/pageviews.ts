// Page views: counted when a page is first seen, so not while it is prerendered or waits in a background tab; once for each
// address; and again when it comes back from the back-forward cache.
import { declaredProps } from './declared.ts';
import { options, snippet } from './options.ts';
import type { Call, Queue } from './payload.ts';
import { look, recordEngagement } from './reading.ts';
import { page, record, recordAutomatic } from './record.ts';

export const queue: Queue = window.footfall?.q ?? [];

/** Origin and path of the page that was counted last; undefined until one is seen. */
let counted: string | true | undefined;

/** Says whether it did. */
export const countPageview = (): unknown => {
  // by hash: /app/?utm_source=x#!/users → /app/users?utm_source=x
  // eslint-disable-next-line regexp/no-super-linear-move -- ten bytes less; it is the visitor's own address, a few kB long
  const url = location.href.replace(/(\/?)(\?.*)?#!?\/?(.*)/, 'hash' in options ? '/$3$2' : '$1$2');
  const path = options.routing === 'off' || url.split(/[?#]/)[0];
  if (path === counted || document.hidden) return;
  // routers are late with their canonical links, so they are believed for the page that was loaded; queries name campaigns
  const canonical = 'canonical' in options && !counted && document.querySelector<HTMLLinkElement>('[rel=canonical]');
  recordEngagement(); // of the page that is left
  page.url = canonical ? canonical.href + location.search : url;
  recordAutomatic('pageview', declaredProps(snippet));
  if (!counted) {
    queue.map((queue.push = record as (call: Call) => never));
    look(); // some goals are in view without scrolling
    if ('404' in options) recordAutomatic('not_found');
  }
  return (counted = path);
};

/**
 * TRICKY: Chrome shows a prerendered page a moment before it stops prerendering it, and what is sent in that moment says
 * that it is a preview, which the server drops.
 */
export const seeOrLeave = (): unknown => document.prerendering || countPageview() || recordEngagement();

/** The page may come back from the back-forward cache, and is to be counted then. */
export const forgetPage = (): string => (counted = ' ');
