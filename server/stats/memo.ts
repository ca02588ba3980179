// Remembers answers until the site's next event: panels of one page ask for the same totals, and quiet sites ask again and again.
import type { EventStore } from '../store/open.ts';
import type { Statement } from './sql.ts';

/** How often events of a site were stored; undefined where other processes store too, and nothing may be remembered. */
export type VersionOf = (siteId: string) => number | undefined;

type Rows = Record<string, string | number>[];
const MAX_ANSWERS = 500;

export function openMemo(store: Pick<EventStore, 'query'>, versionOf: VersionOf) {
  const answers = new Map<string, { version: number; rows: Promise<Rows> }>();
  return async (siteId: string, { sql, bound }: Statement): Promise<Rows> => {
    const version = versionOf(siteId);
    if (version === undefined) return store.query(sql, bound);
    const key = JSON.stringify([sql, bound]);
    const known = answers.get(key);
    if (known?.version === version) return known.rows;
    const rows = store.query<Rows[number]>(sql, bound);
    answers.delete(key);
    answers.set(key, { version, rows });
    for (const oldest of answers.keys()) {
      if (answers.size <= MAX_ANSWERS) break;
      answers.delete(oldest);
    }
    rows.catch(() => answers.delete(key));
    return rows;
  };
}
