// What viewers may see: people with a share link, readers of reports without an account, and members of sites that show small numbers to admins
// alone. See docs/privacy.md.
import { t } from '../habits/messages.ts';

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
export const roundedFor = (fewest = FEWEST): string =>
  t(
    'Rounded for privacy: narrowed numbers are off by at most {most} visitors, and those of fewer than {fewest} are left out.',
    { most: MOST_CHANGE, fewest },
  );
/** What stands for a number of fewer visitors. */
export const tooFew = (): string => t('fewer than {fewest}', { fewest: FEWEST });
