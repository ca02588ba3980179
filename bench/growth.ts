// Measures how costs grow: a dashboard with the events of its site and with its days, the live push with open dashboards, and accepting events with
// the number of sites. Draws docs/growth.svg.
// node bench/growth.ts: ten minutes, and as many more the first time, to fill sites with events.
import { writeFileSync } from 'node:fs';
import { text } from '../server/sites/previews/marks.ts';
import { canvas, card, SOFT } from '../server/sites/previews/pictures/canvas.ts';
import { fullNumber, shortNumber } from '../server/vocabulary/numbers/format.ts';
import { kept, LARGE, TRAFFIC, YEAR } from './figures.ts';
import { type Line, runBench } from './run-bench.ts';
import { print } from './server.ts';

type Point = { size: number; cost: number };
/** `unit`: of its costs. */
type Curve = { title: string; unit: string; points: Point[] };

const DAYS = '7,30,91';
const RATE = 800;
const EVENTS_A_SECOND = 20;

const numberOf = (line: Line | undefined, name: string) => Number(line?.[name]);
const wholeOf = (lines: Line[], days: number) =>
  numberOf(
    lines.find((line) => line['days'] === days && 'whole_ms' in line),
    'whole_ms',
  );

async function dashboards(): Promise<[events: Curve, days: Curve]> {
  const events: Point[] = [];
  let large: Line[] = [];
  for (const [visits, folder, times = '1', quarters = '1'] of [
    ['660', kept('bench-growth-small')],
    ['2600', kept('bench-growth')],
    TRAFFIC,
    LARGE,
  ]) {
    large = await runBench('bench/dashboard.ts', [visits ?? '', folder ?? '', times, quarters, DAYS]);
    events.push({
      size: numberOf(
        large.find((line) => 'events' in line),
        'events',
      ),
      cost: wholeOf(large, 30),
    });
  }
  const year = await runBench('bench/dashboard.ts', YEAR);
  const days = [
    ...DAYS.split(',')
      .map(Number)
      .map((size) => ({ size, cost: wholeOf(large, size) })),
    { size: 364, cost: wholeOf(year, 364) },
  ];
  return [
    { title: 'Events of a site: its dashboard of 30 days', unit: 'ms', points: events },
    { title: 'Days of a dashboard, with 20 million events', unit: 'ms (364 days: 9 million)', points: days },
  ];
}

async function watchers(): Promise<Curve> {
  const points: Point[] = [];
  for (const size of [100, 500, 1000, 2000]) {
    const lines = await runBench('bench/watchers.ts', [String(size), String(EVENTS_A_SECOND), '15']);
    points.push({ size, cost: Math.round(1000 * numberOf(lines.at(-1), 'server_cpu_share')) });
  }
  return { title: `Open dashboards of a site with ${EVENTS_A_SECOND} events/s`, unit: 'ms of CPU a second', points };
}

async function sites(): Promise<Curve> {
  const points: Point[] = [];
  for (const size of [5, 50, 500, 5000]) {
    const lines = await runBench('bench/many-domains.ts', [String(size), String(RATE), '20']);
    points.push({ size, cost: Math.round((1e6 * numberOf(lines.at(-1), 'server_cpu_share')) / RATE) });
  }
  return { title: `Sites: an event, of ${RATE} a second`, unit: 'µs of CPU', points };
}

const WIDTH = 960;
const SIZE = { width: 480, height: 250 };
const PLOT = { left: 40, right: 440, top: 84, bottom: 196 };

/** Sizes on a logarithmic scale, costs on a linear one from 0: a cost that grows with the size would bend upwards. */
function drawCurve({ title, unit, points }: Curve, index: number): string {
  const sizes = points.map(({ size }) => Math.log(size));
  const [first, end] = [Math.min(...sizes), Math.max(...sizes)];
  const most = Math.max(...points.map(({ cost }) => cost));
  const places = points.map(({ size, cost }) => ({
    x: Math.round(PLOT.left + ((PLOT.right - PLOT.left) * (Math.log(size) - first)) / (end - first)),
    y: Math.round(PLOT.bottom - ((PLOT.bottom - PLOT.top) * cost) / most),
    cost: fullNumber(cost),
    size: shortNumber(size),
  }));
  const middle = { size: 13, anchor: 'middle' as const };
  return `<g transform="translate(${(index % 2) * SIZE.width} ${Math.floor(index / 2) * SIZE.height})">
${text(title, { x: PLOT.left, y: 36, size: 15 }, 'class="i" font-weight="600"')}${text(unit, { x: PLOT.left, y: 56, size: 13 }, SOFT)}
<path class="g" d="M${PLOT.left} ${PLOT.bottom}H${PLOT.right}"/><polyline class="l" stroke-width="2.5" points="${places.map(({ x, y }) => `${x},${y}`).join(' ')}"/>
${places
  .map(
    ({ x, y, cost, size }) =>
      `<circle class="d" cx="${x}" cy="${y}" r="4"/>${text(cost, { ...middle, x, y: y - 10 }, 'class="i"')}${text(size, { ...middle, x, y: PLOT.bottom + 22 }, SOFT)}`,
  )
  .join('\n')}
</g>`;
}

const curves = [...(await dashboards()), await watchers(), await sites()];
for (const curve of curves) print(curve);
const height = 2 * SIZE.height;
const title = curves
  .map(
    (curve) =>
      `${curve.title}, in ${curve.unit}: ${curve.points.map(({ size, cost }) => `${fullNumber(size)}: ${cost}`).join(', ')}`,
  )
  .join('. ');
writeFileSync(
  new URL('../docs/growth.svg', import.meta.url),
  `${canvas({ width: WIDTH, height, theme: 'auto', title }, card(WIDTH, height), ...curves.map(drawCurve))}\n`,
);
