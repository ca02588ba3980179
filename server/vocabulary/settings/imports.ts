// Imports of what other products counted, for the server and the dashboard.

/** Rows that are sent at once. */
export const MAX_PART_ROWS = 2_000;
/** Of the labels in one part: with the numbers, a part stays within MAX_PART_BYTES. */
export const MAX_PART_CHARACTERS = 300_000;
/** Of a request that brings a part. */
export const MAX_PART_BYTES = 2 * 1024 * 1024;
/** Imports of a site. */
export const MAX_IMPORTS = 100;
/** Of a name, such as that of a browser or a campaign. */
export const MAX_IMPORTED_NAME = 255;
/** Of an address in an access log: that of a host whose name the server looked up. */
export const MAX_LOGGED_ADDRESS = 253;
/** No product for websites has counted before. */
export const EARLIEST_IMPORT = '1995-01-01';
/** Far above any website, and small enough that sums of them stay exact. */
export const MAX_IMPORTED_COUNT = 1_000_000_000_000;

/** Null: there are page views without a single visitor, so the other product did not tell how many there were. */
export const toldVisitors = ({ pageviews, visitors }: { pageviews: number; visitors: number }): number | null =>
  pageviews > 0 && visitors === 0 ? null : visitors;

/** `reading`: its parts are arriving, and count nowhere. `publishing`: all have come, and begin to count. */
export type ImportState = 'reading' | 'publishing' | 'done' | 'removing';
