// A site of some people in memory, which answers questions as the event store does: `tests/stats/disclosure/adversary.test.ts` compares the two. It counts
// visitors and page views of one visit each, fast enough for thousands of attacks.
import type { Filter } from '../../../server/stats/query.ts';
import { VISITOR_KEYS } from '../../../server/stats/metrics.ts';
import type { Ask, Rows, Select } from '../../../server/stats/sql.ts';
import { negatedBy } from '../../../server/vocabulary/questions/operators.ts';
import type { PlainFilter } from '../../../server/vocabulary/questions/segments.ts';
import { DAY_MS } from '../../../server/vocabulary/time/time.ts';

export const DIMENSIONS = ['country', 'browser', 'device', 'source'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** `id`: that of the visitor, a number. `day`: since the first one. */
export type Person = { id: number; day: number; values: Record<Dimension, string>; pages: readonly string[] };

const valuesOf = ({ values, pages }: Person, dimension: string): readonly string[] =>
  dimension === 'page' ? pages : [values[dimension as Dimension]];

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
    return valuesOf(person, filter.dimension).some((value) => matches(filter as PlainFilter, value));
  const isIn = (filter.segments ?? []).some((own) => own.every((one) => keeps(one, person)));
  return isIn !== (negatedBy(filter.operator) !== undefined);
}

/** A page that is a goal. */
export const goalOf = (page: string) => ({ id: `goal_${page}`, kind: 'page' as const, page });

/** The sum of the keys of some visitors. */
export const keyOf = (some: readonly Person[]): number => some.reduce((sum, { id }) => (sum + id) % VISITOR_KEYS, 0);

/** Those whom the days and filters of a scope leave. */
export const leftIn = (people: readonly Person[], { range, filters }: Select['scope'], firstDay: number): Person[] =>
  people.filter(
    (person) =>
      firstDay + person.day * DAY_MS >= range.from &&
      firstDay + person.day * DAY_MS < range.to &&
      filters.every((filter) => keeps(filter, person)),
  );

export function askTwin(people: readonly Person[], firstDay: number): Ask {
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
    const left = leftIn(people, scope, firstDay);
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
      if ('interval' in by) add(firstDay + person.day * DAY_MS, person, viewsOf(person));
      else if ('dimension' in by && by.dimension === 'page')
        for (const page of new Set(person.pages)) {
          if (viewsOf(person, page) > 0) add(page, person, viewsOf(person, page));
        }
      else if ('dimension' in by) add(valuesOf(person, by.dimension)[0] ?? '', person, viewsOf(person));
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
