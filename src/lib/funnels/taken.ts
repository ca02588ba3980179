// How the steps of a funnel belong together, in words.
import type { Funnel } from '../api/types';

const WITHIN = { visit: 'within one visit', day: 'within one day' };
const ORDER = { any_between: 'in this order', strict: 'right after one another', any: 'in any order' };

export const takenWords = ({ within, order }: Pick<Funnel, 'within' | 'order'>): string =>
  `${WITHIN[within]}, ${ORDER[order]}`;
