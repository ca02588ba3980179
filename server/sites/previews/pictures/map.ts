// The world's countries, coloured by a metric, as the dashboard's map is: each step of the scale is a multiple of the one before.
import { t } from '../../../vocabulary/habits/messages.ts';
import { countryName } from '../../../vocabulary/questions/value-names.ts';
import { metricValue } from '../../../vocabulary/numbers/format.ts';
import { metricRow } from '../../../vocabulary/numbers/metrics.ts';
import { pictureRow } from '../../../vocabulary/settings/pictures.ts';
import { credit, text } from '../marks.ts';
import { type Asked, namesOf, shortDomain, spanName } from './asked.ts';
import { canvas, card, scaleOf, SOFT, STRONGEST } from './canvas.ts';
import world from './world.json' with { type: 'json' };

/** Highest first; the name is the country's code, or '' if it is unknown. */
export type Countries = readonly { name: string; value: number }[];

const NAMED = 3;
/** A fainter one is not seen on the sea. */
const FAINTEST_DOT = 3;
const OUTLINES: Record<string, string> = world.outlines;
const DOTS: Record<string, number[]> = world.dots;

export function drawMap(asked: Asked, countries: Countries): string {
  const { width, height } = pictureRow('map');
  const { domain, metric, theme, hasCredit } = asked;
  const known = knownOf(countries);
  const named = known
    .slice(0, NAMED)
    .map(({ name, value }) => `${countryName(name)} ${metricValue(metric, value, asked)}`);
  const says = { domain, metric: metricRow(metric).label, period: namesOf(asked).period };
  const title =
    named.length > 0
      ? t('{domain}: {metric} by country, {period}, {countries}', { ...says, countries: named.join(', ') })
      : t('{domain}: {metric} by country, {period}', says);
  return canvas(
    { width, height, theme, title },
    card(width, height),
    text(t('{metric} by country', { metric: says.metric }), { x: 24, y: 34, size: 14 }, 'class="i" font-weight="600"'),
    text(spanName(asked), { x: 24, y: 54, size: 12 }, SOFT),
    text(shortDomain(asked), { x: width - 24, y: 34, size: 14, anchor: 'end' }, SOFT),
    `<g transform="translate(${(width - world.width * SHRUNK) / 2} 56)scale(${SHRUNK})" stroke-width="0.7">`,
    ...landOf(known),
    '</g>',
    text(named.join(' · ') || t('Nobody yet'), { x: 24, y: height - 38, size: 12 }, 'class="i"'),
    hasCredit ? text(credit(), { x: 24, y: height - 18, size: 11 }, SOFT) : '',
    scaleOf(STRONGEST + 1, { right: width - 24, bottom: height - 18 }),
  );
}

const SHRUNK = 0.94;

/** Those that are on the map, and have any. */
export const knownOf = (countries: Countries): Countries =>
  countries.filter(({ name, value }) => value > 0 && (Object.hasOwn(OUTLINES, name) || Object.hasOwn(DOTS, name)));

/** The outlines of all countries, by step of the scale; small ones as dots. */
export function landOf(known: Countries): string[] {
  const most = Math.max(1, ...known.map(({ value }) => value));
  const steps = new Map(known.map(({ name, value }) => [name, stepOf(value, most)]));
  const land = Array.from({ length: STRONGEST + 1 }, () => '');
  for (const [code, path] of Object.entries(OUTLINES)) land[steps.get(code) ?? 0] += path;
  const dots = land.map(() => '');
  for (const { name } of known) {
    const [x, y] = DOTS[name] ?? [];
    const step = Math.max(FAINTEST_DOT, steps.get(name) ?? 0);
    if (x !== undefined) dots[step] += `<circle cx="${x}" cy="${y}" r="4"/>`;
  }
  return [
    ...land.map((path, step) => (path ? `<path class="n${step} e" d="${path}"/>` : '')),
    ...dots.map((all, step) => (all ? `<g class="n${step} e">${all}</g>` : '')),
  ];
}

/** Logarithmic, so that one large country does not hide the rest. */
function stepOf(value: number, most: number): number {
  const share = most === 1 ? 1 : Math.log(Math.max(1, value)) / Math.log(most);
  return Math.max(1, Math.ceil(STRONGEST * share));
}
