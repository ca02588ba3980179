// Passwords as better-auth hashes them (scrypt), a few at a time: each takes 32 MB and a thread of the pool that disk and
// event store live on, and anyone may ask for one by trying to sign in.
import { Refusal } from '../errors.ts';

const AT_ONCE = 2;
const MAX_WAITING = 20; // at 60 ms each: those at the end wait for 0.6 s

let running = 0;
const waiting: (() => void)[] = [];

export async function hashPassword(password: string): Promise<string> {
  const crypto = await import('better-auth/crypto');
  return inTurn(() => crypto.hashPassword(password));
}

export async function verifyPassword(input: { hash: string; password: string }): Promise<boolean> {
  const crypto = await import('better-auth/crypto');
  return inTurn(() => crypto.verifyPassword(input));
}

/** Throws too_many_requests when too many wait already. */
async function inTurn<T>(run: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) {
    if (waiting.length >= MAX_WAITING)
      throw new Refusal('too_many_requests', 'Too many people sign in at this moment: try again.', {
        retryAfterSeconds: 1,
      });
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running += 1;
  try {
    return await run();
  } finally {
    const next = waiting.shift(); // hands its place on
    if (next) next();
    else running -= 1;
  }
}
