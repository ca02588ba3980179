// What a purge takes: the whole visits that the filters show, or the AI visits. A visit is never split, since its rows add up to it.
import { Refusal } from '../../errors.ts';
import { COUNTED } from '../../store/purged.ts';
import type { Range } from '../../vocabulary/time/periods.ts';
import { NOTHING_PURGED, type PurgedCounts } from '../../vocabulary/settings/purges.ts';
import { sourceOfFilter } from '../../vocabulary/questions/segments.ts';
import type { Source } from '../../vocabulary/questions/sources.ts';
import { sourceOfQuestion } from '../sql/combination.ts';
import { allOf, readFilters } from '../sql/filters.ts';
import { openSaved } from '../funnels/funnel-sql.ts';
import type { SummaryQuestion } from '../query.ts';
import { askRange } from './ranges.ts';
import type { Reader } from '../reader.ts';
import { IN_RANGE, openBound, type Statement } from '../sql/scope.ts';
import { type Asked, scopeOf } from './values.ts';

/** The table, and an SQL condition for its rows with its values. `counts`: how many there are. */
export type Purgeable = { table: Source; where: string; bound: Statement['bound']; range: Range; counts: PurgedCounts };

/** Throws bad_request without filters, and for filters that cannot be combined. */
export async function askPurgeable(reader: Reader, asked: Asked<SummaryQuestion>): Promise<Purgeable> {
  const [first] = asked.question.filters;
  if (!first) throw new Refusal('bad_request', 'filters: must not be empty: a purge takes what filters show.');
  const table = sourceOfFilter(first.dimension);
  const kind = table === 'events' ? 'visits' : 'ai_visits';
  sourceOfQuestion({ metrics: [kind], filters: asked.question.filters });
  const range = await askRange(reader, asked);
  const scope = scopeOf(asked, range);
  const { bound, bind } = openBound(scope);
  const ofFilters = readFilters(scope.filters, bind, openSaved(scope, bind)).rowsFor([kind], { anyRow: false });
  const rows = { table, where: allOf([IN_RANGE, ...ofFilters.where]), bound };
  return { ...rows, range, counts: await askCounts(reader, rows) };
}

async function askCounts(
  { query }: Pick<Reader, 'query'>,
  { table, where, bound }: Pick<Purgeable, 'table' | 'where' | 'bound'>,
): Promise<PurgedCounts> {
  const counted = table === 'events' ? COUNTED : 'toUInt32(count()) AS ai_visits';
  const [row] = await query<Partial<PurgedCounts>>(`SELECT ${counted} FROM ${table} WHERE ${where}`, bound);
  return { ...NOTHING_PURGED, ...row };
}
