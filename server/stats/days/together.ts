// Asks for several lists, or for totals and charts, in one statement. A dashboard asks for them at the same moment, and on closed days a
// statement takes longer than adding up its rows.
import { createGroup, type Group } from '../../process/batching.ts';
import type { EventStore } from '../../store/open.ts';
import type { Asking } from '../../store/pool.ts';
import { openAudience } from '../../process/shared-signal.ts';
import type { Dimension } from '../../vocabulary/questions/dimensions.ts';
import { addsUp, buildFigures, type FiguresSelect, isFigures, isNext, periodOf, splitFigures } from './figures.ts';
import { buildLists, isList, type ListSelect, splitLists } from './lists.ts';
import type { Statement } from '../sql/scope.ts';
import type { Rows, Select } from '../sql/sql.ts';
import type { SummedDay } from './summed-days.ts';

type Together<Kind extends Select = ListSelect | FiguresSelect> = {
  select: Kind;
  /** The closed days that its scope may be read from. */
  days: readonly SummedDay[];
  /** Those of them whose payments are counted already. */
  paid: readonly SummedDay[];
};

/** A question that may share a statement with others, or undefined. */
export function togetherWith(asked: Together<Select>): Together | undefined {
  const { select } = asked;
  return isList(select) || isFigures(select) ? { ...asked, select } : undefined;
}

type Asked<Kind extends Select = ListSelect | FiguresSelect> = Together<Kind> & {
  /** The statement that answers this question alone. */
  alone: Statement;
  asking: Asking;
};

/** Returns the rows of a question. */
export type AskTogether = (asked: Asked) => Promise<Rows>;

/** Some questions that one statement answers, and the rows of each. */
type Shared = { questions: readonly Asked[]; statement(): Statement; split(rows: Rows): Rows[] };

/**
 * Lists of the same requester, scope and days that are asked for in the same turn of the event loop go together. So do totals and charts,
 * also those of the comparison.
 */
export function openTogether({ query }: Pick<EventStore, 'query'>): AskTogether {
  const groups = new Map<string, Group<Asked, Rows>>();
  const askAlone = ({ alone: { sql, bound }, asking }: Asked) => query<Rows[number]>(sql, bound, asking);

  const askShared = async ({ questions, statement, split }: Shared): Promise<Rows[]> => {
    const audience = openAudience();
    const staying = questions.filter(({ asking }) => !asking.signal?.aborted);
    for (const { asking } of staying.length > 0 ? staying : questions) audience.join(asking.signal);
    const [{ asking }] = questions as [Asked];
    const since = Math.min(...questions.map((one) => one.asking.since ?? Infinity));
    const { sql, bound } = statement();
    const by = { ...asking, ...(Number.isFinite(since) && { since }), signal: audience.signal };
    return split(await query<Rows[number]>(sql, bound, by).finally(audience.end));
  };

  const answer = (all: readonly Asked[]): Promise<Rows[]> => {
    const shared = [...sharedLists(all.filter(isAskedList)), ...sharedFigures(all.filter(areAskedFigures))];
    const together = shared.map(({ questions, ...one }) => ({ questions, rows: askShared({ questions, ...one }) }));
    return Promise.all(
      all.map(async (one) => {
        const found = together.find(({ questions }) => questions.includes(one));
        return found ? ((await found.rows)[found.questions.indexOf(one)] ?? []) : askAlone(one);
      }),
    );
  };

  return (asked) => {
    const { asking, select } = asked;
    const { range: _range, ...scope } = select.scope;
    const key = JSON.stringify([asking.lane, asking.viewer, scope, isList(select) && rangeAndDays(asked)]);
    const group =
      groups.get(key) ??
      createGroup<Asked, Rows>(
        (all) => {
          groups.delete(key);
          return answer(all);
        },
        { maxSize: Infinity, sizeOf: () => 1 },
      );
    groups.set(key, group);
    return group.add(asked);
  };
}

const rangeAndDays = ({ select: { scope, before }, days }: Asked): string =>
  JSON.stringify([scope.range, before, days.map(({ day, summing }) => [day, summing])]);

const isAskedList = (one: Asked): one is Asked<ListSelect> => isList(one.select);
const areAskedFigures = (one: Asked): one is Asked<FiguresSelect> => isFigures(one.select);

/** Two lists by the same dimension go together if only their length differs, as of a panel and of a menu. */
function sharedLists(lists: readonly Asked<ListSelect>[]): Shared[] {
  const questions = lists.filter(({ select }) => rowsOf(select) === rowsOf(firstBy(select.by.dimension, lists)));
  const [first] = questions;
  if (!first || questions.every(({ select }) => select.by.dimension === first.select.by.dimension)) return [];
  const selects = questions.map(({ select }) => select);
  return [{ questions, statement: () => buildLists(selects, first), split: (rows) => splitLists(selects, rows) }];
}

const firstBy = (dimension: Dimension, lists: readonly Asked<ListSelect>[]): ListSelect | undefined =>
  lists.find(({ select }) => select.by.dimension === dimension)?.select;

/** Lists of the same scope for which this is equal have the same rows; one may only be longer. */
const rowsOf = (select: ListSelect | undefined): string =>
  JSON.stringify([select?.metrics, select?.search, select?.labels, select?.by.rare]);

/** Totals and charts go together if the charts have the same interval, with those of the range before if all of its days are closed. */
function sharedFigures(figures: readonly Asked<FiguresSelect>[]): Shared[] {
  const interval = figures.find(({ select }) => select.by)?.select.by?.interval;
  const fitting = figures.filter(({ select: { by } }) => !by || by.interval === interval);
  const periods = [...Map.groupBy(fitting, rangeAndDays).values()]
    .map((questions) => ({ questions, period: periodOf(questions) }))
    .filter(({ period }) => addsUp(period))
    .toSorted((one, other) => startOf(one.questions) - startOf(other.questions));
  const following: (typeof periods)[] = [];
  for (const one of periods) {
    const before = following.at(-1)?.at(-1);
    if (before && isNext(one.period, before.period)) following.at(-1)?.push(one);
    else following.push([one]);
  }
  return following.flatMap((some) => {
    const questions = some.flatMap((one) => one.questions);
    const together = some.map(({ period }) => period);
    if (questions.length === 1) return [];
    return [
      { questions, statement: () => buildFigures(together), split: (rows: Rows) => splitFigures(together, rows) },
    ];
  });
}

const startOf = ([first]: readonly Asked[]): number => first?.select.scope.range.from ?? 0;
