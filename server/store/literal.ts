// Writes text as an SQL literal.

/**
 * Returns text in quotes. Every character that could have a meaning inside quotes is written as hex bytes, so no text can end the quotes,
 * whatever escapes the engine knows.
 */
export function quoted(text: string): string {
  const bytes = Buffer.from(text).toString('latin1');
  return `'${bytes.replace(/[^\w ,.:/[\]-]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)}'`;
}
