// The icon before a row's name: a glyph, a flag, a mark, or a tile with a letter.
import { hasFlag } from 'country-flag-icons';
import type { Dimension } from '../../../../server/vocabulary/questions/dimensions.ts';
import { GLYPHS } from './glyphs';
import { MARKS_OF } from './marks';

type RowIcon = { glyph: string } | { flag: string } | { mark: string } | 'letter' | undefined;

const glyphOf =
  (kind: keyof typeof GLYPHS) =>
  (value: string): RowIcon => {
    const glyph = GLYPHS[kind].get(value);
    return glyph === undefined ? undefined : { glyph };
  };

const markOf =
  (kind: keyof typeof MARKS_OF) =>
  (value: string): RowIcon => {
    // With a version as its last word: `Internet Explorer 11`.
    const mark = MARKS_OF[kind].get(value) ?? MARKS_OF[kind].get(value.replace(/ [^ ]*$/, ''));
    if (mark !== undefined) return { mark };
    return value === '' ? undefined : 'letter';
  };

const flagOf = (value: string): RowIcon => {
  const code = /^[A-Z]{2}(?=-|$)/.exec(value)?.[0];
  return code !== undefined && hasFlag(code) ? { flag: code } : undefined;
};

/** The empty source is a direct visit. */
const sourceIcon = (value: string): RowIcon => (value === '' ? glyphOf('channel')('Direct') : markOf('place')(value));

/** The server knows the icon; without one, the first letter stands in. */
const letterOf = (value: string): RowIcon => (value === '' ? undefined : 'letter');

const KINDS: Partial<Record<Dimension, (value: string) => RowIcon>> = {
  channel: (value) => glyphOf('channel')(value || 'Direct'),
  source: sourceIcon,
  referrer: sourceIcon,
  utm_source: markOf('place'),
  hostname: letterOf,
  ai_provider: markOf('place'),
  ai_agent: letterOf,
  country: flagOf,
  region: flagOf,
  browser: markOf('browser'),
  browser_version: markOf('browser'),
  os: markOf('os'),
  os_version: markOf('os'),
  device: glyphOf('device'),
};

export function rowIconOf(dimension: Dimension, value: string): RowIcon {
  return KINDS[dimension]?.(value);
}
