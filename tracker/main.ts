// The script that a snippet loads. It takes over what the page calls, leaves out who is to be left out, then listens.
import { isIgnored } from './ignore.ts';
import { countPageview, forgetPage, queue, seeOrLeave } from './pageviews.ts';
import { startRouting } from './routing.ts';
import { interact } from './interactions.ts';
import type { Call, Footfall } from './payload.ts';
import { look } from './reading.ts';
import { listen } from './safety.ts';

// else this is a second copy, and the first one counts
if (!queue.foot) {
  queue.foot = 1;
  (window.footfall = ((...call: Call) => queue.push(call)) as Footfall).q = queue;
  if (!isIgnored) {
    listen('visibilitychange', seeOrLeave);
    listen('prerenderingchange', seeOrLeave);
    listen('popstate', countPageview);
    listen('submit', interact);
    listen('load', look); // the script may run before there is anything to see
    listen('click', interact);
    listen('auxclick', interact); // the middle button
    listen('scroll', look);
    listen('pagehide', forgetPage);
    startRouting();
    countPageview();
  }
}
