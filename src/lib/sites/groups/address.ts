// The page of a group of sites as an address: `/?group=ID&period=30d&compare=none&metric=visits`.
import { GROUP_METRICS, GROUP_PERIODS, type GroupMetric } from '../../../../server/vocabulary/settings/groups.ts';
import { groupAddress } from '../../../../server/vocabulary/questions/view-address.ts';
import { readView, type View } from '../../view/view';

/** A chart of one day would have one point. */
const USUAL = '30d';

type GroupView = Pick<
  View,
  'period' | 'date_from' | 'date_to' | 'compare' | 'compare_from' | 'compare_to' | 'isWithoutImported'
> & { metric: GroupMetric };

/** `zone`: decides which days are not in the future. */
export function readGroupView(params: URLSearchParams, zone: string): GroupView {
  const { period, date_from, date_to, compare, compare_from, compare_to, isWithoutImported, metric } = readView(
    params,
    { now: Date.now(), zone },
    { panels: [], lists: [] },
  );
  const isNamed = params.has('period') && GROUP_PERIODS.some((one) => one === period);
  return {
    ...(isNamed ? { period, date_from, date_to } : { period: USUAL }),
    compare,
    compare_from,
    compare_to,
    ...(isWithoutImported && { isWithoutImported }),
    metric: GROUP_METRICS.find((one) => one === metric) ?? 'unique_visitors',
  };
}

export const groupPath = (group: string, view: GroupView): string => `/?${groupAddress(group, view).toString()}`;
