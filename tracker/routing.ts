// Single-page navigation. The Navigation API tells of each one once it has happened; older browsers are looked at ten times a second.
import { countPageview } from './pageviews.ts';

export const startRouting = (): unknown =>
  // TRICKY: where the API is missing, `window.navigation` may be an element with that id, hence `currentEntry`
  window.navigation?.currentEntry
    ? navigation.addEventListener('currententrychange', countPageview)
    : setInterval(countPageview, 99);
