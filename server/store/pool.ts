// A pool of read connections. Each reader runs one query at a time, and the pool keeps any one requester from using all of them.
import { Refusal } from '../errors.ts';
import { openUsage } from './reader-usage.ts';

/** Values for the placeholders `{name:Type}` in a query. */
export type Bound = Record<string, string | number | string[]>;

/** A connection that can only read. */
export type Reader = {
  /** The query ends soon after the signal of `asking` aborts, and then throws. */
  ask<Row>(sql: string, bound: Bound, asking?: Asking): Promise<Row[]>;
  close(): Promise<void>;
};

/** Identifies the requester. The server's own queries leave it empty. */
export type Asking = {
  /** Queries of one lane never take all readers. */
  lane?: string;
  /** One of the viewers who share the lane. Each may hold one reader, and the viewer who has used the least time is next. */
  viewer?: string;
  /** When its question was asked, by the pool's clock: all its queries go before those of later questions. */
  since?: number;
  /** Aborted when the requester leaves: a query that is still waiting then never runs, and a running one is ended. */
  signal?: AbortSignal | undefined;
};

export type Pool = {
  /** Runs the query on the next reader that is free for the lane. */
  ask<Row>(sql: string, bound: Bound, asking?: Asking): Promise<Row[]>;
  /** Returns all open readers. */
  all(): Reader[];
};

type Waiting = Asking & { since: number; resolve: (reader: Reader) => void; reject: (error: unknown) => void };

/** Waiting queries per lane, enough for some thirty dashboards opened at the same moment. */
const MAX_WAITING = 500;
/** Waiting queries per viewer: a dashboard sends some 15 queries at once. */
const MAX_WAITING_OF_VIEWER = 60;
const RETRY_SECONDS = 5;

type Options = {
  /** Replaces a reader whose query failed. If that fails too, the following queries try it again. */
  renew: (failed: Reader) => Promise<Reader>;
  /** The most readers that one lane may hold. */
  ofLane: number;
  /** Returns milliseconds. */
  clock?: () => number;
};

export function openPool(readers: Reader[], { renew, ofLane, clock = now }: Options): Pool {
  const own = openReaders(readers, renew);
  const waiting = openWaiting();
  const lanes = openCounts();
  /** Running queries of viewers. */
  const viewers = openCounts();
  const usage = openUsage(clock);

  /** The last free reader is reserved for a lane that has none, so that a third lane is still served next to two lanes of long queries. */
  const mayHave = ({ lane, viewer, signal }: Asking) =>
    !signal?.aborted &&
    viewers.of(viewer) === 0 &&
    (lanes.of(lane) === 0 || (lanes.of(lane) < ofLane && own.left() > 1));

  const precedes = (one: Waiting, other: Waiting) =>
    lanes.of(one.lane) - lanes.of(other.lane) ||
    usage.of(one.viewer) - usage.of(other.viewer) ||
    one.since - other.since;

  /** Picks the lane with the fewest readers, then the viewer who has used the least time, then the question that was asked first. */
  const next = (): Waiting | undefined => {
    let found: Waiting | undefined;
    for (const one of waiting.all()) if (mayHave(one) && (!found || precedes(one, found) < 0)) found = one;
    return found;
  };

  const serve = () => {
    for (let one = next(); one && own.left() > 0; one = next()) {
      waiting.remove(one);
      count(one, 1);
      void handOut(one);
    }
  };

  const count = ({ lane, viewer }: Asking, more: 1 | -1) => {
    lanes.add(lane, more);
    viewers.add(viewer, more);
  };

  const handOut = async (one: Waiting) => {
    try {
      one.resolve(await own.take());
    } catch (error) {
      count(one, -1);
      one.reject(error);
      serve();
    }
  };

  const take = (asking: Asking) =>
    new Promise<Reader>((resolve, reject) => {
      if (asking.signal?.aborted) throw left();
      usage.check(asking.viewer);
      waiting.add({ since: clock(), ...asking, resolve, reject });
      serve();
    });

  return {
    all: own.all,
    ask: async <Row>(sql: string, bound: Bound, asking: Asking = {}) => {
      const { viewer, signal } = asking;
      const reader = await take(asking);
      const startedAt = clock();
      try {
        const rows = await reader.ask<Row>(sql, bound, asking);
        own.giveBack(reader);
        return rows;
      } catch (error) {
        await own.replace(reader);
        throw signal?.aborted ? left() : error;
      } finally {
        usage.add(viewer, clock() - startedAt);
        count(asking, -1);
        serve();
      }
    },
  };
}

/** The readers of the pool, and which of them are free. */
function openReaders(readers: Reader[], renew: Options['renew']) {
  const open = new Set(readers);
  const free = [...readers];
  /** Readers whose last query failed, and which could not be reconnected. */
  const broken: Reader[] = [];
  const renewed = async (failed: Reader): Promise<Reader> => {
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
  return {
    all: () => [...open],
    left: () => free.length + broken.length,
    take: async (): Promise<Reader> => free.pop() ?? renewed(broken.pop() as Reader),
    giveBack: (reader: Reader) => void free.push(reader),
    replace: (failed: Reader): Promise<unknown> =>
      renewed(failed).then(
        (fresh) => free.push(fresh),
        () => undefined, // among the broken now
      ),
  };
}

/** The queries that wait for a reader, in order of arrival. A query is rejected as soon as its requester leaves. */
function openWaiting() {
  /** Each with what its signal calls. */
  const waiting = new Map<Waiting, () => void>();
  const remove = (one: Waiting): boolean => {
    const leave = waiting.get(one);
    if (leave) one.signal?.removeEventListener('abort', leave);
    return waiting.delete(one);
  };
  return {
    all: () => waiting.keys(),
    /** Throws if too many queries of the lane or viewer are waiting. */
    add: (one: Waiting) => {
      checkRoom(waiting.keys(), one);
      const leave = () => {
        remove(one);
        one.reject(left());
      };
      waiting.set(one, leave);
      one.signal?.addEventListener('abort', leave, { once: true });
    },
    remove,
  };
}

function checkRoom(waiting: Iterable<Waiting>, { lane, viewer }: Asking): void {
  const ahead = { lane: 0, viewer: 0 };
  for (const one of waiting) {
    if (lane !== undefined && one.lane === lane) ahead.lane += 1;
    if (viewer !== undefined && one.viewer === viewer) ahead.viewer += 1;
  }
  if (ahead.lane >= MAX_WAITING || ahead.viewer >= MAX_WAITING_OF_VIEWER)
    throw new Refusal('service_unavailable', 'Too many queries are waiting already: try again later.', {
      retryAfterSeconds: RETRY_SECONDS,
    });
}

const now = () => performance.now();

/** Nobody receives this error: its requester has left. */
function left(): Refusal {
  return new Refusal('service_unavailable', 'The requester has left.');
}

function openCounts() {
  const counts = new Map<string, number>();
  const of = (key: string | undefined) => (key === undefined ? 0 : (counts.get(key) ?? 0));
  return {
    of,
    add: (key: string | undefined, more: 1 | -1) => {
      if (key === undefined) return;
      const count = of(key) + more;
      if (count === 0) counts.delete(key);
      else counts.set(key, count);
    },
  };
}
