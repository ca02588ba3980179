// The questions whose answers the socket pushes: the whole answer once, and then what has changed in it. A dashboard that misses a change
// asks for the whole again.
import type { OperationResultEnvelope, TRPCClientError } from '@trpc/client';
import { observable } from '@trpc/server/observable';
import type { Socket } from 'socket.io-client';
import type { AppRouter } from '../../../server/api/dashboard/router.ts';
import type { Json } from '../../../server/live/answer-differences.ts';
import type { ClientMessages, Followed, ServerMessages } from '../../../server/live/messages.ts';
import { FOLLOWED } from '../../../server/vocabulary/questions/followed.ts';
import type { AskedPeriod } from '../../../server/vocabulary/time/periods.ts';
import { withDifference } from './answer-changes';
import { type Asked, type PageQuery, pageQueries, following } from '../api/page-queries';
import { whenShown } from '../api/when-shown';
import type { Live } from './live.svelte';
import { includesNow } from '../view/period';

/** A server that does not know of following never answers. */
const ANSWER_MS = 5000;
/** A question that was refused is asked over HTTP for this long. */
const REFUSED_MS = 30_000;
/** Characters of one message and of one question: below the server's limit of 8,192 bytes, and enough for whatever fits into an address. */
const MAX_TEXT = 6000;
const MAX_QUESTIONS = 30;
/** Its day begins last, so that no site's today is taken for the past. */
const LAST_ZONE = 'Etc/GMT+12';

export type LiveSocket = Socket<ServerMessages, ClientMessages>;

type Entry = {
  key: string;
  path: string;
  input: Json;
  size: number;
  topic?: string | undefined;
  number?: number;
  answer?: Json;
  /** It is in the queue, or the server has not said yet whether it can be followed. */
  isAsking: boolean;
  /** Changes arrive. */
  isFollowed: boolean;
  queries: Map<AbortSignal, PageQuery>;
  waiting: ((answer: Json | undefined) => void)[];
};

export type FollowedAnswers = {
  /** It has been asked to push about the site: questions wait for its answer. */
  expect(): void;
  /** The server pushes about the site now. */
  begin(): void;
  /** The server pushes nothing any more. Answers are kept: the server may have the same again. */
  pause(): void;
  close(): void;
};

export function openFollowed(socket: LiveSocket, live: Pick<Live, 'siteId'>): FollowedAnswers {
  const book = openBook();
  const requests = openRequests(socket, begun);
  const drawSoon = openDrawing();

  function answer({ op, next }: Asked) {
    const { path, input, signal } = op;
    const query = signal && pageQueries.get(signal);
    if (!query) return undefined;
    const mayFollow = (FOLLOWED as readonly string[]).includes(path);
    query.mayFollow ||= mayFollow;
    if (requests.isOff() || !query.isAgain || !mayFollow || !isLive(input, live.siteId)) return undefined;
    const entry = book.entryFor(path, input as Json);
    if (!entry) return undefined;
    entry.queries.set(signal, query);
    signal.addEventListener('abort', () => {
      entry.queries.delete(signal);
      setTimeout(() => release(entry)); // whoever asks again does so in the same task
    });
    return observable<OperationResultEnvelope<unknown, TRPCClientError<AppRouter>>, TRPCClientError<AppRouter>>(
      (observer) => {
        void read(entry, query).then((data) => {
          // The socket may have been silent for seconds: the page may be hidden by now.
          if (data === undefined) return whenShown(() => next(op).subscribe(observer), 0);
          observer.next({ result: { data } });
          observer.complete();
        });
      },
    );
  }

  /** Undefined if the socket does not answer. */
  function read(entry: Entry, query: PageQuery): Promise<Json | undefined> {
    if (entry.isFollowed) {
      query.isFollowed = true;
      return Promise.resolve(entry.answer);
    }
    requests.follow(entry);
    return new Promise((resolve) => entry.waiting.push(resolve));
  }

  function begun(entry: Entry, topic: string | null): void {
    entry.isAsking = false;
    if (topic === null) return refuse(entry);
    if (topic === entry.topic)
      deliver(entry, drawSoon); // the server has the same answer, or sends it whole
    else {
      entry.topic = topic;
      delete entry.number;
    }
    release(entry);
  }

  function refuse(entry: Entry): void {
    book.refuse(entry);
    drop(entry, { isAskedAgain: true });
  }

  function release(entry: Entry): void {
    if (entry.queries.size > 0 || entry.isAsking || !book.forget(entry)) return;
    if (entry.topic !== undefined) requests.leave(entry.topic);
  }

  listen(socket, { book, refuse, askAgain: requests.follow, deliver: (entry) => deliver(entry, drawSoon) });
  following.answer = answer;
  const pause = () => {
    requests.pause();
    book.allowRefused();
    for (const entry of book.all()) drop(entry, { isAskedAgain: false });
  };
  return {
    expect: requests.expect,
    begin: requests.begin,
    pause,
    close() {
      pause();
      if (following.answer === answer) following.answer = undefined;
    },
  };
}

function isLive(input: unknown, siteId: string | undefined): boolean {
  const asked = input as AskedPeriod & { site_id: string };
  return asked.site_id === siteId && includesNow(asked, Date.now(), LAST_ZONE);
}

type Book = ReturnType<typeof openBook>;

