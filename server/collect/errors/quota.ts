// Limits on errors, so that neither a page that fails without end nor somebody who makes errors up fills the store: messages an hour, and shapes a
// day, of a site and of one address. Page views have limits of their own, from which errors take nothing. Each process counts for itself and
// forgets at a restart. Memory is bounded: what was counted longest ago is forgotten first.
import { bytesFor, createBoundedMap } from '../../process/bounded-memory.ts';
import type { PageError } from '../../vocabulary/event.ts';
import { ERROR_LIMITS } from '../../vocabulary/limits.ts';
import { DAY_MS, HOUR_MS } from '../../vocabulary/time/time.ts';

type Limit = (typeof ERROR_LIMITS)[keyof typeof ERROR_LIMITS];

export type ErrorQuota = {
  /** Returns why an error is dropped; undefined if it may be stored. `sender`: the hash of its address. */
  take(
    error: Pick<PageError, 'site_id' | 'error_shape' | 'time'>,
    sender: string,
  ): 'too_many_errors' | 'too_many_new_errors' | undefined;
};

/** How much was used in a period. */
type Used = { period: number; count: number };
type Pair = { site: Used; address: Used };
const USED_BYTES = 40;

export function openErrorQuota(): ErrorQuota {
  const counts = createBoundedMap<Used>(bytesFor('errorQuotas'), () => USED_BYTES);
  const usedOf = (key: string, period: number): Used => {
    const known = counts.get(key);
    if (known?.period === period) return known;
    const fresh = { period, count: 0 };
    counts.set(key, fresh);
    return fresh;
  };
  const isFull = ({ site, address }: Pair, limit: Limit) => site.count >= limit.site || address.count >= limit.address;
  const take = ({ site, address }: Pair) => {
    site.count += 1;
    address.count += 1;
  };
  return {
    take: ({ site_id, error_shape, time }, sender) => {
      const pairOf = (what: string, period: number): Pair => ({
        site: usedOf(`${what} ${site_id}`, period),
        address: usedOf(`${what} ${site_id} ${sender}`, period),
      });
      const day = Math.floor(time / DAY_MS);
      const messages = pairOf('messages', Math.floor(time / HOUR_MS));
      if (isFull(messages, ERROR_LIMITS.messages)) return 'too_many_errors';
      const shape = usedOf(`shape ${site_id} ${error_shape}`, day);
      if (shape.count === 0) {
        const shapes = pairOf('shapes', day);
        if (isFull(shapes, ERROR_LIMITS.shapes)) return 'too_many_new_errors';
        take(shapes);
      }
      shape.count += 1;
      take(messages);
      return undefined;
    },
  };
}
