// Keys and tokens that are nobody's: counted by address, so that whoever guesses is told to wait. A right one is never counted, and
// keeps working beside the wrong ones of others who share its address. The same wrong one again is no guess but a mistake: it counts
// once, and goes on being answered with what is wrong.
import { RateLimiterRes } from 'rate-limiter-flexible';
import { Refusal } from '../errors.ts';
import type { Redis } from '../redis.ts';
import type { LimitName, SecurityEvent, SecurityLog } from '../security-log.ts';
import { hashToken } from '../directory/ids.ts';
import { MINUTE_MS } from '../vocabulary/time.ts';
import { counter } from './rate-limits.ts';

/** Different ones. */
export const WRONG_A_MINUTE = 10;
/** Remembered at a time; past that a repeat may count twice. */
const MAX_KNOWN = 10_000;

const KINDS = {
  key: { limit: 'wrong_keys', event: 'key_refused' },
  ingest_token: { limit: 'wrong_ingest_tokens', event: 'ingest_token_refused' },
  share_token: { limit: 'wrong_share_tokens', event: 'share_token_refused' },
} as const satisfies Record<string, { limit: LimitName; event: SecurityEvent }>;

export type WrongTokens = {
  /** Called once a key or token was found to be nobody's. Throws too_many_requests where the address has shown too many. */
  count(kind: keyof typeof KINDS, shown: { token: string; addressHash(): string | Promise<string> }): Promise<void>;
};

export function openWrongTokens(options: {
  redis: Redis | undefined;
  security: SecurityLog;
  now(): number;
}): WrongTokens {
  const { redis, security, now } = options;
  const wrong = counter(redis, { keyPrefix: 'wrong-tokens', points: WRONG_A_MINUTE, duration: 60 });
  let known = { since: now(), shown: new Set<string>() };

  /** Whether this address showed the same one within the last minute. */
  function isRepeat(shown: string): boolean {
    if (now() - known.since >= MINUTE_MS || known.shown.size >= MAX_KNOWN) known = { since: now(), shown: new Set() };
    const before = known.shown.size;
    return known.shown.add(shown).size === before;
  }

  return {
    count: async (kind, { token, addressHash }) => {
      const from = `${kind} ${await addressHash()}`;
      if (isRepeat(`${from} ${hashToken(token)}`)) return;
      try {
        await wrong.consume(from);
      } catch (reason) {
        if (!(reason instanceof RateLimiterRes)) throw reason;
        security.limited(KINDS[kind].limit);
        throw new Refusal('too_many_requests', 'Too many wrong keys or tokens came from your network: wait a minute.', {
          retryAfterSeconds: Math.max(1, Math.ceil(reason.msBeforeNext / 1_000)),
        });
      }
      security.note(KINDS[kind].event, {});
    },
  };
}
