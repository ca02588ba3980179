// What viewers may see: people with a share link, readers of reports without an account, and members of sites that show small numbers to admins
// alone. See docs/privacy.md.

/** With this query, the tracker's address gives the box with which visitors leave themselves out. */
export const OPT_OUT_QUERY = '?opt-out';
/** With this one, the script that measures how fast pages are. */
export const VITALS_QUERY = '?vitals';
/** And with this one, the script that tells of errors. */
export const ERRORS_QUERY = '?errors';

/** The fewest visitors behind a number that viewers see narrowed, or see move. */
export const FEWEST = 3;
/** A narrowed number that viewers see is changed by at most so many visitors, or by what so many did on average. */
export const MOST_CHANGE = 2;
/** Said where narrowed numbers are shown. */
export const roundedFor = (fewest: number): string =>
  `Rounded for privacy: narrowed numbers are off by at most ${MOST_CHANGE} visitors, and those of fewer than ${fewest} are left out.`;
export const ROUNDED = roundedFor(FEWEST);
/** What stands for a number of fewer visitors. */
export const TOO_FEW = `fewer than ${FEWEST}`;
