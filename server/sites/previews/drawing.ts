// The picture of a shared dashboard as SVG. The only text from outside is the site's domain, and it is escaped.
import { readFileSync } from 'node:fs';
import { t } from '../../vocabulary/habits/messages.ts';
import { fullNumber, percent } from '../../vocabulary/numbers/format.ts';
import { PERIODS } from '../../vocabulary/time/periods.ts';
import { credit, pointsOf, text as textAt, widthOf } from './marks.ts';

export const WIDTH = 1200;
export const HEIGHT = 630;
export const FONT = 'Geist';

export type Figures = {
  domain: string;
  /** Unique visitors of the last 30 days, and of the 30 days before. */
  visitors: number;
  previous: number | null;
  pageviews: number;
  /** Unique visitors of each day. */
  points: number[];
  hasCredit: boolean;
};

const LOGO = readFileSync(new URL('../../../static/favicon.svg', import.meta.url), 'utf8').replace(
  '<svg ',
  '<svg width="44" height="44" ',
);

/** Longer domains end in an ellipsis; DNS allows 253 characters. */
const MAX_DOMAIN = 40;
const INK = '#131c17';
const SOFT = '#48554d';
const ACCENT = '#0b7a54';
const PLOT = { left: 80, right: 1120, top: 350, bottom: 520 };

export function drawPreview({ domain, visitors, previous, pageviews, points, hasCredit }: Figures): string {
  const name = domain.length > MAX_DOMAIN ? `${domain.slice(0, MAX_DOMAIN - 1)}…` : domain;
  const below = visitorWords(visitors, previous);
  const views = t('page views');
  // Words of some languages are longer: those on the left leave room for those on the right.
  const room = 1000 - widthOf(views, 28);
  const belowSize = Math.min(28, Math.floor((28 * room) / widthOf(below, 28)));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" font-family="${FONT}">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#f6f7f5"/>
<rect x="40" y="40" width="1120" height="550" rx="28" fill="#fff" stroke="#e7eae5" stroke-width="2"/>
${text(name, { x: 80, y: 122, size: name.length > 24 ? 34 : 48, weight: 600 })}
${text(PERIODS['30d'].label, { x: 1120, y: 120, size: 28, colour: SOFT, anchor: 'end' })}
${text(fullNumber(visitors), { x: 80, y: 262, size: 108, weight: 600 })}
${text(below, { x: 80, y: 312, size: belowSize, colour: SOFT })}
${text(fullNumber(pageviews), { x: 1120, y: 262, size: 60, weight: 600, anchor: 'end' })}
${text(views, { x: 1120, y: 312, size: 28, colour: SOFT, anchor: 'end' })}
${line(points)}
${hasCredit ? `<g transform="translate(80 534)">${LOGO}</g>${text(credit(), { x: 138, y: 564, size: 24, colour: SOFT })}` : ''}
</svg>`;
}

type Style = { x: number; y: number; size: number; weight?: 400 | 600; colour?: string; anchor?: 'start' | 'end' };

const text = (words: string, { weight = 400, colour = INK, ...at }: Style): string =>
  textAt(words, at, `font-weight="${weight}" fill="${colour}"`);

/** Below their number. */
function visitorWords(value: number, previous: number | null): string {
  if (!previous) return t('unique visitors');
  const moved = Math.round(((value - previous) / previous) * 100);
  if (moved === 0) return t('unique visitors, as many as in the 30 days before');
  const change = percent(Math.abs(moved));
  return moved > 0
    ? t('unique visitors, {change} more than in the 30 days before', { change })
    : t('unique visitors, {change} fewer than in the 30 days before', { change });
}

function line(points: readonly number[]): string {
  const at = pointsOf(points, PLOT, { most: Math.max(1, ...points) });
  if (at.length === 0) return '';
  const { left, right, bottom } = PLOT;
  return `<polygon points="${left},${bottom} ${at.join(' ')} ${right},${bottom}" fill="#e6f3ec"/>
<polyline points="${at.join(' ')}" fill="none" stroke="${ACCENT}" stroke-width="5" stroke-linejoin="round" stroke-linecap="round"/>`;
}
