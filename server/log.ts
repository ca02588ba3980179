// Structured logs, one JSON object a line. They hold no addresses, no user agents, no keys: callers pass ids and causes only.
import pino, { type Logger } from 'pino';

export type Log = Pick<Logger, 'error' | 'warn' | 'info' | 'debug'>;

export function openLog(level: string): Log {
  return pino({
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { error: pino.stdSerializers.err },
  });
}
