import { describe, expect, it } from 'vitest';
import { type Branch, type Block, layOut, mainBranch, mainPath, visitsThrough, pathTo } from './layout';

type Given = [parent: number | null, name: string, visits: number, ended: number, other: number];

/** `/` → `/a` → `/b` and `/c`, `/` → `/c` → `/b`. */
const JOURNEY = (
  [
    [null, '/', 100, 20, 10],
    [0, '/a', 40, 5, 5],
    [0, '/c', 30, 20, 0],
    [1, '/b', 20, 0, 0],
    [1, '/c', 10, 0, 0],
    [2, '/b', 10, 0, 0],
  ] satisfies Given[]
).map(([parent, name, visits, ended, other]): Branch => {
  const step = parent === null ? 1 : Math.min(parent, 1) + 2;
  return { step, parent, kind: 'page', name, visits, ended, other };
});

const layout = layOut(JOURNEY);
const find = (id: string) => layout.columns.flat().find((block) => block.id === id) as Block;
const through = (id: string) => Object.fromEntries(visitsThrough(layout, JOURNEY, find(id)));

describe('the layout of a journey', () => {
  it('has one block for each page in a column, with unnamed blocks last', () => {
    expect(layout.columns.map((column) => column.map(({ kind, name, visits }) => [name || kind, visits]))).toEqual([
      [['/', 100]],
      [
        ['/a', 40],
        ['/c', 30],
        ['other', 10],
        ['ended', 20],
      ],
      [
        ['/b', 30],
        ['/c', 10],
        ['other', 5],
        ['ended', 25],
      ],
    ]);
  });

  it('keeps every block and ribbon within the drawing, and no two blocks in one place', () => {
    for (const column of layout.columns) {
      column.forEach((block, index) => expect(block.y).toBeGreaterThanOrEqual((column[index - 1]?.y ?? -38) + 38));
      for (const { y, height } of column) expect(y + height).toBeLessThanOrEqual(layout.height + 0.001);
    }
    for (const block of layout.columns.flat()) {
      const arriving = layout.ribbons.filter(({ far }) => far === block);
      if (block.step > 1) expect(arriving.reduce((sum, { visits }) => sum + visits, 0)).toBe(block.visits);
      const leaving = layout.ribbons.filter(({ near }) => near === block).reduce((sum, { width }) => sum + width, 0);
      expect(leaving).toBeLessThanOrEqual(block.height + 0.001);
    }
  });

  it('has no block that is higher than a low window', () => {
    const low = layOut(JOURNEY, { most: 160 });
    const heights = low.columns.flat().map(({ height }) => height);
    expect(Math.max(...heights)).toBeLessThanOrEqual(160);
    expect(low.height).toBe(160);
    for (const { y, height } of low.columns.flat()) expect(y + height).toBeLessThanOrEqual(low.height + 0.001);
    // Many blocks make a high column, but no higher block.
    const many = Array.from({ length: 12 }, (_, at): Given => [
      at === 0 ? null : 0,
      `/${at}`,
      at === 0 ? 300 : 20,
      0,
      0,
    ]);
    const branches = many.map(([parent, name, visits, ended, other]): Branch => {
      return { step: parent === null ? 1 : 2, parent, kind: 'page', name, visits, ended, other };
    });
    const high = layOut(branches, { most: 160 });
    expect([high.height, high.columns[0]?.[0]?.height]).toEqual([11 * 38, 160]);
  });

  it('highlights only the visits that pass a block, on all ribbons before and after it', () => {
    expect(through('2 page /a')).toEqual({
      '1 page / > 2 page /a': 40,
      '2 page /a > 3 page /b': 20,
      '2 page /a > 3 page /c': 10,
      '2 page /a > 3 other ': 5,
      '2 page /a > 3 ended ': 5,
    });
    expect(through('3 page /b')).toEqual({
      '1 page / > 2 page /a': 20,
      '1 page / > 2 page /c': 10,
      '2 page /a > 3 page /b': 20,
      '2 page /c > 3 page /b': 10,
    });
    expect(through('3 ended ')).toEqual({
      '1 page / > 2 page /a': 5,
      '1 page / > 2 page /c': 20,
      '2 page /a > 3 ended ': 5,
      '2 page /c > 3 ended ': 20,
    });
  });

  it('finds the path to a block, and the most travelled path', () => {
    const namesOf = (path: number[]) => path.map((at) => JOURNEY[at]?.name);
    expect(namesOf(pathTo(JOURNEY, mainBranch(find('3 page /b'))))).toEqual(['/', '/a', '/b']);
    expect(namesOf(mainPath(JOURNEY))).toEqual(['/', '/a', '/b']);
    expect([mainPath([]), layOut([]).columns]).toEqual([[], []]);
  });
});
