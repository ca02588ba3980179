// Stacked areas behind the chart's line, on an axis of their own at the right.
import { t } from '../../../../server/vocabulary/habits/messages.ts';
import type uPlot from 'uplot';
import type { Metric } from '../../../../server/vocabulary/numbers/metrics.ts';
import { layerLabel } from '../../ai/layers';
import type { Timeseries } from '../../api/types';
import type { Colours } from './colours';
import type { DrawnLine, LineNames } from './series';

export type Layer = {
  name: string;
  /** A colour token. */
  colour: Exclude<keyof Colours, 'surface' | 'sunken'>;
  values: number[];
};

/** The contents of the chart, for the parts that show them as text. */
export type Shown = {
  series: Timeseries;
  metric: Metric;
  names: LineNames | undefined;
  /** A value of the metric as text, also one that is not told. */
  text: (value: number | null) => string;
  /** False when the chart's own line is switched off. */
  hasOwn: boolean;
  lines: readonly DrawnLine[];
  layers: readonly Layer[];
};

/** The layer's name where nothing else says what it counts. */
export const layerName = (name: string, metric: Metric): string =>
  metric === 'ai_visits' ? layerLabel(name) : t('AI visits: {name}', { name: layerLabel(name) });

/** The line stays readable: the layers fill at most this part of the height. */
const PART = 0.5;
/** A bar of layers stands beside the bar of the line. */
const BAR_PX = 18;

/** The lower and the upper edge of each layer. */
export function edges(layers: readonly Layer[]): { lower: number[]; upper: number[] }[] {
  let lower = (layers[0]?.values ?? []).map(() => 0);
  return layers.map(({ values }) => {
    const below = lower;
    lower = values.map((value, index) => value + (below[index] ?? 0));
    return { lower: below, upper: lower };
  });
}

/** The highest point of the layers. */
export const topOf = (layers: readonly Layer[]): number => Math.max(0, ...(edges(layers).at(-1)?.upper ?? []));

/** The value that the axis must reach, so that the layers stay below the lines. */
export const reachOf = (layers: readonly Layer[]): number => topOf(layers) / PART;

type Drawing = { layers: readonly Layer[]; top: number; isBars: boolean; colours: Colours };

export function drawLayers(plot: uPlot, { layers, top, isBars, colours }: Drawing): void {
  const { ctx, bbox } = plot;
  const x = (index: number) => plot.valToPos(index, 'x', true);
  const y = (value: number) => bbox.top + bbox.height * (1 - value / top);
  ctx.save();
  ctx.globalAlpha = 0.6;
  edges(layers).forEach(({ lower, upper }, at) => {
    const layer = layers[at];
    if (!layer) return;
    ctx.fillStyle = colours[layer.colour];
    ctx.beginPath();
    if (isBars) {
      const width = BAR_PX * devicePixelRatio;
      const left = (index: number) => Math.min(x(index) + (x(1) - x(0)) * 0.22, bbox.left + bbox.width - width);
      upper.forEach((value, index) => {
        const under = lower[index] ?? 0;
        ctx.rect(left(index), y(value), width, y(under) - y(value));
      });
    } else {
      upper.forEach((value, index) => ctx.lineTo(x(index), y(value)));
      for (let index = lower.length - 1; index >= 0; index -= 1) ctx.lineTo(x(index), y(lower[index] ?? 0));
      ctx.closePath();
    }
    ctx.fill();
  });
  ctx.restore();
}
