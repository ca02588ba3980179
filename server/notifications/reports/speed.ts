// How fast the pages of a site felt, in its report: the main web vitals, and the slowest of the pages that are viewed most.
import type { Block, Row } from '../../messages/mail/content.ts';
import { measuresVitals } from '../../sites/settings.ts';
import type { Site } from '../../sites/sites.ts';
import type { Stats } from '../../stats/run.ts';
import { t, tn } from '../../vocabulary/habits/messages.ts';
import { MAX_ROWS } from '../../vocabulary/limits.ts';
import { changeOf } from '../../vocabulary/numbers/format.ts';
import {
  MAIN_VITALS,
  type Rating,
  ratingOf,
  RATINGS,
  type Vital,
  vitalName,
  vitalValue,
  VITALS,
} from '../../vocabulary/numbers/vitals.ts';
import { signed } from './figures.ts';
import type { View } from './view.ts';

/** `value`: the 75th percentile. `previous`: null if nothing is compared, or too little was measured. */
type VitalNumber = { name: Vital; value: number | null; previous: number | null; rating: Rating | null };
/** Null for a site that measures nothing. `views`: those that were measured. */
export type SpeedNumbers = {
  views: number;
  vitals: VitalNumber[];
  slowest_page: { name: string; lcp: number; views: number } | null;
} | null;

type Asking = { stats: Pick<Stats, 'vitals' | 'vitalsList'>; now: number };
type OfSite = { site: Site; view: View; isCompared: boolean };

/** Of pages with fewer measured views, the slowest would be one slow visitor's. */
const LEAST_VIEWS = 20;

export async function speedOf(
  { stats, now }: Asking,
  { site, view, isCompared }: OfSite,
): Promise<{ blocks: Block[]; numbers: SpeedNumbers }> {
  if (!measuresVitals(site.settings)) return { blocks: [], numbers: null };
  const listed = {
    ...view.question,
    compare: 'none',
    split: 'page',
    vital: 'lcp',
    page: 1,
    per_page: MAX_ROWS,
  } as const;
  const [{ totals, before }, pages] = await Promise.all([
    stats.vitals(view.question, site, now),
    stats.vitalsList(listed, site, now),
  ]);
  if (totals.views === 0) return { blocks: [], numbers: { views: 0, vitals: [], slowest_page: null } };
  const vitals = MAIN_VITALS.map((name): VitalNumber => {
    const value = totals[name].p75;
    const previous = isCompared ? (before?.[name].p75 ?? null) : null;
    return { name, value, previous, rating: value === null ? null : ratingOf(name, value) };
  });
  const slowest = pages.rows
    .flatMap(({ name, lcp: { p75, views } }) =>
      p75 === null || views < LEAST_VIEWS ? [] : [{ name, lcp: p75, views }],
    )
    .toSorted((one, other) => other.lcp - one.lcp)[0];
  const title = tn(
    totals.views,
    'Speed (75th percentile of {n} page view)',
    'Speed (75th percentile of {n} page views)',
  );
  return {
    blocks: [{ kind: 'table', title, rows: vitals.map(rowOf) }, ...(slowest ? [slowestTable(slowest)] : [])],
    numbers: { views: totals.views, vitals, slowest_page: slowest ?? null },
  };
}

/** The rating stands with the name: values have little room. */
function rowOf({ name, value, previous, rating }: VitalNumber): Row {
  const named = { vital: vitalName(name), short: VITALS[name].label };
  if (value === null || rating === null) return { name: t('{vital} ({short})', named), value: '–' };
  const change = signed(changeOf({ unit: 'ratio', isLessBetter: true }, value, previous));
  return {
    name: t('{vital} ({short}): {rating}', { ...named, rating: RATINGS[rating] }),
    value: vitalValue(name, value),
    change,
  };
}

const slowestTable = ({ name, lcp }: { name: string; lcp: number }): Block => ({
  kind: 'table',
  title: t('Slowest page, by {vital}', { vital: VITALS.lcp.label }),
  rows: [{ name, value: vitalValue('lcp', lcp) }],
});
