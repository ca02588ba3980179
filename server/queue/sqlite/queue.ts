// The queue in its own SQLite file, for one process. A worker thread owns the file, and concurrent appends share one commit.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Unavailable } from '../../errors.ts';
import type { Recorded } from '../../vocabulary/event.ts';
import { createGroup } from '../../process/batching.ts';
import { bytesFor } from '../../process/bounded-memory.ts';
import { buriedOf, readEntries, readEntry, writeEntry } from '../entries.ts';
import type { Batch, Partition, Queue } from '../queue.ts';
import { openRecent } from './recent.ts';
import { WAITS } from './held.ts';
import { rangeOf, tokenOf } from './token.ts';
import type { Answer, Append, CallName, Calls, Opening, Request, Started, StoredBatch } from './worker.ts';

/** Events in one commit. */
const MAX_GROUP = 1000;
/** Entries per part of `contents`, or some more. */
const PAGE = 5_000;
const PING_WITHIN_MS = 2000;
/** Busy sites are held back while more entries wait: half a second of storing. */
const BEHIND = 40_000;

type Appended = { recorded: Recorded[]; now: number };

/** `behind`: see BEHIND. Throws an error for the operator if the file cannot be opened or another process has it open. */
export async function openSqliteQueue(options: { path: string; behind?: number }): Promise<Queue & Partition> {
  const { worker, ask, started, isBroken } = await openThread(options);
  const presence = trackPresence(started.waiting > 0);
  const recent = openRecent();

  const appends = openAppends({ ask, presence, recent });
  const read = openReading({ ask, presence, recent, fileId: started.fileId });

  let closing: Promise<void> | undefined;
  const refuseClosed = () => {
    if (closing) throw new Unavailable('queue', new Error('The queue is closed.'));
  };

  const status = async () => {
    const { waiting, oldest, buried } = await ask('status', undefined);
    const times = oldest.map((entry) => readEntry(entry).time);
    return { waiting, buried, oldestAt: times.length === 0 ? undefined : Math.min(...times) };
  };

  return {
    async append(recorded, now) {
      refuseClosed();
      if (recorded.length === 0) return [];
      recorded.forEach(checkId);
      return appends.add({ recorded, now });
    },
    async read(limit) {
      refuseClosed();
      return read(limit);
    },
    wait: (timeoutMs, signal) => presence.wait(timeoutMs, signal),
    async acknowledge({ token }) {
      const { isEmpty } = await ask('acknowledge', { token });
      const { lane, last } = rangeOf(token);
      if (lane === 'waiting') recent.forgetUpTo(last);
      presence.set(!isEmpty);
    },
    waiting: async () => (await ask('status', undefined)).waiting,
    oldestAt: async () => (await status()).oldestAt,
    async bury(entries, reason, now) {
      const ids = entries.map(({ event_id }) => event_id);
      await ask('bury', { ids, entries: entries.map(writeEntry), reason, now });
    },
    async replay() {
      const count = await ask('replay', undefined);
      if (count > 0) presence.set(true);
      return count;
    },
    forget: async (siteId) => void (await ask('forget', { siteId })),
    erase: async () => void (await ask('erase', undefined)),
    contents: () => readContents(ask),
    status,
    async ping() {
      refuseClosed();
      await inTime(ask('ping', undefined));
      return undefined;
    },
    close() {
      closing ??= (async () => {
        await appends.idle();
        if (isBroken()) return;
        const exited = once(worker, 'exit');
        await ask('close', undefined);
        await exited;
      })();
      return closing;
    },
  };
}

type Shared = { ask: Ask; presence: ReturnType<typeof trackPresence>; recent: ReturnType<typeof openRecent> };

function openAppends({ ask, presence, recent }: Shared) {
  return createGroup<Appended, boolean[]>(
    async (items) => {
      const append: Append = { ids: '', nows: [], entries: '' };
      for (const { recorded, now } of items)
        for (const entry of recorded) {
          append.ids += entry.event_id;
          append.nows.push(now);
          append.entries += `${writeEntry(entry)}\n`;
        }
      const { fresh, last } = await ask('append', append);
      const all = items.flatMap(({ recorded }) => recorded);
      const waiting = all.filter((_entry, index) => fresh[index] === WAITS);
      const bytes = (Buffer.byteLength(append.entries) * waiting.length) / all.length;
      if (waiting.length > 0) recent.add(waiting, { last, bytes });
      if (fresh.some(Boolean)) presence.set(true);
      return areFresh(items, fresh);
    },
    { maxSize: MAX_GROUP, sizeOf: ({ recorded }) => recorded.length },
  );
}

/** Reads batches, and the one after it while the present one is stored. */
function openReading({ ask, presence, recent, fileId }: Shared & { fileId: string }) {
  let ahead: Promise<{ limit: number; next: Batch | undefined } | undefined> | undefined;
  const readAhead = async (limit: number) => {
    const next = await ask('readAhead', { limit });
    return { limit, next: next && readBatch(next) };
  };

  /** Whether it is the next batch, only the thread knows. */
  const readRecent = (limit: number): Batch | undefined => {
    const oldest = recent.oldest(limit);
    return oldest && { token: tokenOf({ ...oldest, fileId, lane: 'waiting' }), entries: oldest.entries };
  };

  return async (limit: number): Promise<Batch | undefined> => {
    const known = await ahead;
    const readBefore = known?.limit === limit ? known.next : undefined;
    const next = readBefore ?? readRecent(limit);
    const batch = await ask('read', { limit, ahead: next?.token });
    if (!batch) {
      presence.set(false);
      return undefined;
    }
    const isNext = batch.token === next?.token;
    // Read while the present batch is stored, since that is done by the engine's threads. What follows a recent batch is recent, too.
    ahead = isNext && !readBefore ? undefined : readAhead(limit).catch(() => undefined);
    return isNext ? next : readBatch(batch);
  };
}

