// Notes: short texts that people and deployments write on a day of a site.

/** Speed and errors are compared with what was there before a release. */
export const NOTE_KINDS = ['note', 'release'] as const;
export type NoteKind = (typeof NOTE_KINDS)[number];

/** In UTF-16 units. */
export const MAX_NOTE = 140;
/** Notes that a site can have. */
export const MAX_NOTES = 500;
