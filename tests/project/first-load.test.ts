// The bytes that a browser needs before it shows the dashboard: the page, the styles it links, and the scripts that are loaded at once.
// The chart, the panels, the socket and the font load beside them.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type Language, LANGUAGE_TAGS } from '../../server/vocabulary/habits/languages.ts';

const APP = join(import.meta.dirname, '../../build/app');
const MOST_BYTES = 85_000;
const read = (path: string) => readFileSync(join(APP, path), 'utf8');
const page = read('index.html');
const linked = (kind: string) =>
  [...page.matchAll(/<link href="\/([^"]+)"/g)].flatMap(([, path = '']) => (path.endsWith(kind) ? path : []));

function one(pattern: string): string {
  const [found, ...others] = globSync(pattern, { cwd: APP });
  if (found === undefined || others.length > 0) throw new Error(`${pattern} should be one file of the build.`);
  return found;
}

/** A script and all that it imports with a plain `import`: the browser loads them before it runs any of them. */
function addWithImports(path: string, scripts: Set<string>): void {
  if (scripts.has(path)) return;
  scripts.add(path);
  for (const [, target = ''] of read(path).matchAll(/(?:from|import)"(\.[^"]+\.js)"/g))
    addWithImports(new URL(target, `file:///${path}`).pathname.slice(1), scripts);
}

/** How far a language may be above English. */
const MOST_MORE = 1.03;

const measure = (path: string) => ({ path, bytes: brotliCompressSync(read(path)).length });

/** The page, its styles and scripts. */
const common = (() => {
  const scripts = new Set<string>();
  for (const path of linked('.js')) addWithImports(path, scripts);
  const route = /"\/\(app\)\/\[domain\]":\[(\d+),\[([\d,]+)\]\]/.exec(read(one('_app/immutable/entry/app.*.js')));
  const nodes = [route?.[1] ?? '', ...(route?.[2] ?? '').split(',')];
  for (const node of nodes) addWithImports(one(`_app/immutable/nodes/${node}.*.js`), scripts);
  return ['index.html', ...linked('.css'), ...scripts, one('_app/immutable/messages-*/start.js')].map(measure);
})();
/** With the messages of a language. */
const firstLoad = (language: Language) => [...common, measure(one(`_app/immutable/messages-*/${language}.first.json`))];
const sumOf = (sizes: { bytes: number }[]) => sizes.reduce((total, { bytes }) => total + bytes, 0);

test('the dashboard’s first load is small', () => {
  const sizes = firstLoad('en');
  expect(sumOf(sizes), JSON.stringify(sizes, undefined, 1)).toBeLessThanOrEqual(MOST_BYTES);
  expect(linked('.css')).toHaveLength(2);
});

test.each(LANGUAGE_TAGS)('in %s, it has at most three hundredths more', (language) => {
  expect(sumOf(firstLoad(language)) / sumOf(firstLoad('en'))).toBeLessThanOrEqual(MOST_MORE);
});

test('the font’s file for Latin has at most 40 kB', () => {
  const file = one('_app/immutable/assets/geist-latin-wght-normal.*.woff2');
  expect(readFileSync(join(APP, file)).length).toBeLessThanOrEqual(40_000);
});

test('the chapter on speed has at most 15 kB, besides what a click opens', () => {
  const chunks = globSync('_app/immutable/**/*.js', { cwd: APP });
  const roots = new Set([
    ...chunks.filter((path) => /\/(?:entry|nodes)\//.test(path)),
    ...chunks.flatMap((path) =>
      [...read(path).matchAll(/import\(["`](\.[^"`]+\.js)/g)].map(([, target = '']) =>
        new URL(target, `file:///${path}`).pathname.slice(1),
      ),
    ),
  ]);
  const rootsWith = (marks: RegExp) => [...roots].filter((path) => marks.test(read(path)));
  const own = rootsWith(/data-vitals-by|data-errors/);
  const ofClicks = rootsWith(/data-speed-card|data-since|data-conversion|data-error[^s-]/);
  expect(own.length).toBeGreaterThan(0);
  const [ofChapter, ofOthers] = [new Set<string>(), new Set<string>()];
  for (const root of roots)
    if (!ofClicks.includes(root)) addWithImports(root, own.includes(root) ? ofChapter : ofOthers);
  const styles = globSync('_app/immutable/assets/{Speed,Error}*.css', { cwd: APP }).filter(
    (path) => !/(?:Card|Since|Goals|Detail)\.[^/]+$/.test(path),
  );
  const sizes = [...ofChapter, ...styles]
    .filter((path) => !ofOthers.has(path))
    .map((path) => ({ path, bytes: brotliCompressSync(read(path)).length }));
  const sum = sizes.reduce((total, { bytes }) => total + bytes, 0);
  expect(sum, JSON.stringify(sizes, undefined, 1)).toBeLessThanOrEqual(15_000);
});
