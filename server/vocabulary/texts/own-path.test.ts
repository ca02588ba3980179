import { expect, test } from 'vitest';
import { ownPath } from './own-path.ts';

test('a path of this server stays as it is', () => {
  for (const path of ['/', '/example.com?period=7d&f=is:page:/a', '/settings/security#keys', '/a//b'])
    expect(ownPath(path)).toBe(path);
});

test('what could lead elsewhere becomes the front page', () => {
  const elsewhere = [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'evil.example',
    '',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/.//evil.example',
    '/x/..//evil.example',
    '/./\\evil.example',
    'javascript:alert(1)',
    ' //evil.example',
    '/\t\\evil.example',
    `/${'x'.repeat(3_000)}`,
  ];
  for (const text of [...elsewhere, null]) expect([text, ownPath(text)]).toEqual([text, '/']);
});

test('the result never leaves the origin, whatever the characters are', () => {
  const parts = ['/', '\\', '.', '..', '\t', '\r', '\n', ' ', '@', ':', 'evil.example', '%2f', '?', '#', '\u3000'];
  for (let number = 0; number < 15 ** 4; number += 1) {
    const text = `/${[1, 15, 225, 3375].map((unit) => parts[Math.floor(number / unit) % 15]).join('')}`;
    const target = new URL(ownPath(text), 'https://footfall.example/login');
    if (target.origin !== 'https://footfall.example') expect(text).toBe('harmless');
  }
});
