// The engine catches fatal signals, and its handler blocks for minutes: a process that was out of memory hung for 305 s. If its thread then
// holds a lock of V8, the watchdog may wait for the same lock. With the default action, the process ends at once.
import { writeFileSync } from 'node:fs';

export const FATAL_SIGNALS = ['SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSEGV', 'SIGSYS', 'SIGTRAP'] as const;

/** Call after the first connection: it starts the engine, which installs its handlers. Later connections install none. */
export function restoreFatalSignals(): void {
  keepMemoryOutOfDumps();
  for (const signal of FATAL_SIGNALS) {
    const listener = () => undefined;
    process.on(signal, listener);
    process.off(signal, listener); // libuv restores the default action when a signal's last listener leaves
  }
}

/** The default action may write a core dump. Visitors' addresses are in memory, and must not get into a file. */
function keepMemoryOutOfDumps(): void {
  try {
    writeFileSync('/proc/self/coredump_filter', '0');
  } catch {
    // Only Linux has this file. Other systems write no dumps unless the operator allows them.
  }
}
