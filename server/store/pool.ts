// Who is answered next: a reader answers one question at a time, and nobody may keep all of them busy.
import { Refusal } from '../errors.ts';

/** Values bound to `{name:Type}` in a query's text. */
export type Bound = Record<string, string | number | string[]>;

/** A connection that can only read. */
export type Reader = {
  ask<Row>(sql: string, bound: Bound): Promise<Row[]>;
  close(): Promise<void>;
};

export type Pool = {
  /** Asks with the next reader that is free for the lane; what has none is asked by the server itself. */
  ask<Row>(sql: string, bound: Bound, lane: string | undefined): Promise<Row[]>;
  /** The readers that are open. */
  all(): Reader[];
};

type Waiting = { lane: string | undefined; resolve: (reader: Reader) => void; reject: (error: unknown) => void };

/** Of one lane: some thirty dashboards opened in the same moment. Past that nobody waits to the end. */
const MAX_WAITING = 500;
const RETRY_SECONDS = 5;

/** `renew` replaces a reader whose question failed; where that fails too, it is tried for each of the next who ask. */
export function openPool(readers: Reader[], renew: (failed: Reader) => Promise<Reader>): Pool {
  const open = new Set(readers);
  const free = [...readers];
  const broken: Reader[] = [];
  const waiting: Waiting[] = [];
  /** Lane → how many readers it holds. */
  const held = new Map<string, number>();
  const mostAtOnce = Math.max(1, Math.floor(readers.length / 2));

  const heldBy = (lane: string | undefined) => (lane === undefined ? 0 : (held.get(lane) ?? 0));
  const hold = (lane: string | undefined, more: 1 | -1) => {
    if (lane === undefined) return;
    held.set(lane, heldBy(lane) + more);
    if (heldBy(lane) === 0) held.delete(lane);
  };

  /** The last one is for who has none: beside two lanes of long questions a third is still answered. */
  const mayHave = (lane: string | undefined) =>
    heldBy(lane) === 0 || (heldBy(lane) < mostAtOnce && free.length + broken.length > 1);

  /** First who holds least, and among these who asked first. */
  const next = (): Waiting | undefined => {
    let found: Waiting | undefined;
    for (const one of waiting) if (mayHave(one.lane) && (!found || heldBy(one.lane) < heldBy(found.lane))) found = one;
    return found;
  };

  const serve = () => {
    for (let one = next(); one && free.length + broken.length > 0; one = next()) {
      waiting.splice(waiting.indexOf(one), 1);
      hold(one.lane, 1);
      void handOut(one);
    }
  };

  const handOut = async ({ lane, resolve, reject }: Waiting) => {
    try {
      resolve(free.pop() ?? (await replace(broken.pop() as Reader)));
    } catch (error) {
      hold(lane, -1);
      reject(error);
      serve();
    }
  };

  const replace = async (failed: Reader): Promise<Reader> => {
    open.delete(failed);
    try {
      const fresh = await renew(failed);
      open.add(fresh);
      return fresh;
    } catch (error) {
      broken.push(failed);
      throw error;
    }
  };

  const take = (lane: string | undefined) =>
    new Promise<Reader>((resolve, reject) => {
      if (lane !== undefined && waiting.filter((one) => one.lane === lane).length >= MAX_WAITING)
        throw new Refusal('service_unavailable', 'Too many questions wait for an answer already: ask again later.', {
          retryAfterSeconds: RETRY_SECONDS,
        });
      waiting.push({ lane, resolve, reject });
      serve();
    });

  return {
    all: () => [...open],
    ask: async <Row>(sql: string, bound: Bound, lane: string | undefined) => {
      const reader = await take(lane);
      try {
        const rows = await reader.ask<Row>(sql, bound);
        free.push(reader);
        return rows;
      } catch (error) {
        await replace(reader).then(
          (fresh) => free.push(fresh),
          () => undefined, // among the broken now
        );
        throw error;
      } finally {
        hold(lane, -1);
        serve();
      }
    },
  };
}
