// The script that the snippet loads. It replaces the page's `footfall` function, decides whether to count at all, then listens.
import { startRouting } from './routing.ts';
import { interact } from './interactions.ts';
import { isIgnored } from './ignore.ts';
import { listen } from './safety.ts';
import { countPageview, forgetPage, queue, seeOrLeave } from './pageviews.ts';
import type { Call, Footfall } from './payload.ts';
import { look } from './reading.ts';
import { options } from './options.ts';

if (!options.site) console.error('no data-site');
// else this is a second copy, and the first one counts
else if (!queue.foot) {
  queue.foot = (window.footfall = ((...call: Call) => queue.push(call)) as Footfall).q = queue;
  if (!isIgnored) {
    listen('pagehide', forgetPage);
    listen('scroll', look);
    listen('submit', interact);
    listen('auxclick', interact); // the middle button
    listen('click', interact);
    listen('prerenderingchange', seeOrLeave);
    listen('visibilitychange', seeOrLeave);
    startRouting();
    countPageview();
  }
}
