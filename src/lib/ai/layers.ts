// AI visits as stacked layers: one for each of the largest providers, and one for all others.
import { t } from '../../../server/vocabulary/habits/messages.ts';
import type { AiSeries } from '../api/types';
import { type Hue, HUES } from '../charts/plot/colours';
import type { Layer } from '../charts/plot/layers';

/** Also the layer's name in addresses, in every language. */
const OTHERS = 'All others';
export const layerLabel = (name: string): string => (name === OTHERS ? t('All others') : name);

/** The lowest layer first. Layers without any AI visits are left out. Providers without a hue are among the others. */
export function layersOf(
  { providers, points }: Pick<AiSeries, 'providers' | 'points'>,
  hues: readonly Hue[] = HUES,
): Layer[] {
  const named: Layer[] = providers.slice(0, hues.length).map((name, index) => ({
    name,
    colour: hues[index] ?? 'before',
    values: points.map(({ by }) => by[index] ?? 0),
  }));
  const others = points.map(({ total, by }) => total - by.slice(0, hues.length).reduce((sum, value) => sum + value, 0));
  return [...named, { name: OTHERS, colour: 'before' as const, values: others }].filter(({ values }) =>
    values.some((value) => value > 0),
  );
}
