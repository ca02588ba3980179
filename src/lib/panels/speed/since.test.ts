import { expect, it } from 'vitest';
import { daysSince } from './since';

const TODAY = '2026-11-20';
const noted = (day: string, ...others: string[]) =>
  daysSince(
    { day },
    [day, ...others].map((one) => ({ day: one })),
    TODAY,
  );

it('the days since a note end with the next note or today, and as many lie before it', () => {
  expect(noted('2026-11-14', '2026-11-17', '2026-11-01')).toEqual({
    days: 3,
    date_from: '2026-11-14',
    date_to: '2026-11-16',
    compare_from: '2026-11-11',
    compare_to: '2026-11-13',
  });
  expect(noted('2026-11-17', '2026-11-17')).toMatchObject({ days: 4, date_to: TODAY, compare_from: '2026-11-13' });
  expect(noted(TODAY)).toMatchObject({ days: 1, date_to: TODAY, compare_from: '2026-11-19', compare_to: '2026-11-19' });
});

it('they are four weeks at most, and none before the day has begun', () => {
  expect(noted('2026-09-01')).toMatchObject({ days: 28, date_to: '2026-09-28', compare_from: '2026-08-04' });
  expect(noted('2026-11-21')).toBeUndefined();
});
