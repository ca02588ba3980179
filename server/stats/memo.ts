// Remembers answers until an event of the days that they are about is stored: panels of one page ask for the same totals,
// quiet sites ask the same again and again, and days that are over stay as they are.
import { type Audience, openAudience } from '../store/audience.ts';
import type { EventStore } from '../store/open.ts';
import type { Asking } from '../store/pool.ts';
import { startOfDay } from '../time.ts';
import type { Range } from './period.ts';
import type { Statement } from './sql.ts';

/** A number that grows when events of the site (within the range) are stored; undefined where nothing may be remembered. */
export type VersionOf = (siteId: string, range?: Range) => number | undefined;

export type Versions = {
  of: (siteId: string, range?: Range) => number;
  /** Told of what was stored, by the one process that stores. */
  stored(entries: readonly { site_id: string; time: number }[]): void;
  deleted(siteId: string): void;
};

const ALWAYS: Range = { from: -Infinity, to: Infinity };

export function openVersions(): Versions {
  /** Site → day → how often events of that day were stored since this process started. */
  const touched = new Map<string, Map<number, number>>();
  let deletions = 0;
  return {
    of: (siteId, { from, to } = ALWAYS) => {
      let version = deletions;
      for (const [day, times] of touched.get(siteId) ?? []) if (day >= startOfDay(from) && day < to) version += times;
      return version;
    },
    stored: (entries) => {
      for (const key of new Set(entries.map(({ site_id, time }) => `${startOfDay(time)} ${site_id}`))) {
        const [day = '', siteId = ''] = key.split(' ');
        const days = touched.get(siteId) ?? new Map<number, number>();
        touched.set(siteId, days);
        days.set(Number(day), (days.get(Number(day)) ?? 0) + 1);
      }
    },
    deleted: (siteId) => {
      deletions += 1;
      touched.delete(siteId);
    },
  };
}

type Rows = Record<string, string | number>[];
const MAX_ANSWERS = 500;
/** Characters of a question: filters can make one of megabytes, and 500 of those must not be kept. */
const MAX_KEY = 8_192;

export function openMemo(store: Pick<EventStore, 'query'>, versionOf: VersionOf) {
  const answers = new Map<string, { version: number; rows: Promise<Rows>; audience: Audience }>();
  return async (
    scope: { site_id: string; range: Range },
    { sql, bound }: Statement,
    asking: Asking = {},
  ): Promise<Rows> => {
    const version = versionOf(scope.site_id, scope.range);
    if (version === undefined) return store.query(sql, bound, asking);
    // With its lane: nobody is to wait for an answer that somebody else's long line holds up.
    const key = JSON.stringify([asking.lane, sql, bound]);
    if (key.length > MAX_KEY) return store.query(sql, bound, asking);
    const known = answers.get(key);
    if (known?.version === version) {
      known.audience.join(asking.signal);
      return known.rows;
    }
    const audience = openAudience();
    audience.join(asking.signal);
    const rows = store.query<Rows[number]>(sql, bound, { ...asking, signal: audience.signal });
    answers.delete(key);
    const entry = { version, rows, audience };
    answers.set(key, entry);
    for (const oldest of answers.keys()) {
      if (answers.size <= MAX_ANSWERS) break;
      answers.delete(oldest);
    }
    rows.catch(() => answers.get(key) === entry && answers.delete(key));
    return rows;
  };
}
