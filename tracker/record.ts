// One event: put together, shown to the site's hook, posted. Every kind passes here.
import { options } from './options.ts';
import type { Before, Payload } from './payload.ts';
import { quietly } from './safety.ts';
import { post } from './send.ts';

/** The page view that is open. */
export const page = {} as { url: string };

export const record = quietly((name: string, details?: Partial<Payload>): void => {
  let event: Payload | false = {
    width: innerWidth,
    webdriver: navigator.webdriver,
    site: options.site as string,
    touch: navigator.maxTouchPoints,
    referrer: document.referrer,
    url: page.url,
    name,
    id: Math.random() + '',
    ...details,
  };
  // looked up at each event, so that the page may define it later
  event = (window as unknown as Record<string, Before | undefined>)[options.before as string]?.(event) ?? event;
  if (event) void post(JSON.stringify(event));
});

/** What nobody asked for: it does not end a bounce, and `data-NAME="off"` leaves it out. */
export const recordAutomatic = (name: string, details?: Partial<Payload>): void => {
  if (options[name] !== 'off') record(name, { interactive: false, ...details });
};
