// The engine catches fatal signals, and its handler blocks for minutes: a process that was out of memory hung for 305 s. With the default
// action, the process ends at once, and the server starts another.
export const FATAL_SIGNALS = ['SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSEGV', 'SIGSYS', 'SIGTRAP'] as const;

/** Call after the first session: it starts the engine, which installs its handlers. Later sessions install none. */
export function restoreFatalSignals(): void {
  for (const signal of FATAL_SIGNALS) {
    const listener = () => undefined;
    process.on(signal, listener);
    process.off(signal, listener); // libuv restores the default action when a signal's last listener leaves
  }
}
