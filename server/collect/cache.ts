// A bounded cache for pure functions. Traffic repeats the same user agents and referrers, and a lookup is cheaper than parsing them again.
import { bytesOfText, createBoundedMap } from '../process/bounded-memory.ts';

/** Size of a cached answer, without the parts of its key that it refers to. */
const ANSWER_BYTES = 400;

/**
 * Wraps `compute` in a cache of at most `maxBytes`. `compute` must be pure. Callers share its answers, so an answer must be frozen or never
 * changed.
 */
export function remember<Answer>(compute: (key: string) => Answer, maxBytes: number): (key: string) => Answer {
  const answers = createBoundedMap<{ answer: Answer; bytes: number }>(maxBytes, ({ bytes }) => bytes);
  return (key) => {
    const known = answers.get(key);
    if (known) return known.answer;
    const answer = compute(key);
    answers.set(key, { answer, bytes: ANSWER_BYTES + bytesOfText(key) });
    return answer;
  };
}
