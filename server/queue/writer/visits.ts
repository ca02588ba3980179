// Assigns events to visits, and computes what each event adds to its visit. The active writer keeps open visits in memory, and reads them
// from the store when it starts, so that a redelivered batch gets the same visits.
import { bytesFor } from '../../process/bounded-memory.ts';
import {
  blankOf,
  continuesVisit,
  ENGAGEMENT,
  type Event,
  PAGEVIEW,
  SHARED_NAMES,
  type SiteId,
  VISIT_COLUMNS,
  VISIT_KEPT_MS,
  type PageError,
  type Placed,
  type VisitedEvent,
  type VisitorId,
  type VisitPart,
  type Vitals,
} from '../../vocabulary/event.ts';
import { PARTITIONS, partitionOf } from '../../process/redis/partitions.ts';
import type { EventStore } from '../../store/open.ts';
import { idText, storedId } from '../../store/rows.ts';
import { LONGEST_DAY_MS } from '../../vocabulary/time/zones.ts';
import { type PageReads, readPage } from './page-reads.ts';

/** Measured size of a visit with its map entry, but without the text of its fields. Each field adds 24 bytes of overhead. */
const VISIT_BYTES = 512 + 24 * (SHARED_NAMES.length + 1);
/** Most rows to read from the store. */
const MAX_RESTORED = 200_000;

/** The entry page is the page of the visit's first event. */
type Shared = Pick<VisitedEvent, (typeof SHARED_NAMES)[number] | 'entry_page'>;

type Visit = {
  visit_id: bigint;
  /** The partition of its site. */
  partition: number;
  startedAt: number;
  lastAt: number;
  pageviews: number;
  interacted: boolean;
  shared: Shared;
  reads: PageReads;
  /** When this process last saw an event of the visit. The events of imported visits have old times. */
  touchedAt: number;
  /** Upper bound of the visit's size in memory. */
  bytes: number;
};

export type Visits = {
  /** Returns the event with its visit; undefined for engagement after the end of its visit. */
  assign(event: Event, now: number): VisitedEvent | undefined;
  /** Returns the vitals, or the error, with the visit that they lie in. They neither start nor extend one: the page view before them did. */
  place<Row extends Vitals | PageError>(row: Row): Row & Placed;
  /**
   * Reads the visits that are open at `now` from the store, each from its first event: those of one partition, or else all. No visit
   * crosses midnight.
   */
  restore(now: number, partition?: number): Promise<void>;
  /** Reads the visits of old events from the store unless they are known here, for example when an import continues. */
  restoreFor(events: Event[], now: number): Promise<void>;
};

