// The order of texts wherever one answer must be the same everywhere: by code units, in no language's order.

/** Compares two texts for `sort`. */
export const byText = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
