// Purges: takes what a filter shows out of all numbers, and puts it back. Every step can be run again, so a kill at any moment only delays it.
import { Refusal } from '../errors.ts';
import { type SiteId, VISIT_KEPT_MS } from '../vocabulary/event.ts';
import { isId } from '../directory/ids.ts';
import type { Directory } from '../directory/open.ts';
import type { Windows } from '../live/windows.ts';
import type { Log } from '../process/log.ts';
import { settleStored } from '../queue/writer/stored-orders.ts';
import type { Writer } from '../queue/writer/writer.ts';
import {
  allPurges,
  claimPurge,
  forgetPurge,
  notePurge,
  type Purge,
  releasePurge,
  startPurge,
  startReturn,
} from '../sites/purges.ts';
import { passOver } from '../sites/definitions/counted-alerts.ts';
import type { Versions } from '../stats/answer-cache.ts';
import type { Purgeable } from '../stats/answers/purge.ts';
import type { EventStore } from '../store/open.ts';
import { PURGE_KEPT_DAYS } from '../vocabulary/settings/purges.ts';
import { DAY_MS, dayOf } from '../vocabulary/time/time.ts';
import { t } from '../vocabulary/habits/messages.ts';

/** Events of a purged visit may still be in the queue, or its visitor may go on. */
const FOLLOWED_MS = DAY_MS;
/** A backup that began before a purge was put back may need to know that it was. */
const RETURNED_KEPT_MS = (PURGE_KEPT_DAYS + 1) * DAY_MS;

/** `onBegun` is called before anything moves, for the log. */
type OnBegun = { onBegun?: (purge: Purge) => Promise<void> };
type Wish = OnBegun & { siteId: SiteId; name: string; definition: unknown; rows: Purgeable };

export type Purging = {
  /** Takes rows out of all numbers. Throws bad_request if there are none. */
  purge(wish: Wish): Promise<Purge>;
  /** Puts the rows of a purge back. Throws not_found. */
  undo(which: OnBegun & { siteId: SiteId; id: string }): Promise<void>;
  /**
   * Goes on with what a killed process left, takes what has been stored of purged visits since, and deletes what can no longer be put back.
   * Called by a job.
   */
  finish(): Promise<void>;
};

type Parts = {
  directory: Directory;
  store: Pick<EventStore, 'purged' | 'eraseDeleted' | 'query' | 'insert' | 'supersede'>;
  windows: Pick<Windows, 'forgetVisitors'>;
  writer: Pick<Writer, 'drain' | 'between'>;
  versions: Pick<Versions, 'heard'>;
  /** Tells dashboards that the numbers of sites have changed. */
  onChanged(siteIds: Set<SiteId>): void;
  now(): number;
  log: Log;
};

export function openPurging(parts: Parts): Purging {
  const { directory, store, writer, now, log } = parts;
  const { purged } = store;
  const { take, putBack, abandon, erase, nextStep } = openSteps(parts);

  /** Leaves a purge that failed half-way to the job. */
  async function releasing<Value>({ id }: Purge, work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (error) {
      await releasePurge(directory, id);
      throw error;
    }
  }

  return {
    purge: async ({ siteId, name, definition, rows: { table, where, bound, range }, onBegun }) => {
      const days = { first_day: dayOf(range.from), last_day: dayOf(range.to - 1) };
      const purge = await startPurge(directory, { siteId, name, definition, ...days }, now());
      const of = ofStore(purge);
      const chosen: Purge = { ...purge, state: 'taking' };
      try {
        await writer.drain();
        await purged.choose({ ...of, table, where, bound });
        chosen.counts = await purged.counts(of);
        if (Object.values(chosen.counts).every((count) => count === 0))
          throw new Refusal('bad_request', t('No visits match these filters in this period.'));
        await onBegun?.(chosen);
        await notePurge(directory, chosen);
      } catch (error) {
        await abandon(purge).catch(() => releasePurge(directory, purge.id));
        throw error;
      }
      return releasing(chosen, () => take(chosen));
    },
    undo: async ({ onBegun, ...which }) => {
      const purge = await startReturn(directory, which, now());
      await releasing(purge, async () => {
        await onBegun?.(purge);
        await putBack(purge);
      });
    },
    finish: async () => {
      const stored = await purged.all(); // before the directory is read: it knows every purge that had rows by then
      const known = await allPurges(directory);
      const ids = new Set(known.map(({ id }) => id));
      let hasDeleted = false;
      // Rows that a restored backup brought back after they were gone.
      for (const of of stored.filter(({ purge }) => isId('purge', purge) && !ids.has(purge))) {
        await purged.drop(of);
        hasDeleted = true;
      }
      const filled = new Set(stored.map(({ purge }) => purge));
      for (const purge of known) {
        const step = nextStep(purge, filled.has(purge.id));
        if (!step || !(await claimPurge(directory, purge, now()))) continue;
        try {
          await step(purge);
          if (step === erase) hasDeleted = true;
        } catch (error) {
          log.warn({ error, purge: purge.id }, 'a purge could not be finished: the next run tries again');
        } finally {
          await releasePurge(directory, purge.id);
        }
      }
      if (hasDeleted) await store.eraseDeleted();
    },
  };
}

