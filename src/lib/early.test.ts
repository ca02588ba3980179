import { beforeEach, expect, it, vi } from 'vitest';
import { askEarly, askedEarly, knownSite } from './early';
import type { Api } from './trpc';

const SITE = { id: 'site_1', timezone: 'UTC' };
const QUESTION = { site_id: 'site_1', period: 'today', compare: 'previous' } as const;
const later = () => Promise.resolve('asked again');

/** An API that answers both questions. */
const answering = (answer: () => Promise<unknown>) =>
  ({ stats: { summary: { query: answer }, timeseries: { query: answer } } }) as unknown as Api;

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

it('gives an early answer once', async () => {
  void askEarly(
    answering(() => Promise.resolve('early')),
    SITE,
    '',
  );
  expect(await askedEarly(QUESTION, later)).toBe('early');
  expect(await askedEarly(QUESTION, later)).toBe('asked again');
});

it('asks again for another question, after a failure, and when the early answer would be old', async () => {
  const ask = (answer: () => Promise<unknown>) => askEarly(answering(answer), SITE, '');
  ask(() => Promise.resolve('early'));
  expect(await askedEarly({ ...QUESTION, period: '7d' }, later)).toBe('asked again');
  ask(() => Promise.reject(new Error('refused')));
  expect(await askedEarly(QUESTION, later)).toBe('asked again');
  ask(() => Promise.resolve('early'));
  vi.advanceTimersByTime(5000);
  expect(await askedEarly(QUESTION, later)).toBe('asked again');
});

it('knows no site where nothing can be kept', () => expect(knownSite('example.com')).toBeUndefined());
