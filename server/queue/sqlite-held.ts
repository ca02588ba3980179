// The busy sites (busy-sites.ts) whose events wait in a lane of their own in the queue's SQLite file, until that lane is empty.
import type { DatabaseSync } from 'node:sqlite';
import { BUSY_FROM, PART } from './busy-sites.ts';

/** What becomes of a new entry. */
export const [WAITS, HELD] = [1, 2];

export type Held = {
  /** For each line, whether it goes into the lane of busy sites. `mayHold`: further sites are held back from now on. */
  sort(lines: string[], mayHold: boolean): boolean[];
  /** Keeps what `sort` has found. `after`: the number of the last entry of these sites in the other lane. */
  save(after: number): void;
  isEmpty(): boolean;
  /** The lane must not be read while the other one has entries up to this number, which may be of its sites. */
  after(): number;
  clear(): void;
  /** Forgets what was not committed. */
  reload(): void;
};

export function openHeld(db: DatabaseSync): Held {
  db.exec('CREATE TABLE IF NOT EXISTS held_sites (site_id TEXT PRIMARY KEY, after INTEGER NOT NULL) STRICT');
  const insert = db.prepare('INSERT INTO held_sites (site_id, after) VALUES (?, ?)');
  const all = db.prepare('SELECT site_id, after FROM held_sites');
  const sites = new Set<string>();
  let found: string[] = [];
  let last = 0;
  const numbers = new Map<string, number>();
  let compared = 0;

  const isBusy = (site: string) => {
    if (compared++ % PART === 0) numbers.clear();
    const number = (numbers.get(site) ?? 0) + 1;
    numbers.set(site, number);
    return number > BUSY_FROM;
  };

  const reload = () => {
    const rows = all.all() as { site_id: string; after: number }[];
    sites.clear();
    for (const { site_id } of rows) sites.add(site_id);
    last = Math.max(0, ...rows.map(({ after }) => after));
    found = [];
  };
  reload();

  return {
    sort: (lines, mayHold) =>
      lines.map((line) => {
        const site = /"site_id":"([^"]*)"/.exec(line)?.[1] ?? '';
        if (mayHold && isBusy(site) && !sites.has(site)) {
          sites.add(site);
          found.push(site);
        }
        return sites.has(site);
      }),
    save(after) {
      for (const site of found) insert.run(site, after);
      if (found.length > 0) last = after;
      found = [];
    },
    isEmpty: () => sites.size === 0,
    after: () => last,
    clear() {
      db.exec('DELETE FROM held_sites');
      sites.clear();
      last = 0;
    },
    reload,
  };
}
