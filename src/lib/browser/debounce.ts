// Runs a function once it has not been called for a moment. A pending call is dropped when the component is destroyed.
import { onDestroy } from 'svelte';

type Debounce = { run(act: () => void): void; cancel(): void };

/** Call it while a component is being set up. */
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
