// Measures how long a page was visible, how far it was scrolled, and which goals came into view.
import { recordAutomatic } from './record.ts';

/** 0 while the page is hidden. */
let visibleSince = 0;
let deepestPx = 0;

export const look = (): void => {
  deepestPx = Math.max(scrollY + innerHeight, deepestPx);
  for (const goal of document.querySelectorAll<HTMLElement & { foot?: unknown }>('[data-foot-view]')) {
    const bottom = goal.getBoundingClientRect().bottom; // 0 for elements that are not rendered; a footer may end half a pixel below the window
    if (!goal.foot && bottom > 0 && bottom < innerHeight + 1)
      goal.foot = recordAutomatic(goal.dataset.footView as string, { interactive: false }) || 1;
  }
};

/** Records the engagement of one page since the last record. */
export const recordEngagement = (): void => {
  if (visibleSince) {
    look();
    recordAutomatic('engagement', {
      engaged: Date.now() - visibleSince,
      scroll: (100 * deepestPx) / document.documentElement.scrollHeight, // there is no body yet if the page navigates at once
    });
  }
  visibleSince = document.hidden ? 0 : Date.now();
  deepestPx = 0;
};
