// Single-page navigation. The Navigation API reports each one after it has happened (see `listeners.ts`); in older browsers the address
// is checked ten times a second.
import { countPageview } from './pageviews.ts';

export const startRouting = (): unknown =>
  // TRICKY: without the API, `window.navigation` may be an element with that id, hence the capital letter
  window.Navigation || setInterval(countPageview, 99);
