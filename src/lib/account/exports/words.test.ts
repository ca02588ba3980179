import { expect, test } from 'vitest';
import type { Export } from '../../api/types';
import { exportWords } from './words';

const READY = { state: 'ready', kind: 'open', bytes: 0, kept_until: '2026-11-27T12:00:00.000Z' } as unknown as Export;

test.each([
  [999_940, '1,000 KB'],
  [1_000_000, '1 MB'],
  [12_345_678, '12.3 MB'],
  [1_000_000_000, '1 GB'],
])('the size of %i bytes is %s', (bytes, size) => {
  expect(exportWords({ ...READY, bytes })).toMatch(`Tables · ${size} · Kept until 27 Nov 2026, `);
});

test('says how far an export is', () => {
  const words = (state: Export['state'], kind: Export['kind']) => exportWords({ ...READY, state, kind });
  expect(words('waiting', 'open')).toBe('Tables · Waiting to start');
  expect(words('making', 'sealed')).toBe('Sealed · In progress. You can leave this page.');
  expect(words('failed', 'sealed')).toBe('Sealed · This export failed. Delete it and try again.');
});
