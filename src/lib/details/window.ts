// The rows of a long list that are rendered: those in view, and the one with the focus. Gaps take the place of the others.

/** Rows rendered above and below the visible ones, so that none is missing while the list scrolls. */
const AROUND = 8;

type Viewport = {
  /** How far the list has been scrolled past its first row, in pixels. */
  scrolled: number;
  height: number;
  rowHeight: number;
  total: number;
};
/** `to` is excluded. */
export type Span = { from: number; to: number };

export function spanInView({ scrolled, height, rowHeight, total }: Viewport): Span {
  const first = Math.floor(scrolled / rowHeight) - AROUND;
  const last = Math.ceil((scrolled + height) / rowHeight) + AROUND;
  const to = Math.min(total, Math.max(0, last));
  return { from: Math.min(Math.max(0, first), to), to };
}

/** A row by its index, or `gap` rows that are not rendered. `at` is the index of the first of them. */
export type Part = { at: number; gap?: number };

/** `kept` is rendered even if it is out of view: a removed row would lose the focus. */
export function partsOf({ from, to }: Span, total: number, kept: number): Part[] {
  const rows = Array.from({ length: to - from }, (_, index) => from + index);
  if (kept < from) rows.unshift(kept);
  if (kept >= to && kept < total) rows.push(kept);
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
