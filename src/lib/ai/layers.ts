// AI visits as layers upon each other: one for each of the largest providers, and one for all others.
import type { AiSeries } from '../api-types';
import type { Layer } from '../charts/layers';

const OTHERS = 'All others';
/** The first hue is that of the chart's own line. */
const FIRST_HUE = 2;

/** The lowest layer first. Layers without any AI visits are left out. */
export function layersOf({ providers, points }: Pick<AiSeries, 'providers' | 'points'>): Layer[] {
  const named = providers.map((name, index) => ({
    name,
    colour: `series-${FIRST_HUE + index}` as Layer['colour'],
    values: points.map(({ by }) => by[index] ?? 0),
  }));
  const others = points.map(({ total, by }) => total - by.reduce((sum, value) => sum + value, 0));
  return [...named, { name: OTHERS, colour: 'before' as const, values: others }].filter(({ values }) =>
    values.some((value) => value > 0),
  );
}
