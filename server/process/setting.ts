// Shared by every part of the app: the configuration, the log and the clock.
import type { Config } from '../config.ts';
import type { Log } from './log.ts';
import type { SecurityLog } from './security-log.ts';

export type Setting = { config: Config; security: SecurityLog; now(): number; log: Log };

/** Logs a failure that the next event or the next run of a job makes up for. */
export const warnStale = (log: Log, what: string) => (error: unknown) => log.warn({ error }, `${what}: not updated`);
