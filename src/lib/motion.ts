// How long things move: not at all for those who asked for less motion.
import { prefersReducedMotion } from 'svelte/motion';

export const moving = (ms: number): number => (prefersReducedMotion.current ? 0 : ms);
