// Limits the guessing of keys and tokens. Wrong ones are counted per address; valid ones are not, and keep working while others at the same
// address guess. Repeating one wrong token is a mistake, not a guess: it counts once, and still gets its usual error.
import { RateLimiterRes } from 'rate-limiter-flexible';
import { Refusal } from '../errors.ts';
import type { Redis } from '../process/redis/redis.ts';
import type { SecurityLog } from '../process/security-log.ts';
import { hashToken } from '../directory/ids.ts';
import { MINUTE_MS } from '../vocabulary/time/time.ts';
import { counter, secondsOf } from './rate-limits.ts';
import { t } from '../vocabulary/habits/messages.ts';

/** Different wrong tokens per minute and address. */
const WRONG_A_MINUTE = 10;
/** Wrong tokens to remember. Beyond that, a repeat may count twice. */
const MAX_REMEMBERED = 10_000;

/** Each has a limit and an event in the security log, such as `wrong_keys` and `key_refused`. */
type Kind =
  | 'key'
  | 'ingest_token'
  | 'reset_link'
  | 'email_link'
  | 'sign_up_link'
  | 'unsubscribe_token'
  | 'transfer'
  | 'invitation'
  | 'share_token'
  | 'feed_token';

export type WrongTokens = {
  /** Call this for each invalid key or token. Throws too_many_requests once the address has sent too many. */
  count(kind: Kind, shown: { token: string; addressHash(): string | Promise<string> }): Promise<void>;
};

export function openWrongTokens(options: {
  redis: Redis | undefined;
  security: SecurityLog;
  now(): number;
}): WrongTokens {
  const { redis, security, now } = options;
  const wrong = counter(redis, { keyPrefix: 'wrong-tokens', points: WRONG_A_MINUTE, duration: 60 });
  let recent = { since: now(), attempts: new Set<string>() };

  /** True if this address has sent the same token within the current minute. */
  function isRepeat(attempt: string): boolean {
    if (now() - recent.since >= MINUTE_MS || recent.attempts.size >= MAX_REMEMBERED)
      recent = { since: now(), attempts: new Set() };
    const before = recent.attempts.size;
    return recent.attempts.add(attempt).size === before;
  }

  return {
    count: async (kind, { token, addressHash }) => {
      const from = `${kind} ${await addressHash()}`;
      if (isRepeat(`${from} ${hashToken(token)}`)) return;
      try {
        await wrong.consume(from);
      } catch (reason) {
        if (!(reason instanceof RateLimiterRes)) throw reason;
        security.limited(`wrong_${kind}s`);
        throw new Refusal('too_many_requests', t('Too many wrong keys or tokens from your network: wait a minute.'), {
          retryAfterSeconds: secondsOf(reason),
        });
      }
      security.note(`${kind}_refused`, {});
    },
  };
}
