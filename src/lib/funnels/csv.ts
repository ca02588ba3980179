// A funnel as CSV: its steps, followed by the steps for each value of the dimension that it is split by.
import type { Dimension } from '../../../server/vocabulary/questions/dimensions.ts';
import type { FunnelFigures, FunnelLeft } from '../api/types';
import { dimensionLabel } from '../formats/dimensions';

type Cell = string | number;
type Step = Pick<FunnelFigures['steps'][number], 'visitors' | 'visits' | 'rate' | 'drop_off' | 'median_time'>;

export function csvOf(figures: FunnelFigures, left: FunnelLeft, by: Dimension | undefined): Cell[][] {
  const titles = ['Step', 'Visitors', 'Visits', 'Rate (%)', 'Drop-off (%)', 'Median time (s)'];
  const head = [...(by ? [dimensionLabel(by)] : []), ...titles, 'Visitors before', 'Next pages of those who left'];
  const row = (name: string, { visitors, visits, rate, drop_off, median_time }: Step): Cell[] => [
    name,
    visitors,
    visits,
    rate,
    drop_off ?? '',
    median_time ?? '',
  ];
  const pages = (index: number) =>
    (left[index]?.pages ?? []).map(({ page, visitors }) => `${page}: ${visitors}`).join('; ');
  const all = figures.steps.map((step, index) => [
    ...(by ? [''] : []),
    ...row(step.name, step),
    step.previous?.visitors ?? '',
    pages(index),
  ]);
  const split = figures.rows.flatMap(({ name, steps }) =>
    steps.map((step, index) => [
      name,
      ...row(figures.steps[index]?.name ?? '', step),
      step.previous?.visitors ?? '',
      '',
    ]),
  );
  return [head, ...all, ...split];
}
