// How the steps of a funnel belong together, in words.
import type { Funnel } from '../api/types';
import { texts } from '../../../server/vocabulary/habits/messages.ts';

const TAKEN: Record<Funnel['within'], Record<Funnel['order'], string>> = texts({
  visit: {
    any_between: 'within one visit, in this order',
    strict: 'within one visit, right after one another',
    any: 'within one visit, in any order',
  },
  day: {
    any_between: 'within one day, in this order',
    strict: 'within one day, right after one another',
    any: 'within one day, in any order',
  },
});

export const takenWords = ({ within, order }: Pick<Funnel, 'within' | 'order'>): string => TAKEN[within][order];
