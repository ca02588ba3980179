// The furthest step in a funnel, in words.
import { readFurthestStep } from '../../../server/vocabulary/questions/furthest-step.ts';
import type { Funnel } from '../api/types';

/** `“Checkout” after step 2`. `funnels`: those of the site, once they are loaded. */
export function furthestStepName(funnels: readonly Funnel[] | undefined, value: string): string {
  const { funnel: id, step } = readFurthestStep(value);
  const funnel = funnels?.find((one) => one.id === id);
  if (!funnel) return `${funnels ? 'a deleted funnel' : 'a funnel'} after step ${step}`;
  return `“${funnel.name}” after ${step === funnel.steps.length ? 'its last step' : `step ${step}`}`;
}
