// Exports of a site or of an account, for the server and the dashboard.
import { DAY_MS } from '../time/time.ts';

/** `open`: tables for people and other programs. `sealed`: everything, encrypted for another Footfall. */
export const EXPORT_KINDS = ['open', 'sealed'] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];
/** `failed`: it was tried several times. */
export type ExportState = 'waiting' | 'making' | 'ready' | 'failed';
/** How long a file is kept once it is ready. */
export const EXPORT_KEPT_MS = DAY_MS;
/** Exports of an account at a time. */
export const MAX_EXPORTS = 5;
