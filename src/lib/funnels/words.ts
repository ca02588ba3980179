// The furthest step in a funnel, in words.
import { readFurthestStep } from '../../../server/vocabulary/questions/furthest-step.ts';
import { t } from '../../../server/vocabulary/habits/messages.ts';
import type { Funnel } from '../api/types';

/** `“Checkout” after step 2`. `funnels`: those of the site, once they are loaded. */
export function furthestStepName(funnels: readonly Funnel[] | undefined, value: string): string {
  const { funnel: id, step } = readFurthestStep(value);
  const funnel = funnels?.find((one) => one.id === id);
  if (!funnel)
    return funnels ? t('a deleted funnel after step {step}', { step }) : t('a funnel after step {step}', { step });
  return step === funnel.steps.length
    ? t('“{funnel}” after its last step', { funnel: funnel.name })
    : t('“{funnel}” after step {step}', { funnel: funnel.name, step });
}
