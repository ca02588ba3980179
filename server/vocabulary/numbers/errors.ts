// The errors that scripts of a page and their files make in the browsers of visitors.
import { textsOf } from '../habits/messages.ts';
import type { ErrorKind } from '../event.ts';

/** How an error came about, and what the dashboard calls it. */
export const ERRORS = textsOf(['label', 'about'], {
  error: { label: 'Error', about: 'A script stopped, and nothing caught the error.' },
  rejection: { label: 'Rejection', about: 'A promise was rejected, and nothing handled it.' },
  load: { label: 'Not loaded', about: 'A script, a style or a picture of the site could not be loaded.' },
} as const satisfies Record<ErrorKind, { label: string; about: string }>);

export const ERROR_KINDS = Object.keys(ERRORS) as [ErrorKind, ...ErrorKind[]];

/** What a list of errors is sorted by. `name`: the message. */
export const ERROR_ORDERS = ['count', 'visits', 'first_seen', 'last_seen', 'name'] as const;

/** The id of a shape: the errors of a site with the same kind, message and file. */
export const ERROR_SHAPE = /^[0-9a-f]{12}$/;
