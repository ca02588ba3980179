// The steps of a funnel as viewers see them. Each step narrows the numbers as a filter does.
import { changedCount } from './cell-key.ts';

/** `key`: the sum of the keys of the step's visitors. */
export type Step = { visitors: number; visits: number; key: number; median_ms: number };

/**
 * A step that too few visitors took shows zero. A step that too few failed to take shows the numbers of the step before, or of all visitors
 * (`everybody`). No step has more than the one before.
 */
export function changedSteps(
  steps: readonly Step[],
  { everybody, fewest }: { everybody: Step | undefined; fewest: number },
): Step[] {
  return everybody ? changedInOrder([everybody, ...steps], fewest).slice(1) : changedInOrder(steps, fewest);
}

function changedInOrder(steps: readonly Step[], fewest: number): Step[] {
  const shown: Step[] = [];
  let taken = Infinity;
  for (const step of steps) {
    const before = shown.at(-1) ?? { visitors: Infinity, visits: Infinity };
    const median_ms = Math.round(step.median_ms / 1000) * 1000;
    if (step.visitors < fewest) {
      shown.push({ ...step, visitors: 0, visits: 0 });
    } else if (taken - step.visitors < fewest) {
      shown.push({ ...step, visitors: before.visitors, visits: before.visits, median_ms });
    } else {
      taken = step.visitors;
      const of = { what: 'unique_visitors', fewest };
      const visitors = Math.min(before.visitors, changedCount(step, step.visitors, of));
      const visits = Math.min(
        before.visits,
        Math.max(visitors, changedCount(step, step.visits, { ...of, what: 'visits' })),
      );
      shown.push({ ...step, visitors, visits, median_ms });
    }
  }
  return shown;
}
