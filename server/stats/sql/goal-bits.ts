// SQL that tells which of several goals a row reaches, as one number with a bit per goal. Pages and names are looked up once for all goals,
// so another goal adds almost no cost per row.
import { PAGEVIEW } from '../../vocabulary/event.ts';
import type { GoalDefinition } from '../../vocabulary/questions/goals.ts';
import { namesId } from '../../vocabulary/questions/operators.ts';
import type { PlainFilter } from '../../vocabulary/questions/segments.ts';
import { reaches } from './goals.ts';
import { IS_COUNTED } from './kinds.ts';
import { isOnPage } from './on-page.ts';
import { bitIf, bitsOfReading, isOfReading, type Numbered, type ReadingGoal } from './reading-goals.ts';
import { type Bind, ON_DAYS_AROUND, type Scope } from './scope.ts';

const WORD = 64;

/** SQL for the bits of the goals that a row reaches: bit 0 for the first. At most 128 goals. */
export function reachedBits(goals: readonly GoalDefinition[], bind: Bind): string {
  if (goals.length <= WORD) return wordOf(goals, bind);
  const [low, high] = [wordOf(goals.slice(0, WORD), bind), wordOf(goals.slice(WORD), bind)];
  return `(toUInt128(${low}) + bitShiftLeft(toUInt128(${high}), ${WORD}))`;
}

/** The engine looks up numbers of at most 64 bits. */
function wordOf(goals: readonly GoalDefinition[], bind: Bind): string {
  const numbered: Numbered[] = goals.map((goal, bit) => ({ goal, bit }));
  const pages = numbered.filter(isOfViews);
  const events = numbered.filter(isOfNames);
  const reading = numbered.filter(isOfEngagement);
  const others = numbered.filter((one) => ![isOfViews, isOfNames, isOfEngagement].some((isOf) => isOf(one)));
  const bits = [
    ...(pages.length > 0 ? [bitsOfPages(pages, bind)] : []),
    ...(events.length > 0 ? [bitsOfNames(events, bind)] : []),
    ...(reading.length > 0 ? [bitsOfReading(reading, bind)] : []),
    ...others.map(({ goal, bit }) => bitIf(reaches(goal, bind), bit)),
  ];
  return bits.length > 0 ? `(${bits.join(' + ')})` : 'toUInt64(0)';
}

const isOfViews = (one: Numbered): one is Numbered<GoalDefinition & { kind: 'page' }> => one.goal.kind === 'page';
const isOfEngagement = (one: Numbered): one is Numbered<ReadingGoal> => isOfReading(one.goal);
const isOfNames = (one: Numbered): one is Numbered<GoalDefinition & { kind: 'event' }> =>
  one.goal.kind === 'event' && Object.keys(one.goal.props).length === 0;

/** The patterns are compared with each page of these days, not with each row. */
function bitsOfPages(goals: Numbered<GoalDefinition & { kind: 'page' }>[], bind: Bind): string {
  const bits = goals.map(({ goal, bit }) => bitIf(isOnPage(goal.page, bind), bit)).join(' + ');
  const pages = `SELECT page, ${bits} AS bits FROM events WHERE ${ON_DAYS_AROUND} GROUP BY page HAVING bits != 0`;
  const known = `(SELECT (groupArray(toString(page)), groupArray(bits)) FROM (${pages}))`;
  return `if(name = '${PAGEVIEW}', transform(page, ${known}.1, ${known}.2, toUInt64(0)), 0)`;
}

function bitsOfNames(goals: Numbered<GoalDefinition & { kind: 'event' }>[], bind: Bind): string {
  const byName = Map.groupBy(goals, ({ goal }) => goal.event);
  const bits = [...byName.values()].map((some) => String(some.reduce((sum, { bit }) => sum + 2n ** BigInt(bit), 0n)));
  const reached = `transform(name, ${bind([...byName.keys()])}, CAST(${bind(bits)} AS Array(UInt64)), toUInt64(0))`;
  return `if(${IS_COUNTED}, ${reached}, 0)`;
}

/** The goals of one statement, each with its values bound once. */
export type StatementGoals = {
  /** SQL condition for the rows that reach any goal of the site. */
  any(): string;
  /** SQL condition for the rows that reach a goal that a filter names, even if its operator is "is not". Unknown ids match nothing. */
  anyOf(filter: PlainFilter): string;
  /** SQL for the bits of the goals that a row reaches. */
  bits(): string;
  /** SQL for the ids of the goals with these bits, as an array. */
  idsOf(bits: string): string;
};

export function openGoals({ goals = [] }: Pick<Scope, 'goals'>, bind: Bind): StatementGoals {
  let all: string | undefined;
  const bits = () => (all ??= reachedBits(goals, bind));
  return {
    bits,
    any: () => `${bits()} != 0`,
    anyOf: (filter) => {
      const named = [...goals, ...(filter.deleted_goals ?? [])].filter(({ id }) => namesId(filter, id));
      const words = Array.from({ length: Math.ceil(named.length / WORD) }, (_, index) =>
        wordOf(named.slice(index * WORD, (index + 1) * WORD), bind),
      );
      return words.length === 0 ? '0' : `(${words.map((word) => `${word} != 0`).join(' OR ')})`;
    },
    idsOf: (reached) => {
      const ids = bind(goals.map(({ id }) => id));
      // The engine has no bitTest for more than 64 bits.
      const isReached =
        goals.length > WORD ? `bitAnd(${reached}, bitShiftLeft(toUInt128(1), bit)) != 0` : `bitTest(${reached}, bit)`;
      return `arrayFilter((id, bit) -> ${isReached}, ${ids}, range(${goals.length}))`;
    },
  };
}
