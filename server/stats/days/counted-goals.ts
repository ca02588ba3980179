// Knows on which closed days goals are counted, and has the others counted in the background, one day at a time. A goal is therefore counted
// from the events when it is first asked for, or after it was edited, and looked up from then on.
import type { EventStore } from '../../store/open.ts';
import { DAY_MS, HOUR_MS, readDay } from '../../vocabulary/time/time.ts';
import { UTC } from '../../vocabulary/time/zones.ts';
import { buildCountedDays, buildGoals, type GoalSet, nameOf } from './day-goals.ts';
import { hashOf } from '../hash.ts';
import type { Scope } from '../sql/scope.ts';
import type { RawQuery } from '../sql/sql.ts';
import { OF_RUN } from './sum-days.ts';
import { hasRows, isInUse, type SummedDay } from './summed-days.ts';

/** Lists of sets that wait to be counted, in total and of one site, and their days. More are counted when they are asked for again. */
const MAX_WAITING = 200;
const MAX_WAITING_OF_SITE = 20;
const MAX_DAYS = 1_000;
/** Sets that are counted on one day of a site, such as those of goals that were edited. Further ones are read from the events. */
const MAX_SETS = 1_000;
/** Days that are known to have so many. */
const MAX_FULL = 10_000;
/** Lists of sets that are known to be counted on a day: those of the panel, the chart and the totals. */
const MAX_KNOWN = 4;
/** A site whose goals could not be counted is tried again after this time. */
const RETRY_MS = HOUR_MS;

type Asked = { scope: Scope; sets: readonly GoalSet[]; days: readonly SummedDay[] };

export type CountedGoals = {
  /** Returns the days on which all sets are counted, and has the others counted soon if they are `kept`. */
  daysOf(store: { query: RawQuery }, asked: Asked, options: { kept: boolean }): Promise<SummedDay[]>;
  /** Resolves when no day waits. */
  settled(): Promise<void>;
  /** Gives up the days that wait. */
  close(): Promise<void>;
};

type Parts = {
  store: Pick<EventStore, 'query' | 'derive'>;
  now(): number;
  onFailed(error: unknown, day: { site_id: string; day: string }): void;
};

/** Days by the run that summed them. `scope`: with the goals of the sets alone. */
type Waiting = { scope: Scope; sets: readonly GoalSet[]; list: string; days: Map<string, SummedDay> };

/** Without `parts` nothing is counted: only what others have counted is read. */
export function openCountedGoals(parts?: Parts): CountedGoals {
  const countedDays = openCountedDays();
  /** Keys name a site and a list. */
  const waiting = new Map<string, Waiting>();
  const failedAt = new Map<string, number>();
  const full = new Set<string>();
  let running: Promise<void> | undefined;
  let closed = false;

  const countNext = async ({ store, now, onFailed }: Parts, { scope, sets, list, days }: Waiting) => {
    const [next] = days;
    if (!next) return;
    const [summing, day] = next;
    const { site_id } = scope;
    try {
      const counted = await countDay(store, { scope, sets, day });
      if (counted === 'full') {
        if (full.size >= MAX_FULL) full.clear();
        full.add(`${summing} ${site_id}`);
      } else if (counted) know(day, list);
    } catch (error) {
      failedAt.set(site_id, now());
      onFailed(error, { site_id, day: day.day });
    }
    days.delete(summing);
  };

  /** The lists take turns, so that a site with many days does not hold up the others. */
  const count = async (of: Parts) => {
    for (let [next] = waiting; next; [next] = waiting) {
      const [key, one] = next;
      await countNext(of, one);
      waiting.delete(key);
      if (one.days.size > 0 && !closed) waiting.set(key, one);
    }
    running = undefined;
  };

  const wait = ({ scope, sets, days }: Asked, list: string) => {
    const { site_id } = scope;
    if (!parts || closed || (failedAt.get(site_id) ?? -Infinity) > parts.now() - RETRY_MS) return;
    failedAt.delete(site_id);
    const uncounted = days.filter(({ summing }) => !full.has(`${summing} ${site_id}`));
    const key = `${site_id} ${list}`;
    const known = waiting.get(key);
    if (uncounted.length === 0 || !(known || hasRoomFor(site_id, waiting))) return;
    const one = known ?? { scope: withGoalsOf(scope, sets), sets, list, days: new Map<string, SummedDay>() };
    for (const day of uncounted.toReversed())
      if (one.days.has(day.summing) || one.days.size < MAX_DAYS) one.days.set(day.summing, day);
    waiting.set(key, one);
    running ??= count(parts);
  };

  return {
    daysOf: async ({ query }, { scope, sets, days }, { kept }) => {
      if (days.length === 0) return [];
      const names = [...new Set(sets.map((set) => nameOf(set, scope)))];
      const list = listOf(names);
      const isCounted = (day: SummedDay) => !hasRows(day) || day.counted.includes(list);
      const unknown = days.filter((day) => !isCounted(day));
      if (unknown.length > 0) {
        const found = await countedDays(query, buildCountedDays(scope, sets, unknown));
        for (const day of unknown) if (found.has(day.day)) know(day, list);
      }
      if (kept) wait({ scope, sets, days: days.filter((day) => !isCounted(day) && !day.imported) }, list);
      return days.filter(isCounted);
    },
    settled: async () => {
      while (running) await running;
    },
    close: async () => {
      closed = true;
      waiting.clear();
      await running;
    },
  };
}

