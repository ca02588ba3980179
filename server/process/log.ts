// Structured logs, one JSON object per line. They hold no addresses, user agents or keys: callers pass only ids and causes.
import pino, { type DestinationStream, type Logger } from 'pino';

export type Log = Pick<Logger, 'error' | 'warn' | 'info' | 'debug'>;

/** Logs to stdout by default. */
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
