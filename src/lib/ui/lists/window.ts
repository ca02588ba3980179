// The rows of a long list that are rendered: those in view, and the one with the focus. Gaps take the place of the others.

type Viewport = {
  /** How far the list has been scrolled past its first row, in pixels. */
  scrolled: number;
  height: number;
  rowHeight: number;
  total: number;
  /** Rows rendered above and below the visible ones, so that none is missing while the list scrolls. */
  around?: number;
};
/** `to` is excluded. */
export type Span = { from: number; to: number };

export function spanInView({ scrolled, height, rowHeight, total, around = 8 }: Viewport): Span {
  const first = Math.floor(scrolled / rowHeight) - around;
  const last = Math.ceil((scrolled + height) / rowHeight) + around;
  const to = Math.min(total, Math.max(0, last));
  return { from: Math.min(Math.max(0, first), to), to };
}

/** A row by its index, or `gap` rows that are not rendered. `at` is the index of the first of them. */
type Part = { at: number; gap?: number };

/** The rows of `kept`, in order, are rendered even if they are out of view: a removed row would lose the focus. */
export function partsOf({ from, to }: Span, total: number, kept: readonly number[]): Part[] {
  const rows = [
    ...kept.filter((at) => at >= 0 && at < from),
    ...Array.from({ length: to - from }, (_, index) => from + index),
    ...kept.filter((at) => at >= to && at < total),
  ];
  const parts: Part[] = [];
  let next = 0;
  for (const at of [...rows, total]) {
    if (at > next) parts.push({ at: next, gap: at - next });
    if (at < total) parts.push({ at });
    next = at + 1;
  }
  return parts;
}

/** The numbers of the pages that hold these rows, from 1. */
export function pagesOf({ from, to }: Span, perPage: number): number[] {
  const first = Math.floor(from / perPage);
  const last = Math.floor(Math.max(from, to - 1) / perPage);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index + 1);
}
