// How much a text is like each of the texts that are known: the more words they share that few others have, the more (TF-IDF).

/** How often each word is in a text. Names are split into theirs. */
function wordsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.matchAll(/[A-Z]?[a-z]{2,}|[A-Z]{3,}/g)) {
    const plain = word.toLowerCase().replace(/(es|s|ed|ing)$/, '');
    counts.set(plain, (counts.get(plain) ?? 0) + 1);
  }
  return counts;
}

/** `known` are texts by name. The function that is returned gives a number from 0 to 1. */
export function openLikeness(known: ReadonlyMap<string, string>): (text: string) => (name: string) => number {
  const words = new Map([...known].map(([name, text]) => [name, wordsOf(text)]));
  const holders = new Map<string, number>();
  for (const each of words.values()) for (const word of each.keys()) holders.set(word, (holders.get(word) ?? 0) + 1);
  const weigh = (counts: Map<string, number>) => {
    const rarity = (word: string) => Math.log(known.size / (holders.get(word) ?? known.size));
    const weights = new Map([...counts].map(([word, count]) => [word, (1 + Math.log(count)) * rarity(word)]));
    return { weights, length: Math.hypot(...weights.values()) };
  };
  const weighed = new Map([...words].map(([name, each]) => [name, weigh(each)]));
  return (text) => {
    const one = weigh(wordsOf(text));
    return (name) => {
      const other = weighed.get(name);
      const shared = [...one.weights].reduce(
        (sum, [word, weight]) => sum + weight * (other?.weights.get(word) ?? 0),
        0,
      );
      return shared / (one.length * Math.sqrt(other?.length ?? 0) || 1);
    };
  };
}
