// Caches answers until another event is stored on one of their days. It pays because the panels of one page need the same totals,
// dashboards of quiet sites repeat the same queries, and past days do not change.
import { bytesFor, bytesOfText } from '../process/bounded-memory.ts';
import { type Audience, openAudience } from '../process/shared-signal.ts';
import type { EventStore } from '../store/open.ts';
import type { Asking } from '../store/pool.ts';
import { DAY_MS, startOfDay } from '../vocabulary/time/time.ts';
import type { Range } from '../vocabulary/time/periods.ts';
import { hashOf } from './hash.ts';
import { type Statement, timesOf } from './sql/scope.ts';
import type { Rows } from './sql/sql.ts';

/** Returns a number that grows when events of the site (within the range) are stored; undefined if the answer must not be cached. */
export type VersionOf = (siteId: string, range?: Range) => number | undefined;

export type Versions = {
  of: (siteId: string, range?: Range) => number;
  /** Call this after each insert. */
  stored(entries: readonly { site_id: string; time: number }[]): void;
  deleted(siteId: string): void;
  /** Another process has stored events of the site. */
  heard(siteId: string): void;
};

export const ALWAYS: Range = { from: -Infinity, to: Infinity };

export function openVersions(): Versions {
  /** Site → day → number of inserts with events of that day since this process started. */
  const touched = new Map<string, Map<number, number>>();
  /** Site → how often other processes have announced that they stored events of it. */
  const announced = new Map<string, number>();
  let deletions = 0;
  return {
    of: (siteId, { from, to } = ALWAYS) => {
      let version = deletions + (announced.get(siteId) ?? 0);
      const days = touched.get(siteId);
      if (!days) return version;
      const first = startOfDay(from);
      // A day is asked about for each day of a range: years of an import would make that very slow.
      if ((to - first) / DAY_MS < days.size)
        for (let day = first; day < to; day += DAY_MS) version += days.get(day) ?? 0;
      else for (const [day, times] of days) if (day >= first && day < to) version += times;
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
      const inserts = [...(touched.get(siteId)?.values() ?? [])];
      deletions += 1 + inserts.reduce((sum, times) => sum + times, 0); // no version of the site may come again
      touched.delete(siteId);
    },
    heard: (siteId) => void announced.set(siteId, (announced.get(siteId) ?? 0) + 1),
  };
}

/** The store, which tells `versions` of all that is stored through it, also if that failed: some of it may be there. */
export const announcing = (store: EventStore, versions: Pick<Versions, 'stored'>): EventStore => ({
  ...store,
  insert: (rows, token) => store.insert(rows, token).finally(() => versions.stored(Object.values(rows).flat())),
  supersede: (superseded) => store.supersede(superseded).finally(() => versions.stored(superseded)),
});

/** How long an answer may be shared if other processes write to the store too, and none has announced anything meanwhile. */
const SHARED_MS = 1000;

/** Versions for a process that is not the only one that writes: dashboards that ask in the same moment share an answer. */
export const shortVersions = ({ of }: Pick<Versions, 'of'>, clock = () => performance.now()): VersionOf => {
  return (siteId, range) => of(siteId, range) + Math.floor(clock() / SHARED_MS);
};

/** Overhead of an entry with its key, besides its rows. */
const ENTRY_BYTES = 600;

/**
 * A cache of at most `maxBytes`, which drops the oldest answers first. The function takes how a statement is answered, if not by asking the
 * store for it alone.
 */
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
  /** Answers that have arrived are kept for all lanes: the question says all that the requester may see. */
  const share = (key: string, question: string, { waiting, rows }: { waiting: Answer; rows: Rows }) => {
    if (answers.get(key) !== waiting) return;
    forget(key);
    const isNewest = (answers.get(question)?.version ?? waiting.version) <= waiting.version;
    if (isNewest) keep(question, { ...waiting, bytes: waiting.bytes + bytesOfRows(rows) });
  };

  return async (
    scope: { site_id: string; range: Range },
    { sql, bound }: Statement,
    asking: Asking = {},
    answer: (asking: Asking) => Promise<Rows> = (by) => store.query(sql, bound, by),
  ): Promise<Rows> => {
    const version = versionOf(scope.site_id, timesOf(scope.range));
    if (version === undefined) return answer(asking);
    // Questions about a year name each of its days, so that they are long.
    const question = hashOf(JSON.stringify([sql, bound]));
    // Until an answer arrives its key includes the lane, so that nobody waits for one that is stuck in another lane's queue.
    const key = `${asking.lane} ${question}`;
    const known = [question, key].map((one) => answers.get(one)).find((answer) => answer?.version === version);
    if (known?.audience.join(asking.signal)) return known.rows;
    const audience = openAudience();
    audience.join(asking.signal);
    const rows = answer({ ...asking, signal: audience.signal }).finally(audience.end);
    const kept = { version, rows, audience, bytes: ENTRY_BYTES };
    keep(key, kept);
    rows.then(
      (found) => share(key, question, { waiting: kept, rows: found }),
      () => answers.get(key) === kept && forget(key),
    );
    return rows;
  };
}

/** Estimates 100 bytes per row and 16 per number, plus the texts. */
function bytesOfRows(rows: Rows): number {
  let bytes = 0;
  for (const row of rows) {
    bytes += 100;
    for (const value of Object.values(row)) bytes += typeof value === 'string' ? bytesOfText(value) : 16;
  }
  return bytes;
}
