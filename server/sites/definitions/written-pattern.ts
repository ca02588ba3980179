// A page pattern as people write it, checked. How patterns match is in `vocabulary/texts/page-patterns.ts`.
import { z } from 'zod';
import { t } from '../../vocabulary/habits/messages.ts';
import { MAX_PATTERN_LENGTH } from '../../vocabulary/texts/page-patterns.ts';

export const writtenPattern = z
  .string({ error: () => t('must be a path such as /thanks, or a pattern such as /docs/**') })
  .trim()
  .max(MAX_PATTERN_LENGTH, { error: () => t('must have at most {most} characters', { most: MAX_PATTERN_LENGTH }) })
  .superRefine((pattern, context) => {
    const message = problemOf(pattern);
    if (message) context.addIssue({ code: 'custom', message });
  });

/**
 * In a pattern, `*` and `:name` stand for one path segment, `*` also for a part of one (`/p-*`), and `**` at the end for one or more
 * segments. Returns what is wrong with a pattern, as the end of a sentence; undefined if it is valid.
 */
function problemOf(pattern: string): string | undefined {
  if (!pattern.startsWith('/')) return t('must begin with a slash, such as /users/*');
  if (/[\s?#\\]|\p{Cc}/u.test(pattern)) return t('must be a path without spaces, query and fragment');
  const segments = pattern.split('/').slice(1);
  const last = segments.length - 1;
  for (const [index, segment] of segments.entries()) {
    if (segment === '**' && index === last) continue;
    if (segment.includes('**')) return t('may have ** only as its last segment');
    if (segment.split('*').length > 2) return t('may have one * in a segment');
  }
  return undefined;
}
