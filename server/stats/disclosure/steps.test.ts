import { describe, expect, test } from 'vitest';
import { openRandom } from '../../jobs/demo/random.ts';
import { FEWEST } from '../../vocabulary/settings/privacy.ts';
import { DAY_MS } from '../../vocabulary/time/time.ts';
import { type AskMoments, groupsOfDays, momentsIn, rangeInSteps, wholeGroups } from './steps.ts';

/** Days from the epoch on. */
const daysOf = (counts: readonly number[]) => counts.map((visitors, index) => ({ day: index * DAY_MS, visitors }));
const range = (from: number, to: number) => ({ from: from * DAY_MS, to: to * DAY_MS });
const groups = (counts: number[], [from, to]: [number, number]) => {
  const found = wholeGroups(range(from, to), groupsOfDays(daysOf(counts), FEWEST));
  return found && [found.from / DAY_MS, found.to / DAY_MS];
};

describe('a range of days', () => {
  test.each([
    ['of busy days stays as it is', [5, 5, 5], [0, 3], [0, 3]],
    ['of one busy day, after a day of one visitor', [1, 5], [1, 2], [1, 2]],
    ['of one day of three, after a day of one visitor', [1, 3], [1, 2], [1, 2]],
    ['of one busy day, before a day of one visitor', [5, 1], [0, 1], [0, 1]],
    ['loses a day of one visitor at its start', [5, 1, 5], [1, 3], [2, 3]],
    ['loses a day of one visitor at its end', [5, 1, 5], [0, 2], [0, 1]],
    ['keeps it in between', [5, 1, 5], [0, 3], [0, 3]],
    ['puts quiet days together', [1, 1, 1, 1, 1, 1], [0, 6], [0, 6]],
    ['and starts between groups of them', [1, 1, 1, 1, 1, 1], [1, 6], [3, 6]],
    ['and ends between groups of them', [1, 1, 1, 1, 1, 1], [0, 5], [0, 3]],
    ['needs no days without anybody', [3, 0, 0, 3], [1, 4], [3, 4]],
    ['of which no group is whole shows nothing', [1, 1], [0, 2], undefined],
    ['with nobody at all shows nothing', [0, 0], [0, 2], undefined],
  ] as [string, number[], [number, number], [number, number] | undefined][])(
    '%s',
    (_title, counts, asked, expected) => {
      expect(groups(counts, asked)).toEqual(expected);
    },
  );

  test('has groups that begin anew with a month, whichever range asks', () => {
    const july = Date.UTC(2026, 6, 1) / DAY_MS;
    const from = (first: number, counts: readonly number[]) =>
      groupsOfDays(
        counts.map((visitors, index) => ({ day: (first + index) * DAY_MS, visitors })),
        FEWEST,
      ).map((group) => [group.from / DAY_MS - july, group.to / DAY_MS - july]);
    expect(from(july - 2, [1, 1, 1, 2, 5])).toEqual([
      [0, 2],
      [2, 3],
    ]);
    expect(from(july, [1, 2, 5])).toEqual([
      [0, 2],
      [2, 3],
    ]);
  });

  test('never differs from another by fewer visitors of the quiet days at its ends than a number must have', () => {
    const random = openRandom(5);
    for (let turn = 0; turn < 400; turn += 1) {
      const counts = Array.from({ length: 12 }, () => Math.floor(random.fraction() * 3)); // quiet days only
      const sum = ([from, to]: number[]) => counts.slice(from, to).reduce((total, one) => total + one, 0);
      const found = Array.from({ length: 12 }, (_, from) => groups(counts, [from, 12]) ?? [12, 12]);
      for (const one of found)
        for (const other of found) {
          const difference = Math.abs(sum(one) - sum(other));
          expect(difference === 0 || difference >= FEWEST).toBe(true);
        }
    }
  });
});

