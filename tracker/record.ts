// One event: put together, shown to the site's hook, posted. Every kind passes here.
import { options } from './options.ts';
import type { Before, Call, Payload } from './payload.ts';
import { quietly } from './safety.ts';
import { post } from './send.ts';

/** The page view that is open. */
export const page = {} as { url: string };

/** Takes a call as the queue holds it, since whatever a page may have put there must not throw. */
export const record = quietly(([name, details]: Call): void => {
  let event: Payload | false = {
    width: innerWidth,
    webdriver: navigator.webdriver,
    site: options.site as string,
    referrer: document.referrer,
    name,
    url: page.url,
    id: Math.random() + '',
    touch: navigator.maxTouchPoints,
    ...details,
  };
  // looked up at each event, so that the page may define it later
  event = (window as unknown as Record<string, Before | undefined>)[options.before as string]?.(event) ?? event;
  if (event) void post(JSON.stringify(event));
});

/** What nobody asked for: it does not end a bounce, and `data-NAME="off"` leaves it out. */
export const recordAutomatic = (name: string, details?: Partial<Payload>): unknown =>
  options[name] !== 'off' && record([name, { interactive: false, ...details }]);
