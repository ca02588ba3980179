// A pause that ends early when the process is told to stop.
import { setTimeout } from 'node:timers/promises';

/** Resolves after `ms`, or when `signal` aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}
