// The busy sites (busy-sites.ts) whose events wait in a lane of their own in the queue's SQLite file, until that lane is empty.
import type { DatabaseSync } from 'node:sqlite';
import { BUSY_SHARE, siteOfEntry } from '../busy-sites.ts';

/** The lane of a new entry: the usual one, or that of busy sites. */
export const [WAITS, HELD] = [1, 2];

/** The numbers of the last entry that may be of the site in the usual lane, and of the first one in the lane of busy sites. */
type Place = { after: number; from: number };

type Held = {
  /** For each line, whether it goes into the lane of busy sites. `mayHold`: further sites are held back from now on. */
  sort(lines: string[], mayHold: boolean): boolean[];
  /** Keeps what `sort` has found. */
  save(place: Place): void;
  isEmpty(): boolean;
  /** The lane may be read up to this number, while this one is the first of the usual lane. */
  readyUpTo(firstWaiting: number): number;
  clear(): void;
  /** Forgets what was not committed. */
  forget(): void;
};

/** `part`: how many new entries are compared with each other. */
export function openHeld(db: DatabaseSync, part: number): Held {
  db.exec(`CREATE TABLE IF NOT EXISTS held_sites
    (site_id TEXT PRIMARY KEY, after_seq INTEGER NOT NULL, from_seq INTEGER NOT NULL) STRICT`);
  const insert = db.prepare('INSERT INTO held_sites (site_id, after_seq, from_seq) VALUES (?, ?, ?)');
  const all = db.prepare('SELECT site_id, after_seq, from_seq FROM held_sites');
  let loaded: Map<string, Place> | undefined;
  let found = new Set<string>();
  const numbers = new Map<string, number>();
  let compared = 0;

  /** Read again after a failure, when it is used next: the disk may fail for a while. */
  const sites = () => {
    if (loaded) return loaded;
    const rows = all.all() as { site_id: string; after_seq: number; from_seq: number }[];
    return (loaded = new Map(rows.map((row) => [row.site_id, { after: row.after_seq, from: row.from_seq }])));
  };

  const isBusy = (site: string) => {
    if (compared++ % part === 0) numbers.clear();
    const number = (numbers.get(site) ?? 0) + 1;
    numbers.set(site, number);
    return number > part * BUSY_SHARE;
  };

  return {
    sort: (lines, mayHold) => {
      found = new Set();
      return lines.map((line) => {
        const site = siteOfEntry(line);
        if (sites().has(site) || found.has(site)) return true;
        if (!mayHold || !isBusy(site)) return false;
        found.add(site);
        return true;
      });
    },
    save(place) {
      for (const site of found) {
        insert.run(site, place.after, place.from);
        sites().set(site, place);
      }
    },
    isEmpty: () => sites().size === 0,
    readyUpTo: (firstWaiting) => {
      const early = [...sites().values()].filter(({ after }) => after >= firstWaiting);
      return Math.min(...early.map(({ from }) => from - 1), Infinity);
    },
    clear() {
      db.exec('DELETE FROM held_sites');
      sites().clear();
    },
    forget: () => (loaded = undefined),
  };
}
