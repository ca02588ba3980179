// Queries the store for one requester: in the requester's lane, and limited to what they may see.
import { Refusal } from '../errors.ts';
import type { EventStore } from '../store/open.ts';
import type { Asking } from '../store/pool.ts';
import type { Dimension } from '../vocabulary/questions/dimensions.ts';
import type { Range } from '../vocabulary/time/periods.ts';
import type { openMemo } from './answer-cache.ts';
import type { CountedGoals } from './days/counted-goals.ts';
import { ALL_PAYMENTS, nameOf, setsOf } from './days/day-goals.ts';
import {
  buildFromDays,
  buildReading,
  daysOfPayments,
  isOfClosedDays,
  partsOf,
  type ReadApart,
  readableDays,
  readApart,
} from './days/from-days.ts';
import { buildFromGoals } from './days/from-goals.ts';
import { buildLists, isComparable, isList } from './days/lists.ts';
import { withNeeds } from './sql/metrics.ts';
import type { Filter } from './query.ts';
import type { Scope, Statement } from './sql/scope.ts';
import type { OfValues, Rare } from './disclosure/joined-values.ts';
import { buildRare, rareIn } from './disclosure/rare-sql.ts';
import type { ForViewers, ViewerRule } from './disclosure/rule.ts';
import { openDisclosure } from './disclosure/shown.ts';
import { buildMoments, momentsIn } from './disclosure/steps.ts';
import { type Ask, buildSelect, type RawQuery, type Rows, type Select } from './sql/sql.ts';
import { hasRows, isWithoutRows, type SummedDay, type SummedDays, withoutImported } from './days/summed-days.ts';
import { type AskTogether, togetherWith } from './days/together.ts';

/** A requester who sees only what a rule allows. `now`: an instant, because what they see of today advances in steps. */
export type Viewing = { rule: ViewerRule; now: number };
type Requester = { asking: Asking; viewing?: Viewing | undefined };

/** What all readers of a store share. */
type Shared = {
  memo: ReturnType<typeof openMemo>;
  summedDays: SummedDays;
  countedGoals: CountedGoals;
  askTogether: AskTogether;
};

export type Reader = {
  /** Caches answers until an event is stored on one of their days. */
  ask: Ask;
  /** Does not cache: exports and previews are rarely repeated, and exports are larger than all other answers together. */
  askOnce: Ask;
  /**
   * The rows of a list, each also with its numbers in another range: see `rowBefore`. Undefined if one statement does not answer that, and for
   * viewers of a share link: what they may see is decided for each range by itself.
   */
  askCompared(select: Select, before: Range): Promise<Rows | undefined>;
  /** Like `ask`, for any statement. */
  remembered(about: { site_id: string; range: Range }, statement: Statement, forViewers: ForViewers): Promise<Rows>;
  /** Asks the store. Throws forbidden for a viewer: the rows are for members only. */
  query: RawQuery;
  /** The days of a scope that another product counted, also where they are left out. */
  importedDays(scope: Scope): Promise<SummedDay[]>;
  /** What a viewer may see; undefined for members, who see everything. */
  rule: ViewerRule | undefined;
  /** When a viewer asks. */
  now: number | undefined;
  /**
   * The scope that is counted for a viewer in place of the one that was asked for; undefined if it holds too few visitors. `start`: narrows it, too.
   */
  narrowed(scope: Scope, start?: Filter): Promise<Scope | undefined>;
  /** The same for numbers that no filter narrows. */
  whole(scope: Scope): Promise<Scope>;
  /** The values of a dimension whose visitors a viewer sees counted under another one; undefined for members. */
  rareOf(scope: Scope, dimension: Dimension): Promise<Rare | undefined>;
  /** All visitors of a scope that was narrowed for a viewer, by the values of a dimension if there is one; empty for members. */
  cells(scope: Scope, by?: OfValues): Promise<Rows>;
};

export function openReader(
  store: Pick<EventStore, 'query'>,
  { memo, askTogether, ...shared }: Shared,
  { asking, viewing }: Requester,
): Reader {
  const remembered: Run = (about, alone, together) =>
    memo(about, alone, asking, together && ((by) => askTogether({ ...together, alone, asking: by })));
  const once: Run = (_about, { sql, bound }) => store.query(sql, bound, asking);
  const query: RawQuery = (sql, bound) => store.query(sql, bound, asking);
  const ask: Ask = (select) => askFromDays(select, { ...shared, query, run: remembered, kept: true });
  const askOnce: Ask = (select) => askFromDays(select, { ...shared, query, run: once, kept: false });
  const rule = viewing?.rule;
  const disclosure =
    viewing &&
    openDisclosure(ask, {
      ...viewing,
      askMoments: async (scope) => momentsIn(await remembered(scope, buildMoments(scope, viewing.rule.fewest))),
      findRare: async (scope, asked) => {
        const payments = nameOf(ALL_PAYMENTS, scope);
        const summed = await shared.summedDays(remembered, { ...scope, payments });
        if (isWithoutRows(scope.range, summed)) return [];
        const days = scope.filters.length > 0 ? [] : summed; // the sums are of all visits
        return rareIn(await remembered(scope, buildRare(scope, { ...asked, days, fewest: viewing.rule.fewest })));
      },
    });
  return {
    ask: disclosure ? disclosure.shown(ask) : ask,
    askOnce: disclosure ? disclosure.shown(askOnce) : askOnce,
    askCompared: async (select, before) =>
      rule ? undefined : askCompared(select, before, { ...shared, run: remembered }),
    remembered: async (about, statement, forViewers) => {
      const rows = await remembered(about, statement);
      return rule && typeof forViewers === 'function' ? forViewers(rows, rule) : rows;
    },
    query: async (sql, bound) => {
      if (rule) throw new Refusal('forbidden', 'This is not part of a shared dashboard.');
      return query(sql, bound);
    },
    importedDays: async (scope) => {
      const payments = nameOf(ALL_PAYMENTS, scope);
      const days = await shared.summedDays(remembered, { ...scope, payments, imported: true });
      return days.filter((day) => day.imported);
    },
    rule,
    now: viewing?.now,
    narrowed: async (scope, start) => (disclosure ? disclosure.narrowed(scope, start) : scope),
    whole: async (scope) => (disclosure ? disclosure.whole(scope) : scope),
    rareOf: async (scope, dimension) => disclosure?.rareOf(scope, dimension),
    cells: async (scope, by) => disclosure?.cells(scope, by) ?? [],
  };
}

