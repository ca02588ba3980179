// Runs once, during the build, for the page that serves every address.
import type { Handle } from '@sveltejs/kit';

/**
 * SvelteKit links the styles of everything that a page may load later: dialogs, the map, journeys. Each part brings its own styles when it
 * loads, so only those of the first screen stay.
 */
const OF_THE_FIRST_SCREEN = /\/assets\/(page|0)\.[\w-]+\.css"/;

export const handle: Handle = ({ event, resolve }) =>
  resolve(event, {
    transformPageChunk: ({ html }) =>
      html
        .replaceAll(/<link href="[^"]+" rel="stylesheet">/g, (link) => (OF_THE_FIRST_SCREEN.test(link) ? link : ''))
        .replaceAll(/<!--.*?-->|^\s+/gm, ''), // comments and indents are for those who read app.html
  });
