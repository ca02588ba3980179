import { expect, test } from 'vitest';
import { BLANK_HIT } from './formats/format.ts';
import type { ImportedSum } from './import.ts';
import { MAX_IMPORTED_COUNT, MAX_PART_CHARACTERS, MAX_PART_ROWS } from '../settings/imports.ts';
import { inParts, type Part } from './parts.ts';

const sum = (label: string): ImportedSum => ({
  day: '2026-01-31',
  dimension: 'page',
  label,
  visitors: 1,
  visits: 1,
  pageviews: 1,
  events: 0,
  bounces: 0,
  visit_seconds: 0,
});

async function partsOf(...batches: Part[]): Promise<Part[]> {
  async function* read() {
    for (const batch of batches) yield await Promise.resolve(batch);
  }
  const parts: Part[] = [];
  for await (const part of inParts(read())) parts.push(part);
  return parts;
}
const sizesOf = async (...batches: ImportedSum[][]) =>
  (await partsOf(...batches.map((sums) => ({ sums, hits: [] })))).map(({ sums }) => sums.length);

test('parts are full, whatever the batches are, and the last has what is left', async () => {
  const rows = Array.from({ length: MAX_PART_ROWS + 5 }, (_, n) => sum(`/${n}`));
  expect(await sizesOf(rows)).toEqual([MAX_PART_ROWS, 5]);
  expect(await sizesOf(rows.slice(0, 7), [], rows.slice(7))).toEqual([MAX_PART_ROWS, 5]);
  expect(await sizesOf(rows.slice(5))).toEqual([MAX_PART_ROWS]);
  expect(await sizesOf([])).toEqual([]);
});

test('a part of long labels has fewer rows', async () => {
  const half = (letter: string) => sum(letter.repeat(MAX_PART_CHARACTERS / 2));
  expect(await sizesOf([half('a'), half('b'), half('c')])).toEqual([2, 1]);
  expect(await sizesOf([sum('x'.repeat(MAX_PART_CHARACTERS + 1)), half('a')])).toEqual([1, 1]);
});

test('hits and sums share a part, and the texts of hits count', async () => {
  const hit = (path: string) => ({ ...BLANK_HIT, path });
  const [part, ...others] = await partsOf({ sums: [sum('/a')], hits: [hit('/b')] }, { sums: [sum('/c')], hits: [] });
  expect(part?.sums.map(({ label }) => label)).toEqual(['/a', '/c']);
  expect(part?.hits.map(({ path }) => path)).toEqual(['/b']);
  expect(others).toEqual([]);
  const half = hit('x'.repeat(MAX_PART_CHARACTERS / 2));
  const parts = await partsOf({ sums: [], hits: [half, half, half] });
  expect(parts.map(({ hits }) => hits.length)).toEqual([2, 1]);
});

test('sums of a batch that stand for the same are added up, as far as a count may be', async () => {
  const most = { ...sum('/b'), pageviews: MAX_IMPORTED_COUNT };
  const batch = [sum('/a'), sum('/b'), sum('/a'), { ...sum('/a'), day: '2026-02-01' }, most];
  const [part] = await partsOf({ sums: batch, hits: [] }, { sums: [sum('/a')], hits: [] });
  expect(part?.sums.map(({ day, label, visitors, pageviews }) => [day.slice(5), label, visitors, pageviews])).toEqual([
    ['01-31', '/a', 2, 2],
    ['01-31', '/b', 1, 1],
    ['02-01', '/a', 1, 1],
    ['01-31', '/b', 1, MAX_IMPORTED_COUNT],
    ['01-31', '/a', 1, 1],
  ]);
  expect(batch[0]?.visitors).toBe(1);
  const untold = { ...sum('/a'), bounces: null };
  const [told] = await partsOf({ sums: [sum('/a'), untold, sum('/a'), untold], hits: [] });
  expect(told?.sums.map(({ visitors, bounces }) => [visitors, bounces])).toEqual([
    [2, 0],
    [2, null],
  ]);
});
