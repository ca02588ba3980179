// The filter on the furthest step that visitors took of a funnel: those who left after it, or who took all steps. The API, the dashboard and
// saved segments share this form.
import { MAX_STEPS } from '../limits.ts';

/** The dimension of these filters. It has no list: a visitor may be in any number of funnels. */
export const FURTHEST_STEP = 'furthest_step';

/** `step` counts from 1. */
type FurthestStep = { funnel: string; step: number };

export const FURTHEST_STEP_RULE = `must be the id of a funnel and one of its steps, 1 to ${MAX_STEPS}, as in FUNNEL_ID:2`;
/** The rule as a regular expression. */
export const FURTHEST_STEP_PATTERN = `^funnel_[0-9A-Z]{16,26}:[1-${MAX_STEPS}]$`;
const PATTERN = new RegExp(FURTHEST_STEP_PATTERN);

export const isFurthestStep = (value: string): boolean => PATTERN.test(value);

export const writeFurthestStep = ({ funnel, step }: FurthestStep): string => `${funnel}:${step}`;

export function readFurthestStep(value: string): FurthestStep {
  const [funnel = '', step] = value.split(':');
  return { funnel, step: Number(step) };
}
