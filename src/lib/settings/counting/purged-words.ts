// What a purge takes or took, in words.
import type { PurgedCounts } from '../../api/types';
import { quantity } from '../../formats/format';

/** Such as “2 visits with 3 page views and 1 event”. */
export function purgedWords({ visits, pageviews, events, ai_visits }: PurgedCounts): string {
  if (ai_visits > 0) return quantity(ai_visits, 'AI visit', 'AI visits');
  const parts = [
    ...(pageviews > 0 ? [quantity(pageviews, 'page view', 'page views')] : []),
    ...(events > 0 ? [quantity(events, 'event', 'events')] : []),
  ];
  return [
    ...(visits > 0 ? [quantity(visits, 'visit', 'visits')] : []),
    ...(parts.length > 0 ? [parts.join(' and ')] : []),
  ].join(' with ');
}
