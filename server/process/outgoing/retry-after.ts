// Reads the header Retry-After (RFC 9110): seconds, or a date.
import type { Answer } from './client.ts';

/** How long a server asks to wait, in milliseconds. Undefined if it does not say, or not in a form that the standard knows. */
export function retryAfterMs({ headers }: Pick<Answer, 'headers'>, now: number): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Math.ceil(Number(text) * 1000); // Discord adds fractions
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
