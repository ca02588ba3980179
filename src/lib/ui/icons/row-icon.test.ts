// Every value that the server can count has a glyph, a flag, a mark, or a letter in its place.
import { existsSync } from 'node:fs';
import { countries } from 'country-flag-icons';
import { iso31661 } from 'iso-3166';
import { expect, test } from 'vitest';
import { agents } from '../../../../server/collect/lists/ai-agents.ts';
import {
  brandNames,
  browserNames,
  browserRules,
  systemNames,
  systemRules,
} from '../../../../server/collect/lists/device-names.ts';
import { readPlaces } from '../../../../server/collect/lists/sources.ts';
import { BLACK_MARKS, MARK_NAMES, MARKS_OF } from './marks';
import { rowIconOf } from './row-icon';

const root = new URL('../../../..', import.meta.url).pathname;
const browsers = new Set([
  ...browserNames.values(),
  ...brandNames.values(),
  ...browserRules.map(({ name }) => name),
  // Named as in ua-parser-js, whose names are counted.
  'Chrome',
  'Firefox',
  'Edge',
  'Brave',
  'Vivaldi',
  'DuckDuckGo',
  'Facebook',
  'Instagram',
  'Opera Touch',
]);
const systems = new Set([
  ...[...systemNames.values(), ...systemRules.map(({ name }) => name)].filter((name) => name !== ''),
  'Windows',
  'macOS',
  'iOS',
  'Android',
  'Linux',
  'Chrome OS',
  'FreeBSD',
  'Windows Mobile',
]);

test('every country has its flag, and so have its regions', () => {
  const codes = iso31661.map(({ alpha2 }) => alpha2);
  expect(codes.length).toBeGreaterThan(240);
  for (const code of [...codes, 'XK']) {
    expect(rowIconOf('country', code)).toEqual({ flag: code });
    expect(rowIconOf('region', `${code}-01`)).toEqual({ flag: code });
  }
  const missing = countries.filter((code) => !existsSync(`${root}/node_modules/country-flag-icons/3x2/${code}.svg`));
  expect(missing).toEqual([]);
  for (const hostile of ['', 'ZZ', 'T1', 'de', 'DEU', '../..', 'DE/../x', '__proto__', 'constructor'])
    expect([hostile, rowIconOf('country', hostile)]).toEqual([hostile, undefined]);
});

test('every browser and system has a mark or a letter, with and without its version', () => {
  expect(Math.min(browsers.size, systems.size)).toBeGreaterThan(30);
  for (const [dimension, names] of [
    ['browser', browsers],
    ['os', systems],
  ] as const)
    for (const name of names) {
      const mark = MARKS_OF[dimension].get(name);
      const shown = mark === undefined ? 'letter' : { mark };
      expect([name, rowIconOf(dimension, name)]).toEqual([name, shown]);
      expect([name, rowIconOf(`${dimension}_version`, `${name} 10.5`)]).toEqual([name, shown]);
    }
  for (const name of ['Chrome', 'Safari', 'Firefox', 'Edge', 'Opera'])
    expect(rowIconOf('browser', name)).toHaveProperty('mark');
  for (const name of ['Windows', 'macOS', 'iOS', 'Android', 'Linux'])
    expect(rowIconOf('os', name)).toHaveProperty('mark');
  expect(rowIconOf('browser', 'constructor')).toBe('letter');
  expect(rowIconOf('browser', '')).toBeUndefined();
});

test('every name that has a mark is one that the server counts', () => {
  const places = new Set([...readPlaces().homes.keys(), ...agents.map(({ provider }) => provider)]);
  const unknown = (names: Iterable<string>, known: ReadonlySet<string>) =>
    [...names].filter((name) => !known.has(name));
  expect(unknown(MARKS_OF.browser.keys(), browsers)).toEqual([]);
  expect(unknown(MARKS_OF.os.keys(), systems)).toEqual([]);
  expect(unknown(MARKS_OF.place.keys(), places)).toEqual([]);
  expect(unknown(BLACK_MARKS, new Set(MARK_NAMES))).toEqual([]);
});

test('a direct visit looks the same among channels and sources, and a value that is on no list has no glyph', () => {
  expect(rowIconOf('channel', '')).toHaveProperty('glyph');
  expect(rowIconOf('source', '')).toEqual(rowIconOf('channel', 'Direct'));
  expect(rowIconOf('device', 'mobile')).toHaveProperty('glyph');
  expect([rowIconOf('device', 'toString'), rowIconOf('page', '/')]).toEqual([undefined, undefined]);
});
