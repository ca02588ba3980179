// Points and comments over time. They are stored as changes, each valid until the next one, and drawn at equal distances.
import type { Mention } from '../api/types';

type History = Mention['history'];
type Series = Record<'points' | 'comments', number[]>;

const SAMPLES = 24;

/** The values at equal distances from the first change until `now`. */
export function seriesOf(history: History, now: number): Series {
  const from = history[0]?.at ?? now;
  const series: Series = { points: [], comments: [] };
  for (let index = 0; index < SAMPLES; index++) {
    const time = from + ((now - from) * index) / (SAMPLES - 1);
    const known = history.findLast(({ at }) => at <= time) ?? history[0];
    series.points.push(known?.points ?? 0);
    series.comments.push(known?.comments ?? 0);
  }
  return series;
}