/** The questions that are followed, with their answers, and those that cannot be. */
function openBook() {
  const entries = new Map<string, Entry>();
  /** Until when a question is not asked for again. */
  const refused = new Map<string, number>();
  return {
    all: () => entries.values(),
    ofTopic: (topic: string) => [...entries.values()].find((entry) => entry.topic === topic),
    /** Undefined if the question cannot be followed. */
    entryFor(path: string, input: Json): Entry | undefined {
      const key = JSON.stringify([path, input]);
      const size = encodeURIComponent(key).length;
      if (size > MAX_TEXT || (refused.get(key) ?? 0) > performance.now()) return undefined;
      const none = { isAsking: false, isFollowed: false, queries: new Map<AbortSignal, PageQuery>(), waiting: [] };
      const entry = entries.get(key) ?? { key, path, input, size, ...none };
      entries.set(key, entry);
      return entry;
    },
    refuse({ key }: Entry): void {
      refused.set(key, performance.now() + REFUSED_MS);
      entries.delete(key);
    },
    allowRefused: () => refused.clear(),
    /** Returns false if it was forgotten before. */
    forget: (entry: Entry) => entries.get(entry.key) === entry && entries.delete(entry.key),
  };
}

/** What the server is asked to follow, and what nobody shows any more, in few messages. `onBegun`: null if it cannot be followed. */
function openRequests(socket: LiveSocket, onBegun: (entry: Entry, topic: string | null) => void) {
  let queue: Entry[] = [];
  /** Topics that nobody shows any more. */
  let left: string[] = [];
  let state: 'off' | 'expected' | 'on' = 'off';
  let isSending = false;
  /** How often the server has stopped pushing: it answers some questions only afterwards. */
  let pauses = 0;

  /** The panels of a page ask in the same task. The server counts messages. */
  function sendSoon(): void {
    if (isSending) return;
    isSending = true;
    setTimeout(sendQueue);
  }

  function sendQueue(): void {
    isSending = false;
    if (state !== 'on') return; // `begin` sends it
    if (left.length > 0) socket.emit('unfollow', left);
    left = [];
    const own = pauses;
    while (queue.length > 0) {
      let size = 0;
      const some = queue.filter(
        (entry, index) => index < MAX_QUESTIONS && (size += entry.size + 100) <= MAX_TEXT + 100,
      );
      queue = queue.filter((entry) => !some.includes(entry));
      const asked = some.map(({ path, input, topic, number }): Followed =>
        topic === undefined || number === undefined ? [path, input] : [path, input, topic, number],
      );
      socket.timeout(ANSWER_MS).emit('follow', asked, (error: Error | null, topics?: (string | null)[]) => {
        if (own === pauses) some.forEach((entry, index) => onBegun(entry, error ? null : (topics?.[index] ?? null)));
      });
    }
  }

  return {
    isOff: () => state === 'off',
    expect(): void {
      if (state === 'off') state = 'expected';
    },
    begin(): void {
      state = 'on';
      sendQueue();
    },
    pause(): void {
      state = 'off';
      pauses += 1;
      queue = [];
      left = [];
    },
    follow(entry: Entry): void {
      if (entry.isAsking) return;
      entry.isAsking = true;
      queue.push(entry);
      sendSoon();
    },
    leave(topic: string): void {
      left.push(topic);
      sendSoon();
    },
  };
}

type Heard = { book: Book } & Record<'refuse' | 'askAgain' | 'deliver', (entry: Entry) => void>;

function listen(socket: LiveSocket, { book, refuse, askAgain, deliver }: Heard): void {
  socket.on('answer', (topic, number, answer) => {
    const entry = book.ofTopic(topic);
    if (!entry || entry.isAsking) return;
    Object.assign(entry, { number, answer });
    deliver(entry);
  });
  socket.on('moved', (topic, number, difference) => {
    const entry = book.ofTopic(topic);
    if (!entry || entry.isAsking || entry.number === undefined) return; // its whole answer is on the way
    if (number !== entry.number + 1) {
      delete entry.number;
      return askAgain(entry);
    }
    Object.assign(entry, { number, answer: withDifference(entry.answer, difference) });
    deliver(entry);
  });
  socket.on('ended', (topics) => {
    for (const topic of topics) {
      const entry = book.ofTopic(topic);
      if (entry && !entry.isAsking) refuse(entry);
    }
  });
}

function deliver(entry: Entry, drawSoon: (query: PageQuery) => void): void {
  entry.isFollowed = true;
  for (const answered of entry.waiting.splice(0)) answered(entry.answer);
  for (const query of entry.queries.values()) {
    if (query.isFollowed) drawSoon(query);
    query.isFollowed = true;
  }
}

/** Its questions are asked over HTTP. */
function drop(entry: Entry, { isAskedAgain }: { isAskedAgain: boolean }): void {
  entry.isFollowed = entry.isAsking = false;
  for (const answered of entry.waiting.splice(0)) answered(undefined);
  for (const query of entry.queries.values()) {
    const wasFollowed = query.isFollowed;
    query.isFollowed = false;
    if (wasFollowed && isAskedAgain) query.again();
  }
}

/** Answers that arrive within a frame are drawn together: drawing each alone would measure the page for each of them. */
function openDrawing(): (query: PageQuery) => void {
  const changed = new Set<PageQuery>();
  return (query) => {
    if (changed.size === 0)
      requestAnimationFrame(() => {
        const all = [...changed];
        changed.clear();
        for (const one of all) one.again();
      });
    changed.add(query);
  };
}
