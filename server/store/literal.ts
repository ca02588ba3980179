// A value as the text of a statement that sets it: for the embedded engine, whose own way to bind values runs one query at a time.
import type { Bound } from './pool.ts';

/**
 * Of a parameter, in quotes. What could mean anything in quotes is written as the bytes that it is, so that no text can end them,
 * whatever the engine takes for an escape.
 */
export function literalOf(value: Bound[string]): string {
  return quoted(parameterText(value));
}

/** Plain text in quotes. */
export function quoted(text: string): string {
  const bytes = Buffer.from(text).toString('latin1');
  return `'${bytes.replace(/[^\w ,.:/[\]-]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)}'`;
}

/** As ClickHouse reads parameters: text in its tab-separated form, lists with quotes around each of their texts. */
function parameterText(value: Bound[string]): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return escaped(value);
  return `[${value.map((item) => `'${escaped(item)}'`).join(',')}]`;
}

const ESCAPES: Record<string, string> = {
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\0': '\\0',
  "'": "\\'",
  '\\': '\\\\',
};

function escaped(text: string): string {
  return text.replace(/[\t\n\r\0'\\]/g, (char) => ESCAPES[char] ?? char);
}
