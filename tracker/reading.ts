// Measures how long a page was visible and how far down it was seen, and reports declared goals that come into view.
import { recordAutomatic } from './record.ts';

/** 0 while the page is hidden. Undefined until it has been visible. */
let visibleSince: number | undefined;
let deepestPx = 0;

export const look = (): void => {
  deepestPx = Math.max(deepestPx, scrollY + innerHeight);
  for (const goal of document.querySelectorAll<HTMLElement & { foot?: boolean }>('[data-foot-view]')) {
    const bottom = goal.getBoundingClientRect().bottom; // 0 for an element that is not rendered. A footer may end half a pixel below the window.
    if (bottom > 0 && bottom < innerHeight + 1)
      goal.foot ||= !recordAutomatic(goal.dataset.footView as string, { interactive: false }); // becomes true, so it is sent once
  }
};

/** Records the time and depth since the last call: they belong to one page, and to one span of visibility. */
export const recordEngagement = (): void => {
  if (visibleSince) {
    look();
    recordAutomatic('engagement', {
      engaged: Date.now() - visibleSince,
      // A page that redirects at once has no body yet, and a page may have removed its root element.
      scroll: (100 * deepestPx) / document.documentElement?.scrollHeight,
    });
  }
  visibleSince = document.hidden ? 0 : Date.now();
  deepestPx = 0;
};
