// The watchdog's thread. It only reads memory that it shares with the main thread, so it works while that hangs.
import { write } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { openLog } from './log.ts';
import { createJudge, PHASES, type WatchdogData } from './watchdog.ts';

/** Time to write the log line. If stdout is blocked, the process is killed without it. */
const LOG_WITHIN_MS = 200;
const STDOUT = 1;

const { beats, phase, patience, logLevel } = workerData as WatchdogData;
const judge = createJudge(patience);
const end = () => process.kill(process.pid, 'SIGKILL');
// Writes to the file descriptor, because a worker's `process.stdout` goes through the main thread, which hangs.
const log = openLog(logLevel, { write: (line: string) => write(STDOUT, line, end) });

const timer = setInterval(() => {
  const why = judge(PHASES[Atomics.load(phase, 0)] ?? 'running', Atomics.load(beats, 0));
  if (why === undefined) return;
  clearInterval(timer);
  setTimeout(end, LOG_WITHIN_MS);
  log.error(why);
}, patience.tickMs);
