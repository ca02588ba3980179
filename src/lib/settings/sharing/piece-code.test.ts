import { expect, it } from 'vitest';
import { PIECE_NAMES } from '../../../../server/vocabulary/settings/pieces.ts';
import { codeFor, PLACES, type Place } from './piece-code';

const address = 'https://stats.example/share/TOKEN';
const PLACE_NAMES = Object.keys(PLACES) as Place[];

it('gives a frame of the right height, and the script that fits it', () => {
  const asked = { piece: 'chart', metric: 'visits', period: '7d' } as const;
  expect(codeFor('html', { address, asked, theme: 'auto' })).toBe(
    '<iframe src="https://stats.example/share/TOKEN?piece=chart&#38;metric=visits&#38;period=7d" title="Visits" width="100%" height="319" frameborder="0" loading="lazy"></iframe>\n<script async src="https://stats.example/embed.js"></script>',
  );
  expect(codeFor('wordpress', { address, asked: { piece: 'list', rows: 5 }, theme: 'dark' })).toBe(
    '<iframe src="https://stats.example/share/TOKEN?piece=list&#38;rows=5&#38;theme=dark" title="Unique visitors" width="100%" height="259" frameborder="0" loading="lazy"></iframe>',
  );
  expect(codeFor('notion', { address, asked: { piece: 'dashboard' }, theme: 'light' })).toBe(`${address}?theme=light`);
});

it('gives Markdown the picture that shows the same, or else a link', () => {
  const markdown = (asked: Parameters<typeof codeFor>[1]['asked']) =>
    codeFor('markdown', { address, asked, theme: 'auto' });
  expect(markdown({ piece: 'figure', period: '7d' })).toBe(
    `[![Unique visitors](${address}/badge.svg?period=7d)](${address})`,
  );
  expect(markdown({ piece: 'map', metric: 'visits' })).toBe(
    `[![Visits](${address}/map.svg?metric=visits)](${address})`,
  );
  expect(markdown({ piece: 'map', lang: 'de-AT' })).toBe(
    `[![Unique visitors](${address}/map.svg?lang=de-AT)](${address})`,
  );
  expect(markdown({ piece: 'list', dimension: 'country' })).toBe(`[Country](${address})`);
});

it('has code for each piece in each place, without a style, that says by whose habits it is written', () => {
  for (const piece of PIECE_NAMES)
    for (const place of PLACE_NAMES) {
      const code = codeFor(place, { address, asked: { piece, lang: 'de-AT' }, theme: 'auto' });
      expect(code).toContain(address);
      if (place !== 'markdown') expect(code).toMatch(/[?;&]lang=de-AT["\n]|[?&]lang=de-AT$/);
      expect(code).not.toContain('style');
    }
});
