// The young generation of V8's heap. All start commands limit its halves to 16 MB (`--max-semi-space-size`): V8's default of 64 costs 75 MB of
// memory more, and 5 % more CPU per hit, since it does not fit into the processor's cache.
import { setFlagsFromString } from 'node:v8';

const MB = 1024 * 1024;
/** V8 reserves the two halves, and a third for large objects. */
const HALVES = 3;
const DEFAULT_MB = '64';

/** The bytes of V8's heap limit that are the main thread's young generation. */
export function youngGenerationBytes(): number {
  const [, megabytes = DEFAULT_MB] = /--max-semi-space-size=(\d+)/.exec(process.execArgv.join(' ')) ?? [];
  return HALVES * Number(megabytes) * MB;
}

/**
 * TRICKY: the flag of the command line replaces the `resourceLimits` of threads, too, which are much smaller. V8 has read it for the main
 * thread by now, and zero means that it is not set.
 */
export function keepHeapLimitsOfThreads(): void {
  setFlagsFromString('--max-semi-space-size=0');
}

/** Twice what is in use, in per cent on top. By itself, V8 lets the heap of a busy server grow to four times that. */
const GROWING_PERCENT = 100;
/** For how many the heap is kept small. */
let running = 0;

/** Collects garbage sooner from now on. */
export function keepHeapSmall(): void {
  running += 1;
  setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`);
}

/** Collects garbage sooner while rows are moved by the million: they would fill the heap with 150 MB more. */
export async function withSmallHeap<Value>(work: () => Promise<Value>): Promise<Value> {
  keepHeapSmall();
  try {
    return await work();
  } finally {
    running -= 1;
    if (running === 0) setFlagsFromString('--heap-growing-percent=0'); // V8's default
  }
}
