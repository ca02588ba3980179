// Applies what changed in an answer: see server/live/answer-differences.ts.
import type { Difference, Json } from '../../../server/live/answer-differences.ts';

/** The new answer. The old one stays as it is. */
export function withDifference(before: Json | undefined, difference: Difference): Json {
  if (Array.isArray(difference)) {
    if (difference.length === 1) return difference[0];
    const old = before as Json[];
    return difference[1].flatMap((item): Json[] => {
      if (item.length === 1) return [item[0]];
      const [from, change] = item;
      return typeof change === 'number' ? old.slice(from, from + change) : [withDifference(old[from], change)];
    });
  }
  const fields = new Map(Object.entries(before as { [key: string]: Json }));
  for (const [key, change] of Object.entries(difference))
    if (change === 0) fields.delete(key);
    else fields.set(key, withDifference(fields.get(key), change));
  return Object.fromEntries(fields);
}
