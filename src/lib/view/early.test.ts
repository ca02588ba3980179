import { beforeEach, expect, it, vi } from 'vitest';
import { askEarly, askedEarly, knownSite } from './early';
import type { Api } from '../api/client';

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

async function ask(answer: () => Promise<unknown>): Promise<void> {
  const asked = askEarly(answering(answer), SITE, { search: '' });
  await vi.advanceTimersByTimeAsync(2);
  await asked;
}

it('gives an early answer once', async () => {
  await ask(() => Promise.resolve('early'));
  expect(await askedEarly(QUESTION, later)).toBe('early');
  expect(await askedEarly(QUESTION, later)).toBe('asked again');
});

it('asks again for another question, after a failure, and when the early answer would be old', async () => {
  await ask(() => Promise.resolve('early'));
  expect(await askedEarly({ ...QUESTION, period: '7d' }, later)).toBe('asked again');
  await ask(() => Promise.reject(new Error('refused')));
  expect(await askedEarly(QUESTION, later)).toBe('asked again');
  await ask(() => Promise.resolve('early'));
  vi.advanceTimersByTime(5000);
  expect(await askedEarly(QUESTION, later)).toBe('asked again');
});

it('knows no site where nothing can be kept', () => expect(knownSite('example.com')).toBeUndefined());
