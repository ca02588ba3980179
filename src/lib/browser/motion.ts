// Animation durations: zero for those who prefer reduced motion.
import { prefersReducedMotion } from 'svelte/motion';

/** How long numbers, rows and lines take to their new place: `--calm` of tokens.css. */
export const MOVE_MS = 200;

export const moving = (ms: number): number => (prefersReducedMotion.current ? 0 : ms);
