// Animation durations: zero for those who prefer reduced motion.
import { prefersReducedMotion } from 'svelte/motion';

export const moving = (ms: number): number => (prefersReducedMotion.current ? 0 : ms);
