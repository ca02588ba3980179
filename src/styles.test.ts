// Rules that several components share are defined once, so that they cannot diverge.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MOVE_MS } from './lib/browser/motion';

const root = new URL('.', import.meta.url).pathname;
const read = (path: string) => readFileSync(root + path, 'utf8');
const sheets = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(svelte|css)$/.test(path));
const defined = [...read('breakpoints.css').matchAll(/@custom-media (--[\w-]+)/g)].map(([, name = '']) => name);

test('layouts change at the widths of breakpoints.css and for print, and at no other', () => {
  const asked = sheets.flatMap((path) =>
    [...read(path).matchAll(/@media ([^{]+?) \{/g)].map(([, condition = '']) => ({ path, condition })),
  );
  const own = /^(print|\((prefers-reduced-motion: reduce|hover: (none|hover))\))$/;
  const known = defined.map((name) => `(${name})`);
  expect(asked.filter(({ condition }) => !own.test(condition) && !known.includes(condition))).toEqual([]);
  expect(known.filter((name) => !asked.some(({ condition }) => condition === name))).toEqual([]);
});

test('the size of a touch target is defined only in tokens.css', () => {
  expect(sheets.filter((path) => path !== 'tokens.css' && /min-(width|height): (42|44)px/.test(read(path)))).toEqual(
    [],
  );
});

test('text that may be cut off uses Truncate, which keeps all of it within reach', () => {
  expect(sheets.filter((path) => read(path).includes('text-overflow'))).toEqual(['lib/ui/text/Truncate.svelte']);
});

/** The declarations of a sheet or a component: name and value. A page's margins on paper are no distance of the interface. */
function declarations(path: string): { name: string; value: string }[] {
  const all = path.endsWith('.css') ? read(path) : (/<style>[\s\S]*/.exec(read(path))?.[0] ?? '');
  const sheet = all.replace(/@page \{[^}]*\}/g, '');
  return [...sheet.matchAll(/(?<![\w-])([a-z-]+): ([^;{}]+);/g)].map(([, name = '', value = '']) => ({ name, value }));
}

const SPACE = /^(padding|margin|gap|row-gap|column-gap)(-|$)/;
/** Up to two pixels are a correction for the eye. */
const LENGTH = /(?<![\w.-])-?(?!0px|[12]px)\d+(\.\d+)?(px|rem|em)\b/;

test('distances are those of tokens.css: 4, 8, 12, 20 and 32 pixels', () => {
  const tokens = [...read('tokens.css').matchAll(/--space-\d: (\d+)px/g)].map(([, pixels]) => Number(pixels));
  expect(tokens).toEqual([4, 8, 12, 20, 32]);
  const spaces = sheets.flatMap((path) => declarations(path).map((one) => ({ path, ...one })));
  const chosen = spaces.filter(({ name }) => SPACE.test(name));
  expect(chosen.length).toBeGreaterThan(500);
  expect(chosen.filter(({ value }) => LENGTH.test(value))).toEqual([]);
});

test('nothing takes longer than 200 ms to its new place, but for the first visit of a site, which is celebrated', () => {
  const calm = Number(/--calm: (\d+)ms/.exec(read('tokens.css'))?.[1]);
  expect([calm, MOVE_MS]).toEqual([200, 200]);
  const transitions = sheets.flatMap((path) =>
    declarations(path).flatMap(({ name, value }) => (name.startsWith('transition') ? [`${path}: ${value}`] : [])),
  );
  expect(transitions.length).toBeGreaterThan(10);
  expect(transitions.filter((value) => /\d(ms|s)\b/.test(value))).toEqual([]);
  const longer = sheets.filter((path) =>
    [...read(path).matchAll(/moving\((\d+)\)/g)].some(([, ms]) => Number(ms) > calm),
  );
  expect(longer).toEqual(['lib/snippet/FirstArrival.svelte']);
});
