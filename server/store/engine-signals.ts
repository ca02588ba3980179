// The engine catches fatal signals, and its handler waits for a thread that only ClickHouse's server has. A process that was out of memory
// hung in it for 305 s, in one case with a lock of V8 that the watchdog needed. With the default action, the process ends at once.

export const FATAL_SIGNALS = ['SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSEGV', 'SIGSYS', 'SIGTRAP'] as const;

/** Call after the first connection: it starts the engine, which installs its handlers. Later connections install none. */
export function restoreFatalSignals(): void {
  for (const signal of FATAL_SIGNALS) {
    const listener = () => undefined;
    process.on(signal, listener);
    process.off(signal, listener); // libuv restores the default action when a signal's last listener leaves
  }
}
