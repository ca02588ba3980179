// Draws the world of a link's picture from outlines.json, with a third of its detail, so that the picture stays small. Run it after generate.mjs:
//   node generate-small.mjs > ../../../../server/sites/previews/pictures/world.json
import { readFileSync } from 'node:fs';

/** Half units of outlines.json in a step of the small drawing. */
const SCALE = 3;
/** A ring within fewer steps is left out, unless it is its country's largest. */
const MIN_SIDE = 5;
/** In steps. */
const TOLERANCE = 1;

const world = JSON.parse(readFileSync(new URL('outlines.json', import.meta.url), 'utf8'));

/** Takes `m1 2l3-4 5 6z…`: every ring starts relative to the start of the one before. */
function ringsOf(path) {
  let start = [0, 0];
  return path
    .split('z')
    .filter(Boolean)
    .map((ring) => {
      const numbers = ring.match(/-?\d+/g).map(Number);
      const points = [];
      for (let i = 0; i < numbers.length; i += 2) {
        const [x, y] = points.at(-1) ?? start;
        points.push([x + numbers[i], y + numbers[i + 1]]);
      }
      start = points[0];
      return points.map(([x, y]) => [Math.round(x / SCALE), Math.round(y / SCALE)]);
    })
    .map((ring) => ring.filter(([x, y], i) => i === 0 || x !== ring[i - 1][0] || y !== ring[i - 1][1]));
}

const sideOf = (ring) =>
  Math.max(
    ...[0, 1].map((axis) => {
      const values = ring.map((point) => point[axis]);
      return Math.max(...values) - Math.min(...values);
    }),
  );

/** Straightens what bends by less than a tolerance (Douglas and Peucker). */
function straighten(points) {
  const [first, last] = [points[0], points.at(-1)];
  const length = Math.hypot(last[0] - first[0], last[1] - first[1]);
  let [far, at] = [0, 0];
  for (const [i, [x, y]] of points.entries()) {
    const away =
      length === 0
        ? Math.hypot(x - first[0], y - first[1])
        : Math.abs((last[0] - first[0]) * (y - first[1]) - (last[1] - first[1]) * (x - first[0])) / length;
    if (away > far) [far, at] = [away, i];
  }
  if (far <= TOLERANCE) return [first, last];
  return [...straighten(points.slice(0, at + 1)).slice(0, -1), ...straighten(points.slice(at))];
}

function small(path) {
  const rings = ringsOf(path)
    .map((ring) => straighten([...ring, ring[0]]).slice(0, -1))
    .filter((ring) => ring.length > 2);
  const largest = Math.max(0, ...rings.map(sideOf));
  return rings
    .filter((ring) => sideOf(ring) >= Math.min(MIN_SIDE, largest))
    .map((ring) => {
      const steps = ring.slice(1).map(([x, y], i) => `${x - ring[i][0]} ${y - ring[i][1]}`);
      return `M${ring[0].join(' ')}l${steps.join(' ').replaceAll(' -', '-')}z`;
    })
    .join('');
}

const outlines = Object.fromEntries(
  Object.entries(world.outlines).flatMap(([code, path]) => (small(path) ? [[code, small(path)]] : [])),
);
const at = ([x, y]) => [Math.round(x / SCALE), Math.round(y / SCALE)];
const centres = { ...world.dots, ...world.centres };
const dots = Object.fromEntries(
  Object.entries(centres).flatMap(([code, middle]) => (code in outlines ? [] : [[code, at(middle)]])),
);
const drawing = { width: Math.round(world.width / SCALE), height: Math.round(world.height / SCALE), outlines, dots };
process.stdout.write(`${JSON.stringify(drawing)}\n`);
