// Queries the store for one requester: in the requester's lane, and limited to what they may see.
import type { EventStore } from '../store/open.ts';
import type { Asking, Bound } from '../store/pool.ts';
import type { Range } from '../vocabulary/periods.ts';
import type { openMemo } from './answer-cache.ts';
import { buildFromDays, buildReading, isOfClosedDays, partsOf, readableDays } from './from-days.ts';
import type { Statement } from './scope.ts';
import { inSight, type Sight } from './small-numbers.ts';
import { type Ask, buildSelect, type Rows, type Select } from './sql.ts';
import { askSummedDays } from './summed-days.ts';

export type Requester = { asking: Asking; sight?: Sight | undefined };
type Memo = ReturnType<typeof openMemo>;

export type Reader = {
  /** Caches answers until an event is stored on one of their days. */
  ask: Ask;
  /** Does not cache: exports are rarely repeated, and larger than all other answers together. */
  askOnce: Ask;
  /** Like `ask`, for any statement. The answer is not limited to what the requester may see. */
  remembered(about: { site_id: string; range: Range }, statement: Statement): Promise<Rows>;
  query<Row>(sql: string, bound: Bound): Promise<Row[]>;
  /** Limits of a share link; undefined for members, who see everything. */
  sight: Sight | undefined;
};

export function openReader(store: Pick<EventStore, 'query'>, memo: Memo, { asking, sight }: Requester): Reader {
  const seen = (ask: Ask): Ask => (sight ? inSight(ask, sight) : ask);
  const remembered: Reader['remembered'] = (about, statement) => memo(about, statement, asking);
  const once: Reader['remembered'] = (_about, { sql, bound }) => store.query(sql, bound, asking);
  return {
    ask: seen((select) => askFromDays(select, remembered)),
    askOnce: seen((select) => askFromDays(select, once)),
    remembered,
    query: (sql, bound) => store.query(sql, bound, asking),
    sight,
  };
}

/** Reads closed days in place of events where a question and its days allow it. */
async function askFromDays(select: Select, run: Reader['remembered']): Promise<Rows> {
  const { scope } = select;
  const askEvents = (of: Select) => run(scope, buildSelect(of));
  if (!isOfClosedDays(select)) return askEvents(select);
  const days = readableDays(select, await askSummedDays({ remembered: run }, scope));
  if (days.length === 0) return askEvents(select);
  const { ofDays, ofReading, ofEvents } = partsOf(select);
  const [rows, ...others] = await Promise.all([
    ...(ofDays ? [run(scope, buildFromDays(ofDays, days))] : []),
    ...(ofReading ? [run(scope, buildReading(ofReading, days))] : []),
    ...(ofEvents ? [askEvents(ofEvents)] : []),
  ]);
  return (rows ?? []).map(
    (row, index) => Object.assign({}, row, ...others.map((other) => other[index])) as Rows[number],
  );
}
