// The lists that `manage stats` prints, in their order: a dimension each, with its metric.
import { textsOf } from '../habits/messages.ts';
import type { Dimension } from '../questions/dimensions.ts';
import type { Metric } from './metrics.ts';

export const PRINTED_LISTS = textsOf(['title'], {
  source: { title: 'Sources', metric: 'unique_visitors' },
  page: { title: 'Pages', metric: 'pageviews' },
  country: { title: 'Countries', metric: 'unique_visitors' },
  device: { title: 'Devices', metric: 'unique_visitors' },
  event: { title: 'Events', metric: 'events' },
  ai_agent: { title: 'AI agents', metric: 'ai_visits' },
} as const satisfies Partial<Record<Dimension, { title: string; metric: Metric }>>);

export type ListName = keyof typeof PRINTED_LISTS;
export const LIST_NAMES = Object.keys(PRINTED_LISTS) as ListName[];
