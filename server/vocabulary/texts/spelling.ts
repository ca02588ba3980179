// Normalises paths and free text. `/caf%c3%a9`, `/caf%C3%A9` and `/café` (composed or not) are one page, and free text keeps no invisible
// characters.

export const MAX_PAGE_LENGTH = 1_024;

const ENCODED_RUN = /(?:%[0-9a-f]{2})+/gi;
/** Letters, marks, digits, punctuation and symbols beyond ASCII, and the joiners that Persian and emoji need. */
const READABLE = /^(?:[\p{L}\p{M}\p{N}\p{P}\p{S}]|\u200c|\u200d)$/u;

/** Normalises a path (RFC 3986, 6.2.2, and NFC), to at most 1,024 characters. */
export function readablePath(pathname: string): string {
  const decoded = pathname.includes('%') ? pathname.replace(ENCODED_RUN, decodeReadable).normalize('NFC') : pathname;
  return cut(decoded, MAX_PAGE_LENGTH) || '/';
}

function decodeReadable(run: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(run);
  } catch {
    return run.toUpperCase(); // not UTF-8
  }
  let readable = '';
  for (const char of decoded) {
    const plain = char < '\x80' ? /[a-z0-9\-._~]/i.test(char) : READABLE.test(char);
    readable += plain ? char : encodeURIComponent(char);
  }
  return readable;
}

/** Cuts a text to at most `length` characters, as zod counts them: a character such as an emoji takes two of JavaScript's units. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  let end = 0;
  for (let count = 0; count < length && end < text.length; count++)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

/**
 * Control, format and private-use characters, and lone surrogates: they break terminals, reverse the text around them, or are invisible.
 * The two joiners are kept: Persian and emoji families need them.
 */
const UNSEEN = /(?:(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029])+/gu;

/** Nearly all texts match this, and need no change. */
const PLAIN = /^[ -~]*$/;

/** Cleans free text for a report: NFC, visible characters only, trimmed, at most `length` characters. */
export function cleanText(text: string, length: number): string {
  const bounded = cut(text, length * 4);
  const visible = PLAIN.test(bounded) ? bounded : bounded.normalize('NFC').replace(UNSEEN, ' ');
  return cut(visible.trim(), length);
}

/** What is left of bytes that are no UTF-8, with the escape after it that was cut off. */
const UNDECODED = /\ufffd+(?:%[0-9a-f]?(?![0-9a-f]))?/gi;
/** Links that were encoded again and again on their way: more often than this nobody means it. */
const MOST_DECODED = 3;

/**
 * Decodes a value of a query, as `URLSearchParams` has read it, until it no longer changes, three times at most. A per cent sign that encodes
 * nothing stays, and bytes that are no UTF-8 are left out.
 */
export function decodeFully(value: string): string {
  let text = withoutUndecoded(value);
  for (let times = 1; times < MOST_DECODED && text.includes('%'); times++) {
    const decoded = withoutUndecoded(text.replace(ENCODED_RUN, decodeRun));
    if (decoded === text) break;
    text = decoded;
  }
  return text.includes('&amp;') ? text.replaceAll('&amp;', '&') : text;
}

const withoutUndecoded = (text: string) => (text.includes('\ufffd') ? text.replace(UNDECODED, '') : text);

/** One byte alone that is no UTF-8 was a per cent sign and two digits by chance: `100%BIO`. */
function decodeRun(run: string): string {
  const decoded = new URLSearchParams(`=${run}`).get('') ?? '';
  return run.length === 3 && decoded === '\ufffd' ? run : decoded;
}
