// Background work: what each job of jobs.ts calls.
import { forgetSessions } from '../accounts/sessions.ts';
import { MONTHLY_EVENTS } from '../api/accounts.ts';
import { type Job, jobsOf } from '../jobs.ts';
import { forgetImports } from '../sites/imports.ts';
import { forgetReleased } from '../sites/released-domains.ts';
import { destroySalts } from '../sites/salts.ts';
import { sitesUnderQuota } from '../sites/sites.ts';
import type { Stats } from '../stats/run.ts';
import { startOfMonth } from '../vocabulary/time.ts';
import type { Collecting } from './collecting.ts';
import type { Setting } from './setting.ts';
import type { Stores } from './stores.ts';
import type { Writing } from './writing.ts';

type Parts = { setting: Setting; stores: Stores; collecting: Collecting; writing: Writing; stats: Stats };

export function openBackground({ setting, stores, collecting, writing, stats }: Parts): Job[] {
  const { config, log } = setting;
  const { directory, queue } = stores;
  const { collector, salts, touches, overQuota } = collecting;
  const { deletion } = writing;
  let reportedBuried = 0;
  return jobsOf({
    flushDrops: () => collector.flushDrops(),
    touchSites: () => touches.flush(),
    refreshQuota: async (time) => {
      if (config.QUOTA !== 'drop') return;
      const range = { from: startOfMonth(time), to: time + 1 };
      for (const [account, siteIds] of await sitesUnderQuota(directory)) {
        if ((await stats.countEvents(siteIds, range)) >= MONTHLY_EVENTS) overQuota.add(account);
        else overQuota.delete(account);
      }
    },
    destroySalts: async (before) => {
      salts.forget(before);
      await destroySalts(directory, { before });
    },
    forgetReleased: (before) => forgetReleased(directory, before),
    forgetImports: (before) => forgetImports(directory, before),
    forgetSessions: (before) => forgetSessions(directory, before),
    eraseDeleted: () => deletion.erase(),
    finishDeletions: (before) => deletion.finish(before),
    oldestWaiting: async () => (await queue.status()).oldestAt,
    reportBuried: async () => {
      const { buried } = await queue.status();
      if (buried > reportedBuried)
        log.warn({ buried }, 'events are put aside that the event store refused: `manage replay` tries them again');
      reportedBuried = buried;
    },
  });
}
