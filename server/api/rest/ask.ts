// Questions in plain words: how each word was understood, and the address and the request of the view that they mean.
import { ownOrigin } from '../../config.ts';
import { addressOf } from '../../vocabulary/asking/address.ts';
import { isSure } from '../../vocabulary/asking/asking.ts';
import { type AskedView, isListed } from '../../vocabulary/asking/view.ts';
import { listedMetric, sourceOfMetric, usualMetric } from '../../vocabulary/numbers/metrics.ts';
import { sourceOf } from '../../vocabulary/questions/dimensions.ts';
import { sourceOfFilter } from '../../vocabulary/questions/segments.ts';
import { askInWords } from '../asking.ts';
import type { Call, Result } from './operations.ts';

/** A question without a period is about the same days as any other request without one. */
const SHOWN = { period: '30d', compare: 'none' } as const;

export async function ask(call: Call<{ site_id: string; q: string }, unknown>): Promise<Result> {
  const { services, accountId, now, query, readSite } = call;
  const site = await readSite(query.site_id);
  const stats = services.stats.askedBy({ lane: accountId });
  const asking = { directory: services.directory, stats, viewer: { kind: 'key', accountId } as const, site, now };
  const { view, parts, sentence } = await askInWords(asking, { q: query.q, shown: SHOWN });
  const { by = null, isAscending: _, metrics, ...shown } = view;
  const request = requestOf(view, { siteId: site.id, hasZone: site.timezone !== null });
  return {
    data: {
      sentence,
      is_sure: isSure(parts),
      parts,
      view: { ...shown, metrics, dimension: by },
      dashboard: `${ownOrigin(services.config)}/${site.domain}${addressOf(view)}`,
      request: `${request.path}?${queryOf(request.arguments)}`,
      tool: { name: request.tool, arguments: request.arguments },
    },
  };
}

type Arguments = Record<string, string | string[] | object[]>;

/** The request that answers a view: a list, or the numbers over time. */
function requestOf(view: AskedView, { siteId, hasZone }: { siteId: string; hasZone: boolean }) {
  const { by, metrics, filters, segment, versus, interval, isAscending, ...time } = view;
  const source = by ? sourceOf(by) : sourceOfMetric(metrics[0] ?? 'unique_visitors');
  const asked = metrics.filter((name) => sourceOfMetric(name) === source && (!by || isListed(name, { ...view, by })));
  const shown = asked.length > 0 ? asked : [by ? listedMetric(by) : usualMetric(source)];
  const own = filters.filter(({ dimension }) => sourceOfFilter(dimension) === source);
  const given: Record<string, Arguments[string] | undefined> = {
    site_id: siteId,
    ...time,
    compare: versus !== undefined || time.compare === 'none' ? undefined : time.compare,
    timezone: hasZone ? 'site' : undefined,
    ...(source === 'events' && { segment, versus }),
    filters: own.length > 0 ? own : undefined,
    metrics: shown,
    ...(by ? { dimension: by, order: isAscending && `${shown[0]}:asc` } : { interval }),
  };
  const rows = Object.entries(given).filter((row): row is [string, Arguments[string]] => row[1] !== undefined);
  return {
    path: by ? '/v1/stats/breakdown' : '/v1/stats/timeseries',
    tool: by ? 'get_breakdown' : 'get_timeseries',
    arguments: Object.fromEntries(rows),
  };
}

function queryOf(args: Arguments): string {
  const rows = Object.entries(args).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : name === 'filters' ? JSON.stringify(value) : value.join(','),
  ]);
  return new URLSearchParams(rows as [string, string][]).toString();
}
