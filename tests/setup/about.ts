// What a viewer may see in place of a number that was changed by its cell key.
import { FEWEST, MOST_CHANGE } from '../../server/vocabulary/privacy.ts';

/** Matches what a count may become: at most `MOST_CHANGE` away, never below `FEWEST`, and `FEWEST` itself stays as it is. */
export const about = (count: number): number => {
  const most = Math.min(MOST_CHANGE, count - FEWEST);
  const matcher = {
    asymmetricMatch: (shown: unknown) => typeof shown === 'number' && Math.abs(shown - count) <= most,
    toString: () => `about ${count}`,
    toAsymmetricMatcher: () => `about ${count}`,
  };
  return matcher as unknown as number; // so that it stands where the number would
};
