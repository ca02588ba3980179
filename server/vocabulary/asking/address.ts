// The address of the view that a question means.
import { listedMetric, type Metric, sourceOfMetric, usualMetric } from '../numbers/metrics.ts';
import { type Dimension, dimensionRow, sourceOf } from '../questions/dimensions.ts';
import { writeAsked } from '../questions/view-address.ts';
import { type AskedView, isListed } from './view.ts';

/** The panel of each group of dimensions. Dimensions without a tab have only a full list. */
const PANELS = { Page: 'pages', Source: 'sources', Place: 'places', Device: 'devices', Event: 'events' } as const;
const AI_PANELS: Partial<Record<Dimension, string>> = {
  ai_page: 'ai_pages',
  ai_agent: 'ai_agents',
  ai_purpose: 'ai_agents',
};
const WITHOUT_TAB: readonly Dimension[] = ['browser_version', 'os_version', 'goal', 'ai_provider', 'ai_status'];

/** The metric that a dimension's tab shows. */
export const metricOfTab = (by: Dimension): Metric =>
  by === 'page' || by === 'hostname'
    ? 'pageviews'
    : by === 'entry_page' || by === 'exit_page' || by === 'referrer'
      ? 'visits'
      : listedMetric(by);

/** The panel that lists a dimension; without one, the chapter of AI visits, or none. */
export function panelOf({ by, metrics }: Pick<AskedView, 'by' | 'metrics'>): string | undefined {
  const isOfAi = by ? sourceOf(by) === 'ai_visits' : metrics.includes('ai_visits');
  if (isOfAi) return (by && AI_PANELS[by]) ?? 'ai';
  if (!by || WITHOUT_TAB.includes(by)) return undefined;
  const { group } = dimensionRow(by);
  return group === 'AI' ? 'ai' : PANELS[group];
}

/** The address of a dashboard, from the question mark on; empty for its usual view. */
export function addressOf(view: AskedView): string {
  const { by, isAscending, interval, metrics } = view;
  const [first = usualMetric('events'), ...others] = metrics.filter((name) => sourceOfMetric(name) === 'events');
  const params = writeAsked({ ...view, metric: first });
  if (interval) params.set('interval', interval);
  if (!by && others.length > 0)
    params.set(
      'lines',
      others
        .slice(0, 4)
        .map((name) => `metric_${name}`)
        .join(','),
    );
  if (metrics.includes('ai_visits')) params.set('ai_visits', 'shown');
  if (by) {
    const panel = panelOf(view);
    if (panel && sourceOf(by) === 'events') params.set(panel, by);
    else if (panel && panel !== 'ai' && by !== 'ai_page') params.set(panel, by);
    const sorted = metrics.find((name) => isListed(name, { ...view, by }));
    const isFull = WITHOUT_TAB.includes(by) || isAscending || (sorted && sorted !== metricOfTab(by));
    if (isFull) params.set('details', by);
    if (isFull && (sorted || isAscending))
      params.set('sort', `${sorted ?? metricOfTab(by)}:${isAscending ? 'asc' : 'desc'}`);
  }
  const text = params.toString();
  return text && `?${text}`;
}
