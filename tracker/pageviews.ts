// Page views: counted when a page is first seen, so not while it is prerendered or waits in a background tab; once for each
// address; and again when it comes back from the back-forward cache.
import { sendAgain } from './send.ts';
import { look, recordEngagement } from './reading.ts';
import type { Call, Queue } from './payload.ts';
import { declaredProps } from './declared.ts';
import { record, recordAutomatic } from './record.ts';
import { options, snippet } from './options.ts';

/** Of the page view that is open, as it is reported. */
export let url: string;
/** The address that was counted last; '' where it is to be counted again. */
export let counted = '';

export const queue: Queue = window.footfall?.q ?? [];

/** Says whether it did. */
export const countPageview = (): unknown => {
  // by hash: /app/?utm_source=x#!/users → /app/users?utm_source=x
  // eslint-disable-next-line regexp/no-super-linear-move -- ten bytes less; it is the visitor's own address, a few kB long
  const address = location.href.replace(/(\/?)(\?.*)?#!?\/?(.*)/, 'hash' in options ? '/$3$2' : '$1$2');
  // another query may be another page, which the server decides by the rules of the site
  if (document.hidden || address === counted || (options.routing === 'off' && counted)) return;
  // routers are late with their canonical links, so they are believed for the page that was loaded; queries name campaigns
  const canonical = 'canonical' in options && !url && document.querySelector<HTMLLinkElement>('[rel=canonical]');
  recordEngagement(); // of the page that is left
  url = canonical ? canonical.href + location.search : address;
  recordAutomatic('pageview', declaredProps(snippet, 'data-foot-'));
  if (queue.push !== record) {
    queue.map((queue.push = record as (call: Call) => never));
    look(); // some goals are in view without scrolling
    if ('404' in options) recordAutomatic('not_found');
  }
  return (counted = address);
};

/**
 * TRICKY: Chrome shows a prerendered page a moment before it stops prerendering it, and what is sent in that moment says
 * that it is a preview, which the server drops.
 */
export const seeOrLeave = (): unknown => sendAgain() || document.prerendering || countPageview() || recordEngagement();

/** The page may come back from the back-forward cache, and is to be counted then. */
export const forgetPage = (): string => (counted = '');
