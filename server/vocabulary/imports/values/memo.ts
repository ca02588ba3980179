const MOST = 2_000;

/** Remembers what a reader of texts returned: columns of an export repeat few values. Bounded, since a hostile one does not. */
export function remember<Value>(read: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined || known.has(text)) return before as Value;
    // TRICKY: a text that was cut from a part of the file keeps the whole part in memory, so that a copy is remembered.
    const copy = ` ${text}`.slice(1);
    const value = read(copy);
    if (known.size === MOST) known.clear();
    known.set(copy, value);
    return value;
  };
}
