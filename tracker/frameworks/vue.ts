// `footfall/vue`: a plugin, `app.use(footfallPlugin, { site, source })`, and the function that sends events.
import { start, type Settings } from '../module.ts';

export { useFootfall } from './use.ts';

/** Loads the script once. It survives the router, since the script itself counts navigations. */
export const footfallPlugin = {
  install(_app: unknown, settings: Settings): void {
    start(settings);
  },
};
