// Writes a report once for each audience and each way to write numbers and dates. Members see the dashboard's numbers, guests those of a share
// link.
import type { Directory } from '../../directory/open.ts';
import { renderOnThread } from '../../sites/previews/thread.ts';
import { goals } from '../../sites/definitions/goals.ts';
import { sitesOfGroup } from '../../sites/groups.ts';
import type { Site } from '../../sites/sites.ts';
import type { Stats } from '../../stats/run.ts';
import type { ViewerRule } from '../../stats/disclosure/rule.ts';
import { inHabits } from '../../process/habits.ts';
import type { Habits } from '../../vocabulary/habits/habits.ts';
import { FEWEST } from '../../vocabulary/settings/privacy.ts';
import { MINUTE_MS } from '../../vocabulary/time/time.ts';
import type { Report } from './definitions.ts';
import { type Asking, type Edition, writeAccountReport, writeSiteReport } from './letter.ts';
import { writeGroupReport } from './group-letter.ts';
import type { Audience } from './readers.ts';
import type { Span } from './schedule.ts';
import { viewOf } from './view.ts';

/** The longest that one report may compute, so that a slow store does not hold up the others. */
const PATIENCE_MS = 2 * MINUTE_MS;
const GUEST: ViewerRule = { properties: false, fewest: FEWEST };

/** For whom an edition is written. */
export type Readership = { audience: Audience; habits: Habits };
/** Undefined for a readership that was not asked for. */
export type Editions = (of: Readership) => Edition | undefined;

type Parts = {
  directory: Directory;
  stats: Stats;
  now(): number;
  render?: Asking['render'];
  /** Aborted when a report has computed for too long. */
  patience?: () => AbortSignal;
};

type Writing = { report: Report; span: Span; sites: readonly Site[] };

/** Gives up when the store is too slow. */
export async function editionsFor(
  parts: Parts,
  { readerships, ...of }: Writing & { readerships: readonly Readership[] },
): Promise<Editions> {
  const { directory, stats, now, render = renderOnThread } = parts;
  const editions = new Map<string, Edition>();
  // A view with a deleted part is refused in the language of whoever sends the report, and not of its first reader.
  const [site] = of.sites;
  if (site && of.report.site_id !== null && readerships.length > 0)
    await viewOf(directory, { report: of.report, site, span: of.span });
  for (const [key, { audience, habits }] of new Map(readerships.map((one) => [keyOf(one), one]))) {
    const patience = parts.patience?.() ?? AbortSignal.timeout(PATIENCE_MS);
    const gaveUp = new Promise<never>((_, reject) => {
      const giveUp = () => reject(new Error('the store was too slow for a report'));
      patience.addEventListener('abort', giveUp, { once: true });
    });
    gaveUp.catch(() => undefined);
    const rule = audience === 'guest' ? GUEST : undefined;
    const asking: Asking = {
      stats: stats.askedBy({ lane: of.report.account_id, signal: patience }, rule && { rule, now: now() }),
      now: now(),
      render,
      hidesFew: rule !== undefined,
    };
    const written = inHabits(habits, () => write(directory, asking, of));
    editions.set(key, await Promise.race([written, gaveUp]));
  }
  return (readership) => editions.get(keyOf(readership));
}

const keyOf = ({ audience, habits }: Readership): string => JSON.stringify([audience, habits]);

async function write(directory: Directory, asking: Asking, { report, span, sites }: Writing): Promise<Edition> {
  if (report.group_id !== null) {
    const group = await sitesOfGroup(directory, { accountId: report.account_id, id: report.group_id });
    const named = { id: report.group_id, name: group?.name ?? report.name };
    return writeGroupReport(asking, { report, span, group: named, sites });
  }
  const seen = await Promise.all(
    sites.map(async (site) => ({ site, view: await viewOf(directory, { report, site, span }) })),
  );
  const [only] = seen;
  if (report.site_id === null || !only) return writeAccountReport(asking, { report, span, sites: seen });
  const ofSite = await goals.list(directory, { siteId: only.site.id });
  return writeSiteReport(asking, { report, span, ...only, goals: ofSite });
}
