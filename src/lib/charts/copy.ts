// The chart as a table of numbers and as an image, for the clipboard. Without a clipboard (it needs https), they are saved as files.
import { isWithinDay } from '../../../server/vocabulary/intervals.ts';
import { metricRow, type Metric } from '../../../server/vocabulary/metrics.ts';
import type { Timeseries } from '../api-types';
import { saveCsv, saveFile, toCsv } from '../panels/csv';
import type { Layer } from './layers';
import { bucketHeading, type FurtherLine, lineName, type LineNames, valuesAt } from './series';

type Shown = {
  series: Pick<Timeseries, 'interval' | 'points' | 'previous'>;
  metric: Metric;
  names: LineNames | undefined;
  layers: readonly Pick<Layer, 'name' | 'values'>[];
  hasOwn?: boolean;
  further?: readonly Pick<FurtherLine, 'name' | 'points' | 'isOfGoal'>[];
};

/** One row for each bucket: its start in UTC, and the value of each line and layer that is shown. */
export function numbersOf({
  series,
  metric,
  names,
  layers,
  hasOwn = true,
  further = [],
}: Shown): (string | number)[][] {
  const { interval, points, previous } = series;
  const label = metricRow(metric).label;
  const starts = points.map(({ time }) => time);
  const lines = further.map((line) => ({ name: lineName(line), values: valuesAt(starts, line) }));
  const startOf = (time: number) => new Date(time).toISOString().slice(0, isWithinDay(interval) ? 16 : 10);
  return [
    [
      bucketHeading(interval, 'UTC'),
      ...(hasOwn ? [names?.own ?? label] : []),
      ...(previous ? [names?.other ?? `${label}, compared`] : []),
      ...lines.map(({ name }) => name),
      ...layers.map(({ name }) => `AI visits: ${name}`),
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

type Frame = { title: string; ground: string; ink: string; font: string };
const MARGIN_PX = 20;
const TITLE_PX = 44;

/** The drawing on its background, below a title that says what it shows. */
export function pictureOf(drawing: HTMLCanvasElement, { title, ground, ink, font }: Frame): Promise<Blob> {
  const [margin, head] = [MARGIN_PX * devicePixelRatio, TITLE_PX * devicePixelRatio];
  const canvas = document.createElement('canvas');
  canvas.width = drawing.width + 2 * margin;
  canvas.height = drawing.height + head + margin;
  const context = canvas.getContext('2d');
  if (!context) return Promise.reject(new Error('This browser cannot draw the image.'));
  context.fillStyle = ground;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = ink;
  context.font = `600 ${15 * devicePixelRatio}px ${font}`;
  context.textBaseline = 'middle';
  context.fillText(title, margin, head / 2 + margin / 4, canvas.width - 2 * margin);
  context.drawImage(drawing, margin, head);
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
