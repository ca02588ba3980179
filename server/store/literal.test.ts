import { expect, test } from 'vitest';
import { quoted } from './literal.ts';

test.each<[string, string, string]>([
  ['plain text stays readable', 'example.com/a_b-c', "'example.com/a_b-c'"],
  ['a quote', "it's", String.raw`'it\x27s'`],
  ['a backslash', '\\', String.raw`'\x5c'`],
  ['a line break', '\n', String.raw`'\x0a'`],
  ['text that is not ASCII', 'é', String.raw`'\xc3\xa9'`],
])('%s', (_name, value, text) => {
  expect(quoted(value)).toBe(text);
});

test('no character can end the quotes, or start an escape sequence other than a hex byte', () => {
  const every = Array.from({ length: 0x300 }, (_, code) => String.fromCharCode(code)).join('');
  expect(quoted(every)).toMatch(/^'(?:[\w ,.:/[\]-]|\\x[0-9a-f]{2})*'$/);
});
