// Waits until something has been left alone for a moment. What still waits when its component goes is never done.
import { onDestroy } from 'svelte';

export type Debounce = { run(act: () => void): void; cancel(): void };

/** To be made while a component is set up. */
export function debounce(restMs: number): Debounce {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const cancel = () => clearTimeout(timer);
  onDestroy(cancel);
  return {
    run(act) {
      cancel();
      timer = setTimeout(act, restMs);
    },
    cancel,
  };
}
