// Which events reach a goal, found the slow and obvious way: visit by visit and view by view, no SQL.
import type { VisitedEvent } from '../../../server/vocabulary/event.ts';
import type { GoalDefinition } from '../../../server/vocabulary/questions/goals.ts';
import { matchesPattern, pathSegments, readPattern } from '../../../server/vocabulary/texts/page-patterns.ts';

function isOfPattern(page: string, pattern: string): boolean {
  const [path = ''] = page.split('?');
  return matchesPattern(readPattern(pattern), pathSegments(path));
}

export function slowConversions(rows: readonly VisitedEvent[], goal: GoalDefinition): VisitedEvent[] {
  if (goal.kind === 'event')
    return rows.filter(
      ({ name, props }) =>
        name === goal.event && Object.entries(goal.props).every(([key, value]) => props[key] === value),
    );
  const onPage = rows.filter(({ page }) => isOfPattern(page, goal.page));
  if (goal.kind === 'page') return onPage.filter(({ name }) => name === 'pageview');
  return viewsOf(onPage).flatMap((view) => {
    let engagedMs = 0;
    const first = view.find((row) => {
      engagedMs += row.engaged_ms;
      return goal.kind === 'scroll' ? row.scroll >= goal.scroll : engagedMs >= goal.seconds * 1000;
    });
    return first ?? [];
  });
}

/** The rows of each view of a page: from a page view to the visit's next view of the same page. */
function viewsOf(rows: readonly VisitedEvent[]): VisitedEvent[][] {
  const seen = rows.filter(({ name, visit_id }) => visit_id !== 0n && (name === 'pageview' || name === 'engagement'));
  const views: VisitedEvent[][] = [];
  for (const own of Map.groupBy(seen, ({ visit_id, page }) => `${visit_id} ${page}`).values()) {
    own.sort(byTime);
    let view: VisitedEvent[] = [];
    for (const row of own) {
      if (row.name === 'pageview' || view.length === 0) views.push((view = []));
      view.push(row);
    }
  }
  return views;
}

/** At the same moment: engagement before page views, then by id. */
function byTime(one: VisitedEvent, other: VisitedEvent): number {
  const isView = ({ name }: VisitedEvent) => Number(name === 'pageview');
  return one.time - other.time || isView(one) - isView(other) || (one.event_id < other.event_id ? -1 : 1);
}
