// What a notice on every page says about the plan: the last days of a trial, and a payment that failed.
import { COUNTDOWN_DAYS } from '../../../../server/vocabulary/accounts/plans.ts';
import { DAY_MS } from '../../../../server/vocabulary/time/time.ts';
import type { Account } from '../../api/types';
import { date } from '../../formats/format';

/** `ends_at`: an instant, or null if the plan does not end by itself. Returns '' if there is nothing to say. */
export function planNotice({ status, ends_at }: Pick<Account, 'status' | 'ends_at'>, now: number): string {
  const end = ends_at === null ? '' : date(ends_at);
  if (status === 'past_due') return `The last payment failed. Everything still works until ${end}.`;
  const daysLeft = ends_at === null ? Infinity : Math.ceil((ends_at - now) / DAY_MS);
  if (daysLeft > COUNTDOWN_DAYS) return '';
  return `Your trial ends ${daysLeft > 1 ? `in ${daysLeft} days, on ${end}` : 'within a day'}.`;
}
