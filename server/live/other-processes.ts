// Dashboards of other processes. Each process announces which sites its own dashboards watch, and hears only of arrivals on those sites.
import type { SiteId } from '../vocabulary/event.ts';
import { type Counts, openTally } from './activity.ts';
import type { LiveServer } from './connection.ts';
import { createThrottle, type Schedule } from './throttle.ts';

type Options = {
  everyMs: number;
  /** How long a site counts as watched after another process has announced it. */
  watchedMs: number;
  /** True if there are other processes. */
  isShared: boolean;
  now(): number;
  schedule: Schedule;
  onArrived(siteId: SiteId, counts: Counts): void;
  onStored(siteId: SiteId): void;
};

type OtherProcesses = {
  isWatched(siteId: SiteId): boolean;
  /** Tells the processes that watch the site. Without counts, the message only says that something changed. */
  arrived(siteId: SiteId, counts: Counts | undefined): void;
  stored(siteId: SiteId): void;
  /** Announces the sites that this process's dashboards watch. */
  watching(siteIds: SiteId[]): void;
  sweep(): void;
  stop(): void;
};

export function openOtherProcesses<Viewer>(io: LiveServer<Viewer>, options: Options): OtherProcesses {
  const { now, schedule, everyMs } = options;
  const watchedUntil = new Map<SiteId, number>();
  const isWatched = (siteId: SiteId) => (watchedUntil.get(siteId) ?? -Infinity) > now();
  const activity = openTally();
  const announcements = createThrottle<SiteId>({ everyMs, now, schedule }, (siteId) => {
    const counts = activity.take(siteId);
    if (isWatched(siteId)) io.serverSideEmit('arrived', siteId, counts);
  });
  io.on('arrived', options.onArrived);
  io.on('stored', options.onStored);
  io.on('watching', (siteIds) => {
    for (const siteId of siteIds) watchedUntil.set(siteId, now() + options.watchedMs);
  });
  return {
    isWatched,
    arrived(siteId, counts) {
      if (!isWatched(siteId)) return;
      if (counts) activity.add(siteId, counts);
      announcements.ask(siteId);
    },
    stored(siteId) {
      if (isWatched(siteId)) io.serverSideEmit('stored', siteId);
    },
    watching(siteIds) {
      if (options.isShared && siteIds.length > 0) io.serverSideEmit('watching', siteIds);
    },
    sweep() {
      for (const [siteId, until] of watchedUntil) if (until <= now()) watchedUntil.delete(siteId);
      announcements.sweep();
    },
    stop: announcements.stop,
  };
}