/** `together`: what the statement asks for, if something else may be asked for with it. */
type Run = (
  about: { site_id: string; range: Range },
  statement: Statement,
  together?: ReturnType<typeof togetherWith>,
) => Promise<Rows>;

/** `kept`: goals are counted for the next time. */
type Answering = Omit<Shared, 'memo' | 'askTogether'> & { query: RawQuery; run: Run; kept: boolean };

/** The answer about days without rows, such as those before a site's first event: no statement is needed. */
function countsOfNothing({ metrics, by }: Select): Rows {
  return by ? [] : [Object.fromEntries(withNeeds(metrics).map((metric) => [metric, 0]))];
}

/** Reads closed days in place of events where a question and its days allow it. */
async function askFromDays(select: Select, answering: Answering): Promise<Rows> {
  const { scope } = select;
  const { run, summedDays, countedGoals, kept } = answering;
  const askEvents = (of: Select) => run(scope, buildSelect(of));
  const sets = setsOf(select);
  const apart = readApart(select);
  if (!sets && !apart && !isOfClosedDays(select)) return askEvents(select);
  const summed = await summedDays(run, { ...scope, payments: nameOf(ALL_PAYMENTS, scope) });
  if (apart) return summed.some(({ imported }) => imported) ? askReadApart(apart, answering) : askEvents(select);
  if (isWithoutRows(scope.range, summed) && !select.withReach) return countsOfNothing(select);
  if (sets) {
    const known = new Set(await countedGoals.daysOf(answering, { scope, sets, days: summed }, { kept }));
    // Most imports know no goals.
    const counted = summed.flatMap((day) => (known.has(day) ? [day] : day.imported ? withoutImported([day]) : []));
    return counted.some(hasRows) ? run(scope, buildFromGoals(select, { sets, days: counted })) : askEvents(select);
  }
  const days = readableDays(select, summed);
  if (!days.some(hasRows)) return askEvents(select);
  const { ofDays, ofReading, ofEvents } = partsOf(select);
  const askDays = async (of: Select) => {
    const asked = { scope, sets: [ALL_PAYMENTS], days: daysOfPayments(of, days) };
    const paid = await countedGoals.daysOf(answering, asked, { kept });
    return run(scope, buildFromDays(of, { days, paid }), togetherWith({ select: of, days, paid }));
  };
  const [rows, ...others] = await Promise.all([
    ...(ofDays ? [askDays(ofDays)] : []),
    ...(ofReading ? [run(scope, buildReading(ofReading, withoutImported(days)))] : []),
    ...(ofEvents ? [askFromDays(ofEvents, answering)] : []),
  ]);
  return (rows ?? []).map(
    (row, index) => Object.assign({}, row, ...others.map((other) => other[index])) as Rows[number],
  );
}

/** The rows of a list as its counts have them, each with how it was read. */
async function askReadApart({ counted, read }: ReadApart, answering: Answering): Promise<Rows> {
  const rows = await askFromDays(counted, answering);
  if (rows.length === 0) return rows;
  const labels = rows.map(({ label }) => String(label));
  const found = await askFromDays({ ...read, labels, limit: labels.length }, answering);
  const byLabel = new Map(found.map((row) => [String(row['label']), row]));
  const nothing = Object.fromEntries(read.metrics.map((metric) => [metric, 0]));
  return rows.map((row) => ({ ...nothing, ...byLabel.get(String(row['label'])), ...row }));
}

/** Reads a list and its comparison from closed days in one pass. */
async function askCompared(
  select: Select,
  before: Range,
  { run, summedDays }: Pick<Answering, 'run' | 'summedDays'>,
): Promise<Rows | undefined> {
  const { scope } = select;
  if (!isList(select) || !isOfClosedDays(select)) return undefined;
  const payments = nameOf(ALL_PAYMENTS, scope);
  const ranges = [scope.range, before].toSorted((one, other) => one.from - other.from);
  const summed = await Promise.all(ranges.map((range) => summedDays(run, { ...scope, range, payments })));
  const readable = summed.map((some) => readableDays(select, some));
  const days = readable.flat();
  const isRead = readable.every((some) => some.some(hasRows));
  if (!isRead || !isComparable([scope.range, before], { days })) return undefined;
  const compared = { ...select, before };
  const both = {
    ...before,
    from: Math.min(...ranges.map(({ from }) => from)),
    to: Math.max(...ranges.map(({ to }) => to)),
  };
  return run(
    { ...scope, range: both },
    buildLists([compared], { days }),
    togetherWith({ select: compared, days, paid: [] }),
  );
}
