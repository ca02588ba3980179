// How errors read on the screen: where they happened, and which release brought new ones.
import { tn } from '../../../../server/vocabulary/habits/messages.ts';
import { dayIn } from '../../../../server/vocabulary/time/zones.ts';
import type { ErrorsList, Note } from '../../api/types';
import { percent } from '../../formats/format';

type Row = ErrorsList['rows'][number];
type Shown = Pick<ErrorsList, 'date_from'> & { zone: string };

/** What a row is called, and the line below it: the message and `/app.js:12`, or of a file that was not loaded its path and its element. */
export function titlesOf({ kind, message, file, line }: Pick<Row, 'kind' | 'message' | 'file' | 'line'>) {
  if (kind === 'load' && file) return { title: file, place: message };
  return { title: message, place: file && line ? `${file}:${line}` : file };
}

/** The share of visits. A tiny one is never shown as 0%. */
export const shareText = ({ share, visits }: Pick<Row, 'share' | 'visits'>): string =>
  share === 0 && visits > 0 ? `<${percent(0.1)}` : percent(share);

/** True for an error that was never seen before the period, as far as its reader may know. */
export const isNew = ({ first_seen }: Pick<Row, 'first_seen'>, { date_from, zone }: Shown): boolean =>
  first_seen !== null && dayIn(zone, first_seen) >= date_from;

/** `“Release 2.4” brought 2 new errors.` Undefined if none did. */
export function newWords(rows: readonly Pick<Row, 'since' | 'first_seen'>[], shown: Shown): string | undefined {
  const brought = rows.flatMap((row) => (row.since !== null && isNew(row, shown) ? row.since : []));
  const parts = [...Map.groupBy(brought, (release) => release)].map(([release, { length }]) =>
    tn(length, '“{release}” brought {n} new error.', '“{release}” brought {n} new errors.', { release }),
  );
  return parts.length > 0 ? parts.join(' ') : undefined;
}

/** How many new errors came with each release, by its id. `releases`: the latest day first. */
export function broughtBy(
  rows: readonly Pick<Row, 'since' | 'first_seen'>[],
  releases: readonly Pick<Note, 'id' | 'day' | 'text'>[],
  shown: Shown,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { since, first_seen } of rows) {
    if (first_seen === null || !isNew({ first_seen }, shown)) continue;
    const day = dayIn(shown.zone, first_seen);
    const release = releases.find((release) => release.text === since && release.day <= day);
    if (release) counts.set(release.id, (counts.get(release.id) ?? 0) + 1);
  }
  return counts;
}
