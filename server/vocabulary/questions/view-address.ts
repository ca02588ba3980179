// The part of a dashboard's address that decides its numbers. The dashboard and the links in mails write it in the same way.
import type { Metric } from '../numbers/metrics.ts';
import type { Operator } from './operators.ts';
import type { AskedPeriod, ComparedDates, Comparison } from '../time/periods.ts';
import { ALL_VISITORS, type FilterDimension, SEGMENT } from './segments.ts';

export type Filter = { dimension: FilterDimension; operator: Operator; values: string[] };

export type ViewedNumbers = AskedPeriod &
  ComparedDates & {
    compare: Comparison;
    /** The id of a segment, or `all` visitors, to compare with instead of another period. In the address: `compare=ID`. */
    versus?: string | undefined;
    /** The id of the chosen segment. Kept even if it is unknown, because ignoring it would show other numbers than the link meant. */
    segment?: string | undefined;
    filters: Filter[];
    metric: Metric;
    /** Without the days that were imported as daily sums. In the address: `imported=off`. */
    isWithoutImported?: true | undefined;
  };

/** `is:country:DE,FR`. Each part is percent-encoded on its own, because values may contain commas and colons. */
export const writeFilter = (filter: Filter): string =>
  `${filter.operator}:${encodePart(filter.dimension)}:${filter.values.map(encodePart).join(',')}`;

/** Only the separators are encoded, so paths stay readable. */
export const encodePart = (text: string): string => text.replace(/[%,:]/g, encodeURIComponent);

/** Defaults are left out, so the default view has a bare address. */
export function writeAsked(viewed: ViewedNumbers): URLSearchParams {
  const params = new URLSearchParams();
  if (viewed.period !== 'today') params.set('period', viewed.period);
  if (viewed.period === 'custom') {
    params.set('date_from', viewed.date_from ?? '');
    params.set('date_to', viewed.date_to ?? '');
  }
  const { versus, segment = ALL_VISITORS } = viewed;
  // A segment compared with itself would show no change anywhere.
  const compare = versus === undefined || versus === segment ? viewed.compare : versus;
  if (compare !== 'previous') params.set('compare', compare);
  if (compare === 'custom') {
    params.set('compare_from', viewed.compare_from ?? '');
    params.set('compare_to', viewed.compare_to ?? '');
  }
  if (viewed.segment) params.set(SEGMENT, viewed.segment);
  for (const filter of viewed.filters) params.append('f', writeFilter(filter));
  if (viewed.isWithoutImported) params.set('imported', 'off');
  if (viewed.metric !== 'unique_visitors') params.set('metric', viewed.metric);
  return params;
}

/** The address of the page of sites, narrowed to a group. Its usual period is not that of a dashboard, so the period is always named. */
export function groupAddress(group: string, viewed: Omit<ViewedNumbers, 'filters'>): URLSearchParams {
  const asked = writeAsked({ ...viewed, filters: [] });
  return new URLSearchParams([
    ['group', group],
    ...new URLSearchParams([['period', viewed.period]]),
    ...[...asked].filter(([name]) => name !== 'period'),
  ]);
}
