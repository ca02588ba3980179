// Questions in plain words, for the dashboard's search, the API and assistants. The names of the site come through the same doors as its
// numbers, so that no answer tells more than the caller may see.
import type { Directory } from '../directory/open.ts';
import type { Viewer } from '../sites/access.ts';
import type { Site } from '../sites/sites.ts';
import type { Stats } from '../stats/run.ts';
import { type ReadQuestion, readQuestion } from '../vocabulary/asking/asking.ts';
import type { SiteNames } from '../vocabulary/asking/meanings.ts';
import type { Shown } from '../vocabulary/asking/view.ts';
import { usualMetric } from '../vocabulary/numbers/metrics.ts';
import { type Dimension, sourceOf } from '../vocabulary/questions/dimensions.ts';
import { type GoalDefinition, hasPropertyConditions } from '../vocabulary/questions/goals.ts';
import { DAY_MS, dayOf } from '../vocabulary/time/time.ts';
import { UTC, wallTime } from '../vocabulary/time/zones.ts';
import { usableGoals } from './dashboard/goals.ts';
import { usableSegments } from './dashboard/segments.ts';

/** The dimensions whose values are names that people use, and how many of each are known: those with the most visitors. */
const KNOWN: Partial<Record<Dimension, number>> = {
  page: 300,
  hostname: 20,
  source: 200,
  utm_source: 100,
  utm_medium: 50,
  utm_campaign: 200,
  utm_content: 100,
  utm_term: 100,
  region: 100,
  city: 300,
  language: 100,
  browser: 50,
  os: 30,
  event: 100,
  ai_provider: 50,
  ai_agent: 100,
};
/** Names of the last days are known, today's included. */
const KNOWN_DAYS = 30;

type Asking = { directory: Directory; stats: Stats; viewer: Viewer; site: Site; now: number };

export async function askInWords(asking: Asking, { q, shown }: { q: string; shown: Shown }): Promise<ReadQuestion> {
  const zone = asking.site.timezone ?? UTC;
  return readQuestion(q, { now: asking.now, zone, names: await namesOf(asking), shown });
}

const eventOf = (goal: GoalDefinition): string | undefined =>
  goal.kind === 'event' && !hasPropertyConditions(goal) ? goal.event : undefined;

async function namesOf({ directory, stats, viewer, site, now }: Asking): Promise<SiteNames> {
  const today = wallTime(now, site.timezone ?? UTC);
  const question = {
    site_id: site.id,
    period: 'custom' as const,
    date_from: dayOf(today - KNOWN_DAYS * DAY_MS),
    date_to: dayOf(today),
    compare: 'none' as const,
    filters: [],
  };
  const caller = { directory, viewer, siteId: site.id };
  const valuesOf = async ([dimension, per_page]: [Dimension, number]) => {
    const metrics = [dimension === 'event' ? ('events' as const) : usualMetric(sourceOf(dimension))];
    const { rows } = await stats.list({ ...question, dimension, metrics, page: 1, per_page }, site, now);
    return [dimension, rows.map(({ name }) => name)] as const;
  };
  const [goals, segments, properties, ...values] = await Promise.all([
    usableGoals(caller),
    usableSegments(caller),
    stats.properties({ ...question, of: 'events' }, site, now),
    ...(Object.entries(KNOWN) as [Dimension, number][]).map(valuesOf),
  ]);
  return {
    goals: goals.map((goal) => ({ id: goal.id, name: goal.name, event: eventOf(goal) })),
    segments: segments.map(({ id, name }) => ({ id, name })),
    values: Object.fromEntries(values),
    properties: properties.keys.map(({ name }) => name),
  };
}
