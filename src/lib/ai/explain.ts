// Explains the figures of the chapter on AI. The sentences are loaded when the first one is asked for.
import type { AI_EXPLANATIONS } from '../../../server/vocabulary/numbers/explanations.ts';

export const explainAi = (figure: keyof typeof AI_EXPLANATIONS) => async (): Promise<string> =>
  (await import('../../../server/vocabulary/numbers/explanations.ts')).AI_EXPLANATIONS[figure];
