// Knows on which closed days goals are counted, and has the others counted in the background, one day at a time. A goal is therefore counted
// from the events when it is first asked for, or after it was edited, and looked up from then on.
import { createHash } from 'node:crypto';
import type { EventStore } from '../store/open.ts';
import { DAY_MS, HOUR_MS, readDay } from '../vocabulary/time.ts';
import { UTC } from '../vocabulary/zones.ts';
import { buildCountedDays, buildGoals, type GoalSet, nameOf } from './day-goals.ts';
import type { Reader } from './reader.ts';
import type { Scope } from './scope.ts';
import { deleteRows } from './sum-days.ts';
import { isInUse, type SummedDay } from './summed-days.ts';

/** Days that wait to be counted. More are counted when they are asked for again. */
const MAX_WAITING = 2_000;
/** Sets that are counted on one day of a site, such as those of goals that were edited. Further ones are read from the events. */
const MAX_SETS = 1_000;
/** Lists of sets that are known to be counted on a day: those of the panel, the chart and the totals. */
const MAX_KNOWN = 4;
/** A site whose goals could not be counted is tried again after this time. */
const RETRY_MS = HOUR_MS;

type Asked = { scope: Scope; sets: readonly GoalSet[]; days: readonly SummedDay[] };

export type CountedGoals = {
  /** Returns the days on which all sets are counted, and has the others counted soon if they are `kept`. */
  daysOf(reader: Pick<Reader, 'query'>, asked: Asked, options: { kept: boolean }): Promise<SummedDay[]>;
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

type Waiting = { scope: Scope; sets: readonly GoalSet[]; day: SummedDay; list: string };

/** Without `parts` nothing is counted: only what others have counted is read. */
export function openCountedGoals(parts?: Parts): CountedGoals {
  const waiting = new Map<string, Waiting>();
  const failedAt = new Map<string, number>();
  let running: Promise<void> | undefined;

  const count = async ({ store, now, onFailed }: Parts) => {
    for (;;) {
      const [next] = waiting;
      if (!next) break;
      const [key, { scope, sets, day, list }] = next;
      const of = { site_id: scope.site_id, day: day.day };
      try {
        if (await countDay(store, { scope, sets, day })) know(day, list);
      } catch (error) {
        failedAt.set(scope.site_id, now());
        onFailed(error, of);
      }
      waiting.delete(key);
    }
    running = undefined;
  };

  const wait = ({ scope, sets, days }: Asked, list: string) => {
    if (!parts || (failedAt.get(scope.site_id) ?? -Infinity) > parts.now() - RETRY_MS) return;
    failedAt.delete(scope.site_id);
    for (const day of days.toReversed())
      if (waiting.size < MAX_WAITING)
        waiting.set(`${day.summing} ${scope.site_id} ${list}`, { scope, sets, day, list });
    if (waiting.size > 0) running ??= count(parts);
  };

  return {
    daysOf: async ({ query }, { scope, sets, days }, { kept }) => {
      if (days.length === 0) return [];
      const list = listOf(sets, scope);
      const unknown = days.filter(({ counted }) => !counted.includes(list));
      const { sql, bound } = buildCountedDays(scope, sets, unknown);
      const rows = unknown.length > 0 ? await query<{ day: string }>(sql, bound) : [];
      const found = new Set(rows.map(({ day }) => day));
      for (const day of unknown) if (found.has(day.day)) know(day, list);
      const isCounted = ({ counted }: SummedDay) => counted.includes(list);
      if (kept) wait({ scope, sets, days: days.filter((day) => !isCounted(day)) }, list);
      return days.filter(isCounted);
    },
    settled: async () => {
      while (running) await running;
    },
    close: async () => {
      waiting.clear();
      await running;
    },
  };
}

const listOf = (sets: readonly GoalSet[], scope: Scope): string =>
  createHash('sha256')
    .update(sets.map((set) => nameOf(set, scope)).join())
    .digest('base64url')
    .slice(0, 22);

function know({ counted }: SummedDay, list: string): void {
  if (counted.includes(list)) return;
  counted.push(list);
  if (counted.length > MAX_KNOWN) counted.shift();
}

/** Returns false if rows of the day were stored or deleted meanwhile, or if too much is counted on it already. */
async function countDay(
  store: Parts['store'],
  { scope, sets, day: { day, summing } }: Pick<Waiting, 'scope' | 'sets' | 'day'>,
): Promise<boolean> {
  const { site_id } = scope;
  const run = { site_id, day, summing };
  const [stored] = await store.query<{ rows: string }>(
    'SELECT count() AS rows FROM day_goals WHERE site_id = {site_id:String} AND day = {day:Date} AND summing = {summing:String}',
    run,
  );
  if (Number(stored?.rows) > MAX_SETS) return false;
  const from = readDay(day) ?? NaN;
  // The rows that count towards the day, in whichever time zone it was given.
  const ofDay = { ...scope, filters: [], range: { from, to: from + DAY_MS, zone: UTC } };
  await store.derive(buildGoals(ofDay, { day, summing, sets }));
  if (await isInUse(store, run)) return true;
  await deleteRows(store, 'day_goals', run); // a site that was deleted meanwhile must leave nothing
  return false;
}
