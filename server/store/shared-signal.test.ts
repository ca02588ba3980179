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
