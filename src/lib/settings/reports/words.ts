// When a report is sent, and to whom, in words.
import { t } from '../../../../server/vocabulary/habits/messages.ts';
import { FREQUENCIES } from '../../../../server/vocabulary/settings/reports.ts';
import type { Report } from '../../api/types';
import { date, hourOfDay, zoneName } from '../../formats/format';

export const timingWords = ({ frequency, hour, timezone }: Pick<Report, 'frequency' | 'hour' | 'timezone'>): string =>
  t('{frequency} at {hour}, {timezone}', {
    frequency: FREQUENCIES[frequency].label,
    hour: hourOfDay(hour),
    timezone: zoneName(timezone),
  });

export const nextWords = ({ due_at }: Pick<Report, 'due_at'>): string => t('Next on {date}', { date: date(due_at) });

/** For alerts too. */
export const readerWords = (email: string, isUnsubscribed: boolean): string =>
  isUnsubscribed ? t('{email} (unsubscribed)', { email }) : email;
