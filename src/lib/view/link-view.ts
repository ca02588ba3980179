// What the viewer of a share link can choose. An address that asks for more shows as much of it as the link does.
import type { LinkRules, Part } from '../../../server/vocabulary/settings/share-links.ts';
import {
  datesOfLink,
  daysOfLink,
  partOfDimension,
  partOfMetric,
  showsPart,
} from '../../../server/vocabulary/settings/share-links.ts';
import {
  type AskedPeriod,
  isRolling,
  resolveComparison,
  resolvePeriod,
} from '../../../server/vocabulary/time/periods.ts';
import { isDimension } from '../../../server/vocabulary/questions/dimensions.ts';
import { type FilterDimension, SEGMENT } from '../../../server/vocabulary/questions/segments.ts';
import type { SharedSite } from '../api/types.ts';
import { metricOfLine, type View } from './view.ts';

const SEARCHED: readonly Part[] = ['sources', 'pages', 'places', 'devices', 'events'];

type Today = { now: number; zone: string };
/** What a link shows; `is_limited`: narrowed numbers are withheld and changed. */
type Link = Pick<SharedSite, 'shows' | 'is_limited'> & { rules: LinkRules; about?: SharedSite['about'] };

export type Shared = ReturnType<typeof openShared>;

export function openShared({ rules, shows, is_limited, about = null }: Link) {
  const hasPart = (part: Part | undefined): boolean => part === undefined || showsPart(rules, part);
  const hasDimension = (dimension: FilterDimension): boolean =>
    dimension === SEGMENT || hasPart(partOfDimension(dimension));
  const isNarrowed = rules.filters.length > 0;

  function isWithin({ from, to }: { from: number; to: number }, { now, zone }: Today): boolean {
    if (!rules.period) return true;
    const shown = daysOfLink(rules.period, now, zone);
    return from >= shown.from && to <= shown.to;
  }

  /** Rolling periods are not shown narrowed, where numbers are limited. */
  function allows(asked: AskedPeriod, today: Today): boolean {
    if (isRolling(asked.period)) return !(isNarrowed && is_limited) && (!rules.period || 'days' in rules.period);
    if (!rules.period) return true;
    return asked.period !== 'all' && isWithin(resolvePeriod(asked, today.now, { zone: today.zone }), today);
  }

  /** The period that is shown first: today, or else all days of the link that have begun. */
  function usualPeriod({ now, zone }: Today): AskedPeriod {
    if (allows({ period: 'today' }, { now, zone }) || !rules.period) return { period: 'today' };
    return datesOfLink(rules.period, now, zone);
  }

  function compares(view: View, today: Today): boolean {
    if (view.compare === 'none' || !rules.period) return true;
    const range = resolvePeriod(view, today.now, { zone: today.zone });
    const compared = resolveComparison(range, view);
    return compared === undefined || isWithin(compared, today);
  }

  return {
    rules,
    shows,
    /** What the page of a public link says of it; null for others. */
    about,
    hasPart,
    hasDimension,
    /** The search looks at all visits, and at every list. */
    hasSearch: !isNarrowed && SEARCHED.every(hasPart),
    /** True for a period that the menu offers. */
    allows,
    /** The view as far as the link shows it. */
    hold(view: View, today: Today): View {
      const { period: _, date_from: __, date_to: ___, ...others } = view;
      const asked = allows(view, today) ? view : { ...others, ...usualPeriod(today) };
      return {
        ...asked,
        ...(compares(asked, today) ? {} : { compare: 'none', compare_from: undefined, compare_to: undefined }),
        ...(!hasPart(partOfMetric(asked.metric)) && { metric: 'unique_visitors' }),
        filters: asked.filters.filter(({ dimension }) => hasDimension(dimension)),
        ai: hasPart('ai') ? asked.ai : undefined,
        details:
          asked.details && isDimension(asked.details) && !hasDimension(asked.details) ? undefined : asked.details,
        chartType: asked.chartType === 'heatmap' && !hasPart('week') ? undefined : asked.chartType,
        lines: asked.lines?.filter(({ id }) => {
          const metric = metricOfLine(id);
          return metric ? hasPart(partOfMetric(metric)) : !id.startsWith('goal_') || hasPart('goals');
        }),
      };
    },
  };
}
