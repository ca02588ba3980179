// One metric by weekday and hour of the site's clock. A visitor of a day counts once in a cell, and a visit in the hour in which it started.
import { offsetsBetween, UTC } from '../../vocabulary/time/zones.ts';
import type { WeekQuestion } from '../query.ts';
import { askRange } from './ranges.ts';
import type { Reader } from '../reader.ts';
import { timesOf } from '../sql/scope.ts';
import { type Asked, type Days, daysOf, scopeOf } from './values.ts';

export type Week = Days & {
  /** 168 values: those of Monday's hours first. */
  cells: number[];
};

const HOURS = 7 * 24;

export async function askWeek(reader: Reader, asked: Asked<WeekQuestion>): Promise<Week> {
  const { metric } = asked.question;
  const range = await askRange(reader, asked);
  const { from, to } = timesOf(range);
  const hoursOfWeek = offsetsBetween(from, to, asked.site.timezone ?? UTC);
  const rows = await reader.ask({ scope: scopeOf(asked, range), metrics: [metric], by: { hoursOfWeek } });
  const found = new Map(rows.map((row) => [Number(row['label']), Number(row[metric])]));
  return { ...daysOf(range), cells: Array.from({ length: HOURS }, (_, hour) => found.get(hour) ?? 0) };
}
