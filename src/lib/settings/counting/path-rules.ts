// Logic of the forms for path rules and for what is left out: text to lists, errors in the form's own words, and which pages would change.
import { fullNumber } from '../../formats/format.ts';
import { t, texts } from '../../../../server/vocabulary/habits/messages.ts';

type Previewed = { before: string; after: string; pageviews: number };
type Change = { page: string; from: string[]; pageviews: number };

export function linesOf(text: string): string[] {
  return [...new Set(text.split(/[\n,]/).map((line) => line.trim()))].filter(Boolean);
}

/** Pages that would be new or would absorb others, most viewed first. */
export function changesOf(rows: readonly Previewed[]): Change[] {
  const byPage = new Map<string, Change>();
  for (const { before, after, pageviews } of rows) {
    const change = byPage.get(after) ?? { page: after, from: [], pageviews: 0 };
    change.from.push(before);
    change.pageviews += pageviews;
    byPage.set(after, change);
  }
  return [...byPage.values()]
    .filter(({ page, from }) => from.some((before) => before !== page))
    .sort((a, b) => b.pageviews - a.pageviews);
}

const LABELS: Partial<Record<string, string>> = texts({
  groups: 'Groups',
  query: 'Query parameters',
  countries: 'Countries',
  pages: 'Pages',
  hostnames: 'Hosts',
});

/** The server's errors name a request field; people see lines. */
export function inFormWords(message: string): string {
  const [, field = '', index, rest] = /^(?:rules|path_rules|left_out)\.(\w+)(?:\.(\d+))?: (.*)$/.exec(message) ?? [];
  const name = LABELS[field];
  if (name === undefined || rest === undefined) return message;
  if (index === undefined) return t('{field}: {trouble}', { field: name, trouble: rest });
  return t('{field}, line {line}: {trouble}', { field: name, line: fullNumber(Number(index) + 1), trouble: rest });
}