/** `table`: where visits are restored from. Above `maxBytes`, the visits that were touched longest ago are forgotten first. Their next event then starts a new visit. */
export function openVisits(
  store: Pick<EventStore, 'query' | 'idsAQuery'>,
  maxBytes = bytesFor('visits'),
  table: 'events' | 'purged_events' = 'events',
): Visits {
  // ordered by when each visit was last touched, oldest first
  const visits = new Map<VisitorId, Visit>();
  let bytes = 0;

  const drop = (visitor: VisitorId) => {
    bytes -= visits.get(visitor)?.bytes ?? 0;
    visits.delete(visitor);
  };
  const keep = (visitor: VisitorId, visit: Visit) => {
    drop(visitor);
    visits.set(visitor, visit);
    bytes += visit.bytes;
  };
  const forget = (now: number) => {
    for (const [visitor, visit] of visits) {
      if (bytes <= maxBytes && visit.touchedAt > now - VISIT_KEPT_MS) return;
      drop(visitor);
    }
  };

  return {
    assign: (event, now) => {
      if (event.visitor_id === '') return { ...event, ...NO_VISIT };
      forget(now);
      const known = visits.get(event.visitor_id);
      const visit = known && continuesVisit(known, event) ? known : undefined;
      if (!visit && event.name === ENGAGEMENT) return undefined;
      const { next, part } = extend(visit, event, now);
      keep(event.visitor_id, next);
      if (bytes > maxBytes) forget(now);
      return { ...event, ...next.shared, ...part };
    },
    place: (row) => placedIn(visits.get(row.visitor_id), row),
    restore: async (now, partition) => {
      for (const [visitor, visit] of visits)
        if (partition === undefined || visit.partition === partition) drop(visitor);
      const rows = await store.query<StoredVisit>(
        `${storedVisits(table)} AND time >= fromUnixTimestamp64Milli({earliest:Int64}) AND visit_id IN (${LATEST_VISITS})
          GROUP BY visit_id ORDER BY last_at DESC`,
        {
          since: now - VISIT_KEPT_MS,
          earliest: now - VISIT_KEPT_MS - LONGEST_DAY_MS,
          most: maxBytes,
          partitions: partition === undefined ? 1 : PARTITIONS,
          partition: partition ?? 0,
        },
      );
      for (const row of rows.reverse()) keep(row.visitor, readVisit(row, now));
      forget(now);
    },
    restoreFor: async (events, now) => {
      const old = events.filter(
        (event) => event.visitor_id !== '' && event.time < now - VISIT_KEPT_MS && !visits.has(event.visitor_id),
      );
      if (old.length === 0) return;
      const about = aboutOf(old);
      const visitors = [...new Set(old.map((event) => storedId(event.visitor_id)))];
      const readSome = (start: number) =>
        store.query<StoredVisit>(
          // One text of numbers is escaped at once, and a list of texts one by one.
          `${storedVisits(table)} AND site_id IN {sites:Array(String)} AND visit_id != 0
            AND visitor_id IN (SELECT arrayJoin(arrayMap(id -> toUInt64(id), splitByChar(',', {visitors:String}))))
            AND time >= fromUnixTimestamp64Milli({from:Int64}) AND time <= fromUnixTimestamp64Milli({to:Int64})
            GROUP BY visit_id ORDER BY last_at`,
          { ...about, visitors: visitors.slice(start, start + store.idsAQuery).join(',') },
        );
      for (let start = 0; start < visitors.length; start += 2 * store.idsAQuery) {
        const starts = [start, start + store.idsAQuery].filter((one) => one < visitors.length);
        for (const rows of await Promise.all(starts.map(readSome)))
          for (const row of rows) keep(row.visitor, readVisit(row, now));
        forget(now);
      }
    },
  };
}

/** The sites and times in which the visits of these events lie. */
function aboutOf(events: readonly Event[]) {
  const times = events.map((event) => event.time);
  return {
    sites: [...new Set(events.map((event) => event.site_id))],
    from: Math.min(...times) - LONGEST_DAY_MS,
    to: Math.max(...times),
  };
}

const NO_VISIT = blankOf(VISIT_COLUMNS);
const NO_PLACE = { visit_id: NO_VISIT.visit_id, entry_page: NO_VISIT.entry_page, import_id: NO_VISIT.import_id };
const NOTHING_SHARED = Object.fromEntries(SHARED_NAMES.map((name) => [name, '']));

function extend(
  visit: Visit | undefined,
  event: Event,
  now: number,
): { next: Visit; part: Omit<VisitPart, 'entry_page'> } {
  const isView = event.name === PAGEVIEW;
  const shared = visit?.shared ?? sharedOf(event, event.page);
  const read = readPage(visit ? visit.reads : [], event, shared.entry_page);
  const next: Visit = {
    visit_id: visit?.visit_id ?? visitId(event),
    partition: visit?.partition ?? partitionOf(event.site_id),
    startedAt: Math.min(visit?.startedAt ?? event.time, event.time),
    lastAt: Math.max(visit?.lastAt ?? event.time, event.time),
    pageviews: (visit?.pageviews ?? 0) + (isView ? 1 : 0),
    interacted: (visit?.interacted ?? false) || (!isView && event.interactive),
    shared,
    reads: read.reads,
    touchedAt: now,
    bytes: (visit?.bytes ?? bytesOfVisit(shared)) + read.grownBytes,
  };
  const part: Omit<VisitPart, 'entry_page'> = {
    ...read.part,
    visit_id: next.visit_id,
    visit_started: visit ? 0 : 1,
    bounces: (Number(isBounce(next)) - Number(visit ? isBounce(visit) : false)) as VisitPart['bounces'],
    visit_ms: visit ? next.lastAt - next.startedAt - (visit.lastAt - visit.startedAt) : 0,
    import_id: '',
  };
  return { next, part };
}

