// Funnels, followed the slow and obvious way: row by row through each visit, no SQL.
import type { VisitedEvent } from '../../../server/vocabulary/event.ts';
import type { Funnel } from '../../../server/stats/funnels/funnel-sql.ts';
import { slowConversions } from './reference-goals.ts';

/** A row and the steps that it takes, counted from 0. */
type Taken = { row: VisitedEvent; steps: Set<number>; isEngagement: boolean };
/** For each step that was reached: when, and after how many milliseconds since the step before. */
type Reached = { time: number; wait: number };
type Followed = { group: VisitedEvent[]; reached: Reached[] };

export type SlowStep = { visitors: number; visits: number; median_time: number | null };
type SlowLeft = { visitors: number; pages: { page: string; visitors: number }[]; ended: number };

/** Follows each visit, or each visitor, through the funnel. Those who did not take the first step are left out. */
export function followAll(rows: readonly VisitedEvent[], { steps, within, order }: Funnel): Followed[] {
  const takers = steps.map((step) => new Set(slowConversions(rows, step)));
  const groups = Map.groupBy(
    rows.filter(({ visit_id }) => visit_id !== 0n),
    (row) => String(within === 'visit' ? row.visit_id : row.visitor_id),
  );
  return [...groups.values()].flatMap((group) => {
    const taken = group
      .map((row): Taken => {
        const own = new Set(steps.flatMap((_, index) => (takers[index]?.has(row) ? [index] : [])));
        return { row, steps: own, isEngagement: row.name === 'engagement' };
      })
      .sort(byMoment);
    const reached = FOLLOW[order](taken, steps.length);
    return reached.length > 0 ? [{ group, reached }] : [];
  });
}

const rank = ({ steps, isEngagement }: Taken) =>
  [...steps].reduce((sum, step) => sum + 2 ** step, isEngagement ? 1000 : 0);
const byMoment = (one: Taken, other: Taken) => one.row.time - other.row.time || rank(one) - rank(other);

const FOLLOW: Record<Funnel['order'], (taken: Taken[], count: number) => Reached[]> = {
  any_between: (taken, count) => {
    const found: Reached[] = [];
    let last: Taken | undefined;
    for (const one of taken) {
      const isLater = last === undefined || byMoment(last, one) < 0;
      if (found.length === count || !isLater || !one.steps.has(found.length)) continue;
      found.push({ time: one.row.time, wait: one.row.time - (last?.row.time ?? one.row.time) });
      last = one;
    }
    return found;
  },
  any: (taken, count) => {
    const found: Reached[] = [];
    for (let step = 0; step < count; step += 1) {
      const first = taken.find(({ steps }) => steps.has(step));
      if (!first) break;
      const before = found.at(-1)?.time ?? first.row.time;
      const time = Math.max(before, first.row.time);
      found.push({ time, wait: time - before });
    }
    return found;
  },
  /** Tries every row that could end a run of steps, and follows the run backwards. */
  strict: (taken, count) => {
    const found: Reached[] = [];
    for (let step = 0; step < count; step += 1) {
      const at = taken.findIndex((_, index) => before(taken, index, step) !== undefined);
      const row = taken[at]?.row;
      if (!row) break;
      found.push({ time: row.time, wait: row.time - (before(taken, at, step) ?? row.time) });
    }
    return found;
  },
};

/**
 * The time of the step before, when a run gets to `step` at this row; undefined when none does. Between two steps of a run there is nothing but
 * engagement.
 */
function before(taken: Taken[], at: number, step: number): number | undefined {
  if (!taken[at]?.steps.has(step)) return undefined;
  if (step === 0) return taken[at].row.time;
  for (let index = at - 1; index >= 0; index -= 1) {
    if (before(taken, index, step - 1) !== undefined) return taken[index]?.row.time;
    if (!taken[index]?.isEngagement) return undefined;
  }
  return undefined;
}

export function slowSteps(followed: readonly Followed[], { steps }: Funnel): SlowStep[] {
  return steps.map((_, step) => {
    const there = followed.filter(({ reached }) => reached.length > step);
    const waits = there.map(({ reached }) => reached[step]?.wait ?? 0).sort((a, b) => a - b);
    const [low = 0, high = 0] = [waits[Math.floor((waits.length - 1) / 2)], waits[Math.ceil((waits.length - 1) / 2)]];
    return {
      visitors: new Set(there.map(({ group }) => group[0]?.visitor_id)).size,
      visits: there.length,
      median_time: step === 0 || there.length === 0 ? null : (low + high) / 2 / 1000,
    };
  });
}

export function slowLeft(followed: readonly Followed[], { steps }: Funnel): SlowLeft[] {
  const ofVisitors = [...Map.groupBy(followed, ({ group }) => group[0]?.visitor_id).values()];
  const best = ofVisitors.flatMap((own) => {
    const [first] = own.toSorted(
      (one, other) =>
        other.reached.length - one.reached.length ||
        (one.reached.at(-1)?.time ?? 0) - (other.reached.at(-1)?.time ?? 0),
    );
    return first ?? [];
  });
  return steps.slice(0, -1).map((_, step) => {
    const stopped = best.filter(({ reached }) => reached.length === step + 1);
    const next = stopped.map(({ group, reached }) => {
      const later = group.filter((row) => row.name === 'pageview' && row.time > (reached.at(-1)?.time ?? 0));
      later.sort((one, other) => one.time - other.time || (one.event_id < other.event_id ? -1 : 1));
      return later[0]?.page;
    });
    const counts = Map.groupBy(
      next.filter((page) => page !== undefined),
      (page) => page,
    );
    const pages = [...counts].map(([page, found]) => ({ page, visitors: found.length }));
    pages.sort((one, other) => other.visitors - one.visitors || (one.page < other.page ? -1 : 1));
    return {
      visitors: stopped.length,
      pages: pages.slice(0, 5),
      ended: next.filter((page) => page === undefined).length,
    };
  });
}
