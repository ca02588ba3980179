// Values kept in this browser between visits. Without storage nothing is kept, and nothing breaks.

export function recall(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for what is no JSON, too. */
export function recallJson<Value>(key: string): Value | undefined {
  try {
    return JSON.parse(recall(key) ?? '') as Value;
  } catch {
    return undefined;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The value is not kept; the next visit starts with the default.
  }
}
