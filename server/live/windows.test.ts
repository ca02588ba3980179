import { expect, test } from 'vitest';
import { FEWEST } from '../vocabulary/settings/privacy.ts';
import { isNextStep, NOBODY, steppedSnapshot } from './windows.ts';

const HOUR_MS = 3_600_000;
const shown = (current_visitors: number) => ({ ...NOBODY, current_visitors });

type Given = { at?: number; now?: number; moved?: number; left?: number };

test.each<[string, Given, boolean]>([
  ['as many moved as may be seen', { moved: FEWEST }, true],
  ['one fewer moved', { moved: FEWEST - 1 }, false],
  ['as many left', { left: FEWEST }, true],
  ['one fewer left', { left: FEWEST - 1 }, false],
  ['the hour ended', { now: 2 * HOUR_MS }, true],
  ['the hour has a moment left', { now: 2 * HOUR_MS - 1 }, false],
  ['nothing was shown yet', { at: 0, now: 2 * HOUR_MS }, false],
])(
  'a snapshot takes the place of the one before: %s',
  (_title, { at = HOUR_MS, now = HOUR_MS, moved = 0, left = 0 }, isNext) => {
    expect(isNextStep(shown(20), at, { fresh: shown(20 - left), moved, now })).toBe(isNext);
  },
);

test('a snapshot shows no fewer visitors than may be seen, and no minute since it was taken', () => {
  const pages = [{ page: '/', visitors: FEWEST }];
  const minutes = NOBODY.minutes.map((_, minute) => (minute < 2 ? 0 : FEWEST + (minute === 29 ? -1 : 0)));
  const snapshot = { ...NOBODY, current_visitors: FEWEST, pages, minutes };
  const few = steppedSnapshot({ ...snapshot, current_visitors: FEWEST - 1 }, HOUR_MS, HOUR_MS);
  expect([few.current_visitors, few.pages]).toEqual([null, []]);
  const known = [...Array<number>(27).fill(FEWEST), 0];
  expect(steppedSnapshot(snapshot, HOUR_MS, HOUR_MS)).toMatchObject({
    current_visitors: FEWEST,
    pages,
    minutes: [0, 0, ...known],
    stepped_at: HOUR_MS,
  });
  expect(steppedSnapshot(snapshot, HOUR_MS, HOUR_MS + 120_000).minutes).toEqual([...known, 0, 0]);
});
