import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { openAudience } from './shared-signal.ts';

test('work that several wait for is aborted once all of them have left', () => {
  const { signal, join } = openAudience();
  const [one, other] = [new AbortController(), new AbortController()];
  join(one.signal);
  join(other.signal);
  one.abort();
  expect(signal.aborted).toBe(false);
  other.abort();
  expect(signal.aborted).toBe(true);
});

test('who has left already waits for nothing, and who has no signal waits for good', () => {
  const audience = openAudience();
  const gone = new AbortController();
  audience.join(undefined);
  audience.join(gone.signal);
  gone.abort();
  expect(audience.signal.aborted).toBe(false);
  const nobody = openAudience();
  nobody.join(AbortSignal.abort());
  expect(nobody.signal.aborted).toBe(true);
});

test('work that was given up cannot be joined, and work that is over can', () => {
  const [givenUp, over] = [openAudience(), openAudience()];
  const gone = new AbortController();
  expect([givenUp.join(gone.signal), over.join(gone.signal)]).toEqual([true, true]);
  over.end();
  gone.abort();
  expect([givenUp.join(undefined), over.join(undefined)]).toEqual([false, true]);
  givenUp.end(); // its work has failed
  expect(givenUp.join(undefined)).toBe(false);
  expect([givenUp.signal.aborted, over.signal.aborted]).toEqual([true, false]);
});

test('who waits is listened to until the work is over, and no longer', () => {
  const { signal } = new AbortController(); // of somebody who stays for days
  const audience = openAudience();
  for (const one of [signal, signal, AbortSignal.abort(), undefined]) audience.join(one);
  expect(getEventListeners(signal, 'abort').length).toBe(2);
  audience.end();
  audience.join(signal);
  expect(getEventListeners(signal, 'abort').length).toBe(0);
});
