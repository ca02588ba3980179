// The thread that watches: it shares two numbers with the main one, and asks nothing of it.
import { write } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { openLog } from './log.ts';
import { createJudge, PHASES, type WatchdogData } from './watchdog.ts';

/** A log that nobody reads any more must not keep the process alive. */
const SAY_WITHIN_MS = 200;
const STDOUT = 1;

const { beats, phase, patience, logLevel } = workerData as WatchdogData;
const judge = createJudge(patience);
const end = () => process.kill(process.pid, 'SIGKILL');
// A worker's own stdout goes through the main thread, which is what hangs.
const log = openLog(logLevel, { write: (line: string) => write(STDOUT, line, end) });

const timer = setInterval(() => {
  const why = judge(PHASES[Atomics.load(phase, 0)] ?? 'running', Atomics.load(beats, 0));
  if (why === undefined) return;
  clearInterval(timer);
  setTimeout(end, SAY_WITHIN_MS);
  log.error(why);
}, patience.tickMs);
