// The chart as a table of numbers, and as an image for the clipboard. Without a clipboard (it needs https), the image is saved as a file.
import { t } from '../../../server/vocabulary/habits/messages.ts';
import type { Cell } from '../../../server/vocabulary/texts/csv.ts';
import type { Metric } from '../../../server/vocabulary/numbers/metrics.ts';
import { ALL_VISITORS } from '../../../server/vocabulary/questions/segments.ts';
import type { Timeseries } from '../api/types';
import { saveFile } from '../exports/files';
import { bucketStart } from '../formats/format';
import { metricOfLine } from '../view/view';
import type { Layer } from './plot/layers';
import { type FurtherLine, valuesAt } from './plot/series';

type Shown = {
  series: Pick<Timeseries, 'interval' | 'points' | 'previous'>;
  metric: Metric;
  layers: readonly Pick<Layer, 'name' | 'values'>[];
  hasOwn?: boolean;
  further?: readonly Pick<FurtherLine, 'id' | 'name' | 'points' | 'metric'>[];
};

/** One row for each step: its start, and the value of each line and layer that is shown. Headings are those of the API. */
export function numbersOf({ series, metric, layers, hasOwn = true, further = [] }: Shown): Cell[][] {
  const { interval, points, previous } = series;
  const starts = points.map(({ time }) => time);
  const lines = further.map((line) => ({
    name: metricOfLine(line.id) ?? `${line.metric} (${line.id === ALL_VISITORS ? 'All visitors' : line.name})`,
    values: valuesAt(starts, line),
  }));
  return [
    [
      'time',
      ...(hasOwn ? [metric] : []),
      ...(previous ? [`previous.${metric}`] : []),
      ...lines.map(({ name }) => name),
      ...layers.map(({ name }) => `ai_visits (${name})`),
    ],
    ...points.map(({ time, value }, index) => [
      bucketStart(time, interval),
      ...(hasOwn ? [value ?? ''] : []),
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

/** Returns what has happened, in words. */
export async function copyPicture(picture: Promise<Blob>, name: string): Promise<string> {
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })]);
    return t('Copied');
  } catch {
    saveFile(`${name}.png`, await picture);
    return t('Saved');
  }
}
