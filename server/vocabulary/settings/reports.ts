// Reports: how often they are sent, in words, and how many there may be.
import { message, textsOf } from '../habits/messages.ts';

export const FREQUENCIES = textsOf(['label', 'title', 'when', 'name', 'than', 'as'], {
  daily: {
    label: 'Every day',
    title: 'Daily report',
    when: 'yesterday',
    before: { name: 'the day before', than: 'than the day before', as: 'as the day before' },
  },
  weekly: {
    label: 'Every week',
    title: 'Weekly report',
    when: 'last week',
    before: { name: 'the week before', than: 'than the week before', as: 'as the week before' },
  },
  monthly: {
    label: 'Every month',
    title: 'Monthly report',
    when: 'last month',
    before: { name: 'the month before', than: 'than the month before', as: 'as the month before' },
  },
} as const);
export type Frequency = keyof typeof FREQUENCIES;
export const FREQUENCY_NAMES = Object.keys(FREQUENCIES) as [Frequency, ...Frequency[]];

/** Reports of one account. */
export const MAX_REPORTS = 100;
/** Reports that one person has mailed to their own address, by account. */
export const MAX_PERSONAL_REPORTS = 10;
export const MAX_RECIPIENTS = 20;
/** Reports that an account may have mailed in 24 hours: one mail for each recipient. */
export const MAX_REPORT_MAILS_A_DAY = 500;
/** With the number in it: why a report was not sent is kept in English, and said later in the language of whoever reads it. */
export const TOO_MANY_REPORT_MAILS = message('An account can have 500 reports mailed a day: wait until tomorrow.');
/** A source is new if it sent nobody in this many days before the report's period. */
export const NEW_SOURCE_DAYS = 56;