/** The steps of a purge. Each can be run again. */
function openSteps({ directory, store, windows, writer, versions, onChanged, now }: Parts) {
  const { purged } = store;
  const announce = ({ site_id }: Purge) => {
    versions.heard(site_id);
    onChanged(new Set([site_id]));
  };

  /** TRICKY: a backup takes its snapshot between two batches too, so it never has only half of a move. */
  async function take(purge: Purge): Promise<Purge> {
    const of = ofStore(purge);
    const since = purge.state === 'taken' ? purge.created_at - FOLLOWED_MS : 0;
    const hasTaken = await writer.between(() => purged.takeOut(of, since));
    const taken: Purge = { ...purge, state: 'taken', counts: await purged.counts(of) };
    if (hasTaken) {
      const visitors = await purged.visitors(of, now() - VISIT_KEPT_MS);
      await windows.forgetVisitors(purge.site_id, visitors, now());
      announce(purge);
    }
    if (hasTaken || purge.state !== 'taken') await notePurge(directory, taken);
    return taken;
  }

  async function putBack(purge: Purge): Promise<void> {
    await passOver(directory.db, { siteId: purge.site_id, lastDay: purge.last_day }, now());
    await returnRows(purge);
  }

  async function returnRows(purge: Purge): Promise<void> {
    await writer.between(() => purged.putBack(ofStore(purge)));
    await settleReturned({ store, writer }, purge, now());
    announce(purge);
    await notePurge(directory, { ...purge, state: 'returned' });
  }

  async function dropReturned(purge: Purge): Promise<void> {
    await returnRows(purge); // once more: a backup that was restored may have the rows from before
    await purged.drop(ofStore(purge));
  }

  async function abandon(purge: Purge): Promise<void> {
    await purged.drop(ofStore(purge));
    await forgetPurge(directory, purge.id);
  }

  async function erase(purge: Purge): Promise<void> {
    await purged.erase(ofStore(purge));
    await forgetPurge(directory, purge.id);
  }

  /** A backup was restored that is older than the purge's rows. */
  async function forgetEmpty(purge: Purge): Promise<void> {
    const counts = await purged.counts(ofStore(purge)); // not what the list says: the purge may be newer
    if (Object.values(counts).every((count) => count === 0)) await forgetPurge(directory, purge.id);
  }

  /** What is left to do for a purge. `hasRows`: the store keeps rows of it. */
  function nextStep({ state, created_at }: Purge, hasRows: boolean): ((purge: Purge) => Promise<unknown>) | undefined {
    const age = now() - created_at;
    const forget = ({ id }: Purge) => forgetPurge(directory, id);
    switch (state) {
      case 'choosing': // nothing was taken yet, and whoever asked for it was told that it failed
        return abandon;
      case 'taking':
        return take;
      case 'returning':
        return putBack;
      case 'taken':
        if (!hasRows) return forgetEmpty;
        if (age >= PURGE_KEPT_DAYS * DAY_MS) return erase;
        return age < FOLLOWED_MS ? take : undefined;
      case 'returned':
        if (age >= RETURNED_KEPT_MS) return forget;
        return hasRows ? dropReturned : undefined;
    }
  }

  return { take, putBack, abandon, erase, nextStep };
}

/** Orders of its events may have been reported again meanwhile, and each counts once. Batches are stored in between: they settle their own. */
async function settleReturned(
  { store, writer }: Pick<Parts, 'store' | 'writer'>,
  purge: Purge,
  now: number,
): Promise<void> {
  const settleAfter = async (order: string) => {
    const events = await store.purged.orders(ofStore(purge), order);
    const last = events.at(-1)?.order_id;
    await settleStored(store, events, `returned_${purge.id}_${last}_${now}`);
    return last;
  };
  let last: string | undefined = '';
  while (last !== undefined) {
    const order: string = last;
    last = await writer.between(() => settleAfter(order));
  }
}

const ofStore = ({ site_id, id }: Purge) => ({ site_id, purge: id });
