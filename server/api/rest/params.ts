// Reads query parameters, and the arguments of tools. Each must be known, given only once, and not empty. API keys in addresses are refused,
// because addresses end up in logs.
import { z } from 'zod';
import { Refusal } from '../../errors.ts';
import { filterProblem } from '../../stats/sql/combination.ts';
import type { Filter } from '../../stats/query.ts';
import { FURTHEST_STEP, FURTHEST_STEP_RULE, isFurthestStep } from '../../vocabulary/questions/furthest-step.ts';
import { type AskedPeriod, periodProblem, type Range, resolvePeriod } from '../../vocabulary/time/periods.ts';
import { isPlainDimension, type PlainDimension } from '../../vocabulary/questions/segments.ts';
import { MAX_FILTERS } from '../../vocabulary/limits.ts';
import type { Source } from '../../vocabulary/questions/sources.ts';
import type { Site } from '../../sites/sites.ts';
import { check, shown } from './requests.ts';

const KEY_LIKE = /ff_[0-9A-Za-z]{40}/;
const FILTER = /^filter\[(.*)\]$/s;

/** True if an address contains something that looks like an API key. */
export function holdsKey(url: URL): boolean {
  return KEY_LIKE.test(url.pathname) || [...url.searchParams].some((pair) => pair.some((text) => KEY_LIKE.test(text)));
}

/** Reads the parameters with the schema. Throws a bad_request that names the first wrong one. */
export function readParams<Shape extends z.ZodRawShape>(
  url: URL,
  schema: z.ZodObject<Shape>,
): z.output<z.ZodObject<Shape>> {
  if (holdsKey(url))
    throw new Refusal(
      'bad_request',
      'An API key goes into the Authorization header, never into an address: revoke this key and create another.',
    );
  const sent: Record<string, unknown> = {};
  const filters: Record<string, string> = {};
  const seen = new Set<string>();
  for (const [name, value] of url.searchParams) {
    if (seen.has(name)) throw refused(name, 'is given twice: give it only once');
    seen.add(name);
    const filtered = 'filter' in schema.shape ? FILTER.exec(name)?.[1] : undefined;
    if (filtered === undefined && (name === 'filter' || !Object.hasOwn(schema.shape, name)))
      throw refused(name, `is not known here, ${knownOf(schema)}`);
    checkIsGiven(name, value, schema);
    if (filtered === undefined) sent[name] = value;
    else {
      checkFilterName(filtered);
      filters[filtered] = value;
    }
  }
  return check(schema, Object.keys(filters).length > 0 ? { ...sent, filter: filters } : sent, nameOf);
}

/** Reads the arguments of a tool with the schema. The errors are the same as for an address. */
export function readArguments<Shape extends z.ZodRawShape>(
  given: Record<string, unknown>,
  schema: z.ZodObject<Shape>,
): z.output<z.ZodObject<Shape>> {
  for (const [name, value] of Object.entries(given)) checkIsGiven(name, value, schema);
  const { filter } = given;
  if (typeof filter === 'object' && filter !== null)
    for (const [name, value] of Object.entries(filter)) {
      checkFilterName(name);
      checkIsGiven(`filter[${name}]`, value, schema);
    }
  return check(schema, given, nameOf);
}

function checkIsGiven(name: string, value: unknown, { shape }: z.ZodObject): void {
  if (value !== '') return;
  const isRequired = Object.hasOwn(shape, name) && !z.safeParse(shape[name] as z.ZodType, undefined).success;
  throw refused(name, `must not be empty: give a value${isRequired ? '' : ' or leave it out'}`);
}

function checkFilterName(name: string): void {
  if (!isPlainDimension(name))
    throw refused(`filter[${name}]`, 'must name a dimension, such as filter[page] or filter[prop:KEY]');
}

/** An error in any entry of a list names the list's parameter. */
function nameOf([name = '', filtered]: string[]): string {
  return name === 'filter' && filtered !== undefined ? `filter[${filtered}]` : name;
}

function knownOf(schema: z.ZodObject): string {
  const names = Object.keys(schema.shape).map((name) => (name === 'filter' ? 'filter[DIMENSION]' : name));
  return names.length > 0 ? `only ${names.join(', ')}` : 'where no parameters are allowed';
}

/** Returns the range of a period. `all` starts with the epoch. */
export function rangeOf(asked: AskedPeriod, { timezone }: Pick<Site, 'timezone'>, now: number): Range {
  return resolvePeriod(asked, now, { firstAt: 0, zone: timezone ?? undefined });
}

/** Throws bad_request unless the dates fit the period, are in order, and are not in the future. */
export function checkPeriod(asked: Parameters<typeof periodProblem>[0], now: number, zone?: string): void {
  const problem = periodProblem(asked, now, zone);
  if (problem) throw refused(problem.field, problem.message);
}

type Filtered = { filter: Record<string, string>; filters?: Filter[] | undefined };

/** Converts both forms of filters for the stats. `source` is what the query counts: people and AI visits have no dimensions in common. */
export function readFilters({ filter, filters = [] }: Filtered, source: Source): Filter[] {
  const plain = Object.entries(filter).map(([name, value]): Filter => {
    const dimension = name as PlainDimension; // readParams refuses all other names
    const isWrong = dimension === FURTHEST_STEP && !isFurthestStep(value);
    const problem = isWrong ? FURTHEST_STEP_RULE : filterProblem(dimension, source);
    if (problem) throw refused(`filter[${name}]`, problem);
    return { dimension, operator: 'is', values: [value] };
  });
  for (const { dimension } of filters) {
    const problem = filterProblem(dimension, source);
    if (problem) throw refused('filters', problem);
  }
  const all = [...plain, ...filters];
  if (all.length > MAX_FILTERS) throw refused('filters', `at most ${MAX_FILTERS} filters are allowed`);
  return all;
}

export function refused(name: string, problem: string): Refusal {
  return new Refusal('bad_request', `${shown(name)}: ${problem}.`);
}

/** The schema of `order` refuses all other names and directions. */
export function orderOf<Order>(text: string | undefined): Order | undefined {
  const [by, direction] = text?.split(':') ?? [];
  return text === undefined ? undefined : ({ by, direction } as Order);
}
