// What is added to foot.js for the pages of a site that is measured: it loads `foot.js?vitals` with the attributes of the snippet, once the page
// has loaded and the browser has nothing else to do.

const snippet = (document.currentScript || document.querySelector('script[data-site]')) as HTMLScriptElement | null;

const load = (): void => {
  const script = document.createElement('script');
  for (const name of snippet?.getAttributeNames() ?? []) script.setAttribute(name, snippet?.getAttribute(name) ?? '');
  script.nonce = snippet?.nonce ?? ''; // no attribute tells it
  script.src = `${snippet?.src}?vitals`;
  document.head.append(script);
};
const wait = (): unknown => (window.requestIdleCallback || setTimeout)(load);

// a snippet of the page's own is kept, and the address may have a query of its own
if (snippet && !/\?/.test(snippet.src) && !document.querySelector('script[src$="?vitals"]'))
  if (document.readyState === 'complete') wait();
  else addEventListener('load', wait);
