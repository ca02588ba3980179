// What a viewer may see in place of a number that was changed by its cell key.
import { FEWEST, MOST_CHANGE } from '../../../server/vocabulary/settings/privacy.ts';

/**
 * Matches what a count of so many visitors may become: what at most `MOST_CHANGE` of them did is added or taken, never below `FEWEST`, and a
 * count of `FEWEST` stays as it is.
 */
export const about = (count: number, visitors = count): number => {
  const most = Math.round(Math.min(MOST_CHANGE, visitors - FEWEST, count - FEWEST) * Math.max(1, count / visitors));
  const matcher = {
    asymmetricMatch: (shown: unknown) => typeof shown === 'number' && Math.abs(shown - count) <= most,
    toString: () => `about ${count}`,
    toAsymmetricMatcher: () => `about ${count}`,
  };
  return matcher as unknown as number; // so that it stands where the number would
};
