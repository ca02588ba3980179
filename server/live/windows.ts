// Sliding windows of a site's current visitors, with two implementations (memory of one process, Redis).
import type { Event, EventId, SiteId } from '../vocabulary/event.ts';
import { FEWEST } from '../vocabulary/settings/privacy.ts';
import type { ListsNow } from '../vocabulary/settings/wall.ts';

/** A visitor is current for five minutes after their last event. */
export const CURRENT_MS = 5 * 60_000;
/** The per-minute counts go back this many minutes. */
export const MINUTES = 30;
/** Rows in each list of a snapshot. */
export const TOP = 10;
/** Two page views of one visitor on one path within this time count once: some client-side routers fire twice. */
export const REPEAT_MS = 500;

export type Snapshot = {
  /** Distinct visitors with an event in the last five minutes. */
  current_visitors: number;
  /** Distinct visitors in each of the last 30 minutes, oldest first; the last one is the current minute. */
  minutes: number[];
} & ListsNow;

/**
 * A snapshot for those who may not see single visitors. It stays as it is until `FEWEST` visitors have come, moved or left, or the hour ends. Below
 * so many, the number of current visitors is null, and the lists are empty; so are minutes with fewer.
 */
export type SteppedSnapshot = Omit<Snapshot, 'current_visitors'> & {
  current_visitors: number | null;
  /** When it last changed; 0 before the first step. */
  stepped_at: number;
};

/** A stepped snapshot changes at most once in this time, so that the time of a change is not that of an event. */
const STEP_MS = 4000;
const HOUR_MS = 60 * 60_000;
export const stepOf = (time: number): number => Math.floor(time / STEP_MS);

/** What is shown before the first step. */
export const NOBODY: Snapshot = {
  current_visitors: 0,
  minutes: Array.from({ length: MINUTES }, () => 0),
  pages: [],
  sources: [],
  countries: [],
};

/** True if a snapshot takes the place of the one that is shown. `moved`: visitors with events since. */
export function isNextStep(
  shown: Snapshot,
  at: number,
  { fresh, moved, now }: { fresh: Snapshot; moved: number; now: number },
) {
  const left = shown.current_visitors - fresh.current_visitors;
  const isNextHour = at !== 0 && Math.floor(at / HOUR_MS) !== Math.floor(now / HOUR_MS);
  return moved >= FEWEST || left >= FEWEST || isNextHour;
}

/** What is shown of a snapshot that was taken at `at`. The minutes since then are not known yet. */
export function steppedSnapshot(
  { current_visitors, minutes, ...lists }: Snapshot,
  at: number,
  now: number,
): SteppedSnapshot {
  const since = Math.max(0, Math.floor(now / 60_000) - Math.floor(at / 60_000));
  const known = [...minutes.slice(since), ...minutes.map(() => 0)].slice(0, minutes.length);
  const isShown = current_visitors >= FEWEST;
  return {
    current_visitors: isShown ? current_visitors : null,
    minutes: known.map((visitors) => (visitors >= FEWEST ? visitors : 0)),
    ...(isShown ? lists : { pages: [], sources: [], countries: [] }),
    stepped_at: at,
  };
}

/** The part of an event that the windows keep. */
export type Sighting = Pick<
  Event,
  'site_id' | 'visitor_id' | 'time' | 'name' | 'engaged_ms' | 'page' | 'source' | 'country'
>;

type Repeatable = Pick<Event, 'site_id' | 'visitor_id' | 'page' | 'time'> & { event_id?: EventId };

export type Windows = {
  /**
   * Resolves to the source of the visit that the sighting belongs to. A late sighting (older than the visitor's last one) never moves the
   * visitor back to an earlier page, but the earliest sighting of a visit determines its source. Sightings without a visitor are ignored,
   * and so is engagement after the end of its visit.
   */
  record(sighting: Sighting): Promise<string>;
  snapshot(siteId: SiteId, now: number): Promise<Snapshot>;
  inSteps(siteId: SiteId, now: number): Promise<SteppedSnapshot>;
  /** `current_visitors` of several sites. */
  currentVisitors(siteIds: SiteId[], now: number): Promise<Map<SiteId, number>>;
  /**
   * Returns true if the same visitor viewed the same path less than REPEAT_MS ago; otherwise remembers this view. The same event id sent
   * again is not a repeat: it may be a retry of an event that could not be queued, and the queue recognises the ids that it has. Returns a
   * promise only if the views are in Redis.
   */
  isRepeat(view: Repeatable): boolean | Promise<boolean>;
  /** Forgets visitors, until they are seen again. */
  forgetVisitors(siteId: SiteId, visitorIds: readonly string[], now: number): Promise<void>;
  /** Forgets everything about a site. */
  forget(siteId: SiteId): Promise<void>;
  /** Throws Unavailable if the windows do not answer. Resolves to `partly` if only those of some sites do. */
  ping(): Promise<'partly' | undefined>;
  close(): Promise<void>;
};

/** A site that somebody may see, in steps or not. */
export type Seen = { siteId: SiteId; inSteps: boolean };
/** Current visitors by site; null for too few to be shown. */
export type Current = ReadonlyMap<SiteId, number | null>;

export async function currentOn(
  windows: Pick<Windows, 'currentVisitors' | 'inSteps'>,
  sites: readonly Seen[],
  now: number,
): Promise<Current> {
  const whole = sites.flatMap(({ siteId, inSteps }) => (inSteps ? [] : [siteId]));
  const counts = new Map<SiteId, number | null>(await windows.currentVisitors(whole, now));
  const stepped = sites.filter(({ inSteps }) => inSteps);
  await Promise.all(
    stepped.map(async ({ siteId }) => counts.set(siteId, (await windows.inSteps(siteId, now)).current_visitors)),
  );
  return counts;
}
