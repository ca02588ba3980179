// Page views. A page counts when it is first seen, not while it is prerendered or in a background tab. It counts once per address, and
// again when it comes back from the back-forward cache.
import { addressNow } from './address.ts';
import { sendAgain } from './send.ts';
import { look, recordEngagement } from './reading.ts';
import type { Call, Queue } from './payload.ts';
import { declaredProps } from './declared.ts';
import { record, recordAutomatic } from './record.ts';
import { options, snippet } from './options.ts';

/** The address of the current page view, as it is reported. */
export let url: string;
/** The address that was counted last; '' if the page must be counted again. */
export let counted = '';

export const queue: Queue = window.footfall?.q || [];

/** Returns a truthy value if it counted a page view. */
export const countPageview = (): unknown => {
  const address = addressNow();
  // a different query may be a different page: the server decides that by the site's rules
  if (document.hidden || address === counted || (options.routing === 'off' && counted)) return;
  // Routers update canonical links late, so the link is used only for the page that was loaded. The query has the campaign.
  const canonical = 'canonical' in options && !url && document.querySelector<HTMLLinkElement>('[rel=canonical]');
  recordEngagement(); // for the page that is being left
  url = canonical ? canonical.href + location.search : address;
  recordAutomatic('pageview', declaredProps(snippet, 'data-foot-'));
  if (queue.push !== record) {
    queue.map((queue.push = record as (call: Call) => never));
    look(); // some goals are in view without scrolling
    if (404 in options) recordAutomatic('not_found');
  }
  return (counted = address);
};

/**
 * TRICKY: Chrome shows a prerendered page a moment before it stops prerendering it. A request sent in that moment is marked as a preview,
 * which the server drops.
 */
export const seeOrLeave = (): unknown => sendAgain() || document.prerendering || countPageview() || recordEngagement();

/** The page may come back from the back-forward cache, and must then be counted again. */
export const forgetPage = (): string => (counted = '');
