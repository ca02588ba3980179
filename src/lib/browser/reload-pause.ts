// How long a tab waits before it reloads by itself once more. Servers of two versions beside each other could otherwise make it reload for
// ever. It is kept in the tab's own storage, so that it survives the reload.

type Reload = { at: number; pauseMs: number };

const KEY = 'footfall.reloaded';
const SHORTEST_MS = 60_000;
/** After some hours of an unfinished update, a wall still tries this often. */
const LONGEST_MS = 3_600_000;

/** The reload to be remembered if the tab may reload now: each pause is twice the last, unless that was long ago. */
export function nextReload(now: number): Reload | undefined {
  const last = recall();
  if (!last || last.at > now) return { at: now, pauseMs: SHORTEST_MS }; // or the clock was set back
  const sinceMs = now - last.at;
  if (sinceMs < last.pauseMs) return undefined;
  const isLongAgo = sinceMs >= 2 * LONGEST_MS;
  return { at: now, pauseMs: isLongAgo ? SHORTEST_MS : Math.min(LONGEST_MS, 2 * last.pauseMs) };
}

/** Returns false if this browser keeps nothing: the tab then must not reload by itself. */
export function rememberReload(reload: Reload): boolean {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(reload));
    return true;
  } catch {
    return false;
  }
}

function recall(): Reload | undefined {
  try {
    const { at, pauseMs } = JSON.parse(sessionStorage.getItem(KEY) ?? '') as Partial<Reload>;
    return typeof at === 'number' && typeof pauseMs === 'number' ? { at, pauseMs } : undefined;
  } catch {
    return undefined;
  }
}
