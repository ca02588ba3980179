// Patterns of pages: path rules group pages by them, and goals are reached on them. They are compared segment by segment, so no pattern
// can make a comparison expensive.

export const MAX_PATTERN_LENGTH = 256;

/**
 * `*` and `:name` stand for one segment of a path, `*` also for a part of one (`/p-*`), and `**` at the end for one or more segments.
 * Returns the sentence's end that says what is wrong with a pattern.
 */
export function problemOfPattern(pattern: string): string | undefined {
  if (!pattern.startsWith('/')) return 'must begin with a slash, such as /users/*';
  if (/[\s?#\\]|\p{Cc}/u.test(pattern)) return 'must be a path without spaces, query and fragment';
  const segments = pattern.split('/').slice(1);
  const last = segments.length - 1;
  for (const [index, segment] of segments.entries()) {
    if (segment === '**' && index === last) continue;
    if (segment.includes('**')) return 'may have ** only as its last segment';
    if (segment.split('*').length > 2) return 'may have one * in a segment';
  }
  return undefined;
}

/** A slash at the end makes no difference to a pattern. */
export function pathSegments(path: string): string[] {
  return withoutSlashes(path).slice(1).split('/');
}

export function withoutSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path[end - 1] === '/') end--;
  return path.slice(0, end);
}
