// Why a column of another product's file is left out, as far as its name says.
import { texts } from '../habits/messages.ts';

export const LEFT_OUT = texts({
  reading: 'Left out: reading times and scroll depths are not imported',
  property: 'Left out: properties need single events',
  title: 'Left out: titles are not kept',
  person: 'Left out: it could identify a person',
  host: 'Left out: daily totals have no hosts',
  city: 'Left out: cities are only numbers here',
  unknown: 'Left out: Footfall has nothing like it',
});
export type LeftOutReason = keyof typeof LEFT_OUT;

/** Columns that are imported are not asked for: the first that matches holds. */
const BY_NAME: readonly [RegExp, LeftOutReason][] = [
  [/scroll|time.?on.?page|duration|engage|seconds/i, 'reading'],
  [/^prop|_value$|^value$|event.?(?:key|data)|data.?type/i, 'property'],
  [/title/i, 'title'],
  [/user|visitor.?id|session|distinct|person|e-?mail|agent|(?:^|_)ip(?:$|_)/i, 'person'],
  [/host|domain/i, 'host'],
  [/^city$/i, 'city'],
];

export const whyLeftOut = (column: string): LeftOutReason =>
  BY_NAME.find(([name]) => name.test(column))?.[1] ?? 'unknown';
