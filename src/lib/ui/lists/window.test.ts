import { describe, expect, it } from 'vitest';
import { pagesOf, partsOf, spanInView } from './window';

const viewport = { height: 400, rowHeight: 40 };

describe('the rows in view', () => {
  it('are those of the viewport and a few around them', () => {
    expect(spanInView({ ...viewport, scrolled: 4000, total: 1000 })).toEqual({ from: 92, to: 118 });
    expect(spanInView({ ...viewport, scrolled: 4000, total: 1000, around: 2 })).toEqual({ from: 98, to: 112 });
    expect(spanInView({ ...viewport, scrolled: -50, total: 1000 })).toEqual({ from: 0, to: 17 });
    expect(spanInView({ ...viewport, scrolled: 4000, total: 5 })).toEqual({ from: 5, to: 5 });
    expect(spanInView({ ...viewport, scrolled: 0, total: 0 })).toEqual({ from: 0, to: 0 });
  });

  it('keep the place of every other row, wherever the focus is', () => {
    const total = 1000;
    for (const scrolled of [0, 37, 4000, 39_600])
      for (const focus of [0, 1, 91, 92, 100, 118, 119, 998, 999]) {
        const kept = [focus - 1, focus, focus + 1];
        const span = spanInView({ ...viewport, scrolled, total });
        const parts = partsOf(span, total, kept);
        let next = 0;
        for (const { at, gap } of parts) {
          expect(at).toBe(next);
          next += gap ?? 1;
        }
        expect(next).toBe(total);
        const rows = parts.filter(({ gap }) => gap === undefined).map(({ at }) => at);
        for (const row of kept) if (row >= 0 && row < total) expect(rows).toContain(row);
        for (let row = span.from; row < span.to; row += 1) expect(rows).toContain(row);
        expect(rows.length).toBeLessThanOrEqual(span.to - span.from + 3);
      }
    expect(partsOf({ from: 0, to: 0 }, 0, [0])).toEqual([]);
  });

  it('are on one page or more', () => {
    expect(pagesOf({ from: 0, to: 17 }, 50)).toEqual([1]);
    expect(pagesOf({ from: 49, to: 51 }, 50)).toEqual([1, 2]);
    expect(pagesOf({ from: 50, to: 100 }, 50)).toEqual([2]);
    expect(pagesOf({ from: 0, to: 0 }, 50)).toEqual([1]);
  });
});
