// Asks for several lists, or for totals and charts, in one statement. A dashboard asks for them at the same moment, and on closed days a
// statement takes longer than adding up its rows.
import { createGroup, type Group } from '../batching.ts';
import type { EventStore } from '../store/open.ts';
import type { Asking } from '../store/pool.ts';
import { openAudience } from '../store/shared-signal.ts';
import type { Dimension } from '../vocabulary/dimensions.ts';
import { addUp, buildFigures, type FiguresSelect, isFigures, splitFigures } from './figures.ts';
import { buildLists, isList, type ListSelect, splitLists } from './lists.ts';
import type { Statement } from './scope.ts';
import type { Rows, Select } from './sql.ts';
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
 * Lists, and totals with charts, of the same requester, scope and days that are asked for in the same turn of the event loop go together.
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
    const rows = await query<Rows[number]>(sql, bound, {
      ...asking,
      ...(Number.isFinite(since) && { since }),
      signal: audience.signal,
    });
    return split(rows);
  };

  const answer = (all: readonly Asked[]): Promise<Rows[]> => {
    const shared = sharedLists(all.filter(isAskedList)) ?? sharedFigures(all.filter(areAskedFigures));
    if (!shared) return Promise.all(all.map(askAlone));
    const together = askShared(shared);
    return Promise.all(
      all.map(async (one) => {
        const index = shared.questions.indexOf(one);
        return index === -1 ? askAlone(one) : ((await together)[index] ?? []);
      }),
    );
  };

  return (asked) => {
    const { asking, select, days } = asked;
    const key = JSON.stringify([
      isList(select),
      asking.lane,
      asking.viewer,
      select.scope,
      days.map(({ day, summing }) => [day, summing]),
    ]);
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

const isAskedList = (one: Asked): one is Asked<ListSelect> => isList(one.select);
const areAskedFigures = (one: Asked): one is Asked<FiguresSelect> => isFigures(one.select);

/** Two lists by the same dimension go together if only their length differs, as of a panel and of a menu. */
function sharedLists(lists: readonly Asked<ListSelect>[]): Shared | undefined {
  const questions = lists.filter(({ select }) => rowsOf(select) === rowsOf(firstBy(select.by.dimension, lists)));
  const [first] = questions;
  if (!first || questions.every(({ select }) => select.by.dimension === first.select.by.dimension)) return undefined;
  const selects = questions.map(({ select }) => select);
  return {
    questions,
    statement: () => buildLists(selects, first),
    split: (rows) => splitLists(selects, rows),
  };
}

const firstBy = (dimension: Dimension, lists: readonly Asked<ListSelect>[]): ListSelect | undefined =>
  lists.find(({ select }) => select.by.dimension === dimension)?.select;

/** Lists of the same scope for which this is equal have the same rows; one may only be longer. */
const rowsOf = (select: ListSelect | undefined): string =>
  JSON.stringify([select?.metrics, select?.search, select?.labels]);

/** Totals and charts go together if the charts have the same interval. */
function sharedFigures(figures: readonly Asked<FiguresSelect>[]): Shared | undefined {
  const chart = figures.find(({ select }) => select.by);
  if (!chart || !addUp(chart.select.scope.range, chart.days)) return undefined;
  const questions = figures.filter(({ select: { by } }) => !by || by.interval === chart.select.by?.interval);
  if (questions.length === 1) return undefined;
  const selects = questions.map(({ select }) => select);
  // Questions that count no payments have none.
  const { paid } = questions.toSorted((one, other) => other.paid.length - one.paid.length)[0] ?? chart;
  return {
    questions,
    statement: () => buildFigures(selects, { days: chart.days, paid }),
    split: (rows) => splitFigures(selects, rows),
  };
}
