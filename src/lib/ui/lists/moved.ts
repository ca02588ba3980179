/** Returns the list with one of its members in another place. */
export function moved<One>(all: readonly One[], from: number, to: number): One[] {
  const rest = all.filter((_, index) => index !== from);
  return [...rest.slice(0, to), ...all.slice(from, from + 1), ...rest.slice(to)];
}
