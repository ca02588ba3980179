// Remembers answers until an event of the days that they are about is stored: panels of one page ask for the same totals,
// quiet sites ask the same again and again, and days that are over stay as they are.
import { bytesFor, bytesOfText } from '../bounded-memory.ts';
import { type Audience, openAudience } from '../store/shared-signal.ts';
import type { EventStore } from '../store/open.ts';
import type { Asking } from '../store/pool.ts';
import { startOfDay } from '../vocabulary/time.ts';
import type { Range } from '../vocabulary/periods.ts';
import type { Statement } from './scope.ts';
import type { Rows } from './sql.ts';

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

/** Characters of a question: filters can make one of megabytes, which nobody asks twice. */
const MAX_KEY = 8_192;
/** What is kept beside the question and its rows. */
const ENTRY_BYTES = 500;

/** In `maxBytes`: what was asked longest ago is forgotten first. */
export function openMemo(store: Pick<EventStore, 'query'>, versionOf: VersionOf, maxBytes = bytesFor('storeAnswers')) {
  type Answer = { version: number; rows: Promise<Rows>; audience: Audience; bytes: number };
  const answers = new Map<string, Answer>();
  let total = 0;

  const forget = (key: string) => {
    total -= answers.get(key)?.bytes ?? 0;
    answers.delete(key);
  };
  const makeRoom = () => {
    for (const oldest of answers.keys()) {
      if (total <= maxBytes) return;
      forget(oldest);
    }
  };
  const keep = (key: string, answer: Answer) => {
    forget(key);
    answers.set(key, answer);
    total += answer.bytes;
    makeRoom();
  };
  /** Once an answer is there its size is known. */
  const weigh = (key: string, answer: Answer, rows: Rows) => {
    if (answers.get(key) !== answer) return;
    const bytes = bytesOfRows(rows);
    answer.bytes += bytes;
    total += bytes;
    makeRoom();
  };

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
    const answer = { version, rows, audience, bytes: ENTRY_BYTES + bytesOfText(key) };
    keep(key, answer);
    rows.then(
      (found) => weigh(key, answer, found),
      () => answers.get(key) === answer && forget(key),
    );
    return rows;
  };
}

/** 100 for a row, and its texts; numbers stand in the row. */
function bytesOfRows(rows: Rows): number {
  let bytes = 0;
  for (const row of rows) {
    bytes += 100;
    for (const value of Object.values(row)) bytes += typeof value === 'string' ? bytesOfText(value) : 16;
  }
  return bytes;
}
