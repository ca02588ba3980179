// The lease that decides which of several processes runs the jobs. It is a row of the directory, since all processes share that, whatever
// their other stores are.
import { randomUUID } from 'node:crypto';
import type { Directory } from '../directory/open.ts';
import type { Lease } from '../queue/lease.ts';
import { MINUTE_MS } from '../vocabulary/time/time.ts';

/** A live holder renews the lease every turn. After the holder has died, another process takes over within this time. */
export const LEASE_MS = 15_000;
/** Largest difference between the clocks of two machines. */
export const MAX_SKEW_MS = MINUTE_MS;

export function openDirectoryLease({ db }: Directory, { name, now }: { name: string; now(): number }): Lease {
  const holder = randomUUID();
  return {
    async hold() {
      const time = now();
      const held = { holder, expires_at: time + LEASE_MS };
      const taken = db
        .insertInto('leases')
        .values({ name, ...held })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet(held)
            .where(({ eb, or }) =>
              or([
                eb('leases.holder', '=', holder),
                eb('leases.expires_at', '<=', time),
                // No holder sets an expiry this late: the clock that wrote it was ahead, maybe by years.
                eb('leases.expires_at', '>', held.expires_at + MAX_SKEW_MS),
              ]),
            ),
        )
        .returning('name')
        .executeTakeFirst();
      return taken.then(
        (row) => row !== undefined,
        () => false,
      );
    },
    async release() {
      const mine = db.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder);
      await mine.execute().catch(() => undefined); // the lease expires anyway
    },
  };
}
