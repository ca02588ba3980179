// The view that a report shows: its question, its link and its filters in words. A view with a deleted part shows other numbers, so it is
// refused.
import type { Directory } from '../../directory/open.ts';
import { Refusal } from '../../errors.ts';
import { shownName } from '../../messages/mail/names.ts';
import { listResolved } from '../../sites/definitions/funnels.ts';
import { goals } from '../../sites/definitions/goals.ts';
import { listSegments } from '../../sites/definitions/segments.ts';
import type { Site } from '../../sites/sites.ts';
import type { Filter, SummaryQuestion } from '../../stats/query.ts';
import { wordsOfFilter } from '../../vocabulary/questions/filter-words.ts';
import { FURTHEST_STEP, readFurthestStep } from '../../vocabulary/questions/furthest-step.ts';
import { SEGMENT } from '../../vocabulary/questions/segments.ts';
import { DAY_MS, dayOf } from '../../vocabulary/time/time.ts';
import { writeAsked } from '../../vocabulary/questions/view-address.ts';
import type { Report } from './definitions.ts';
import { type Span, spanBefore } from './schedule.ts';
import { t, texts } from '../../vocabulary/habits/messages.ts';

export type View = {
  question: SummaryQuestion;
  /** Of the link to the same numbers. */
  query: string;
  /** What narrows the numbers, safe to show in a mail. */
  narrowedBy: string[];
};

/** Whole months are compared with whole months, all other periods with one of the same length. */
export function periodOf({ frequency }: Pick<Report, 'frequency'>, span: Span) {
  const days = ({ from, to }: Span) => [dayOf(from), dayOf(to - DAY_MS)] as const;
  const [date_from, date_to] = days(span);
  const [compare_from, compare_to] = days(spanBefore(frequency, span));
  const period = { period: 'custom', date_from, date_to } as const;
  return frequency === 'monthly'
    ? { ...period, compare: 'custom' as const, compare_from, compare_to }
    : { ...period, compare: 'previous' as const };
}

/** Throws not_found if the view names a segment, a goal or a funnel that was deleted. */
export async function viewOf(directory: Directory, { report, site, span }: { report: Report; site: Site; span: Span }) {
  const { viewed } = report;
  const period = periodOf(report, span);
  const known = await namesIn(directory, { report, site });
  const segment = viewed.segment === undefined ? undefined : known.segment(viewed.segment);
  const further = viewed.filters.map((filter): Filter => {
    const isOfSegment = filter.dimension === SEGMENT;
    return isOfSegment ? { ...filter, segments: filter.values.map((id) => known.segment(id).filters) } : filter;
  });
  const view: View = {
    question: { site_id: site.id, ...period, filters: [...(segment?.filters ?? []), ...further] },
    query: writeAsked({ ...period, ...viewed }).toString(),
    narrowedBy: [
      ...(segment ? [t('Only the segment “{segment}”.', { segment: shownName(segment.name) })] : []),
      ...viewed.filters.map((filter) => t('Filter: {filter}.', { filter: wordsOf(filter, known) })),
    ],
  };
  return view;
}

const GONE = texts({
  segment: 'A segment that the report is filtered by was deleted: choose another one.',
  goal: 'A goal that the report is filtered by was deleted: choose another one.',
  funnel: 'A funnel that the report is filtered by was deleted: choose another one.',
});

type Names = Awaited<ReturnType<typeof namesIn>>;

async function namesIn(directory: Directory, { report, site }: { report: Report; site: Site }) {
  const siteId = site.id;
  const [segments, allGoals, funnels] = await Promise.all([
    listSegments(directory, { siteId, userId: report.created_by ?? undefined }),
    goals.list(directory, { siteId }),
    listResolved(directory, { siteId }),
  ]);
  const find = <One extends { id: string }>(all: readonly One[], id: string, gone: string): One => {
    const found = all.find((one) => one.id === id);
    if (found) return found;
    throw new Refusal('not_found', gone);
  };
  return {
    segment: (id: string) => find(segments, id, GONE.segment),
    goal: (id: string) => find(allGoals, id, GONE.goal),
    funnel: (value: string) => find(funnels, readFurthestStep(value).funnel, GONE.funnel),
  };
}

function wordsOf(filter: Filter, known: Names): string {
  return wordsOfFilter(filter, {
    show: shownName,
    nameOf: (dimension, value) => {
      if (dimension === SEGMENT) return known.segment(value).name;
      if (dimension === FURTHEST_STEP)
        return t('{funnel}, step {step}', { funnel: known.funnel(value).name, step: readFurthestStep(value).step });
      return dimension === 'goal' ? known.goal(value).name : undefined;
    },
  });
}
