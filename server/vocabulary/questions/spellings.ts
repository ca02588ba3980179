// Names of sources that a link's tag made up, and that no list knows: `NoCode`, `nocode` and `Nocode ` are one source. It is stored in lower
// case, and shown as its tag (`utm_source`, which keeps what was sent) is spelled most often.

/** The name under which a source is stored that no list knows. */
export const sourceKey = (name: string): string => name.trim().toLowerCase();

/** The names under which sources may be stored that are shown as `names`: also those of the lists, and of days before names were joined. */
export const storedSources = (names: readonly string[]): string[] => [...new Set([...names, ...names.map(sourceKey)])];

/** Returns how a stored source is shown. `tags`: values of `utm_source`, the most frequent first. */
export function spellingBy(tags: readonly string[]): (stored: string) => string {
  const spellings = new Map<string, string>();
  for (const tag of tags) {
    const key = sourceKey(tag);
    if (!spellings.has(key)) spellings.set(key, tag);
  }
  return (stored) => spellings.get(stored) ?? stored;
}
