// Compares how often goals were reached on closed days, as it is stored, with the events. Counts of goals that were edited or deleted since
// are not compared, as nothing reads them any more, nor are those of a part of the goals, which some share links show.
import type { Directory } from '../directory/open.ts';
import type { SiteId } from '../vocabulary/event.ts';
import { goals } from '../sites/definitions/goals.ts';
import { siteById } from '../sites/sites.ts';
import { ALL_PAYMENTS, buildWrongGoals, type GoalSet, nameOf } from '../stats/days/day-goals.ts';
import type { Scope } from '../stats/sql/scope.ts';
import { isInUse } from '../stats/days/summed-days.ts';
import type { EventStore } from '../store/open.ts';
import { t } from '../vocabulary/habits/messages.ts';
import { DAY_MS, readDay } from '../vocabulary/time/time.ts';
import { currencyOf } from '../stats/answers/values.ts';
import { UTC } from '../vocabulary/time/zones.ts';

type Parts = { directory: Directory; store: EventStore };

/** What may be stored of a site: each goal, all of them together and all payments, in each of its currencies. */
type Known = { scopes: Omit<Scope, 'range'>[]; sets: { set: GoalSet; says: (counts: Counts) => string }[] };

/** Where it differs: as it is written of the day, and as it is in its events. */
type Counts = { written: string; counted: string; site: string; day: string };

/** Returns what differs in a month, as text. `most`: in one day of a site; more say nothing new. */
export async function wrongGoalsIn(
  { directory, store }: Parts,
  { month, most }: { month: number; most: number },
): Promise<string[]> {
  const stored = await store.query<{ site: SiteId; on_day: string; summing: string; names: string[] }>(
    `SELECT site_id AS site, toString(day) AS on_day, summing, groupUniqArray(goal) AS names FROM day_goals
      WHERE toYYYYMM(day) = {month:UInt32} GROUP BY site_id, day, summing ORDER BY on_day, site`,
    { month },
  );
  const sites = new Map<SiteId, Known>();
  const found: string[] = [];
  for (const { site, on_day: day, summing, names } of stored) {
    const run = { site_id: site, day, summing };
    if (!(await isInUse(store, run))) continue;
    const known = sites.get(site) ?? (await knownOf({ directory, store }, site));
    sites.set(site, known);
    const wrong = await wrongGoalsOf(store, { ...known, ...run, names });
    // Unless an event was stored meanwhile.
    if (wrong.length > 0 && (await isInUse(store, run))) found.push(...wrong.slice(0, most));
  }
  return found;
}

async function knownOf({ directory, store }: Parts, siteId: SiteId): Promise<Known> {
  const site = await siteById(directory, siteId);
  if (!site) return { scopes: [], sets: [] };
  const own = await goals.list(directory, { siteId });
  const paid = await store.query<{ currency: string }>(
    "SELECT DISTINCT currency FROM events WHERE site_id = {site_id:String} AND currency != ''",
    { site_id: siteId },
  );
  const currencies = new Set([currencyOf(site) ?? '', ...paid.map(({ currency }) => currency)]);
  const of = { site_id: siteId, filters: [], goals: own, max_amount: site.max_amount };
  return {
    scopes: [...currencies].map((currency) => ({ ...of, currency })),
    sets: [
      ...own.map((goal) => ({ set: { label: goal.id, goals: [goal] }, says: ofGoal(goal.name) })),
      ...(own.length > 1 ? [{ set: { label: '', goals: own }, says: ofAllGoals }] : []),
      { set: ALL_PAYMENTS, says: ofPayments },
    ],
  };
}

const ofGoal = (goal: string) => (counts: Counts) =>
  t('goals: the counts of the goal “{goal}” are {written}, but {counted} in the events, site {site}, {day}', {
    ...counts,
    goal,
  });
const ofAllGoals = (counts: Counts) =>
  t('goals: the counts of all goals are {written}, but {counted} in the events, site {site}, {day}', counts);
const ofPayments = (counts: Counts) =>
  t('goals: the counts of all payments are {written}, but {counted} in the events, site {site}, {day}', counts);

type Asked = Known & { site_id: SiteId; day: string; summing: string; names: string[] };

async function wrongGoalsOf(
  store: EventStore,
  { scopes, sets, site_id, day, summing, names }: Asked,
): Promise<string[]> {
  const from = readDay(day) ?? NaN;
  const found: string[] = [];
  for (const scope of scopes) {
    const counted = sets.filter(({ set }) => names.includes(nameOf(set, scope)));
    if (counted.length === 0) continue;
    const ofDay = { ...scope, range: { from, to: from + DAY_MS, zone: UTC } };
    const { sql, bound } = buildWrongGoals(ofDay, { day, summing, sets: counted.map(({ set }) => set) });
    for (const { goal, in_sums, in_events } of await store.query<Record<'goal' | 'in_sums' | 'in_events', string>>(
      sql,
      bound,
    )) {
      const says = counted.find(({ set }) => nameOf(set, scope) === goal)?.says ?? ofGoal(goal);
      found.push(says({ written: in_sums, counted: in_events, site: site_id, day }));
    }
  }
  return found;
}
