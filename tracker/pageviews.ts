// Counts page views: when a page is first visible (not while it is prerendered or in a background tab), once per address, and again
// when it comes back from the back-forward cache.
import { sendAgain } from './send.ts';
import { look, recordEngagement } from './reading.ts';
import type { Call, Queue } from './payload.ts';
import { declaredProps } from './declared.ts';
import { record, recordAutomatic } from './record.ts';
import { options, snippet } from './options.ts';

/** The address of the current page view, as it is reported. */
export let url: string;
/** The address that was counted last; '' if it may be counted again. */
export let counted = '';

export const queue: Queue = window.footfall?.q ?? [];

/** Returns whether it recorded a page view. */
export const countPageview = (): unknown => {
  // by hash: /app/?utm_source=x#!/users → /app/users?utm_source=x
  // eslint-disable-next-line regexp/no-super-linear-move -- ten bytes less; it is the visitor's own address, a few kB long
  const address = location.href.replace(/(\/?)(\?.*)?#!?\/?(.*)/, 'hash' in options ? '/$3$2' : '$1$2');
  // a change of the query counts here; the server decides by the site's path rules whether it is another page
  if (document.hidden || address === counted || (options.routing === 'off' && counted)) return;
  // routers update canonical links late, so only the loaded page uses its own; the query stays, as it names the campaign
  const canonical = 'canonical' in options && !url && document.querySelector<HTMLLinkElement>('[rel=canonical]');
  recordEngagement(); // for the previous page
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
 * TRICKY: Chrome makes a prerendered page visible a moment before prerendering ends. Requests in that moment are marked as previews, and
 * the server drops them.
 */
export const seeOrLeave = (): unknown => sendAgain() || document.prerendering || countPageview() || recordEngagement();

/** A page that comes back from the back-forward cache is counted again. */
export const forgetPage = (): string => (counted = '');
