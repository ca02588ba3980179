// A site's rules for which URLs count as the same page: trailing slash, case, query parameters, and patterns that group paths.
import { z } from 'zod';
import { t } from '../vocabulary/habits/messages.ts';
import {
  matchesPattern,
  pathSegments,
  type Pattern,
  readPattern,
  withoutSlashes,
} from '../vocabulary/texts/page-patterns.ts';
import { cut, MAX_PAGE_LENGTH, readablePath } from '../vocabulary/texts/spelling.ts';
import type { Page } from '../vocabulary/texts/url.ts';
import { writtenPattern } from './definitions/written-pattern.ts';

const MAX_GROUPS = 100;
const MAX_QUERY_NAMES = 10;
const MAX_QUERY_VALUE = 128;

const queryName = z
  .string()
  .trim()
  .regex(/^[^\s&=#?]{1,64}$/, { error: () => t('must be the name of a query parameter, of 1 to 64 characters') });

/**
 * `query`: parameters whose values make different pages. `groups`: patterns; the first that matches a path becomes its page. In a pattern,
 * `*` and `:name` stand for one segment, `*` also for a part of one (`/p-*`), and `**` at the end for the rest of the path.
 */
export const pathRules = z.strictObject({
  trailing_slash: z.enum(['keep', 'strip']).default('keep'),
  case: z.enum(['keep', 'lower']).default('keep'),
  query: z
    .array(queryName)
    .max(MAX_QUERY_NAMES, { error: () => t('must have at most {most} names', { most: MAX_QUERY_NAMES }) })
    .default([])
    .transform((names) => [...new Set(names)]),
  groups: z
    .array(writtenPattern)
    .max(MAX_GROUPS, { error: () => t('must have at most {most} patterns', { most: MAX_GROUPS }) })
    .default([])
    .transform((groups) => [...new Set(groups)]),
});
type PathRules = z.output<typeof pathRules>;
const NO_RULES: PathRules = { trailing_slash: 'keep', case: 'keep', query: [], groups: [] };

type Settings = Readonly<Record<string, unknown>>;

/** Reads the rules from a site's settings. They were checked when they were saved; unreadable rules are ignored. */
export function pathRulesOf(settings: Settings): PathRules {
  const stored = settings['path_rules'];
  if (stored === undefined) return NO_RULES;
  return pathRules.safeParse(stored).data ?? NO_RULES;
}

const compiled = new WeakMap<Settings, (page: Page) => string>();

/** Applies the site's rules to a page. Compiled rules are cached together with the site's settings. */
export function pageOf(page: Page, settings: Settings): string {
  if (settings['path_rules'] === undefined) return page.page;
  let apply = compiled.get(settings);
  if (!apply) compiled.set(settings, (apply = compileRules(pathRulesOf(settings))));
  return apply(page);
}

/** Parses a stored page, so that other rules can be applied to it. */
export function storedPage(stored: string): Page {
  const mark = stored.indexOf('?');
  const [page, query] = mark < 0 ? [stored, ''] : [stored.slice(0, mark), stored.slice(mark + 1)];
  return { hostname: '', page, query: new URLSearchParams(query) };
}

export function compileRules(rules: PathRules): (page: Pick<Page, 'page' | 'query'>) => string {
  const isLower = rules.case === 'lower';
  const groups = rules.groups.map((pattern) => compileGroup(pattern, { isLower }));
  return ({ page, query }) => {
    let path = isLower ? page.toLowerCase() : page;
    if (rules.trailing_slash === 'strip') path = withoutSlashes(path);
    if (groups.length > 0) {
      const segments = pathSegments(path);
      path = groups.find((one) => matchesPattern(one, segments))?.pattern ?? path;
    }
    return cut(path + queryOf(query, rules.query), MAX_PAGE_LENGTH);
  };
}

function queryOf(query: URLSearchParams, names: readonly string[]): string {
  let kept = '';
  for (const name of names) {
    const value = query.get(name);
    if (value) kept += `${kept === '' ? '?' : '&'}${encoded(name)}=${encoded(cut(value, MAX_QUERY_VALUE))}`;
  }
  return kept;
}

function encoded(text: string): string {
  return readablePath(encodeURIComponent(text.toWellFormed()));
}

function compileGroup(pattern: string, { isLower }: { isLower: boolean }): Pattern & { pattern: string } {
  const literal = (text: string) => {
    const readable = text === '' ? '' : readablePath(text).normalize('NFC');
    return isLower ? readable.toLowerCase() : readable;
  };
  const { parts, isOpen } = readPattern(pattern);
  const readable = parts.map((part) =>
    'text' in part ? { text: literal(part.text) } : { before: literal(part.before), after: literal(part.after) },
  );
  return { pattern, parts: readable, isOpen };
}
