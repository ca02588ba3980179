// The drawings of maps: the world's countries, and each country's regions, which are loaded when somebody opens it.

export type Drawing = {
  width: number;
  height: number;
  /** Code → the path of its outline. */
  outlines: Record<string, string>;
  /** Code → the position of a place that is too small to draw. */
  dots: Record<string, [number, number]>;
  /** Code → the middle of its outline. */
  centres?: Record<string, [number, number]>;
  /** The path of land without a code of its own. */
  rest?: string;
};

const countries = import.meta.glob<{ default: unknown }>('./regions/*.json');

/** Undefined for a country without a drawing. Rejects if the drawing cannot be loaded. */
export async function loadRegions(country: string): Promise<Drawing | undefined> {
  const loaded = await countries[`./regions/${country}.json`]?.();
  return loaded?.default as Drawing | undefined;
}
