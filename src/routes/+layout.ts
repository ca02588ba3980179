// One page for all addresses, drawn in the browser: there is nothing to render on the server that a file could not send faster.
export const ssr = false;
export const prerender = false;
