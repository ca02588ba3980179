// The target of a request, as a URL.

/** Parses the request target, which may be absolute. A path that starts with two slashes is a path, not a host. */
export function readTarget(text: string): URL | null {
  return URL.parse(text.startsWith('/') ? `http://host${text}` : text, 'http://host');
}
