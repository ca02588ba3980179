// Prepares the filters of a viewer. A condition that leaves out fewer visitors than a number must have leaves out nobody, and a value that so few
// have counts nobody: whoever asks with and without it gets the same answer. (Diffix, a system for anonymous questions, calls this low effect
// detection.) Conditions that are left count enough visitors, and leave out enough.
import { Refusal } from '../../errors.ts';
import type { Dimension } from '../../vocabulary/questions/dimensions.ts';
import { FURTHEST_STEP, readFurthestStep, writeFurthestStep } from '../../vocabulary/questions/furthest-step.ts';
import { isIdentifying } from '../../vocabulary/questions/identifying.ts';
import { negatedBy, type Operator } from '../../vocabulary/questions/operators.ts';
import { byText } from '../../vocabulary/texts/order.ts';
import type { PlainDimension, PlainFilter } from '../../vocabulary/questions/segments.ts';
import { dimensionSql } from '../sql/dimensions.ts';
import type { AskRare } from './rare-values.ts';
import { isPlain } from '../sql/filters.ts';
import type { Filter } from '../query.ts';
import type { Scope } from '../sql/scope.ts';
import type { Ask } from '../sql/sql.ts';

/** Most values that a filter on a part of a name stands for: those with the most visitors. */
const MOST_VALUES = 5_000;

/** The dimensions of a filter. For a filter by segment, these are the dimensions of the segment's own filters. */
export function dimensionsOf(filter: Filter): PlainDimension[] {
  return isPlain(filter) ? [filter.dimension] : (filter.segments ?? []).flat().map(({ dimension }) => dimension);
}

export const isNegative = ({ operator }: Pick<Filter, 'operator'>): boolean => negatedBy(operator) !== undefined;

const isPart = ({ operator }: Pick<Filter, 'operator'>): boolean =>
  operator === 'contains' || operator === 'contains_not';

/** True for a filter on what a visit has several of, such as pages. */
export const isOfRows = ({ dimension }: PlainFilter): boolean =>
  dimension !== FURTHEST_STEP && dimensionSql(dimension, String).level === 'row';

/** Throws bad_request for filters that viewers cannot combine: with several of these, differences would name fewer visitors. */
export function checkFilters(filters: readonly Filter[]): void {
  const refuse = (what: string) => {
    throw new Refusal('bad_request', `filters: a shared dashboard can be filtered ${what}.`);
  };
  for (const filter of filters) {
    const named = placesOf(filter).map((place) => place.filter);
    const isOfSeveral = (one: PlainFilter) => isNegative(filter) || one.operator !== 'is' || one.values.length > 1;
    if (named.some((one) => isIdentifying(one.dimension) && isOfSeveral(one)))
      refuse('to one property value, city, version, goal or step at a time');
    if (!isPlain(filter) && filter.values.length > 1) refuse('to one segment at a time');
    if (isPlain(filter) && isOfRows(filter) && !isPart(filter) && filter.values.length > 1)
      refuse('to one page, hostname or event at a time');
  }
  const dimensions = filters.map(({ dimension }) => dimension);
  if (new Set(dimensions).size < dimensions.length) refuse('once by each dimension');
}

/** A filter by one segment keeps the visits that match each of its filters: here, each is a filter of its own. */
const expanded = (filter: Filter): Filter[] => {
  const [only, another] = filter.segments ?? [];
  if (isPlain(filter) || !only || another || isNegative(filter)) return [filter];
  return only.map((one) => (isOfRows(one) ? { ...filter, segments: [[one]] } : one));
};

/** One of the filters that a filter consists of. `replaced`: the whole with another in its place. `without`: the rest of it, if there is any. */
type Place = { filter: PlainFilter; replaced(by: PlainFilter): Filter; without(): Filter | undefined };

function placesOf(filter: Filter): Place[] {
  if (isPlain(filter)) return [{ filter, replaced: (by) => ({ ...filter, ...by }), without: () => undefined }];
  const { segments = [] } = filter;
  return segments.flatMap((own, which) => {
    const withOwn = (changed: PlainFilter[]): Filter => ({ ...filter, segments: segments.with(which, changed) });
    return own.map((one, index) => ({
      filter: one,
      replaced: (by) => withOwn(own.with(index, by)),
      without: () => {
        const rest = own.toSpliced(index, 1);
        return rest.length > 0 ? withOwn(rest) : undefined;
      },
    }));
  });
}

/** `countOf`: how many visitors filters leave. */
type Asked = {
  scope: Scope;
  ask: Ask;
  askRare: AskRare;
  countOf(filters: Filter[]): Promise<number>;
  fewest: number;
};

