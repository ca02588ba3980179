// Detects single-page navigation: by the Navigation API, or in older browsers by checking the address ten times a second.
import { countPageview } from './pageviews.ts';

export const startRouting = (): unknown =>
  // TRICKY: without the API, `window.navigation` may be an element with that id, so `currentEntry` is checked
  window.navigation?.currentEntry
    ? navigation.addEventListener('currententrychange', countPageview)
    : setInterval(countPageview, 99);
