// The events of a partition that were set aside, in a hash keyed by event id.
import type { SiteId } from '../../vocabulary/event.ts';
import { luaScript, type Redis } from '../../process/redis/redis.ts';
import { complete, writeEntry } from '../entries.ts';
import type { Names } from './layouts.ts';
import type { Buried } from '../queue.ts';

/** Entries per read. */
const PAGE = '5000';
/** Entries per call that writes. */
const WRITTEN = '200';

const REPLAY = luaScript(
  2,
  `local count = 0
   for i = 1, #ARGV, 2 do
     if redis.call('HDEL', KEYS[2], ARGV[i]) == 1 then
       redis.call('XADD', KEYS[1], '*', 'e', ARGV[i + 1])
       count = count + 1
     end
   end
   return count`,
);

export type BuriedEvents = {
  bury(entries: Buried['entry'][], reason: string, now: number): Promise<void>;
  /** Puts the buried events back into the stream, and returns their number. */
  replay(): Promise<number>;
  forget(siteId: SiteId): Promise<void>;
  all(): AsyncIterable<Buried[]>;
  count(): Promise<number>;
  /** Hands over all buried events, and removes each page once `take` has it. */
  move(take: (buried: Buried[]) => Promise<void>): Promise<void>;
};

export function openBuried(redis: Redis, { stream, buried }: Names): BuriedEvents {
  async function* pages(count: string): AsyncIterable<{ id: string; text: string }[]> {
    for (let cursor = '0'; ;) {
      const [next, flat] = (await redis.send('queue', ['HSCAN', buried, cursor, 'COUNT', count])) as [string, string[]];
      const rows = flat.flatMap((id, i) => (i % 2 === 0 ? [{ id, text: flat[i + 1] ?? '' }] : []));
      if (rows.length > 0) yield rows;
      cursor = next;
      if (cursor === '0') return;
    }
  }
  const remove = async (ids: string[]) => {
    if (ids.length > 0) await redis.send('queue', ['HDEL', buried, ...ids]);
  };

  return {
    async bury(entries, reason, now) {
      // Burying the same batch again after a crash changes nothing.
      const fields = entries.flatMap((entry) => [entry.event_id, JSON.stringify({ reason, at: now, entry })]);
      if (fields.length > 0) await redis.send('queue', ['HSET', buried, ...fields]);
    },
    async replay() {
      let count = 0;
      for await (const rows of pages(WRITTEN)) {
        const args = rows.flatMap(({ id, text }) => [id, writeEntry(readBuried(text).entry)]);
        count += Number(await redis.run('queue', REPLAY, [stream, buried, ...args]));
      }
      return count;
    },
    async forget(siteId) {
      for await (const rows of pages(PAGE))
        await remove(rows.flatMap(({ id, text }) => (readBuried(text).entry.site_id === siteId ? [id] : [])));
    },
    async *all() {
      for await (const rows of pages(PAGE)) yield rows.map(({ text }) => readBuried(text));
    },
    count: async () => Number(await redis.send('queue', ['HLEN', buried])),
    async move(take) {
      for await (const rows of pages(WRITTEN)) {
        await take(rows.map(({ text }) => readBuried(text)));
        await remove(rows.map(({ id }) => id));
      }
    },
  };
}

function readBuried(text: string): Buried {
  const buried = JSON.parse(text) as Buried;
  return { ...buried, entry: complete(buried.entry) };
}
