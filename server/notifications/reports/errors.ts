// How many visits had errors on pages of a site, in its report, and the error that most of them had.
import type { Block } from '../../messages/mail/content.ts';
import { recordsErrors } from '../../sites/settings.ts';
import type { Site } from '../../sites/sites.ts';
import type { Stats } from '../../stats/run.ts';
import { t, tn } from '../../vocabulary/habits/messages.ts';
import { changeOf, fullNumber, percent } from '../../vocabulary/numbers/format.ts';
import { signed } from './figures.ts';
import type { View } from './view.ts';

/** Null for a site that records none. `share`: per cent of all visits. `previous`: the share before; null if nothing is compared. */
export type ErrorNumbers = {
  count: number;
  visits: number;
  share: number;
  previous: number | null;
  most: { message: string; file: string; visits: number } | null;
} | null;

type Asking = { stats: Pick<Stats, 'errors'>; now: number };
type OfSite = { site: Site; view: View; isCompared: boolean };

export async function errorsOf(
  { stats, now }: Asking,
  { site, view, isCompared }: OfSite,
): Promise<{ blocks: Block[]; numbers: ErrorNumbers }> {
  if (!recordsErrors(site.settings)) return { blocks: [], numbers: null };
  const order = { by: 'visits', direction: 'desc' } as const;
  const { totals, before, rows } = await stats.errors({ ...view.question, order, page: 1, per_page: 1 }, site, now);
  const { count, visits, share } = totals;
  const previous = isCompared ? (before?.share ?? null) : null;
  const [top] = rows;
  const most = top ? { message: top.message, file: top.file, visits: top.visits } : null;
  const change = signed(changeOf({ unit: 'per_cent', isLessBetter: true }, share, previous));
  const title = tn(visits, 'Errors, in {n} visit', 'Errors, in {n} visits');
  const rest: Block[] = most
    ? [
        {
          kind: 'table',
          title: t('Error of most visits'),
          rows: [{ name: most.message, value: fullNumber(most.visits) }],
        },
      ]
    : [];
  return {
    blocks:
      count === 0
        ? []
        : [{ kind: 'table', title, rows: [{ name: t('Share of visits'), value: percent(share), change }] }, ...rest],
    numbers: { count, visits, share, previous, most },
  };
}
