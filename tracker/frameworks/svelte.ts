// `footfall/svelte`: loads the script, in the script of the root layout, and gives the function that sends events.
import { footfall, start, type Settings } from '../module.ts';

/** With settings, loads the script once, in the browser alone. Without, only returns the function that sends events. */
export function useFootfall(settings?: Settings): typeof footfall {
  if (settings) start(settings);
  return footfall;
}
