// Single-page navigation. The Navigation API tells of each one once it has happened; older browsers have their history wrapped.
import { countPageview } from './pageviews.ts';

const wrap = (method: 'pushState' | 'replaceState'): void => {
  const original = history[method];
  history[method] = (...args) => {
    original.apply(history, args);
    countPageview();
  };
};

export const startRouting = (): unknown =>
  // TRICKY: where the API is missing, `window.navigation` may be an element with that id, hence `currentEntry`
  window.navigation?.currentEntry
    ? navigation.addEventListener('currententrychange', countPageview)
    : (['pushState', 'replaceState'] as const).map(wrap);
