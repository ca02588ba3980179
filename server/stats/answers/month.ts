// The events of a month that count towards an account's quota. A site that came from another account counts from then on.
import { startOfMonth } from '../../vocabulary/time/time.ts';
import type { Stats } from '../run.ts';

type CountedSite = { id: string; moved_at: number | null };

export async function countMonth(
  { countEvents }: Pick<Stats, 'countEvents'>,
  sites: readonly CountedSite[],
  now: number,
): Promise<number> {
  const [from, to] = [startOfMonth(now), now + 1];
  const start = ({ moved_at }: CountedSite) => Math.max(from, moved_at ?? from);
  const counts = await Promise.all(
    [...Map.groupBy(sites, start)].map(([since, own]) =>
      countEvents(
        own.map(({ id }) => id),
        { from: since, to },
      ),
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The same for every account at once: one query, and one more for each site that moved this month. */
export async function countMonths(
  stats: Pick<Stats, 'countEvents' | 'countEventsBySite'>,
  accounts: ReadonlyMap<string, readonly CountedSite[]>,
  now: number,
): Promise<Map<string, number>> {
  const from = startOfMonth(now);
  const counts = await stats.countEventsBySite({ from, to: now + 1 });
  const sums = new Map<string, number>();
  for (const [account, sites] of accounts) {
    const moved = sites.filter(({ moved_at }) => moved_at !== null && moved_at > from);
    const others = sites.filter((site) => !moved.includes(site));
    const sum = others.reduce((total, { id }) => total + (counts.get(id) ?? 0), 0);
    sums.set(account, sum + (moved.length > 0 ? await countMonth(stats, moved, now) : 0));
  }
  return sums;
}
