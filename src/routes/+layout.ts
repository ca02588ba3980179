// A single page for all addresses, rendered in the browser. Server rendering would only be slower than a static file.
export const ssr = false;
export const prerender = false;
