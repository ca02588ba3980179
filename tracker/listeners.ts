// The script's listeners: added at the start, removed once the script has given up.
import { interact } from './interactions.ts';
import { countPageview, forgetPage, seeOrLeave } from './pageviews.ts';
import { look } from './reading.ts';
import { timer } from './send.ts';

/** Listens in the capture phase: events that the page stops are still counted. Adding a listener again changes nothing. */
const toggle = (target: EventTarget, handlers: Record<string, (event: never) => unknown>): void => {
  for (const type in handlers)
    target[timer ? 'removeEventListener' : 'addEventListener'](type, handlers[type] as EventListener, true);
};

export const toggleListeners = (): void => {
  toggle(window, {
    prerenderingchange: seeOrLeave,
    click: interact,
    auxclick: interact, // the middle button
    pagehide: forgetPage,
    scroll: look,
    visibilitychange: seeOrLeave,
    submit: interact,
  });
  // in older browsers the target is the window, or an element with that id: neither gets this event
  toggle(window.navigation || window, { currententrychange: countPageview });
};
