import { TRPCClientError } from '@trpc/client';
import { expect, it } from 'vitest';
import { isSignedOut, leaving } from './client.ts';

it('takes a refused question for a lost session, but not while somebody logs out, also if that fails', async () => {
  const error = { message: 'Log in first.', code: -32001, data: { code: 'UNAUTHORIZED', httpStatus: 401 } };
  const refused = TRPCClientError.from({ error });
  expect(isSignedOut(refused)).toBe(true);
  const failing = leaving(async () => {
    expect(isSignedOut(refused)).toBe(false);
    await Promise.resolve();
    expect(isSignedOut(refused)).toBe(false);
    throw new Error('The server cannot be reached.');
  });
  await expect(failing).rejects.toThrow('The server cannot be reached.');
  expect(isSignedOut(refused)).toBe(true);
});
