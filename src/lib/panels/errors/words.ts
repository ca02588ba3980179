// How errors read on the screen: where they happened, and which release brought new ones.
import { dayIn } from '../../../../server/vocabulary/time/zones.ts';
import type { ErrorsList } from '../../api/types';
import { percent, plural } from '../../formats/format';

type Row = ErrorsList['rows'][number];
type Shown = Pick<ErrorsList, 'date_from'> & { zone: string };

/** What a row is called, and the line below it: the message and `/app.js:12`, or of a file that was not loaded its path and its element. */
export function titlesOf({ kind, message, file, line }: Pick<Row, 'kind' | 'message' | 'file' | 'line'>) {
  if (kind === 'load' && file) return { title: file, place: message };
  return { title: message, place: file && line ? `${file}:${line}` : file };
}

/** The share of visits. A tiny one is never shown as 0%. */
export const shareText = ({ share, visits }: Pick<Row, 'share' | 'visits'>): string =>
  share === 0 && visits > 0 ? '<0.1%' : percent(share);

/** True for an error that was never seen before the period. */
export const isNew = ({ first_seen }: Pick<Row, 'first_seen'>, { date_from, zone }: Shown): boolean =>
  dayIn(zone, first_seen) >= date_from;

/** `“Release 2.4” brought 2 new errors.` Undefined if none did. */
export function newWords(rows: readonly Pick<Row, 'since' | 'first_seen'>[], shown: Shown): string | undefined {
  const brought = rows.filter((row) => row.since !== null && isNew(row, shown));
  const parts = [...Map.groupBy(brought, ({ since }) => since)].map(
    ([since, own]) => `“${since}” brought ${own.length} new ${plural(own.length, 'error')}.`,
  );
  return parts.length > 0 ? parts.join(' ') : undefined;
}
