// The script that the snippet loads. It replaces the page's `footfall` function, decides whether to count at all, then listens.
import { startRouting } from './routing.ts';
import { isIgnored } from './ignore.ts';
import { queue, seeOrLeave } from './pageviews.ts';
import type { Call, Footfall } from './payload.ts';
import { options } from './options.ts';

if (!options.site) console.error('no data-site');
// else this is a second copy, and the first one counts
else if (!queue.foot) {
  queue.foot = (window.footfall = ((...call: Call) => queue.push(call)) as Footfall).q = queue;
  if (!isIgnored) {
    startRouting();
    seeOrLeave();
  }
}
