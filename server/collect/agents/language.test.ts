import { expect, test } from 'vitest';
import { readLanguage } from './language.ts';

test.each([
  ['de-DE,de;q=0.9,en;q=0.8', 'de-DE'],
  ['de', 'de'],
  ['pt-br', 'pt-BR'],
  ['zh-Hant-TW,zh;q=0.9', 'zh-TW'],
  ['es-419,es;q=0.9', 'es-419'],
  ['en;q=0.2, fr;q=0.7', 'fr'],
  ['*', ''],
  ['*, da;q=0.5', 'da'],
  ['en_US', 'en-US'],
  ['fil-PH', 'fil-PH'],
  ['', ''],
  ['<script>', ''],
  ['en;q=2', ''],
])('%s asks for %s', (header, language) => {
  expect(readLanguage(header)).toBe(language);
});
