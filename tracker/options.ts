// What the snippet asks for: the `data-` attributes of its script element, under the names that README.md lists.

export const snippet = (document.currentScript || document.querySelector('[data-site]')) as HTMLScriptElement;
export const options = snippet.dataset;
