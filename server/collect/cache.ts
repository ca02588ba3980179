// A bounded memory of pure answers: traffic repeats the same user agents and referrers, parsing them costs more than finding them.
// Two generations stand in for an exact LRU: one Map lookup on a hit, nothing moved, at most 2 × `entries` keys held.

/** `compute` with its answers remembered by a string key; it must be pure, and its answers are shared: freeze or never change them. */
export function remember<Answer>(compute: (key: string) => Answer, entries: number): (key: string) => Answer {
  let young = new Map<string, Answer>();
  let old = new Map<string, Answer>();
  return (key) => {
    const known = young.get(key);
    if (known !== undefined) return known;
    const answer = old.get(key) ?? compute(key);
    if (young.size >= entries) {
      old = young;
      young = new Map();
    }
    young.set(key, answer);
    return answer;
  };
}
