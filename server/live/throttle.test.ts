import { expect, test } from 'vitest';
import { fakeClock } from '../../tests/setup/clock.ts';
import { createThrottle } from './throttle.ts';

test('a key whose runs cost more runs less often, and never more often than the others', async () => {
  const clock = fakeClock(0);
  const runs: string[] = [];
  const pace = { everyMs: 100, everyMsOf: (key: string) => (key === 'large' ? 250 : 1), ...clock };
  const throttle = createThrottle<string>(pace, (key) => void runs.push(`${key} ${clock.now()}`));
  for (let time = 0; time <= 500; time += 50) {
    throttle.ask('large');
    throttle.ask('small');
    await clock.advance(50);
  }
  const of = (key: string) => runs.filter((run) => run.startsWith(key)).map((run) => Number(run.split(' ')[1]));
  expect(of('large')).toEqual([0, 250, 500]);
  expect(of('small')).toEqual([0, 100, 200, 300, 400, 500]);
});
