// A bounded memory of pure answers: traffic repeats the same user agents and referrers, parsing them costs more than finding them.
import { bytesOfText, createBoundedMap } from '../bounded-memory.ts';

/** What an answer holds beside pieces of its key. */
const ANSWER_BYTES = 400;

/**
 * `compute` with its answers remembered by a string key, in `maxBytes`; it must be pure, and its answers are shared: freeze or never
 * change them.
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
