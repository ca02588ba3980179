// Tracks how much query time each viewer of a share link has used recently. The figure halves every 30 seconds.
import { Refusal } from '../errors.ts';

const HALF_MS = 30_000;
/** A viewer who has used more has to wait. A large dashboard of a busy site uses only a few seconds. */
const MAX_USED_MS = 30_000;
const MAX_KNOWN = 10_000;

export function openUsage(clock: () => number) {
  const known = new Map<string, { usedMs: number; at: number }>();
  const of = (viewer: string | undefined): number => {
    const entry = viewer === undefined ? undefined : known.get(viewer);
    return entry ? entry.usedMs * 2 ** ((entry.at - clock()) / HALF_MS) : 0;
  };
  return {
    of,
    add: (viewer: string | undefined, ms: number) => {
      if (viewer === undefined) return;
      const usedMs = of(viewer) + ms;
      known.delete(viewer);
      known.set(viewer, { usedMs, at: clock() });
      for (const oldest of known.keys()) {
        if (known.size <= MAX_KNOWN) break;
        known.delete(oldest);
      }
    },
    /** Throws too_many_requests. */
    check: (viewer: string | undefined) => {
      const usedMs = of(viewer);
      if (usedMs <= MAX_USED_MS) return;
      const retryAfterSeconds = Math.ceil((Math.log2(usedMs / MAX_USED_MS) * HALF_MS) / 1000);
      throw new Refusal(
        'too_many_requests',
        'This shared dashboard has used too much query time: wait a moment, then try again.',
        {
          retryAfterSeconds: Math.max(1, retryAfterSeconds),
        },
      );
    },
  };
}
