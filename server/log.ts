// Structured logs, one JSON object a line. They hold no addresses, no user agents, no keys: callers pass ids and causes only.
import pino, { type DestinationStream, type Logger } from 'pino';

export type Log = Pick<Logger, 'error' | 'warn' | 'info' | 'debug'>;

/** To stdout, where nothing else is said. */
export function openLog(level: string, destination: DestinationStream = pino.destination(1)): Log {
  const options = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: pino.stdSerializers.err },
  };
  return pino(options, destination);
}
