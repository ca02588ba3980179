// The chart as a table of numbers and as an image, for the clipboard. Without a clipboard (it needs https), they are saved as files.
import { isWithinDay } from '../../../server/vocabulary/time/intervals.ts';
import { metricRow, type Metric } from '../../../server/vocabulary/numbers/metrics.ts';
import type { Timeseries } from '../api/types';
import { saveCsv, saveFile, toCsv } from '../panels/csv';
import { type Layer, layerName } from './plot/layers';
import { bucketHeading, type FurtherLine, lineName, type LineNames, valuesAt } from './plot/series';

type Shown = {
  series: Pick<Timeseries, 'interval' | 'points' | 'previous'>;
  metric: Metric;
  currency: string | null;
  names: LineNames | undefined;
  layers: readonly Pick<Layer, 'name' | 'values'>[];
  hasOwn?: boolean;
  further?: readonly Pick<FurtherLine, 'name' | 'points' | 'metric' | 'isOfGoal'>[];
};

/** Follows the name of a column of bare numbers. */
function unitName(metric: Metric, currency: string | null): string {
  switch (metricRow(metric).unit) {
    case 'per_cent':
      return ' (%)';
    case 'seconds':
      return ' (seconds)';
    case 'money':
      return currency ? ` (${currency})` : '';
    default:
      return '';
  }
}

/** One row for each bucket: its start in UTC, and the value of each line and layer that is shown. */
export function numbersOf({
  series,
  metric,
  currency,
  names,
  layers,
  hasOwn = true,
  further = [],
}: Shown): (string | number)[][] {
  const { interval, points, previous } = series;
  const label = metricRow(metric).label;
  const starts = points.map(({ time }) => time);
  const unit = unitName(metric, currency);
  const lines = further.map((line) => ({
    name: lineName(line) + unitName(line.metric, currency),
    values: valuesAt(starts, line),
  }));
  const startOf = (time: number) => new Date(time).toISOString().slice(0, isWithinDay(interval) ? 16 : 10);
  return [
    [
      bucketHeading(interval, 'UTC'),
      ...(hasOwn ? [(names?.own ?? label) + unit] : []),
      ...(previous ? [(names?.other ?? `${label}, compared`) + unit] : []),
      ...lines.map(({ name }) => name),
      ...layers.map(({ name }) => layerName(name, metric)),
    ],
    ...points.map(({ time, value }, index) => [
      startOf(time),
      ...(hasOwn ? [value] : []),
      ...(previous ? [previous[index]?.value ?? ''] : []),
      ...lines.map(({ values }) => values[index] ?? ''),
      ...layers.map(({ values }) => values[index] ?? 0),
    ]),
  ];
}

/** An entry of the legend. One without a colour is a remark. */
export type Key = { name: string; colour?: string; kind?: 'line' | 'dashed' | 'area' };
type Frame = { title: string; keys: readonly Key[]; ground: string; ink: string; font: string };
const MARGIN_PX = 20;
const TITLE_PX = 44;
const KEYS_PX = 22;
const MARK_PX = 16;

/** The places of the keys: as many in a row as fit. `widths` are those of their names. */
export function placeKeys(widths: readonly number[], room: number): { x: number; row: number }[] {
  let [x, row] = [0, 0];
  return widths.map((width) => {
    const taken = Math.min(room, MARK_PX + width) + MARGIN_PX;
    if (x > 0 && x + taken - MARGIN_PX > room) [x, row] = [0, row + 1];
    const place = { x, row };
    x += taken;
    return place;
  });
}

/** The drawing on its background, below a title that says what it shows, and a legend of its lines. */
export function pictureOf(drawing: HTMLCanvasElement, { title, keys, ground, ink, font }: Frame): Promise<Blob> {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (!context) return Promise.reject(new Error('This browser cannot draw the image.'));
  const [wide, high] = [drawing.width / devicePixelRatio, drawing.height / devicePixelRatio];
  const small = `12px ${font}`;
  context.font = small;
  const places = placeKeys(
    keys.map(({ name }) => context.measureText(name).width),
    wide,
  );
  const head = TITLE_PX + KEYS_PX * ((places.at(-1)?.row ?? -1) + 1);
  canvas.width = (wide + 2 * MARGIN_PX) * devicePixelRatio;
  canvas.height = (high + head + MARGIN_PX) * devicePixelRatio;
  context.scale(devicePixelRatio, devicePixelRatio);
  context.fillStyle = ground;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = ink;
  context.font = `600 15px ${font}`;
  context.textBaseline = 'middle';
  context.fillText(title, MARGIN_PX, TITLE_PX / 2 + MARGIN_PX / 4, wide);
  context.font = small;
  keys.forEach(({ name, colour, kind = 'line' }, index) => {
    const { x, row } = places[index] ?? { x: 0, row: 0 };
    const [left, middle] = [MARGIN_PX + x, TITLE_PX + KEYS_PX * row + KEYS_PX / 2 - 4];
    if (colour !== undefined) {
      context.fillStyle = context.strokeStyle = colour;
      context.lineWidth = 2;
      context.setLineDash(kind === 'dashed' ? [3, 3] : []);
      if (kind === 'area') context.fillRect(left, middle - 5, 10, 10);
      else {
        context.beginPath();
        context.moveTo(left, middle);
        context.lineTo(left + 12, middle);
        context.stroke();
      }
    }
    context.fillStyle = ink;
    context.fillText(name, left + (colour === undefined ? 0 : MARK_PX), middle, wide - MARK_PX);
  });
  context.drawImage(drawing, MARGIN_PX, head, wide, high);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('This browser cannot draw the image.')))),
  );
}

type Outcome = 'Copied' | 'Saved';

export async function copyPicture(picture: Promise<Blob>, name: string): Promise<Outcome> {
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })]);
    return 'Copied';
  } catch {
    saveFile(`${name}.png`, await picture);
    return 'Saved';
  }
}

export async function copyNumbers(rows: (string | number)[][], name: string): Promise<Outcome> {
  try {
    await navigator.clipboard.writeText(toCsv(rows));
    return 'Copied';
  } catch {
    saveCsv(`${name}.csv`, rows);
    return 'Saved';
  }
}
