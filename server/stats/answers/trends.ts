// One metric over time for several rows of a list: the lines beside their names. All rows are counted in one query. A point counts what the
// row counts in its bucket: rows by their own time, visits where they start.
import { Refusal } from '../../errors.ts';
import { spellingBy, storedSources } from '../../vocabulary/questions/spellings.ts';
import { type Interval, intervalsOf } from '../../vocabulary/time/intervals.ts';
import { isOfWholeVisits } from '../sql/combination.ts';
import type { TrendsQuestion } from '../query.ts';
import { askRange } from './ranges.ts';
import type { Reader } from '../reader.ts';
import { bucketsUntil, checkInterval } from './timeseries.ts';
import { type Asked, type Days, daysOf, scopeOf } from './values.ts';

export type Trends = Days & {
  interval: Interval;
  /** The starts of the buckets up to now. */
  times: number[];
  /** In the order of the question's names. Buckets without data are 0. */
  rows: { name: string; values: number[] }[];
};

export async function askTrends(reader: Reader, asked: Asked<TrendsQuestion>): Promise<Trends> {
  const { metric, dimension, names } = asked.question;
  if (isOfWholeVisits(metric))
    throw new Refusal('bad_request', `metric: ${metric} describes whole visits, which the buckets of a trend split.`);
  const range = await askRange(reader, asked);
  const intervals = intervalsOf(range);
  const interval = checkInterval(asked.question.interval ?? intervals[0], intervals);
  const isOfSources = dimension === 'source';
  const labels = isOfSources ? storedSources(names) : names;
  const found = await reader.ask({
    scope: scopeOf(asked, range),
    metrics: [metric],
    by: { dimension, each: interval },
    labels,
    limit: labels.length,
  });
  const values = new Map(names.map((name) => [name, new Map<number, number>()]));
  const nameOf = isOfSources ? spellingBy(names) : String;
  for (const row of found) {
    const [line, bucket] = [values.get(nameOf(String(row['label']))), Number(row['bucket'])];
    line?.set(bucket, (line.get(bucket) ?? 0) + Number(row[metric])); // a source may be stored in several spellings
  }
  const seen = found.map((row) => Number(row['bucket']));
  const times = bucketsUntil(asked.now, range, { interval, seen });
  const rows = names.map((name) => ({ name, values: times.map((time) => values.get(name)?.get(time) ?? 0) }));
  return { ...daysOf(range), interval, times, rows };
}
