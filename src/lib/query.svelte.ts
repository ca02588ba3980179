// A question that is asked again whenever what it depends on changes. Old numbers stay until new ones are there: nothing flickers.
import { untrack } from 'svelte';
import { invalidate } from '$app/navigation';
import { isSignedOut, isUnreachable, problem } from './trpc';

export type Ask<O> = {
  /** The same key is the same question. */
  key: string;
  /** An answer of another scope is not shown meanwhile: another site, another list. */
  scope: string;
  run: (signal: AbortSignal) => Promise<O>;
};

/** From one refresh of a live answer to the next, and half as long again as the last answer took: a large site is not asked without end. */
const REST_MS = 300;
/** From one try to the next while nothing answers. */
const UNREACHABLE_MS = 5000;

export class Query<O> {
  data = $state.raw<O>();
  error = $state<string>();
  /** Asked anew, and the answer shown is still of the question before. */
  isStale = $state(false);
  /** The server did not answer at all, and the answer shown is older than what is asked. */
  isUnreachable = $state(false);
  /** When the answer shown came. */
  answeredAt = $state(0);

  #ask: Ask<O> | undefined;
  #flight: AbortController | undefined;
  #startedAt = 0;
  #tookMs = 0;
  #isDirty = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** To be made while a component is set up. `tick` changes when the answer may have. */
  constructor(ask: () => Ask<O> | undefined, tick: () => unknown = () => undefined) {
    let first: unknown = untrack(tick);
    $effect(() => {
      const next = ask();
      untrack(() => this.#change(next));
    });
    $effect(() => {
      const now = tick();
      if (now === first) return;
      first = now;
      untrack(() => this.refresh());
    });
    $effect(() => () => this.#stop());
  }

  get state(): 'loading' | 'failed' | 'ready' {
    if (this.error !== undefined) return 'failed';
    return this.data === undefined ? 'loading' : 'ready';
  }

  retry = (): void => {
    this.error = undefined;
    this.#start();
  };

  /** Asks again in the background; as often as the answers allow, and never twice at a time. */
  refresh(): void {
    if (!this.#ask) return;
    if (this.#flight) {
      this.#isDirty = true;
      return;
    }
    clearTimeout(this.#timer);
    const wait = this.#startedAt + Math.max(REST_MS, 1.5 * this.#tookMs) - performance.now();
    if (wait > 0) this.#timer = setTimeout(() => this.#start(), wait);
    else this.#start();
  }

  #change(next: Ask<O> | undefined): void {
    if (next?.key === this.#ask?.key) return;
    const isOtherScope = next?.scope !== this.#ask?.scope;
    this.#stop();
    this.#ask = next;
    this.error = undefined;
    if (isOtherScope) this.data = undefined;
    this.isStale = this.data !== undefined;
    if (next) this.#start();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#flight?.abort();
    this.#flight = undefined;
    this.#isDirty = false;
  }

  #start(): void {
    const ask = this.#ask;
    if (!ask) return;
    clearTimeout(this.#timer);
    const flight = new AbortController();
    this.#flight = flight;
    this.#isDirty = false;
    this.#startedAt = performance.now();
    ask
      .run(flight.signal)
      .then(
        (data) => {
          if (this.#flight !== flight) return;
          this.data = data;
          this.error = undefined;
          this.isStale = false;
          this.isUnreachable = false;
          this.answeredAt = Date.now();
        },
        (error: unknown) => {
          // Logged out elsewhere, or too long ago: the layout asks who is here, and leads to the login.
          if (isSignedOut(error)) void invalidate('footfall:session');
          // A refresh that fails leaves the last good answer; the connection's own state tells the rest.
          if (this.#flight !== flight) return;
          this.isUnreachable = isUnreachable(error);
          // So do the last numbers where nothing can be asked: they are old, and better than none.
          if (this.data !== undefined && (!this.isStale || this.isUnreachable)) {
            if (this.isUnreachable) this.#timer = setTimeout(() => this.#start(), UNREACHABLE_MS);
            return;
          }
          this.data = undefined;
          this.isStale = false;
          this.error = problem(error);
        },
      )
      .finally(() => {
        if (this.#flight !== flight) return;
        this.#flight = undefined;
        this.#tookMs = performance.now() - this.#startedAt;
        if (this.#isDirty) this.refresh();
      });
  }
}
