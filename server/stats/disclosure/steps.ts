// What viewers see advances in steps. Of a day that is not over, and up to a time within a day, they see the events up to the end of the last whole
// group: a group ends when as many visitors as a narrowed number must have came or moved since the group before. So no two answers differ by
// one visitor, whenever they are asked. Of days that are over, a narrowed range starts and ends between groups of visitors, too: two ranges that
// differ by a day never differ by one visitor of that day.
import { minutesPastHour } from '../../vocabulary/time/intervals.ts';
import type { Range } from '../../vocabulary/time/periods.ts';
import { DAY_MS, startOfDay, startOfMonth } from '../../vocabulary/time/time.ts';
import { instantAt, wallTime } from '../../vocabulary/time/zones.ts';
import { allOf } from '../sql/filters.ts';
import { planOf } from '../sql/plan.ts';
import { openBound, type Scope, type Statement } from '../sql/scope.ts';

/** Groups end with a moment of this length, so that the time of a step is not that of an event. */
const MOMENT_MS = 10_000;

/** Who came or moved in a moment: their ids, or as many as make a group. `endsAt`: an instant. */
type Moment = { endsAt: number; visitors: readonly string[] };
/** Returns the moments of a scope in which somebody came or moved, the earliest first. */
export type AskMoments = (scope: Scope) => Promise<readonly Moment[]>;

/** Rows have `moment`, the number of a moment since the epoch, and the ids of up to `fewest` visitors. */
export function buildMoments(scope: Scope, fewest: number): Statement {
  const { bound, bind } = openBound(scope);
  const { where } = planOf({ scope, metrics: ['unique_visitors'] }, bind);
  const condition = allOf([where, 'visitor_id != 0']);
  return {
    sql: `SELECT intDiv(toUnixTimestamp64Milli(time), ${MOMENT_MS}) AS moment, arrayStringConcat(groupUniqArray(${fewest})(toString(visitor_id)), ' ') AS visitors
      FROM events WHERE ${condition} GROUP BY moment ORDER BY moment`,
    bound,
  };
}

export const momentsIn = (rows: readonly Record<string, string | number | null>[]): Moment[] =>
  rows.map(({ moment, visitors }) => ({
    endsAt: (Number(moment) + 1) * MOMENT_MS,
    visitors: String(visitors).split(' '),
  }));

/** The ends of the groups, from the first moment on. */
function stepsOf(moments: readonly Moment[], fewest: number): number[] {
  const moved = new Set<string>();
  return moments.flatMap(({ endsAt, visitors }) => {
    for (const one of visitors) moved.add(one);
    if (moved.size < fewest) return [];
    moved.clear();
    return [endsAt];
  });
}

/**
 * Returns the range with its ends at steps, if they are not at midnight or the day is not over. `now`: an instant. An empty range if there was not
 * even one group.
 */
export async function rangeInSteps(
  scope: Scope,
  { now, fewest, askMoments }: { now: number; fewest: number; askMoments: AskMoments },
): Promise<Range> {
  const { range } = scope;
  const { zone } = range;
  const toWall = (instant: number) => (zone === undefined ? instant : wallTime(instant, zone));
  const toInstant = (wall: number) => (zone === undefined ? wall : instantAt(wall, zone));
  const today = startOfDay(toWall(now));
  const stepsOn = async (day: number): Promise<number[]> => {
    const whole = { from: day, to: day + DAY_MS, ...(zone !== undefined && { zone }) };
    return stepsOf(await askMoments({ ...scope, range: whole }), fewest);
  };
  const endAt = async (to: number): Promise<number> => {
    const day = Math.min(today, startOfDay(to));
    const last = Math.min(now, toInstant(to));
    const at = (await stepsOn(day)).findLast((step) => step <= last);
    return at === undefined ? day : toWall(at);
  };
  const startAt = async (from: number): Promise<number> => {
    const day = startOfDay(from);
    const at = (await stepsOn(day)).find((step) => step >= toInstant(from));
    return at === undefined ? day + DAY_MS : toWall(at);
  };
  const isOpen = range.to > today;
  const [from, to] = await Promise.all([
    startOfDay(range.from) === range.from ? range.from : startAt(range.from),
    isOpen || startOfDay(range.to) !== range.to ? endAt(range.to) : range.to,
  ]);
  const start = Math.min(from, range.to);
  return { ...range, from: start, to: Math.max(start, to), ...(range.rolls && { pastHour: minutesPastHour(range) }) };
}

/** The visitors whom filters leave on a day; `day` is its start. */
export type DayCount = { day: number; visitors: number };
/** Days that together have enough visitors. */
export type Group = { from: number; to: number };

/**
 * A day with enough visitors is a group. Days with fewer are put together, from the first of a month on: so the groups of a month are the same
 * whichever range asks.
 */
export function groupsOfDays(days: readonly DayCount[], fewest: number): Group[] {
  const groups: Group[] = [];
  let waiting: { since: number; visitors: number } | undefined;
  for (const { day, visitors } of days) {
    if (startOfMonth(day) === day) waiting = undefined;
    if (visitors === 0) continue;
    const before = visitors < fewest ? waiting : undefined; // those who wait before a busy day are in no group
    const group = before ? { ...before, visitors: before.visitors + visitors } : { since: day, visitors };
    waiting = group.visitors < fewest ? group : undefined;
    if (!waiting) groups.push({ from: group.since, to: day + DAY_MS });
  }
  return groups;
}

/** Returns the largest part of a range that consists of whole groups, with what lies between them; undefined if there is none. */
export function wholeGroups(
  { from, to }: Pick<Range, 'from' | 'to'>,
  groups: readonly Group[],
): Pick<Range, 'from' | 'to'> | undefined {
  const lastDay = startOfDay(to) === to ? to : startOfDay(to) + DAY_MS; // the last day may end before its midnight
  const inside = groups.filter((group) => group.from >= from && group.to <= lastDay);
  const [first, last] = [inside[0], inside.at(-1)];
  return first && last && { from: first.from, to: Math.min(last.to, to) };
}
