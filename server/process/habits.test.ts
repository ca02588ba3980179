import { expect, it } from 'vitest';
import { habitsOfRequest } from './habits.ts';

it.each([
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['fi, fr;q=0.9, en;q=0.8', 'fr'],
  ['fi', 'en'],
  ['', 'en'],
  [undefined, 'en'],
])('a request with %s is answered in %s', (header, language) =>
  expect(habitsOfRequest(header).language).toBe(language),
);
