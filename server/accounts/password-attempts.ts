// How many passwords may be tried: counted before one is looked at, so that a burst cannot slip through, and given back unless it was
// wrong. Who is not known is counted by address and by account, so that neither many accounts nor many addresses help; a browser that
// has signed in to the account before is counted for itself, so that others' wrong passwords do not keep its owner out.
import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { Refusal } from '../errors.ts';
import type { LimitName, SecurityLog } from '../security-log.ts';

/** Wrong passwords a minute. One address has half of an account's: the other half is left to the owner's. */
export const ATTEMPTS_A_MINUTE = {
  sign_in_by_address: 30,
  sign_in_by_address_and_account: 5,
  sign_in_by_account: 10,
  sign_in_by_browser: 10,
  sign_up_by_address: 10,
} as const satisfies Partial<Record<LimitName, number>>;

type AttemptLimit = keyof typeof ATTEMPTS_A_MINUTE;

/** Counts `points` in `duration` seconds; with several processes for all of them. */
export type MakeCounter = (options: { keyPrefix: string; points: number; duration: number }) => RateLimiterAbstract;

/** Keyed hashes, of which nothing but counters is made. */
export type Tried = {
  address: string;
  account: string;
  /** Where this browser has signed in to this account before. */
  browser: string | undefined;
};

export type Attempts = {
  /** Throws too_many_requests where too many were wrong. */
  counted<T>(tried: Tried, attempt: () => Promise<T>): Promise<T>;
  /** The same for making accounts, of which each counts. */
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

/** A password that was looked at and was not the right one. Whoever was told to wait, or met a store that is away, has learnt nothing. */
function isWrong(error: unknown): boolean {
  return error instanceof Refusal && (error.code === 'unauthorized' || error.code === 'bad_request');
}

const ACCOUNT = 'Too many passwords were tried for this account: wait a minute.';
const SENTENCES: Record<AttemptLimit, string> = {
  sign_in_by_address: 'Too many wrong passwords came from your network: wait a minute.',
  sign_in_by_address_and_account: ACCOUNT,
  sign_in_by_account: ACCOUNT,
  sign_in_by_browser: ACCOUNT,
  sign_up_by_address: 'Too many accounts were made from your network: wait a minute.',
};
