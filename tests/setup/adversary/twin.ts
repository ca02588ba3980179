// A site of some people in memory, which answers questions as the event store does: `tests/stats/disclosure/adversary.test.ts` compares the two. It counts
// visitors and page views of one visit each, fast enough for thousands of attacks.
import type { Rare } from '../../../server/stats/disclosure/joined-values.ts';
import type { Few, FindRare, RareIn } from '../../../server/stats/disclosure/rare-values.ts';
import type { Filter } from '../../../server/stats/query.ts';
import { VISITOR_KEYS } from '../../../server/stats/sql/metrics.ts';
import type { Ask, Rows, Select } from '../../../server/stats/sql/sql.ts';
import { negatedBy } from '../../../server/vocabulary/questions/operators.ts';
import type { PlainFilter } from '../../../server/vocabulary/questions/segments.ts';
import { DAY_MS, dayOf, daysIn } from '../../../server/vocabulary/time/time.ts';

export const DIMENSIONS = ['country', 'browser', 'device', 'source'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** The day of a person with day 0. */
export const FIRST_DAY = Date.UTC(2026, 9, 5);

/** `id`: that of the visitor, a number. `day`: since the first one. */
export type Person = { id: number; day: number; values: Record<Dimension, string>; pages: readonly string[] };

/** The values of a person, with those that are rare on their day as the one that they count under. */
export const valuesOf = ({ values, pages, day }: Person, { dimension, rare }: Of): readonly string[] => {
  if (dimension === 'page') return pages;
  const value = values[dimension as Dimension];
  const joined = rare?.joined.find((one) => one.day === dayOf(FIRST_DAY + day * DAY_MS) && one.values.includes(value));
  return [joined?.into ?? value];
};
type Of = { dimension: string; rare?: Rare | undefined };

function matches({ operator, values }: PlainFilter, value: string): boolean {
  const isFound =
    (negatedBy(operator) ?? operator) === 'is'
      ? values.includes(value)
      : values.some((part) => value.toLowerCase().includes(part.toLowerCase()));
  return isFound !== (negatedBy(operator) !== undefined);
}

function keeps(filter: Filter, person: Person): boolean {
  if (filter.keepsVisits) return true;
  if (filter.dimension !== 'segment')
    return valuesOf(person, filter).some((value) => matches(filter as PlainFilter, value));
  const isIn = (filter.segments ?? []).some((own) => own.every((one) => keeps(one, person)));
  return isIn !== (negatedBy(filter.operator) !== undefined);
}

/** A page that is a goal. */
export const goalOf = (page: string) => ({ id: `goal_${page}`, kind: 'page' as const, page });

/** The sum of the keys of some visitors. */
export const keyOf = (some: readonly Person[]): number => some.reduce((sum, { id }) => (sum + id) % VISITOR_KEYS, 0);

/** Those whom the days and filters of a scope leave. */
export const leftIn = (people: readonly Person[], { range, filters }: Select['scope']): Person[] =>
  people.filter(
    (person) =>
      FIRST_DAY + person.day * DAY_MS >= range.from &&
      FIRST_DAY + person.day * DAY_MS < range.to &&
      filters.every((filter) => keeps(filter, person)),
  );

export function askTwin(people: readonly Person[]): Ask {
  type Counted = { person: Person; views: number };
  const countIn = (some: readonly Counted[], goals: readonly string[]): Rows[number] => {
    const converted = some.filter(({ person: { pages } }) => goals.some((goal) => pages.includes(goal)));
    return {
      unique_visitors: some.length,
      visits: some.length,
      pageviews: some.reduce((sum, { views }) => sum + views, 0),
      visitor_key: keyOf(some.map(({ person }) => person)),
      converted_visitors: converted.length,
      converted_key: keyOf(converted.map(({ person }) => person)),
    };
  };
  const answer = ({ scope, metrics, by, labels, search }: Select): Promise<Rows> => {
    const ofPages = scope.filters.filter((filter): filter is PlainFilter & Filter => filter.dimension === 'page');
    const viewsOf = (person: Person, page?: string) =>
      person.pages.filter(
        (one) => (page === undefined || one === page) && ofPages.every((filter) => matches(filter, one)),
      ).length;
    const left = leftIn(people, scope);
    const goals = (scope.goals ?? []).flatMap((goal) => (goal.kind === 'page' ? [goal.page] : []));
    const countOf = (some: readonly Counted[]) => countIn(some, goals);
    if (!by) return Promise.resolve([countOf(left.map((person) => ({ person, views: viewsOf(person) })))]);
    const groups = new Map<string | number, Counted[]>();
    const add = (label: string | number, person: Person, views: number) => {
      const group = groups.get(label) ?? [];
      groups.set(label, group);
      group.push({ person, views });
    };
    for (const person of left)
      if ('interval' in by) add(FIRST_DAY + person.day * DAY_MS, person, viewsOf(person));
      else if ('dimension' in by && by.dimension === 'page')
        for (const page of new Set(person.pages)) {
          if (viewsOf(person, page) > 0) add(page, person, viewsOf(person, page));
        }
      else if ('dimension' in by) add(valuesOf(person, by)[0] ?? '', person, viewsOf(person));
    const rows: Rows = [...groups].map(([label, some]) => ({ label, ...countOf(some) }));
    const listed = rows.filter(
      ({ label }) =>
        (!labels || labels.includes(String(label))) &&
        (!search || String(label).toLowerCase().includes(search.toLowerCase())),
    );
    const first = metrics[0] ?? 'unique_visitors';
    const sorted = listed.toSorted(
      (one, other) =>
        Number(other[first]) - Number(one[first]) || (String(one['label']) < String(other['label']) ? -1 : 1),
    );
    return Promise.resolve(sorted.map((row) => ({ ...row, total: sorted.length })));
  };
  // Attacks repeat themselves.
  const known = new Map<string, Promise<Rows>>();
  return (select) => {
    const text = JSON.stringify(select);
    const rows = known.get(text) ?? answer(select);
    known.set(text, rows);
    return rows;
  };
}

/** Finds rare values as the SQL of rare-sql.ts does. */
export const findInTwin =
  (people: readonly Person[], fewest: number): FindRare =>
  (scope, { groups, since }) => {
    const fewOf = (valueOf: (person: Person) => string, range: { from: number; to: number }) => {
      const within = { ...scope, range: { ...scope.range, ...range } };
      return rareAmong(Map.groupBy(leftIn(people, within), valueOf), fewest);
    };
    const find = (dimension: Dimension): RareIn => {
      const ofDays = groups.flatMap(({ from, to }) => {
        const few = fewOf(({ values }) => values[dimension], { from, to: Math.min(to, scope.range.to) });
        return few ? [{ from, ...few }] : [];
      });
      const joined = ofDays.flatMap(({ from, ...few }) => {
        const to = groups.find((group) => group.from === from)?.to ?? from;
        return daysIn({ from, to }).map((day) => ({ day: dayOf(day), ...few }));
      });
      const rare = { joined, dayOfEvents: '', keyed: [] };
      const ofRange = fewOf((one) => valuesOf(one, { dimension, rare })[0] ?? '', { from: since, to: scope.range.to });
      return { dimension, ofDays, ofRange };
    };
    return Promise.resolve(DIMENSIONS.map(find).filter(({ ofDays, ofRange }) => ofDays.length > 0 || ofRange));
  };

/** `counted`: the visitors of each value. */
export function rareAmong(counted: ReadonlyMap<string, { length: number }>, fewest: number): Few | undefined {
  const counts = [...counted].map(([value, { length: visitors }]) => ({ value, visitors }));
  const few = counts.filter(({ visitors }) => visitors > 0 && visitors < fewest);
  const sum = few.reduce((all, { visitors }) => all + visitors, 0);
  const [into] = counts
    .filter(({ visitors }) => visitors >= fewest)
    .toSorted((one, other) => other.visitors - one.visitors || (one.value < other.value ? -1 : 1));
  if (!into || sum === 0 || sum >= fewest) return undefined;
  return { values: few.map(({ value }) => value).sort(), into: into.value };
}
