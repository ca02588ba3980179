// What a notice on every page says about the plan: the last days of a trial, and a payment that failed.
import { t, tn } from '../../../../server/vocabulary/habits/messages.ts';
import { COUNTDOWN_DAYS } from '../../../../server/vocabulary/accounts/plans.ts';
import { DAY_MS } from '../../../../server/vocabulary/time/time.ts';
import type { Account } from '../../api/types';
import { date } from '../../formats/format';

/** `ends_at`: an instant, or null if the plan does not end by itself. Returns '' if there is nothing to say. */
export function planNotice({ status, ends_at }: Pick<Account, 'status' | 'ends_at'>, now: number): string {
  const end = ends_at === null ? '' : date(ends_at);
  if (status === 'past_due') return t('The last payment failed. Everything still works until {day}.', { day: end });
  const daysLeft = ends_at === null ? Infinity : Math.ceil((ends_at - now) / DAY_MS);
  if (daysLeft > COUNTDOWN_DAYS) return '';
  if (daysLeft <= 1) return t('Your trial ends within a day.');
  return tn(daysLeft, 'Your trial ends in {n} day, on {end}.', 'Your trial ends in {n} days, on {end}.', { end });
}
