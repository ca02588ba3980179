// The points of the chart that count days which were imported from another product.
import { type Interval, nextBucket } from '../../../../server/vocabulary/time/intervals.ts';
import { DAY_MS, readDay } from '../../../../server/vocabulary/time/time.ts';
import type { Timeseries } from '../../api/types';

type Run = { first: number; last: number };

/** Returns the runs of points with an imported day, by the indexes of the points. `starts`: of all points. */
export function importedRuns(
  starts: readonly number[],
  { imported, interval }: { imported: Timeseries['imported']; interval: Interval },
): Run[] {
  const spans = (imported?.spans ?? []).map(({ date_from, date_to }) => ({
    from: readDay(date_from) ?? NaN,
    to: (readDay(date_to) ?? NaN) + DAY_MS,
  }));
  const runs: Run[] = [];
  starts.forEach((start, index) => {
    const end = nextBucket(start, interval);
    if (!spans.some(({ from, to }) => from < end && to > start)) return;
    const last = runs.at(-1);
    if (last?.last === index - 1) last.last = index;
    else runs.push({ first: index, last: index });
  });
  return runs;
}
