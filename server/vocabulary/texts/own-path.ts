// Where people are sent after they logged in: only to a path of this server.
const ANY_ORIGIN = 'http://own.invalid';
const MAX_LENGTH = 2_000;

/** Returns the path as a URL writes it. Anything that could lead elsewhere, such as `//elsewhere`, becomes `/`. */
export function ownPath(text: string | null): string {
  if (text === null || text.length > MAX_LENGTH || !/^\/(?![/\\])/.test(text)) return '/';
  const url = URL.parse(text, ANY_ORIGIN);
  // URL drops tabs and line breaks, and resolves dots: `/<tab>/elsewhere` and `/.//elsewhere` would lead elsewhere too.
  if (url?.origin !== ANY_ORIGIN || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search + url.hash;
}
