// Asks for several lists in one statement. The panels of a dashboard ask for theirs at the same moment, and on closed days a statement takes
// longer than adding up its rows.
import { createGroup, type Group } from '../batching.ts';
import type { EventStore } from '../store/open.ts';
import type { Asking } from '../store/pool.ts';
import { openAudience } from '../store/shared-signal.ts';
import type { Dimension } from '../vocabulary/dimensions.ts';
import { buildLists, type ListSelect, splitLists } from './lists.ts';
import type { Statement } from './scope.ts';
import type { Rows } from './sql.ts';
import type { SummedDay } from './summed-days.ts';

type AskedList = {
  select: ListSelect;
  /** The statement that answers this list alone. */
  alone: Statement;
  asking: Asking;
};

/** Returns the rows of a list. `days`: the closed days that its scope may be read from. */
export type AskList = (asked: AskedList, days: readonly SummedDay[]) => Promise<Rows>;

/** Lists of the same requester, scope and days that are asked for in the same turn of the event loop go together. */
export function openLists({ query }: Pick<EventStore, 'query'>): AskList {
  const groups = new Map<string, Group<AskedList, Rows>>();
  const askAlone = ({ alone: { sql, bound }, asking }: AskedList) => query<Rows[number]>(sql, bound, asking);

  const askTogether = async (lists: readonly AskedList[], days: readonly SummedDay[]): Promise<Rows[]> => {
    const audience = openAudience();
    const staying = lists.filter(({ asking }) => !asking.signal?.aborted);
    for (const { asking } of staying.length > 0 ? staying : lists) audience.join(asking.signal);
    const [{ asking }] = lists as [AskedList];
    const since = Math.min(...lists.map((one) => one.asking.since ?? Infinity));
    const selects = lists.map(({ select }) => select);
    const { sql, bound } = buildLists(selects, { days });
    const rows = await query<Rows[number]>(sql, bound, {
      ...asking,
      ...(Number.isFinite(since) && { since }),
      signal: audience.signal,
    });
    return splitLists(selects, rows);
  };

  /** Two lists by the same dimension go together if only their length differs, as of a panel and of a menu. */
  const answer = (lists: readonly AskedList[], days: readonly SummedDay[]): Promise<Rows[]> => {
    const fitting = lists.filter(({ select }) => rowsOf(select) === rowsOf(firstBy(select.by.dimension, lists)));
    if (fitting.every(({ select }) => select.by.dimension === fitting[0]?.select.by.dimension))
      return Promise.all(lists.map(askAlone));
    const together = askTogether(fitting, days);
    return Promise.all(
      lists.map(async (one) => {
        const index = fitting.indexOf(one);
        return index === -1 ? askAlone(one) : ((await together)[index] ?? []);
      }),
    );
  };

  return (asked, days) => {
    const { asking, select } = asked;
    const key = JSON.stringify([
      asking.lane,
      asking.viewer,
      select.scope,
      days.map(({ day, summing }) => [day, summing]),
    ]);
    const group =
      groups.get(key) ??
      createGroup<AskedList, Rows>(
        (lists) => {
          groups.delete(key);
          return answer(lists, days);
        },
        { maxSize: Infinity, sizeOf: () => 1 },
      );
    groups.set(key, group);
    return group.add(asked);
  };
}

const firstBy = (dimension: Dimension, lists: readonly AskedList[]): ListSelect | undefined =>
  lists.find(({ select }) => select.by.dimension === dimension)?.select;

/** Lists of the same scope for which this is equal have the same rows; one may only be longer. */
const rowsOf = (select: ListSelect | undefined): string =>
  JSON.stringify([select?.metrics, select?.search, select?.labels]);
