// What this browser remembers from one visit to the next. Without storage it remembers nothing, and nothing breaks.

export function recall(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The next visit begins as the first one did.
  }
}
