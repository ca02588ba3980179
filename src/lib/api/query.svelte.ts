// A query that runs again whenever its dependencies change. The old answer stays until the new one arrives, so nothing flickers.
import { untrack } from 'svelte';
import { invalidate } from '$app/navigation';
import { type PageQuery, pageQueries, following } from './page-queries';
import { isSignedOut, isUnreachable, problem } from './client';
import { whenShown } from './when-shown';

export type Ask<O> = {
  /** Queries with the same key are the same question. */
  key: string;
  /** While loading, an answer from another scope (another site or list) is not shown. */
  scope: string;
  run: (signal: AbortSignal) => Promise<O>;
};

/** The shortest time between two refreshes; it is at least 1.5 times as long as the last answer took, to spare large sites. */
const REST_MS = 300;
/** The same for questions whose answers the socket cannot push, unless somebody has changed something. */
const OTHERS_MS = 3000;
/** The time between attempts while the server cannot be reached. */
const UNREACHABLE_MS = 5000;

/** How many questions wait for their first answer. */
let unanswered = $state(0);
/** True while a part of the page has nothing to show yet, or shows the answer to an earlier question. */
export const isAnyUnanswered = (): boolean => unanswered > 0;

export class Query<O> {
  data = $state.raw<O>();
  error = $state<string>();
  /** The server could not be reached, so the answer shown may be old. */
  isUnreachable = $state(false);
  /** When the answer shown arrived. */
  answeredAt = $state(0);

  /** The key of the question that `data` answers. */
  #answered = $state.raw<string>();
  #next: () => Ask<O> | undefined = () => undefined;
  /** The answer shown belongs to the previous question. True from the moment of the change, before the new one is asked. */
  readonly isStale = $derived(this.data !== undefined && this.#next()?.key !== this.#answered);

  #ask: Ask<O> | undefined;
  #flight: AbortController | undefined;
  /** Aborted when the answer is replaced, or nobody shows it any more. */
  #shown: AbortController | undefined;
  #pageQuery: PageQuery | undefined;
  /** The server itself must answer: something else than new events may have changed the answer. */
  #mustAsk = false;
  #startedAt = 0;
  #tookMs = 0;
  #isDirty = false;
  /** Cancels the next refresh. */
  #cancel: (() => void) | undefined;

  /** Call it while a component is being set up. A new `tick` means that the answer may have changed; undefined, that nobody is looking. */
  constructor(ask: () => Ask<O> | undefined, tick: () => unknown = () => undefined) {
    let first: unknown = untrack(tick);
    this.#next = ask;
    // Before those of the parts inside: what a page asks first is answered first.
    $effect.pre(() => {
      const next = ask();
      untrack(() => this.#change(next));
    });
    $effect(() => {
      const now = tick();
      if (now === undefined || now === first) return;
      first = now;
      untrack(() => {
        if (following.changedAt > this.#startedAt) this.refresh();
        else if (!this.#pageQuery?.isFollowed) this.#refresh();
      });
    });
    $effect(() => () => this.#stop());
  }

  get state(): 'loading' | 'failed' | 'ready' {
    if (this.error !== undefined) return 'failed';
    return this.data === undefined ? 'loading' : 'ready';
  }

  /** Updates the shown answer after a change on the server, without asking again. */
  put(change: (data: O) => O): void {
    if (this.data !== undefined) this.data = change(this.data);
  }

  retry = (): void => {
    this.error = undefined;
    this.#start();
  };

  /** Refreshes without showing that it loads, never twice at a time, and not before the page is shown. */
  refresh(): void {
    this.#mustAsk = true;
    this.#refresh();
  }

  #refresh(): void {
    if (!this.#ask) return;
    if (this.#flight) {
      this.#isDirty = true;
      return;
    }
    const restMs = this.#pageQuery?.mayFollow === false && !this.#mustAsk ? OTHERS_MS : REST_MS;
    this.#startAfter(this.#startedAt + Math.max(restMs, 1.5 * this.#tookMs) - performance.now());
  }

  #startAfter(ms: number): void {
    this.#cancel?.();
    this.#cancel = whenShown(() => this.#start(), ms);
  }

  #change(next: Ask<O> | undefined): void {
    if (next?.key === this.#ask?.key) return;
    const isOtherScope = next?.scope !== this.#ask?.scope;
    this.#stop();
    this.#ask = next;
    this.error = undefined;
    if (isOtherScope) this.data = undefined;
    if (next) this.#start();
  }

  #stop(): void {
    this.#cancel?.();
    this.#shown?.abort();
    this.#flight = undefined;
    this.#pageQuery = undefined;
    this.#isDirty = false;
  }

  #start(): void {
    const ask = this.#ask;
    if (!ask) return;
    this.#cancel?.();
    const flight = new AbortController();
    const before = this.#shown;
    this.#flight = this.#shown = flight;
    const isFirst = this.data === undefined || this.isStale;
    if (isFirst) unanswered += 1;
    const pageQuery: PageQuery = {
      isAgain: !isFirst && !this.#mustAsk,
      isFollowed: false,
      again: () => {
        if (this.#pageQuery !== pageQuery) return; // it shows the answer to another question by now
        if (this.#flight) this.#isDirty = true;
        else if (pageQuery.isFollowed) this.#start();
        else this.#startAfter(0);
      },
    };
    this.#pageQuery = pageQuery;
    pageQueries.set(flight.signal, pageQuery);
    this.#mustAsk = false;
    this.#isDirty = false;
    this.#startedAt = performance.now();
    ask
      .run(flight.signal)
      .then(
        (data) => {
          if (this.#flight !== flight) return;
          this.data = data;
          this.#answered = ask.key;
          this.error = undefined;
          this.isUnreachable = false;
          this.answeredAt = Date.now();
        },
        (error: unknown) => {
          // The session has ended: the layout checks it and leads to the login.
          if (isSignedOut(error)) void invalidate('footfall:session');
          // A failed refresh keeps the last good answer. `isUnreachable` says that it may be old.
          if (this.#flight !== flight) return;
          this.isUnreachable = isUnreachable(error);
          // If the server cannot be reached, even an answer to the previous question stays: old numbers are better than none.
          if (this.data !== undefined && (!this.isStale || this.isUnreachable)) {
            if (this.isUnreachable) this.#startAfter(UNREACHABLE_MS);
            return;
          }
          this.data = undefined;
          this.error = problem(error);
        },
      )
      .finally(() => {
        if (isFirst) unanswered -= 1;
        if (this.#flight !== flight) return;
        this.#flight = undefined;
        this.#tookMs = performance.now() - this.#startedAt;
        if (this.#isDirty) this.#refresh();
      });
    before?.abort();
  }
}