/** Returns the filters that count for a viewer; undefined if they leave too few visitors. */
export async function settleFilters({ scope, ask, askRare, countOf, fewest }: Asked): Promise<Filter[] | undefined> {
  const of = (filters: Filter[]) => ({ ...scope, filters });
  /** The values, or parts of values, that enough visitors have. */
  const withoutFew = async ({ filter }: Place, others: Filter[]): Promise<string[]> => {
    const { dimension, values } = filter;
    const rare = await rareOf(dimension);
    if (isPart(filter)) {
      const lists = await Promise.all(
        values.map((search) =>
          ask({
            scope: of(others),
            metrics: ['unique_visitors'],
            search,
            by: { dimension: dimension as Dimension, ...rare },
            limit: MOST_VALUES,
          }),
        ),
      );
      const enough = lists.flat().filter((row) => Number(row['unique_visitors']) >= fewest);
      return [...new Set(enough.map((row) => String(row['label'])))].sort();
    }
    const counted = values.map(async (value): Promise<string[]> => {
      const one: Filter = { dimension, operator: 'is', values: [value], ...rare };
      return (await countOf([...others, one])) >= fewest ? [value] : [];
    });
    return (await Promise.all(counted)).flat();
  };
  const settled = async (filter: Filter, others: Filter[]): Promise<Filter | 'all' | 'none'> => {
    const nobody = isPlain(filter) || !isNegative(filter) ? 'none' : 'all';
    let now: Filter | undefined = filter;
    // The last one first: what is left out moves those behind it.
    for (const index of [...placesOf(filter).keys()].reverse()) {
      const place: Place | undefined = now && placesOf(now)[index];
      if (!place || !(isPart(place.filter) || place.filter.values.length > 1)) continue;
      const values = await withoutFew(place, others);
      const operator: Operator = isNegative(place.filter) ? 'is_not' : 'is';
      if (values.length === 0 && operator === 'is') return nobody;
      const isOfPart: Pick<Filter, 'isOfPart'> = isPart(place.filter) ? { isOfPart: true } : {};
      now = values.length > 0 ? place.replaced({ ...place.filter, operator, values, ...isOfPart }) : place.without();
    }
    return now ?? (nobody === 'none' ? 'all' : 'none');
  };
  const rareOf = async (dimension: PlainDimension): Promise<Pick<Filter, 'rare'>> => {
    const rare = await askRare(dimension);
    return rare ? { rare } : {};
  };
  /** The filter with the values of its dimensions that count under others. */
  const joined = async (filter: Filter): Promise<Filter> => {
    let now = filter;
    for (const [index, { filter: one }] of placesOf(filter).entries())
      now = placesOf(now)[index]?.replaced({ ...one, ...(await rareOf(one.dimension)) }) ?? now;
    return now;
  };

  const { fixed = [], given = [] } = Object.groupBy(scope.filters, ({ isFixed }) => (isFixed ? 'fixed' : 'given'));
  const asked = await Promise.all(given.flatMap(expanded).toSorted(inOrder).map(joined));
  const othersOf = (index: number) => [...fixed, ...asked.toSpliced(index, 1)];
  const all = await Promise.all(asked.map((filter, index) => settled(filter, othersOf(index))));
  if (all.includes('none')) return undefined;
  let filters = [...fixed, ...all.filter((one) => typeof one !== 'string')];
  let matching = await countOf(filters);
  if (matching < fewest) return undefined;
  const without = (filter: Filter) => filters.filter((one) => one !== filter);
  /** The first filter that leaves out too few visitors. */
  const findIdle = async (): Promise<Filter | undefined> => {
    for (const filter of filters)
      if (!filter.isFixed && !filter.keepsVisits && (await countOf(without(filter))) - matching < fewest) return filter;
    return undefined;
  };
  for (let idle = await findIdle(); idle; idle = await findIdle()) {
    const kept = isPlain(idle) && isOfRows(idle) ? { ...idle, keepsVisits: true as const } : undefined;
    filters = kept ? filters.with(filters.indexOf(idle), kept) : without(idle);
    matching = await countOf(filters);
  }
  for (const there of atEachStep(filters, scope)) {
    const left = await countOf(there);
    if (left > 0 && left < fewest) return undefined;
  }
  return filters;
}

/** The same filters in another order are the same question. */
function inOrder(one: Filter, other: Filter): number {
  return byText(JSON.stringify(one), JSON.stringify(other));
}

/**
 * Returns the filters once for each step of the funnel that they name. The funnel's figures hide where fewer visitors left, and the numbers of
 * visitors at the other steps would reveal those.
 */
function atEachStep(filters: Filter[], { funnels = [] }: Scope): Filter[][] {
  const stepsOf = (value = ''): string[] => {
    const { funnel: id } = readFurthestStep(value);
    const steps = funnels.find((funnel) => funnel.id === id)?.steps ?? [];
    return steps.map((_, index) => writeFurthestStep({ funnel: id, step: index + 1 }));
  };
  return filters.flatMap((filter, at) =>
    placesOf(filter).flatMap(({ filter: one, replaced }) =>
      one.dimension === FURTHEST_STEP
        ? stepsOf(one.values[0]).map((value) => filters.with(at, replaced({ ...one, values: [value] })))
        : [],
    ),
  );
}
