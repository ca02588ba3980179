// The chart of a report as SVG: a metric over time, with the previous period as a dashed line. The background is transparent and the colours
// are of medium lightness, so that it suits the light and the dark mode of mail programs. Without text, which would suit neither.
import { pointsOf } from './marks.ts';

const WIDTH = 924;
const HEIGHT = 280;

/** At least 3:1 against both the light and the dark card of a mail. */
const LINE = '#17a06e';
const BEFORE = '#87928c';
const EDGE = 6;
const BOX = { left: EDGE, right: WIDTH - EDGE, top: EDGE, bottom: HEIGHT - EDGE };

type Series = { points: readonly number[]; previous: readonly number[] | null };

export function drawChart({ points, previous }: Series): string {
  const most = Math.max(1, ...points, ...(previous ?? []));
  const count = Math.max(points.length, previous?.length ?? 0);
  const at = (values: readonly number[]) => pointsOf(values, BOX, { most, count });
  const line = at(points);
  const { bottom } = BOX;
  const last = line.at(-1)?.split(',')[0] ?? String(EDGE);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">
<line x1="${EDGE}" y1="${bottom}" x2="${WIDTH - EDGE}" y2="${bottom}" stroke="${BEFORE}" stroke-opacity="0.4" stroke-width="2"/>
<polygon points="${EDGE},${bottom} ${line.join(' ')} ${last},${bottom}" fill="${LINE}" fill-opacity="0.16"/>
${previous ? `<polyline points="${at(previous).join(' ')}" fill="none" stroke="${BEFORE}" stroke-width="3" stroke-dasharray="8 8"/>` : ''}
<polyline points="${line.join(' ')}" fill="none" stroke="${LINE}" stroke-width="5" stroke-linejoin="round" stroke-linecap="round"/>
</svg>`;
}
