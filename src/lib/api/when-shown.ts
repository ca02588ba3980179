// The one way to ask the server again later: a hidden page asks nothing, and catches up as soon as it is shown.

/** Runs `act` after that time, or when the page is shown again if it is hidden then. Returns what cancels it. */
export function whenShown(act: () => void, afterMs: number): () => void {
  const cancelled = new AbortController();
  const { signal } = cancelled;
  const run = () => {
    if (document.visibilityState !== 'hidden') act();
    // One task later, because other listeners may make the same question due: it is then asked once.
    else document.addEventListener('visibilitychange', () => (timer = setTimeout(run)), { once: true, signal });
  };
  let timer = setTimeout(run, afterMs);
  return () => {
    clearTimeout(timer);
    cancelled.abort();
  };
}

/** Runs `act` again and again while the page is shown. Returns what ends it. */
export function repeatWhileShown(act: () => void, everyMs: number, firstAfterMs = everyMs): () => void {
  const again = () => {
    act();
    end = whenShown(again, everyMs);
  };
  let end = whenShown(again, firstAfterMs);
  return () => end();
}
