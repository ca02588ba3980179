// Page patterns, used by path rules to group pages and by goals to match them. They are compared segment by segment, so no pattern can
// make a comparison expensive.

export const MAX_PATTERN_LENGTH = 256;

/**
 * `*` and `:name` stand for one segment of a path, `*` also for a part of one (`/p-*`), and `**` at the end for one or more segments.
 * Returns what is wrong with a pattern, as the end of a sentence; undefined when it is valid.
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

/** Splits a path into segments. Trailing slashes are ignored. */
export function pathSegments(path: string): string[] {
  return withoutSlashes(path).slice(1).split('/');
}

export function withoutSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path[end - 1] === '/') end--;
  return path.slice(0, end);
}
