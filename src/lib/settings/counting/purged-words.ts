// What a purge takes or took, in words.
import { t, tn } from '../../../../server/vocabulary/habits/messages.ts';
import type { PurgedCounts } from '../../api/types';

/** Such as “2 visits with 3 page views and 1 event”. */
export function purgedWords({ visits, pageviews, events, ai_visits }: PurgedCounts): string {
  if (ai_visits > 0) return tn(ai_visits, '{n} AI visit', '{n} AI visits');
  const parts = partWords({ pageviews, events });
  if (visits === 0) return parts;
  const words = tn(visits, '{n} visit', '{n} visits');
  return parts === '' ? words : t('{visits} with {parts}', { visits: words, parts });
}

function partWords({ pageviews, events }: Pick<PurgedCounts, 'pageviews' | 'events'>): string {
  const views = pageviews > 0 ? tn(pageviews, '{n} page view', '{n} page views') : '';
  const others = events > 0 ? tn(events, '{n} event', '{n} events') : '';
  return views !== '' && others !== '' ? t('{views} and {events}', { views, events: others }) : views + others;
}
