// What a purge takes or took, in words.
import type { PurgedCounts } from '../../api/types';
import { fullNumber } from '../../formats/format';

const counted = (count: number, one: string, many: string) => `${fullNumber(count)} ${count === 1 ? one : many}`;

/** Such as “2 visits with 3 page views and 1 event”. */
export function purgedWords({ visits, pageviews, events, ai_visits }: PurgedCounts): string {
  if (ai_visits > 0) return counted(ai_visits, 'AI visit', 'AI visits');
  const parts = [
    ...(pageviews > 0 ? [counted(pageviews, 'page view', 'page views')] : []),
    ...(events > 0 ? [counted(events, 'event', 'events')] : []),
  ];
  return [
    ...(visits > 0 ? [counted(visits, 'visit', 'visits')] : []),
    ...(parts.length > 0 ? [parts.join(' and ')] : []),
  ].join(' with ');
}
