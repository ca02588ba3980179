// Chooses the branches of a journey that are shown by name: at each step, those that lead to the most visited nodes. Pure.
import { MAX_JOURNEY_NODES } from '../../vocabulary/questions/journeys.ts';

/** `id` of the node that ends a visit. */
export const END = '0';

export type NodeName = { kind: 'page' | 'event' | 'goal'; name: string };

/** The ids of a branch's nodes without the start. */
type Counted = { path: string[]; visits: number };

export type JourneyBranch = NodeName & {
  /** 1 for the start. */
  step: number;
  /** Index in the list of the branch that this one continues. */
  parent: number | null;
  visits: number;
  /** Visits that ended here; backwards, visits that started here. */
  ended: number;
  /** Visits that continue in a branch that is not shown; backwards, that came from one. */
  other: number;
};

type Options = { start: NodeName; names: ReadonlyMap<string, NodeName>; steps: number };

/** Returns the start and the shown branches by step, most visits first, each after the branch that it continues. */
export function foldBranches(counted: Counted[], { start, names, steps }: Options): JourneyBranch[] {
  const following = Map.groupBy(
    counted.filter(({ path }) => path.length > 0),
    ({ path }) => path.slice(0, -1).join(),
  );
  const root = counted.find(({ path }) => path.length === 0);
  if (!root) return [];

  const shown: (JourneyBranch & { key: string })[] = [];
  let ends = [{ ...start, key: '', step: 1, parent: null as number | null, visits: root.visits }];
  for (let step = 1; ends.length > 0; step += 1) {
    const first = shown.length;
    const isLast = step === steps;
    const next = isLast
      ? []
      : ends.flatMap((end, index) => continuedBy(following.get(end.key), first + index, end.visits));
    const named = commonNodes(next, names);
    const kept = next.filter(({ id }) => named.has(id));
    shown.push(
      ...ends.map((end, index) => {
        const own = next.filter(({ parent }) => parent === first + index);
        const ended = own.find(({ id }) => id === END)?.visits ?? 0;
        const goingOn = own.filter(({ id }) => named.has(id)).reduce((sum, { visits }) => sum + visits, 0);
        return { ...end, ended, other: isLast ? 0 : Math.max(0, end.visits - ended - goingOn) }; // numbers that were changed for viewers do not add up
      }),
    );
    ends = kept
      .map(({ id, path, parent, visits }) => ({
        ...(named.get(id) ?? start),
        key: path.join(),
        step: step + 1,
        parent,
        visits,
      }))
      .sort((one, other) => other.visits - one.visits || compare(one.name, other.name));
  }
  return shown.map(({ key: _, ...branch }) => branch);
}

const continuedBy = (counted: Counted[] = [], parent: number, most: number) =>
  counted.map(({ path, visits }) => ({ path, visits: Math.min(visits, most), parent, id: path.at(-1) ?? END }));

/** The nodes of a step with the most visits, ties by name. */
function commonNodes(
  next: { id: string; visits: number }[],
  names: ReadonlyMap<string, NodeName>,
): Map<string, NodeName> {
  const visits = new Map<string, number>();
  for (const one of next) if (one.id !== END) visits.set(one.id, (visits.get(one.id) ?? 0) + one.visits);
  const ranked = [...visits].flatMap(([id, sum]) => {
    const name = names.get(id);
    return name ? [{ id, sum, name }] : [];
  });
  ranked.sort(
    (one, other) =>
      other.sum - one.sum || compare(one.name.name, other.name.name) || compare(one.name.kind, other.name.kind),
  );
  return new Map(ranked.slice(0, MAX_JOURNEY_NODES).map(({ id, name }) => [id, name]));
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