function placedIn<Row extends Vitals | PageError>(visit: Visit | undefined, row: Row): Row & Placed {
  if (!visit || !continuesVisit(visit, { time: row.time, engaged_ms: 0 })) return { ...row, ...NO_PLACE };
  return { ...row, ...NO_PLACE, ...visit.shared, visit_id: visit.visit_id };
}

/** A bounce has one page view and no interactive event. */
function isBounce(visit: Visit): boolean {
  return visit.pageviews === 1 && !visit.interacted;
}

function sharedOf(columns: Omit<Shared, 'entry_page'>, entry_page: string): Shared {
  const shared: Record<string, string> = { ...NOTHING_SHARED, entry_page };
  for (const name of SHARED_NAMES) shared[name] = columns[name];
  return shared as Shared;
}

function bytesOfVisit(shared: Shared): number {
  return Object.values(shared).reduce((sum, text) => sum + 2 * text.length, VISIT_BYTES);
}

const MASK = (1n << 64n) - 1n;
/** Derives the visit's id from its visitor and start, so that redelivered events get the same visit. Never 0. */
function visitId(event: Event): bigint {
  const id = (BigInt(`0x${event.visitor_id}`) ^ (BigInt(event.time) * 0x9e3779b97f4a7c15n)) & MASK;
  return id === 0n ? 1n : id;
}

/** Visits as browsers made them: a server's report of an order belongs to a visit, but does not change it. */
type StoredVisit = {
  visit: string;
  site: SiteId;
  visitor: VisitorId;
  started_at: string | number;
  last_at: string | number;
  pageviews: string | number;
  interacted: number;
} & Shared;

const storedVisits = (
  table: string,
) => `SELECT toString(visit_id) AS visit, any(site_id) AS site, ${idText('any(visitor_id)')} AS visitor,
  toUnixTimestamp64Milli(min(time)) AS started_at, toUnixTimestamp64Milli(max(time)) AS last_at,
  countIf(name = 'pageview') AS pageviews, max(name != 'pageview' AND interactive = 1) AS interacted,
  any(entry_page) AS entry_page, ${SHARED_NAMES.map((name) => `any(${name}) AS ${name}`).join(', ')} FROM ${table} WHERE confirmed = 0`;

/**
 * TRICKY: the sizes of the visits are computed first, since all texts of an hour's visits may be more than the engine or this process can
 * hold.
 */
const LATEST_VISITS = `SELECT visit_id FROM (
  SELECT visit_id, sum(bytes) OVER (ORDER BY last_at DESC, visit_id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS so_far
  FROM (
    SELECT visit_id, max(time) AS last_at, any(${VISIT_BYTES} + 2 * (${['entry_page', ...SHARED_NAMES].map((name) => `length(${name})`).join(' + ')})) AS bytes
    FROM events WHERE time > fromUnixTimestamp64Milli({since:Int64}) AND visit_id != 0 AND confirmed = 0
      AND CRC32(site_id) % {partitions:UInt32} = {partition:UInt32}
    GROUP BY visit_id ORDER BY last_at DESC LIMIT ${MAX_RESTORED}))
  WHERE so_far <= {most:Int64}`;

function readVisit(row: StoredVisit, now: number): Visit {
  const shared = sharedOf(row, row.entry_page);
  return {
    visit_id: BigInt(row.visit),
    partition: partitionOf(row.site),
    startedAt: Number(row.started_at),
    lastAt: Number(row.last_at),
    pageviews: Number(row.pageviews),
    interacted: Number(row.interacted) === 1,
    shared,
    reads: undefined,
    touchedAt: now,
    bytes: bytesOfVisit(shared),
  };
}
