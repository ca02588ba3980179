import { expect, test } from 'vitest';
import { Unavailable } from '../errors.ts';
import { unavailable, reportUnavailable } from './unavailable.ts';

const hung = new Error('hung');
/** Fails as libraries do: replaces the cause with another error, or with an answer. */
const hides = async (make: () => unknown) => {
  await Promise.resolve();
  try {
    throw make();
  } catch {
    throw new Error('FAILED');
  }
};

test('a failure that a library hides is reported, and other errors stay as they are', async () => {
  const told = await reportUnavailable(() => hides(() => unavailable(hung))).catch((error: unknown) => error);
  expect(told).toBeInstanceOf(Unavailable);
  expect(told).toMatchObject({ store: 'directory', cause: hung });
  await expect(reportUnavailable(() => hides(() => hung))).rejects.toThrow('FAILED');
  const answers = async (status: number) => {
    await hides(() => unavailable(hung)).catch(() => undefined);
    return { status };
  };
  const isBad = ({ status }: { status: number }) => status >= 500;
  await expect(reportUnavailable(() => answers(500), isBad)).rejects.toThrow(Unavailable);
  expect(await reportUnavailable(() => answers(200), isBad)).toEqual({ status: 200 }); // the library recovered by itself
});

test('one caller does not see the failure of another', async () => {
  const [first, second] = await Promise.allSettled([
    reportUnavailable(() => hides(() => unavailable(hung))),
    reportUnavailable(() => hides(() => hung)),
  ]);
  expect([first, second].map((one) => one.status === 'rejected' && one.reason instanceof Unavailable)).toEqual([
    true,
    false,
  ]);
});
