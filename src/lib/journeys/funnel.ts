// Turns a path of a journey into a funnel with the same steps, in the order in which visits took them.
import type { FunnelDefinition, FunnelStep } from '../../../server/vocabulary/questions/goals.ts';
import type { JourneyDirection, JourneyStart } from '../../../server/vocabulary/questions/journeys.ts';
import type { Branch } from './layout';

/** The longest name that the server takes. */
const MAX_FUNNEL_NAME = 100;

type Path = { branches: Branch[]; start: JourneyStart; direction: JourneyDirection };

export function funnelOf({ branches, start, direction }: Path): { name: string; definition: FunnelDefinition } {
  const steps = branches.map((branch) => stepOf(branch, start));
  const names = branches.map(({ name }) => name);
  if (direction === 'backwards') [steps, names].forEach((list: unknown[]) => list.reverse());
  return {
    name: shortened(names.join(' → ')),
    definition: { steps, within: 'visit', order: 'any_between' },
  };
}

function stepOf({ kind, name }: Branch, start: JourneyStart): FunnelStep {
  if (kind === 'goal') return { goal: start.value };
  // A page's pattern matches it with any query.
  return kind === 'event' ? { kind, event: name, props: {} } : { kind, page: name.split('?')[0] ?? name };
}

const shortened = (name: string) => {
  const letters = [...name];
  return letters.length <= MAX_FUNNEL_NAME ? name : `${letters.slice(0, MAX_FUNNEL_NAME - 1).join('')}…`;
};
