// Limits wrong passwords. An attempt is counted before the password is checked, so that a burst cannot slip through, and taken back unless
// the password was wrong. New browsers are counted by address and by account, so that neither many accounts nor many addresses help a
// guesser. A browser that has signed in before has its own counter, so that guessers cannot lock the owner out.
import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { Refusal } from '../../../errors.ts';
import type { LimitName, SecurityLog } from '../../../process/security-log.ts';
import { message, say } from '../../../vocabulary/habits/messages.ts';

/** Wrong passwords per minute. One address may use half of an account's attempts; the rest is left for the owner. */
const ATTEMPTS_A_MINUTE = {
  sign_in_by_address: 30,
  sign_in_by_address_and_account: 5,
  sign_in_by_account: 10,
  sign_in_by_browser: 10,
  sign_up_by_address: 10,
  reset_by_address: 10,
  passkey_by_address: 30,
  oidc_by_address: 60,
  link_by_address: 30,
  link_by_address_and_link: 5,
  link_by_link: 10,
} as const satisfies Partial<Record<LimitName, number>>;

/**
 * Wrong codes of the second factor per hour and user. Three codes of a million are valid at any time, so somebody who has the password
 * finds one within a day with a probability of 0.15 %.
 */
const CODES_AN_HOUR = {
  second_factor_by_user: 20,
  second_factor_by_browser: 20,
} as const satisfies Partial<Record<LimitName, number>>;

/** Changes of an e-mail address per hour. Each one sends mail to somebody who may not have asked for it. */
const EMAIL_CHANGES_AN_HOUR = {
  email_change_by_user: 5,
  email_change_to_address: 5,
} as const satisfies Partial<Record<LimitName, number>>;

type AttemptLimit = keyof typeof ATTEMPTS_A_MINUTE | keyof typeof CODES_AN_HOUR | keyof typeof EMAIL_CHANGES_AN_HOUR;

/** Creates a counter of up to `points` in `duration` seconds, shared by all processes. */
export type MakeCounter = (options: { keyPrefix: string; points: number; duration: number }) => RateLimiterAbstract;

/** Keyed hashes, used only as names of counters. */
type Tried = {
  address: string;
  account: string;
  /** Set if this browser has signed in to this account before. */
  browser: string | undefined;
};

type Attempts = {
  /** Runs the attempt. Throws too_many_requests after too many wrong passwords. */
  counted<T>(tried: Tried, attempt: () => Promise<T>): Promise<T>;
  /** The same for codes of the second factor. */
  countedCode<T>(tried: Pick<Tried, 'account' | 'browser'>, attempt: () => Promise<T>): Promise<T>;
  /** The same for passkeys. */
  countedPasskey<T>(address: string, attempt: () => Promise<T>): Promise<T>;
  /** The same for the password of a share link. */
  countedLink<T>(tried: { address: string; link: string }, attempt: () => Promise<T>): Promise<T>;
  /** Counts a sign-up. Throws too_many_requests after too many. */
  countSignUp(address: string): Promise<void>;
  /** Counts a step of logging in through the OpenID Connect issuer. Throws too_many_requests after too many. */
  countOidc(address: string): Promise<void>;
  /** Counts a request for a new password. Throws too_many_requests after too many. */
  countReset(address: string): Promise<void>;
  /** Counts a change of an e-mail address, by its user and by the new address, taken or not. Throws too_many_requests after too many. */
  countEmailChange(tried: { user: string; address: string }): Promise<void>;
};

export function openAttempts(makeCounter: MakeCounter, security: SecurityLog): Attempts {
  const limits: [string, number, number][] = [
    ...Object.entries(ATTEMPTS_A_MINUTE).map(([name, points]): [string, number, number] => [name, points, 60]),
    ...Object.entries({ ...CODES_AN_HOUR, ...EMAIL_CHANGES_AN_HOUR }).map(
      ([name, points]): [string, number, number] => [name, points, 3_600],
    ),
  ];
  const counters = Object.fromEntries(
    limits.map(([name, points, duration]) => [name, makeCounter({ keyPrefix: name, points, duration })]),
  ) as Record<AttemptLimit, RateLimiterAbstract>;

  async function take(limit: AttemptLimit, key: string): Promise<void> {
    try {
      await counters[limit].consume(key);
    } catch (reason) {
      if (!(reason instanceof RateLimiterRes)) throw reason;
      security.limited(limit);
      throw new Refusal('too_many_requests', say(SENTENCES[limit]), {
        retryAfterSeconds: Math.max(1, Math.ceil(reason.msBeforeNext / 1_000)),
      });
    }
  }

  async function run<T>(keys: [AttemptLimit, string][], attempt: () => Promise<T>): Promise<T> {
    const taken: [AttemptLimit, string][] = [];
    try {
      for (const [limit, key] of keys) {
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
  }

  return {
    counted: (tried, attempt) => run(keysOf(tried), attempt),
    countedCode: ({ account, browser }, attempt) => {
      const limit = browser === undefined ? 'second_factor_by_user' : 'second_factor_by_browser';
      return run([[limit, browser === undefined ? account : `${browser} ${account}`]], attempt);
    },
    countedPasskey: (address, attempt) => run([['passkey_by_address', address]], attempt),
    countedLink: ({ address, link }, attempt) =>
      run(
        [
          ['link_by_address', address],
          ['link_by_address_and_link', `${address} ${link}`],
          ['link_by_link', link],
        ],
        attempt,
      ),
    countSignUp: (address) => take('sign_up_by_address', address),
    countOidc: (address) => take('oidc_by_address', address),
    countReset: (address) => take('reset_by_address', address),
    countEmailChange: async ({ user, address }) => {
      await take('email_change_by_user', user);
      await take('email_change_to_address', address);
    },
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

/** True if the password or the code was checked and wrong. Attempts that a limit or an unavailable store stopped do not count. */
function isWrong(error: unknown): boolean {
  return error instanceof Refusal && (error.code === 'unauthorized' || error.code === 'bad_request');
}

const ACCOUNT = message('Too many wrong passwords for this account: wait a minute.');
const NETWORK = message('Too many wrong passwords from your network: wait a minute.');
const LINK = message('Too many wrong passwords for this link: wait a minute.');
const CODES = message('Too many wrong codes: wait up to an hour, then try again.');
const EMAIL_CHANGES = message('Too many changes of the e-mail address: wait up to an hour, then try again.');
const SENTENCES: Record<AttemptLimit, string> = {
  sign_in_by_address: NETWORK,
  sign_in_by_address_and_account: ACCOUNT,
  sign_in_by_account: ACCOUNT,
  sign_in_by_browser: ACCOUNT,
  second_factor_by_user: CODES,
  second_factor_by_browser: CODES,
  reset_by_address: message('Too many requests for new passwords from your network: wait a minute.'),
  email_change_by_user: EMAIL_CHANGES,
  email_change_to_address: EMAIL_CHANGES,
  passkey_by_address: message('Too many passkeys that are not valid from your network: wait a minute.'),
  oidc_by_address: message('Too many log-ins from your network: wait a minute.'),
  link_by_address: NETWORK,
  link_by_address_and_link: LINK,
  link_by_link: LINK,
  sign_up_by_address: message('Too many new accounts from your network: wait a minute.'),
};
