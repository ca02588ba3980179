// A metric in total and over time, for the pictures and the pieces of a share link. Only questions that the dashboard asks, too: what a link may
// not see is decided for these.
import type { Over } from '../../sites/previews/pictures/lines.ts';
import { timesOf } from '../../sites/previews/times.ts';
import type { Site } from '../../sites/sites.ts';
import { summaryQuestion, timeseriesQuestion } from '../../stats/query.ts';
import type { Stats } from '../../stats/run.ts';
import { hasCounterpart, isMeaningless } from '../../vocabulary/numbers/figures.ts';
import type { Metric } from '../../vocabulary/numbers/metrics.ts';
import type { AskedPeriod } from '../../vocabulary/time/periods.ts';

type Asked = AskedPeriod & {
  metric: Metric;
  /** Asks for the total of the days before, too. */
  compares?: boolean;
};
type OverTime = Over & {
  /** Null if there is none to compare with. */
  previous: number | null;
  /** When each point was. */
  times: string[];
};

export async function askOverTime(
  stats: Stats,
  { metric, compares = false, ...period }: Asked,
  { site, now }: { site: Site; now: number },
): Promise<OverTime> {
  const asked = { site_id: site.id, ...period };
  const [summary, { points, unfinished, interval }] = await Promise.all([
    stats.summary(summaryQuestion.parse({ ...asked, ...(compares && { compare: 'previous' }) }), site, now),
    stats.timeseries(timeseriesQuestion.parse({ ...asked, metric }), site, now),
  ]);
  const words = timesOf(interval, site.timezone);
  const times = points.map(({ time }) => words(time));
  const found = summary.metrics.find(({ name }) => name === metric);
  return {
    total: isMeaningless(metric, summary) ? null : (found?.value ?? 0),
    previous: compares && hasCounterpart(summary) ? (found?.previous ?? null) : null,
    points: points.map(({ value }) => value ?? 0),
    isUnfinished: unfinished,
    ends: [times[0] ?? words(now), times.at(-1) ?? words(now)],
    times,
  };
}
