// What foot.js?vitals and foot.js?errors send, and of which page. They share no variable with foot.js, but read the same attributes and keep the
// same rules.
import { options, snippet } from './options.ts';

type Hook = (event: object) => object | false | undefined;

/** Shows the message to the site's hook, and sends it in the background, also from a page that is being left. */
export const tell = (url: string, name: string, more: object): void => {
  try {
    const sent = {
      url,
      width: innerWidth,
      touch: navigator.maxTouchPoints,
      id: Math.random(),
      name,
      site: options.site as string,
      webdriver: navigator.webdriver,
      ...more,
    };
    const event = (window as unknown as Record<string, Hook | undefined>)[options.before as string]?.(sent) ?? sent;
    if (event) navigator.sendBeacon(options.endpoint || new URL('foot', snippet.src), JSON.stringify(event));
  } catch {
    // the site's hook has failed: nothing is sent, and the page goes on
  }
};
