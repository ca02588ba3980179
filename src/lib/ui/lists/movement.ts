// Movements that many numbers and rows make at once. They change only opacity and transform and measure nothing, so the compositor runs
// them alone. Svelte's own transitions read the style of each element: at 500 events a second, those of the wall left 6 frames a second.
import type { Attachment } from 'svelte/attachments';
import { prefersReducedMotion } from 'svelte/motion';
import { MOVE_MS } from '../../browser/motion';

const RIPPLE_MS = 1100;
const FLASH_MS = 2400;
export const EASE = 'cubic-bezier(0.2, 0.7, 0.2, 1)';

/**
 * More at a time would be noise, and cost frames: on a site with 500 events a second, every number would always move. Elements beyond this
 * limit change without moving. Rows that slide have a limit of their own.
 */
const MAX_MOVING = 10;
const moving: number[] = [];
const sliding: number[] = [];

/** False for those who prefer reduced motion, and while the page is hidden. */
export const moves = (): boolean => !prefersReducedMotion.current && document.visibilityState === 'visible';

/** Reserves a slot for a movement of this many milliseconds. False if all slots are taken. `ends`: when the slots become free. */
function reserveMove(ms: number, ends = moving): boolean {
  if (!moves()) return false;
  const now = performance.now();
  const free = ends.findIndex((end) => end <= now);
  if (free === -1 && ends.length >= MAX_MOVING) return false;
  ends[free === -1 ? ends.length : free] = now + ms;
  return true;
}

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

// `getAnimations()` would make the browser work out every style again, so running animations are remembered here.
const rippling = new WeakMap<Element, number>();
const flashing = new WeakMap<Element, Animation>();

/** One ripple each time the key changes, but never two at a time: on a busy site, arrivals follow each other within milliseconds. */
export function ripple(key: number | undefined, shape: keyof typeof SHAPES, delay = 0): Attachment<HTMLElement> {
  return (element) => {
    const now = performance.now();
    if (key === undefined || now < (rippling.get(element) ?? 0) || !reserveMove(delay + RIPPLE_MS)) return;
    rippling.set(element, now + delay + RIPPLE_MS);
    element.animate(SHAPES[shape], { duration: RIPPLE_MS, delay, easing: EASE });
  };
}

/** Shows the element for a moment each time the key changes. */
export function flash(key: number | undefined): Attachment<HTMLElement> {
  return (element) => {
    if (key === undefined || !reserveMove(FLASH_MS)) return;
    flashing.get(element)?.cancel();
    const frames = [{ opacity: 1 }, { opacity: 1, offset: 0.4 }, { opacity: 0 }];
    flashing.set(element, element.animate(frames, { duration: FLASH_MS, easing: EASE }));
  };
}

/** What an element showed when it last moved. */
const digits = new WeakMap<Element, string>();
const places = new WeakMap<Element, number>();
const ROLL_PX = 14;

/** Rolls to another digit, upwards if the number has grown. The element's only child is the digit. */
export function rollsTo(char: string, direction: 1 | -1): Attachment<HTMLElement> {
  return (element) => {
    const before = digits.get(element);
    digits.set(element, char);
    if (before === undefined || before === char || !reserveMove(MOVE_MS)) return;
    element.setAttribute('data-before', before);
    const from = { opacity: 0, transform: `translateY(${ROLL_PX * direction}px)` };
    const [digit] = element.children;
    digit?.animate([from, { opacity: 1, transform: 'none' }], { duration: MOVE_MS, easing: EASE });
    const to = { opacity: 0, transform: `translateY(${-ROLL_PX * direction}px)` };
    element.animate([{ opacity: 1, transform: 'none' }, to], {
      duration: MOVE_MS,
      easing: EASE,
      pseudoElement: '::after',
    });
  };
}

/** Slides a row to its new place in a list whose rows are all `step` apart. A new row comes in from `fromPx` away, or is there at once. */
export function slidesTo(place: number, step: string, fromPx: number | undefined): Attachment<HTMLElement> {
  return (element) => {
    const before = places.get(element);
    places.set(element, place);
    if (before === place || (before === undefined && fromPx === undefined) || !reserveMove(MOVE_MS, sliding)) return;
    const from =
      before === undefined
        ? { opacity: 0, transform: `translateY(${fromPx}px)` }
        : { transform: `translateY(calc(${before - place} * (${step})))` };
    element.animate([from, before === undefined ? { opacity: 1, transform: 'none' } : { transform: 'none' }], {
      duration: MOVE_MS,
      easing: EASE,
    });
  };
}
