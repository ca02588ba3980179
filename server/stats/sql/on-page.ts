// Page patterns as SQL.
import { type Pattern, readPattern } from '../../vocabulary/texts/page-patterns.ts';
import type { Bind } from './scope.ts';

/** SQL condition for the rows whose page, without its query, matches a pattern as `matchesPattern` does. RE2 takes linear time. */
export function isOnPage(pattern: string, bind: Bind): string {
  return `match(page, ${bind(regexOf(readPattern(pattern)))})`;
}

/** Trailing slashes are ignored, and do not count as a segment for `**`. */
function regexOf({ parts, isOpen }: Pattern): string {
  const segments = parts.map((part) =>
    'text' in part ? literal(part.text) : `${literal(part.before)}[^/?]+${literal(part.after)}`,
  );
  const path = segments.map((segment) => `/${segment}`).join('');
  if (!isOpen) return `^${path}/*(\\?|$)`;
  return segments.length === 0 ? '^/' : `^${path}/[^?]*[^/?]`;
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
