// Page patterns, used by path rules to group pages and by goals to match them. They are compared segment by segment, so no pattern can
// make a comparison expensive.

export const MAX_PATTERN_LENGTH = 256;

/** Splits a path into segments. Trailing slashes are ignored. */
export function pathSegments(path: string): string[] {
  return withoutSlashes(path).slice(1).split('/');
}

export function withoutSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path[end - 1] === '/') end--;
  return path.slice(0, end);
}

/** One segment of a pattern: an exact `text`, or any text of at least one character between `before` and `after`. */
type PatternPart = { text: string } | { before: string; after: string };
/** `isOpen`: one or more segments follow the parts. */
export type Pattern = { parts: PatternPart[]; isOpen: boolean };

/** Reads a valid pattern. */
export function readPattern(pattern: string): Pattern {
  const segments = pathSegments(pattern);
  const isOpen = segments.at(-1) === '**';
  return { parts: (isOpen ? segments.slice(0, -1) : segments).map(readPart), isOpen };
}

function readPart(segment: string): PatternPart {
  if (/^:\w+$/.test(segment)) return { before: '', after: '' };
  const [before = '', after] = segment.split('*');
  return after === undefined ? { text: before } : { before, after };
}

export function matchesPattern({ parts, isOpen }: Pattern, segments: readonly string[]): boolean {
  if (isOpen ? segments.length <= parts.length : segments.length !== parts.length) return false;
  return parts.every((part, index) => {
    const segment = segments[index] ?? '';
    if ('text' in part) return segment === part.text;
    const { before, after } = part;
    return segment.length > before.length + after.length && segment.startsWith(before) && segment.endsWith(after);
  });
}
