// Who asks with a share link, for questions that are not asked over HTTP.
import type { Viewing } from '../../../server/stats/reader.ts';
import { FEWEST } from '../../../server/vocabulary/settings/privacy.ts';

/** `few`: the link shows small numbers. */
export const viewing = (
  { properties = false, few = false }: { properties?: boolean; few?: boolean },
  now: number,
): Viewing => ({
  rule: { properties, fewest: few ? 1 : FEWEST },
  now,
});
