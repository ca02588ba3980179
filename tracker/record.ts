// Builds an event, shows it to the site's hook, and posts it. Every event passes through here.
import { options } from './options.ts';
import { url } from './pageviews.ts';
import type { Before, Call, Details, Payload } from './payload.ts';
import { post } from './send.ts';

/** Takes a call as the queue holds it. The page may have put anything there, so this must not throw. */
export const record = (call: Call): void => {
  try {
    const [name, details] = call;
    let event: Payload | false = {
      touch: navigator.maxTouchPoints,
      site: options.site as string,
      referrer: document.referrer,
      name,
      width: innerWidth,
      url,
      id: Math.random(),
      webdriver: navigator.webdriver,
      ...details,
    };
    // looked up for each event, so that the page may define it later
    event = (window as unknown as Record<string, Before | undefined>)[options.before as string]?.(event) ?? event;
    if (event) void post(JSON.stringify(event));
  } catch {
    // one event is lost, and the page goes on
  }
};

/** For events that the script sends by itself: `data-NAME="off"` disables them. */
export const recordAutomatic = (name: string | false, details?: Partial<Payload> | ''): unknown =>
  name && options[name] !== 'off' && record([name, details as Details]);
