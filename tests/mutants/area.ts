// Which tests should notice a change, the likeliest first: those beside the file, then those that import it and share its words. Most tests open the
// whole server and so import everything: their words tell them apart.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Change } from './changes.ts';
import { openLikeness } from './likeness.ts';

export type Area = { unit: string[]; whole: string[]; browser: string[] };

/** Rules for the code and documents: none is about what the code does. */
const APART = 'tests/project/';
const BROWSER = 'tests/browser/';
const TRACKER = 'tests/browser/tracker/';
/** A file that Vitest has not timed yet. */
const USUAL_SECONDS = 10;
/** What the quick files of one kind may take for one change, on an idle machine. */
const MOST_SECONDS = 15;
/** So many of the likeliest are run however long they take. */
const ALWAYS = 3;
/** Unit tests run together. More of them find no more. */
const MOST_UNIT_TESTS = 12;

const readText = (file: string) => readFileSync(file, 'utf8');

/** Seconds that each file of tests took when it last passed, as Vitest remembers them. */
function readSeconds(): Map<string, number> {
  type Results = { projects: Record<string, { files: Record<string, { failed: boolean; duration: number }> }> };
  const seconds = new Map<string, number>();
  for (const path of globSync('node_modules/.vite/vitest/*/results.json'))
    for (const { files } of Object.values((JSON.parse(readText(path)) as Results).projects))
      for (const [file, { failed, duration }] of Object.entries(files)) if (!failed) seconds.set(file, duration / 1000);
  return seconds;
}

/** The files that a file imports, as paths from the root. */
function importsOf(file: string, all: ReadonlySet<string>): string[] {
  const values = readText(file).replaceAll(/^(im|ex)port type [^;]*;/gm, '');
  return [...values.matchAll(/(?:from |import\(|import )\s*'((?:\.|\$lib)[^']+)'/g)].flatMap(([, path = '']) => {
    const target = path.startsWith('$lib') ? path.replace('$lib', 'src/lib') : join(dirname(file), path);
    return [target, `${target}.ts`].filter((one) => all.has(one)).slice(0, 1);
  });
}

/** Which files import a file, directly or through others, with the number of steps. */
function openUsers(files: readonly string[]): (file: string) => Map<string, number> {
  const all = new Set(files);
  const importers = new Map<string, string[]>();
  for (const file of files)
    for (const target of importsOf(file, all)) importers.set(target, [...(importers.get(target) ?? []), file]);
  return (file) => {
    const steps = new Map([[file, 0]]);
    for (const [one, step] of steps)
      for (const user of importers.get(one) ?? []) if (!steps.has(user)) steps.set(user, step + 1);
    return steps;
  };
}

export function openAreas(): (change: Change) => Area {
  const files = globSync('{server,src,tracker,tests}/**/*.{ts,svelte}');
  const usersOf = openUsers(files);
  const tests = files.filter((file) => file.endsWith('.test.ts') && !file.startsWith(APART));
  const seconds = readSeconds();
  const secondsOf = (test: string) => seconds.get(test) ?? USUAL_SECONDS;
  const likenessTo = openLikeness(new Map(tests.map((test) => [test, `${`${test} `.repeat(9)}${readText(test)}`])));

  /** The likeliest for the time they take, as many as the time allows, and then the likeliest of all. */
  function best(candidates: readonly string[], scoreOf: (test: string) => number, mostSeconds = MOST_SECONDS) {
    const sorted = (score: (test: string) => number) =>
      candidates
        .map((test) => ({ test, score: score(test) }))
        .sort((a, b) => b.score - a.score)
        .map(({ test }) => test);
    let left = mostSeconds;
    const within = sorted((test) => scoreOf(test) / (USUAL_SECONDS + secondsOf(test))).filter(
      (test) => left > 0 && (left -= 1 + secondsOf(test)),
    );
    return [...new Set([...within, ...sorted(scoreOf).slice(0, ALWAYS)])];
  }

  return ({ file, around }) => {
    const users = usersOf(file);
    const [top = '', room = ''] = file.split('/');
    const isOfTracker = top === 'tracker';
    const isOfServer = top === 'server'; // tests of the browser ask little of it that no other test does
    const near = [...users].filter(([user, step]) => step < 3 && !user.startsWith('tests/')).map(([user]) => user);
    const texts = [`${`${file} `.repeat(5)} ${near.join(' ')} ${readText(file)}`, around, file].map(likenessTo);
    const scoreOf = (test: string) => {
      const isOfRoom = test.startsWith(isOfTracker ? TRACKER : `tests/${room}/`);
      const alike = texts.reduce((sum, likeness) => sum + likeness(test), 0);
      return alike * (isOfRoom ? 1.5 : 1) + (users.get(test) === 1 ? 0.5 : 0);
    };
    const unit = tests.filter((test) => !test.startsWith('tests/') && users.has(test));
    const whole = tests.filter((test) => test.startsWith('tests/') && !test.startsWith(BROWSER) && users.has(test));
    const browser = tests.filter((test) =>
      isOfTracker ? test.startsWith(TRACKER) : !isOfServer && test.startsWith(BROWSER) && !test.startsWith(TRACKER),
    );
    return {
      unit: unit.sort((a, b) => (users.get(a) ?? 0) - (users.get(b) ?? 0)).slice(0, MOST_UNIT_TESTS),
      whole: best(whole, scoreOf),
      browser: best(browser, scoreOf, isOfTracker ? Infinity : MOST_SECONDS), // there are few of the tracker
    };
  };
}
