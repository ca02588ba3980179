import { createHmac, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { hmacHex, hmacKey } from './hmac.ts';

/** Characters of one, two, three and four bytes in UTF-8, and the two halves of a surrogate pair. */
const ALPHABET = ['a', '\0', 'é', '語', '😀', '\ud83d', '\ude00'];

test('equals the HMAC of node:crypto, for keys and texts of any length', () => {
  const random = randomBytes(200_000).values();
  const next = () => random.next().value ?? 7;
  for (const keyLength of [0, 1, 31, 32, 33, 63, 64])
    for (const length of [0, 1, 20, 150, 1023, 1024, 1025, 16_384]) {
      const secret = randomBytes(keyLength);
      const text = Array.from({ length }, () => ALPHABET[next() % ALPHABET.length] ?? '')
        .join('')
        .slice(0, length);
      expect(hmacHex(hmacKey(secret), text)).toBe(createHmac('sha256', secret).update(text).digest('hex'));
    }
});

test('gives the same hash again after other texts and keys', () => {
  const [key, other] = [hmacKey(randomBytes(32)), hmacKey(randomBytes(32))];
  const first = hmacHex(key, 'a long text, then a short one');
  hmacHex(other, 'b');
  hmacHex(key, 'c');
  expect(hmacHex(key, 'a long text, then a short one')).toBe(first);
});

test('refuses a key that is longer than a block, which HMAC would have to hash first', () => {
  expect(() => hmacKey(randomBytes(65))).toThrow(RangeError);
});