/** For each item, whether each of its entries is new. */
function areFresh(items: Appended[], fresh: Uint8Array): boolean[][] {
  let next = 0;
  return items.map(({ recorded }) => recorded.map(() => fresh[next++] !== 0));
}

function readBatch({ token, entries: list }: StoredBatch): Batch {
  const { entries, unreadable } = readEntries(list);
  return { token, entries, ...(unreadable.length > 0 && { unreadable }) };
}

type Ask = <Name extends CallName>(name: Name, input: Calls[Name][0]) => Promise<Calls[Name][1]>;

/** Starts the thread that owns the file. All calls to it fail once the thread has ended. */
async function openThread({ path, behind = BEHIND }: { path: string; behind?: number }) {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: { path, idBytes: bytesFor('ids'), behind } satisfies Opening,
    resourceLimits: { maxYoungGenerationSizeMb: 6 }, // with V8's default, the idle thread takes 14 MB more
  });
  const asked = new Map<number, { resolve: (output: unknown) => void; reject: (cause: unknown) => void }>();
  let lastId = 0;
  let brokenBy: unknown;
  const started = await firstAnswer(worker, path);

  worker.on('message', (answer: Answer) => {
    const call = asked.get(answer.id);
    asked.delete(answer.id);
    if ('error' in answer) call?.reject(new Unavailable('queue', new Error(answer.error)));
    else call?.resolve(answer.output);
  });
  const breakAll = (cause: unknown) => {
    brokenBy ??= cause;
    for (const { reject } of asked.values()) reject(new Unavailable('queue', brokenBy));
    asked.clear();
  };
  worker.on('error', breakAll);
  worker.on('exit', () => breakAll(new Error('The queue is closed.')));

  const ask: Ask = (name, input) => {
    if (brokenBy !== undefined) return Promise.reject(new Unavailable('queue', brokenBy));
    return new Promise((resolve, reject) => {
      const id = (lastId += 1);
      asked.set(id, { resolve: resolve as (output: unknown) => void, reject });
      worker.postMessage({ id, name, input } satisfies Request);
    });
  };
  return { worker, ask, started, isBroken: () => brokenBy !== undefined };
}

async function* readContents(ask: Ask): ReturnType<Queue['contents']> {
  // Entries that are appended from now on are left out. The usual lane comes first: it has the older events of busy sites.
  const newest = await ask('newest', undefined);
  for (const lane of ['waiting', 'held'] as const)
    for (let after = 0; ;) {
      const page = await ask('waiting', { lane, after, upTo: newest[lane], limit: PAGE });
      if (!page) break;
      const { entries, unreadable } = readEntries(page.entries);
      yield { waiting: entries, buried: unreadable.map(buriedOf) };
      after = page.last;
    }
  for (let after = ''; ;) {
    const rows = await ask('buried', { after, limit: PAGE });
    const last = rows.at(-1);
    if (!last) return;
    const buried = rows.map(({ entry, reason, at }) => ({ entry: readEntry(entry), reason, at }));
    yield { waiting: [], buried };
    after = last.id;
  }
}

/** Rejects if the disk does not answer in time. */
async function inTime(answer: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const tooLate = new Unavailable('queue', new Error('The disk does not answer.'));
    timer = setTimeout(() => reject(tooLate), PING_WITHIN_MS);
  });
  await Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

function checkId({ event_id }: Recorded): void {
  if (!/^[0-9a-f]{16}$/.test(event_id)) throw new TypeError('An event_id is 16 hex digits.');
}

/** Resolves to the worker's first message. Rejects when the worker cannot open the file. */
async function firstAnswer(worker: Worker, path: string): Promise<Started> {
  try {
    const [{ output }] = (await once(worker, 'message')) as [{ output: Started }];
    return output;
  } catch (cause) {
    const isLocked = /locked|busy/.test(String(cause));
    throw new Error(
      isLocked
        ? `Another process uses the queue ${path}: one process at a time may open a data folder.`
        : `The queue ${path} cannot be opened: ${cause instanceof Error ? cause.message : String(cause)}.`,
      { cause },
    );
  }
}

/** Tracks whether there may be something to read, and wakes the callers that wait for it. */
function trackPresence(present: boolean): {
  set(present: boolean): void;
  wait(timeoutMs: number, signal: AbortSignal): Promise<void>;
} {
  const waiters = new Set<() => void>();
  return {
    set(next) {
      present = next;
      if (present) for (const wake of waiters) wake();
    },
    wait(timeoutMs, signal) {
      if (present || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          waiters.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, timeoutMs);
        signal.addEventListener('abort', wake);
        waiters.add(wake);
      });
    },
  };
}
