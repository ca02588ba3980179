import { expect, test } from 'vitest';
import { type Export, toPublicExport } from './exports.ts';

test('an export has the time it is kept until once it is ready, and no such time before', () => {
  const NOON = Date.UTC(2026, 10, 27, 12);
  const waiting = { id: 'export_1', created_at: NOON, ready_at: null } as Export;
  const created_at = '2026-11-27T12:00:00.000Z';
  expect(toPublicExport(waiting)).toMatchObject({ created_at, ready_at: null, kept_until: null });
  expect(toPublicExport({ ...waiting, ready_at: NOON + 60_000 })).toMatchObject({
    created_at,
    ready_at: '2026-11-27T12:01:00.000Z',
    kept_until: '2026-11-28T12:01:00.000Z',
  });
});
