// Writes bound values as SQL literals for the embedded engine, whose own binding of values runs only one query at a time.
import type { Client } from './hosts.ts';
import type { Bound } from './pool.ts';

/**
 * TRICKY: the engine's own binding of values keeps them in one place, so it runs one query at a time in the whole process: a slow query
 * would hold up all others. Values are therefore set as parameters of the connection, which no other connection sees.
 */
export async function bindTo(client: Pick<Client, 'command'>, bound: Bound): Promise<void> {
  const values = Object.entries(bound).map(([name, value]) => `param_${name} = ${literalOf(value)}`);
  if (values.length > 0) await client.command({ query: `SET ${values.join(', ')}` });
}

/**
 * Returns a value as a quoted literal. Every character that could have a meaning inside quotes is written as hex bytes, so no text can end
 * the quotes, whatever escapes the engine knows.
 */
export function literalOf(value: Bound[string]): string {
  return quoted(parameterText(value));
}

/** Returns plain text in quotes. */
export function quoted(text: string): string {
  const bytes = Buffer.from(text).toString('latin1');
  return `'${bytes.replace(/[^\w ,.:/[\]-]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)}'`;
}

/** Returns a value in ClickHouse's parameter format: text is escaped as in tab-separated files, and lists quote each text. */
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
