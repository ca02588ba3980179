// How each column of the chart is drawn: uPlot's series, in the order of `toColumns`.
import uPlot from 'uplot';
import type { ChartType } from '../../view/view';
import { fade, type Colours, type Hue } from './colours';
import { aloneIn } from './series';

/** The axis of values at the right. */
export const RIGHT = 'right';

type Stroke = { colour: Hue; isOnRight: boolean };
type Drawn = { colours: Colours; chartType: ChartType; isFew: boolean; further: readonly Stroke[] };

const OPEN_END = [4, 5];

export function strokesOf({ colours, chartType, isFew, further }: Drawn): uPlot.Series[] {
  const own = colours['series-1'];
  const isBars = isFew || chartType === 'bars';
  const area = (self: uPlot) => {
    if (chartType === 'line') return 'transparent';
    const gradient = self.ctx.createLinearGradient(0, self.bbox.top, 0, self.bbox.top + self.bbox.height);
    gradient.addColorStop(0, fade(own, 0.2));
    gradient.addColorStop(1, fade(own, 0.01));
    return gradient;
  };
  const paths = isBars ? uPlot.paths.bars?.({ size: isFew ? [0.4, 120] : [0.7, 40], radius: 0.1 }) : undefined;
  const bars = paths ? { paths } : {};
  /** Dots for the values of a line that have no neighbour to be joined with. */
  const alone = (colour: string): uPlot.Series.Points => ({
    show: !isBars,
    size: 5,
    fill: colour,
    filter: (self, column) => aloneIn([...(self.data[column] ?? [])]),
  });
  const dots = (colour: string) => (isFew ? { show: true, size: 9, fill: colour } : alone(colour));
  return [
    {},
    { stroke: own, width: 2, fill: isBars ? fade(own, 0.85) : area, points: alone(own), ...bars },
    { stroke: own, width: 2, dash: OPEN_END, fill: isBars ? fade(own, 0.4) : area, points: { show: false }, ...bars },
    { stroke: colours.before, width: 1.5, dash: [3, 5], points: dots(colours.before) },
    ...further.flatMap(({ colour, isOnRight }): uPlot.Series[] => {
      const line = {
        stroke: colours[colour],
        width: 2,
        scale: isOnRight ? RIGHT : 'y',
        points: dots(colours[colour]),
      };
      return [line, { ...line, dash: OPEN_END }];
    }),
  ];
}

/** The colour of the mark on the line of a column. */
export function markColour(index: number, { colours, further }: Pick<Drawn, 'colours' | 'further'>): string {
  if (index === 3) return colours.before;
  const line = further[Math.floor((index - 4) / 2)];
  return colours[line?.colour ?? 'series-1'];
}