describe('the end of a range that is not over', () => {
  const NOW = 20 * DAY_MS + 12 * 3_600_000;
  const TODAY = { from: 20 * DAY_MS, to: 21 * DAY_MS };
  const scope = { site_id: 'site_a', filters: [], currency: '', max_amount: 0 };
  type Seen = [visitor: string, at: number];
  /** As the store returns them: who was seen in each ten seconds. */
  const asking =
    (seen: Seen[]): AskMoments =>
    ({ range }) => {
      const own = seen.filter(([, at]) => at >= range.from && at < range.to);
      const byMoment = Map.groupBy(own, ([, at]) => Math.floor(at / 10_000));
      return Promise.resolve(
        momentsIn([...byMoment].map(([moment, some]) => ({ moment, visitors: some.map(([who]) => who).join(' ') }))),
      );
    };
  const endOf = async (seen: Seen[], now = NOW) =>
    (await rangeInSteps({ ...scope, range: TODAY }, { now, fewest: FEWEST, askMoments: asking(seen) })).to;
  const at = (hour: number, day = 20) => day * DAY_MS + hour * 3_600_000;
  const moment = 10_000;

  test('is the end of the last whole group, of those who came', async () => {
    const seen: Seen[] = [
      ['Ada', at(1)],
      ['Bob', at(2)],
      ['Cem', at(3)],
      ['Dan', at(4)],
      ['Eve', at(5)],
      ['Fay', at(6)],
    ];
    expect(await endOf([])).toBe(TODAY.from);
    expect(await endOf(seen.slice(0, 2))).toBe(TODAY.from);
    expect(await endOf(seen.slice(0, 3))).toBe(at(3) + moment);
    expect(await endOf(seen.slice(0, 5))).toBe(at(3) + moment);
    expect(await endOf(seen)).toBe(at(6) + moment);
  });

  test('or moved: one who moves often is one', async () => {
    const came: Seen[] = [
      ['Ada', at(1)],
      ['Bob', at(1)],
      ['Cem', at(1)],
    ];
    const moved: Seen[] = [2, 3, 4, 5].map((hour) => ['Ada', at(hour)]);
    expect(await endOf([...came, ...moved])).toBe(at(1) + moment);
    expect(await endOf([...came, ...moved, ['Bob', at(6)], ['Cem', at(7)]])).toBe(at(7) + moment);
  });

  test('is that of ten seconds, so that a step does not tell when somebody came', async () => {
    const seen: Seen[] = [
      ['Ada', at(1)],
      ['Bob', at(2)],
      ['Cem', NOW + 1],
    ];
    expect(await endOf(seen, NOW + 2)).toBe(TODAY.from);
    expect(await endOf(seen, NOW + 9_999)).toBe(TODAY.from);
    expect(await endOf(seen, NOW + 10_000)).toBe(NOW + moment);
  });

  test('moves by three visitors at least, at whatever second it is asked; up to the last event, it moves by one', async () => {
    const random = openRandom(8);
    for (let turn = 0; turn < 20; turn += 1) {
      const some = 1 + Math.floor(random.fraction() * 30);
      const seen = Array.from({ length: 60 }, (): Seen => {
        const visitor = Math.floor(random.fraction() * some);
        return [`p${visitor}`, at(1) + Math.floor(random.fraction() * 600) * 1000];
      }).sort(([, one], [, other]) => one - other);
      const ends = { inSteps: [] as number[], atOnce: [] as number[] };
      for (let now = at(1); now < at(1) + 620_000; now += 1000) {
        const known = seen.filter(([, when]) => when <= now);
        ends.inSteps.push(await endOf(known, now));
        ends.atOnce.push(Math.max(TODAY.from, ...known.map(([, when]) => when + 1)));
      }
      /** How many visitors came or moved between one end and the next. */
      const moved = (all: number[]) => {
        const changes = [...new Set([TODAY.from, ...all])];
        return changes.slice(1).map((to, index) => {
          const from = changes[index] ?? 0;
          return new Set(seen.filter(([, when]) => when >= from && when < to).map(([visitor]) => visitor)).size;
        });
      };
      expect(Math.min(...moved(ends.atOnce))).toBe(1);
      expect(Math.min(...moved(ends.inSteps), Infinity)).toBeGreaterThanOrEqual(FEWEST);
      expect(ends.inSteps).toEqual(ends.inSteps.toSorted((one, other) => one - other)); // never back
      if (some > 10) expect(new Set(ends.inSteps).size).toBeGreaterThan(5);
    }
  });

  test('is midnight once the day is over', async () => {
    const range = { from: 19 * DAY_MS, to: 20 * DAY_MS };
    const never: AskMoments = () => Promise.reject(new Error('nothing is asked'));
    expect(await rangeInSteps({ ...scope, range }, { now: NOW, fewest: FEWEST, askMoments: never })).toEqual(range);
  });

  test('and its start, where it lies within a day, is at the end of a group, too', async () => {
    const rolling = { from: at(12, 19), to: NOW, rolls: true as const };
    const startOf = async (seen: Seen[]) =>
      (await rangeInSteps({ ...scope, range: rolling }, { now: NOW, fewest: FEWEST, askMoments: asking(seen) })).from;
    expect(await startOf([])).toBe(TODAY.from);
    const seen = (hours: number[]) => hours.map((hour, index): Seen => [`p${index}`, at(hour, 19)]);
    expect(await startOf(seen([1, 13, 14, 15]))).toBe(at(14, 19) + moment);
    expect(await startOf(seen([1, 2, 3, 15]))).toBe(TODAY.from);
    const atGroup = { ...rolling, from: at(14, 19) + moment };
    const asked = { now: NOW, fewest: FEWEST, askMoments: asking(seen([1, 13, 14, 15])) };
    expect((await rangeInSteps({ ...scope, range: atGroup }, asked)).from).toBe(atGroup.from);
  });

  test('in a zone is a time of its clock', async () => {
    const zone = 'Africa/Lagos'; // an hour ahead of UTC
    const hour = 3_600_000;
    const seen = [1, 2, 3, 8, 9, 10].map((own, index): Seen => [`p${index}`, at(own)]);
    const ask: AskMoments = ({ range, ...rest }) => {
      expect(range).toEqual({ ...TODAY, zone });
      return asking(seen)({ ...rest, range: { from: TODAY.from - hour, to: TODAY.to - hour } });
    };
    const inSteps = (range: { from: number; to: number }) =>
      rangeInSteps({ ...scope, range: { ...range, zone } }, { now: NOW, fewest: FEWEST, askMoments: ask });
    const third = at(3) + moment + hour;
    const sixth = at(10) + moment + hour;
    expect(await inSteps(TODAY)).toEqual({ from: TODAY.from, to: sixth, zone });
    expect(await inSteps({ ...TODAY, to: sixth })).toEqual({ from: TODAY.from, to: sixth, zone });
    expect(await inSteps({ ...TODAY, to: sixth - 1 })).toEqual({ from: TODAY.from, to: third, zone });
    expect(await inSteps({ ...TODAY, from: third })).toEqual({ from: third, to: sixth, zone });
    expect(await inSteps({ ...TODAY, from: third + 1 })).toEqual({ from: sixth, to: sixth, zone });
  });
});
