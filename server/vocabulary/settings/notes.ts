// Limits of notes: short texts that people write on a day of a site.

/** In UTF-16 units. */
export const MAX_NOTE = 140;
/** Notes that a site can have. */
export const MAX_NOTES = 500;
