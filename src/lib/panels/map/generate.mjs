// Draws the outlines of the world map once, so that neither a projection nor a topology ships to the browser.
// Source: world-atlas 2.0.2 (ISC), made from Natural Earth's 1:50m countries (public domain). Run where these are installed:
//   npm i world-atlas@2.0.2 d3-geo@3 topojson-client@3 topojson-simplify@3 i18n-iso-countries@7 && node generate.mjs > outlines.json
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { shorten } from './shorten.mjs';

const require = createRequire(join(process.cwd(), 'any.js'));
const { geoNaturalEarth1, geoPath, geoCentroid } = await import(require.resolve('d3-geo'));
const { feature } = require('topojson-client');
const { presimplify, simplify } = require('topojson-simplify');
const countries = require('i18n-iso-countries');

const WIDTH = 960;
const HEIGHT = 470;
/** Square degrees: a bend smaller than this is straightened. */
const MIN_DETAIL = 0.08;
/** Below this area, in square units of the drawing, an outline cannot be hit with a finger: a dot stands in. */
const DOT_AREA = 6;

const world = JSON.parse(readFileSync(require.resolve('world-atlas/countries-50m.json'), 'utf8'));
const weighted = presimplify(world);
const simple = simplify(weighted, MIN_DETAIL);
const shapes = (topology) =>
  feature(topology, topology.objects.countries).features.filter((shape) => shape.properties.name !== 'Antarctica');

const whole = { type: 'FeatureCollection', features: shapes(world) };
const projection = geoNaturalEarth1()
  .rotate([-11, 0])
  .precision(0)
  .fitExtent(
    [
      [2, 2],
      [WIDTH - 2, HEIGHT - 2],
    ],
    whole,
  );
const draw = geoPath(projection).digits(1);

const fullAreas = new Map(shapes(world).map((shape) => [shape.properties.name, draw.area(shape)]));

/** Countries on both sides of the date line have their middle beyond the edge. */
const onPaper = ([x, y]) => [Math.round(Math.min(Math.max(x, 5), WIDTH - 5) * 2), Math.round(y * 2)];

/** The middle of the largest part, so that France's lies in Europe. */
function middleOf({ geometry }) {
  const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
  const all = polygons.map((coordinates) => ({ type: 'Polygon', coordinates }));
  const [largest] = all.sort((a, b) => draw.area(b) - draw.area(a));
  return draw.centroid(largest).map((n) => Math.round(n * 2));
}

const outlines = {};
const dots = {};
/** Where a country with an outline pulses. */
const centres = {};
for (const shape of shapes(simple)) {
  const code = shape.id ? countries.numericToAlpha2(shape.id) : { Kosovo: 'XK' }[shape.properties.name];
  if (!code) continue;
  const path = shorten(draw(shape));
  if (path && (fullAreas.get(shape.properties.name) ?? 0) >= DOT_AREA) {
    outlines[code] = (outlines[code] ?? '') + path;
    centres[code] ??= middleOf(shape);
  } else if (!outlines[code])
    dots[code] = onPaper(projection(geoCentroid(shapes(world).find((one) => one.id === shape.id))));
}
process.stdout.write(JSON.stringify({ width: WIDTH * 2, height: HEIGHT * 2, outlines, dots, centres }) + '\n');
