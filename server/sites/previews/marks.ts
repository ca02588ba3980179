// What all drawings are made of: text, whose words are always escaped, and the points of a line.
import { t } from '../../vocabulary/habits/messages.ts';
import { escapeXml } from '../../vocabulary/texts/markup.ts';

type Style = { x: number; y: number; size: number; anchor?: 'start' | 'end' | 'middle' };

/** `look`: attributes for weight and colour. */
export function text(words: string, { x, y, size, anchor = 'start' }: Style, look: string): string {
  const anchored = anchor === 'start' ? '' : ` text-anchor="${anchor}"`;
  return `<text x="${x}" y="${y}" font-size="${size}"${anchored} ${look}>${escapeXml(words)}</text>`;
}

export type Box = { left: number; right: number; top: number; bottom: number };

/** Points from the left edge to the right one. `most`: the value at the top; `count`: how many points fill the whole width. */
export function pointsOf(
  values: readonly number[],
  { left, right, top, bottom }: Box,
  { most, count = values.length }: { most: number; count?: number },
): string[] {
  return values.map((value, index) => {
    const x = left + ((right - left) * index) / Math.max(1, count - 1);
    const y = bottom - ((bottom - top) * Math.max(0, value)) / most;
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
}

/** Widths in hundredths of the font's size, of Helvetica's kin. */
const NARROW: Record<string, number> = { i: 24, l: 24, j: 24, f: 30, t: 30, r: 35, I: 28, ' ': 28, ',': 28, '.': 28 };
const WIDTHS: readonly [RegExp, number][] = [
  [/\p{Cf}/u, 0],
  [/[\u2e80-\uffef]/, 100],
  [/[mwMW%]/, 86],
  [/[A-Z]/, 68],
];
export const widthOf = (words: string, size: number): number =>
  [...words].reduce((sum, sign) => sum + (NARROW[sign] ?? WIDTHS.find(([signs]) => signs.test(sign))?.[1] ?? 56), 0) *
  (size / 100);

export const credit = (): string => t('Counted by Footfall, without cookies');
