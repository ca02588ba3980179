// Limits wrong passwords. An attempt is counted before the password is checked, so that a burst cannot slip through, and uncounted unless
// the password was wrong. New browsers are counted by address and by account, so that neither many accounts nor many addresses help a
// guesser. A browser that has signed in before has its own counter, so that guessers cannot lock the owner out.
import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { Refusal } from '../errors.ts';
import type { LimitName, SecurityLog } from '../security-log.ts';

/** Wrong passwords per minute. One address may use half of an account's attempts; the rest is left for the owner. */
export const ATTEMPTS_A_MINUTE = {
  sign_in_by_address: 30,
  sign_in_by_address_and_account: 5,
  sign_in_by_account: 10,
  sign_in_by_browser: 10,
  sign_up_by_address: 10,
} as const satisfies Partial<Record<LimitName, number>>;

type AttemptLimit = keyof typeof ATTEMPTS_A_MINUTE;

/** Creates a counter of up to `points` in `duration` seconds, shared by all processes. */
export type MakeCounter = (options: { keyPrefix: string; points: number; duration: number }) => RateLimiterAbstract;

/** Keyed hashes, used only as names of counters. */
export type Tried = {
  address: string;
  account: string;
  /** Set if this browser has signed in to this account before. */
  browser: string | undefined;
};

export type Attempts = {
  /** Runs the attempt. Throws too_many_requests after too many wrong passwords. */
  counted<T>(tried: Tried, attempt: () => Promise<T>): Promise<T>;
  /** Counts a sign-up. Throws too_many_requests after too many. */
  countSignUp(address: string): Promise<void>;
};

export function openAttempts(makeCounter: MakeCounter, security: SecurityLog): Attempts {
  const counters = Object.fromEntries(
    Object.entries(ATTEMPTS_A_MINUTE).map(([name, points]) => [
      name,
      makeCounter({ keyPrefix: name, points, duration: 60 }),
    ]),
  ) as Record<AttemptLimit, RateLimiterAbstract>;

  async function take(limit: AttemptLimit, key: string): Promise<void> {
    try {
      await counters[limit].consume(key);
    } catch (reason) {
      if (!(reason instanceof RateLimiterRes)) throw reason;
      security.limited(limit);
      throw new Refusal('too_many_requests', SENTENCES[limit], {
        retryAfterSeconds: Math.max(1, Math.ceil(reason.msBeforeNext / 1_000)),
      });
    }
  }

  return {
    counted: async (tried, attempt) => {
      const taken: [AttemptLimit, string][] = [];
      try {
        for (const [limit, key] of keysOf(tried)) {
          await take(limit, key);
          taken.push([limit, key]);
        }
        const result = await attempt();
        await giveBack(taken);
        return result;
      } catch (error) {
        if (!isWrong(error)) await giveBack(taken);
        throw error;
      }
    },
    countSignUp: (address) => take('sign_up_by_address', address),
  };

  async function giveBack(taken: [AttemptLimit, string][]): Promise<void> {
    for (const [limit, key] of taken) await counters[limit].reward(key);
  }
}

function keysOf({ address, account, browser }: Tried): [AttemptLimit, string][] {
  if (browser !== undefined) return [['sign_in_by_browser', `${browser} ${account}`]];
  return [
    ['sign_in_by_address', address],
    ['sign_in_by_address_and_account', `${address} ${account}`],
    ['sign_in_by_account', account],
  ];
}

/** True if the password was checked and wrong. Attempts that a limit or an unavailable store stopped do not count. */
function isWrong(error: unknown): boolean {
  return error instanceof Refusal && (error.code === 'unauthorized' || error.code === 'bad_request');
}

const ACCOUNT = 'Too many wrong passwords for this account: wait a minute.';
const SENTENCES: Record<AttemptLimit, string> = {
  sign_in_by_address: 'Too many wrong passwords from your network: wait a minute.',
  sign_in_by_address_and_account: ACCOUNT,
  sign_in_by_account: ACCOUNT,
  sign_in_by_browser: ACCOUNT,
  sign_up_by_address: 'Too many new accounts from your network: wait a minute.',
};
