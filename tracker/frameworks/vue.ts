// `footfall/vue`: a plugin, `app.use(footfallPlugin, { site, source })`, and the function that sends events.
import { footfall, start, type Settings } from '../module.ts';

/** Loads the script once. It survives the router, since the script itself counts navigations. */
export const footfallPlugin = {
  install(_app: unknown, settings: Settings): void {
    start(settings);
  },
};

/** The function that sends events: `const footfall = useFootfall()` in `<script setup>`. It may be called on a server. */
export function useFootfall(): typeof footfall {
  return footfall;
}
