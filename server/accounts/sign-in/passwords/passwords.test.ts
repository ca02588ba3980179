import { scryptSync } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { hashing, hashPassword, verifyPassword } from './passwords.ts';

const { cost } = hashing;
afterEach(() => {
  hashing.cost = cost;
});

test('a hash names the cost at which it was made, and is compared at it', async () => {
  const cheap = await hashPassword('correct horse');
  hashing.cost = 32;
  const dearer = await hashPassword('correct horse');
  expect([cheap, dearer].map((hash) => hash.split(':')[0])).toEqual(['16', '32']);
  for (const hash of [cheap, dearer]) {
    expect(await verifyPassword({ hash, password: 'correct horse' })).toBe(true);
    expect(await verifyPassword({ hash: hash.replace(/^\d+/, '64'), password: 'correct horse' })).toBe(false);
    expect(await verifyPassword({ hash, password: 'correct house' })).toBe(false);
  }
});

test('a hash without a cost has the first one', async () => {
  const salt = '00112233445566778899aabbccddeeff';
  const key = scryptSync('correct horse', salt, 64, { N: 16_384, r: 16, p: 1, maxmem: 2 ** 26 });
  const hash = `${salt}:${key.toString('hex')}`;
  expect(await verifyPassword({ hash, password: 'correct horse' })).toBe(true);
  expect(await verifyPassword({ hash, password: 'correct house' })).toBe(false);
});