const hasRoomFor = (site_id: string, waiting: ReadonlyMap<string, Waiting>) =>
  waiting.size < MAX_WAITING &&
  [...waiting.values()].filter(({ scope }) => scope.site_id === site_id).length < MAX_WAITING_OF_SITE;

/** Asks for the days on which a list is counted. The panels of a page ask the same question, which is sent once for all of them. */
function openCountedDays() {
  const asking = new Map<string, Promise<ReadonlySet<string>>>();
  return (query: RawQuery, { sql, bound }: ReturnType<typeof buildCountedDays>): Promise<ReadonlySet<string>> => {
    const key = hashOf(JSON.stringify(bound));
    const asked = asking.get(key) ?? daysIn(query<{ day: string }>(sql, bound)).finally(() => asking.delete(key));
    asking.set(key, asked);
    return asked;
  };
}

/** A list of one set has its name: see `payments` in summed-days.ts. */
const listOf = (names: readonly string[]): string => (names.length === 1 ? String(names[0]) : hashOf(names.join()));

const daysIn = async (rows: Promise<{ day: string }[]>): Promise<ReadonlySet<string>> =>
  new Set((await rows).map(({ day }) => day));

function know({ counted }: SummedDay, list: string): void {
  if (counted.includes(list)) return;
  counted.push(list);
  if (counted.length > MAX_KNOWN) counted.shift();
}

/** A goal costs time for each event, even if nobody asks how often it was reached. */
const withGoalsOf = (scope: Scope, sets: readonly GoalSet[]): Scope => {
  const asked = new Set(sets.flatMap(({ goals }) => goals));
  return { ...scope, filters: [], goals: (scope.goals ?? []).filter((goal) => asked.has(goal)) };
};

/** Counts the sets that are not counted yet. Returns false if rows of the day were stored or deleted meanwhile. */
async function countDay(
  store: Parts['store'],
  { scope, sets, day: { day, summing } }: { scope: Scope; sets: readonly GoalSet[]; day: SummedDay },
): Promise<boolean | 'full'> {
  const { site_id } = scope;
  const run = { site_id, day, summing };
  const stored = await store.query<{ goal: string }>(`SELECT DISTINCT goal FROM day_goals WHERE ${OF_RUN}`, run);
  const names = new Set(stored.map(({ goal }) => goal));
  const missing = sets.filter((set) => !names.has(nameOf(set, scope)));
  if (missing.length === 0) return true;
  if (names.size > MAX_SETS) return 'full';
  const from = readDay(day) ?? NaN;
  // The rows that count towards the day, in whichever time zone it was given.
  const ofDay = { ...withGoalsOf(scope, missing), range: { from, to: from + DAY_MS, zone: UTC } };
  await store.derive(buildGoals(ofDay, { day, summing, sets: missing }));
  if (await isInUse(store, run)) return true;
  // A site that was deleted meanwhile must leave nothing. Other sets of the day stay: a question may have looked them up already.
  const written = missing.map((set) => nameOf(set, scope));
  await store.derive({
    sql: `ALTER TABLE day_goals DELETE WHERE ${OF_RUN} AND goal IN {written:Array(String)} SETTINGS mutations_sync = 1`,
    bound: { ...run, written },
  });
  return false;
}
