// Random ids and tokens, from the system's cryptographic generator. Only the SHA-256 of a token is ever stored.
import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 5 bits per character: the default of 26 has 130 bits. */
export function makeId(prefix: string, length = 26): string {
  return idOf(prefix, randomBytes(length));
}

/** Always the same id for the same text, so that what is made twice is made once. */
export const idFrom = (prefix: string, text: string): string =>
  idOf(prefix, createHash('sha256').update(text).digest().subarray(0, 26));

function idOf(prefix: string, bytes: Buffer): string {
  let id = `${prefix}_`;
  for (const byte of bytes) id += CROCKFORD.charAt(byte & 31);
  return id;
}

/** True if a text has the form of an id with this prefix. Check this first, so that no other text reaches the database. */
export function isId(prefix: string, text: string): boolean {
  return text.startsWith(`${prefix}_`) && /^[0-9A-HJKMNP-TV-Z]{16,26}$/.test(text.slice(prefix.length + 1));
}

/** Just under 6 bits per character. */
export function makeToken(length: number): string {
  let token = '';
  while (token.length < length) token += BASE62.charAt(randomInt(BASE62.length));
  return token;
}

/** True if a text has the form of a token of this length. */
export function isToken(text: string, length: number): boolean {
  return text.length === length && /^[0-9A-Za-z]+$/.test(text);
}

/** Tokens are long and random, so a plain SHA-256 without salt or stretching is enough. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Compares two digests of the same length in constant time. */
export function isSameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
