// Soft signs of an arrival. The compositor runs them alone: they change only opacity and transform, and cost no layout.
import type { Attachment } from 'svelte/attachments';
import { prefersReducedMotion } from 'svelte/motion';

const RIPPLE_MS = 1100;
const FLASH_MS = 2400;
const EASE = 'cubic-bezier(0.2, 0.7, 0.2, 1)';

const isCalm = () => prefersReducedMotion.current || document.visibilityState === 'hidden';

/** A ring widens from the middle of its element; a wave runs through it from the left. */
const SHAPES = {
  ring: [
    { opacity: 0.7, transform: 'scale(0.2)' },
    { opacity: 0, transform: 'scale(1)' },
  ],
  wave: [
    { opacity: 1, transform: 'translateX(-100%)' },
    { opacity: 0, transform: 'translateX(100%)' },
  ],
};

/** One ripple each time the key changes, but never two at a time: on a busy site, arrivals follow each other within milliseconds. */
export function ripple(key: number | undefined, shape: keyof typeof SHAPES, delay = 0): Attachment<HTMLElement> {
  return (element) => {
    if (key === undefined || isCalm() || element.getAnimations().length > 0) return;
    element.animate(SHAPES[shape], { duration: RIPPLE_MS, delay, easing: EASE });
  };
}

/** Shows the element for a moment each time the key changes. */
export function flash(key: number | undefined): Attachment<HTMLElement> {
  return (element) => {
    if (key === undefined || isCalm()) return;
    for (const before of element.getAnimations()) before.cancel();
    element.animate([{ opacity: 1 }, { opacity: 1, offset: 0.4 }, { opacity: 0 }], {
      duration: FLASH_MS,
      easing: EASE,
    });
  };
}
