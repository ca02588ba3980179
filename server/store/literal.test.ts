import { expect, test } from 'vitest';
import { literalOf } from './literal.ts';

test.each<[string, Parameters<typeof literalOf>[0], string]>([
  ['plain text stays readable', 'example.com/a_b-c', "'example.com/a_b-c'"],
  ['a number', -1.5, "'-1.5'"],
  ['a quote', "it's", String.raw`'it\x5c\x27s'`],
  ['a backslash', '\\', String.raw`'\x5c\x5c'`],
  ['a line break', '\n', String.raw`'\x5cn'`],
  ['text that is not ASCII', 'é', String.raw`'\xc3\xa9'`],
  ['a list', ["a'", 'b'], String.raw`'[\x27a\x5c\x27\x27,\x27b\x27]'`],
  ['an empty list', [], "'[]'"],
])('%s', (_name, value, text) => {
  expect(literalOf(value)).toBe(text);
});

test('no character can end the quotes, or start an escape sequence other than a hex byte', () => {
  const every = Array.from({ length: 0x300 }, (_, code) => String.fromCharCode(code)).join('');
  for (const value of [every, [every]]) expect(literalOf(value)).toMatch(/^'(?:[\w ,.:/[\]-]|\\x[0-9a-f]{2})*'$/);
});
