// For how long a price is paid, in words that follow it.
import { texts } from '../../../../server/vocabulary/habits/messages.ts';
import type { Start } from '../../api/types';

type Price = NonNullable<Start['prices']>['pro'];

export const PER: Record<Price['per'], string> = texts({
  month: 'a month',
  year: 'a year',
  week: 'a week',
  day: 'a day',
});
