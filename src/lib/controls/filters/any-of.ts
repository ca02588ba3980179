// The values of a filter in words.
import { t } from '../../../../server/vocabulary/habits/messages.ts';

/** `Germany or France`. */
export const anyOf = ([first = '', ...others]: readonly string[]): string =>
  others.reduce((one, other) => t('{one} or {other}', { one, other }), first);
