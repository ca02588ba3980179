// How long a page was visible, how far it was read, and which goals came into view on the way.
import { recordAutomatic } from './record.ts';

/** 0 while nobody looks. */
let visibleSince = 0;
let deepestPx = 0;

export const look = (): void => {
  deepestPx = Math.max(scrollY + innerHeight, deepestPx);
  for (const goal of document.querySelectorAll<HTMLElement & { foot?: unknown }>('[data-foot-view]')) {
    const bottom = goal.getBoundingClientRect().bottom; // 0 of what is not rendered; a footer may end half a pixel below the window
    if (!goal.foot && bottom > 0 && bottom < innerHeight + 1) {
      goal.foot = 1;
      recordAutomatic(goal.dataset.footView as string, { interactive: false });
    }
  }
};

/** Since it was last recorded: of one page, and of one time that it was visible. */
export const recordEngagement = (): void => {
  if (visibleSince) {
    look();
    recordAutomatic('engagement', {
      engaged: Date.now() - visibleSince,
      scroll: (100 * deepestPx) / document.documentElement.scrollHeight, // there is no body yet where a page moves on at once
    });
  }
  visibleSince = document.hidden ? 0 : Date.now();
  deepestPx = 0;
};
