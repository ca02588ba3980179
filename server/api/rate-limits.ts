// Rate limits per API key: fixed windows of a second and of a minute, counted in memory, or in Redis for several processes. A request that
// the second's window refuses does not count against the minute.
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { Config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { message, say } from '../vocabulary/habits/messages.ts';
import { luaScript, type Redis, type Script } from '../process/redis/redis.ts';

export type Allowance = {
  /** Requests per minute. */
  limit: number;
  remaining: number;
  /** Until the window ends and the full limit is available again. */
  resetSeconds: number;
  /** Set if the request exceeds a limit. */
  retryAfterSeconds?: number;
};

export type Limiter = {
  take(keyId: string): Promise<Allowance>;
  /** The full allowance: nothing has been used yet. For answers to requests without a valid key. */
  full: Allowance;
};

type KeyLimits = Pick<Config, 'RATE_LIMIT_PER_MINUTE' | 'RATE_LIMIT_PER_SECOND'>;

export function openLimiter(limits: KeyLimits, redis: Redis | undefined): Limiter {
  const perMinute = counter(redis, { keyPrefix: 'rate-minute', points: limits.RATE_LIMIT_PER_MINUTE, duration: 60 });
  const perSecond = counter(redis, { keyPrefix: 'rate-second', points: limits.RATE_LIMIT_PER_SECOND, duration: 1 });
  const limit = limits.RATE_LIMIT_PER_MINUTE;
  return {
    full: { limit, remaining: limit, resetSeconds: 60 },
    take: async (keyId) => {
      const second = await consume(perSecond, keyId);
      if (second.isOver) return refused(limit, second.used);
      const minute = await consume(perMinute, keyId);
      if (minute.isOver) return refused(limit, minute.used);
      return { limit, remaining: minute.used.remainingPoints, resetSeconds: secondsOf(minute.used) };
    },
  };
}

function refused(limit: number, used: RateLimiterRes): Allowance {
  const seconds = secondsOf(used);
  return { limit, remaining: 0, resetSeconds: seconds, retryAfterSeconds: seconds };
}

/** Rounded up, so that a client that waits this long is not refused again. */
export function secondsOf(used: RateLimiterRes): number {
  return Math.max(1, Math.ceil(used.msBeforeNext / 1000));
}

async function consume(counted: RateLimiterAbstract, keyId: string) {
  try {
    return { isOver: false, used: await counted.consume(keyId) };
  } catch (reason) {
    if (!(reason instanceof RateLimiterRes)) throw reason;
    return { isOver: true, used: reason };
  }
}

/** Throws too_many_requests once a key, such as the id of an account, has used up what it may do. */
type Limit = (key: string) => Promise<void>;

type LimitRow = CounterOptions & {
  /** The sentence of the refusal: a message if the dashboard shows it. */
  says: string;
};

const row = (keyPrefix: string, often: Omit<CounterOptions, 'keyPrefix'>, says: string): LimitRow => ({
  keyPrefix,
  ...often,
  says,
});

/** How often an account, a person or an address may do something. */
const LIMITS = {
  /** Snippet checks, by account. The page that waits for the first visit makes two. */
  takeCheck: row(
    'site-check',
    { points: 10, duration: 60 },
    message('Sites of this account were checked too often: wait a minute.'),
  ),
  /** Mailed invitations, by account. */
  takeInvitation: row(
    'invitations',
    { points: 20, duration: 3600 },
    message('This account mailed too many invitations: wait an hour, or pass on a link.'),
  ),
  /** Tests and replays of webhooks, by account. */
  takeWebhookTest: row(
    'webhook-tests',
    { points: 10, duration: 60 },
    message('This account sent too many tests: wait a minute.'),
  ),
  /** Exports of a whole account or profile, by account or person. */
  takeExport: row(
    'exports',
    { points: 5, duration: 3600 },
    message('Everything was exported five times within an hour: wait an hour.'),
  ),
  /** Days that are exported through the API, by account. */
  takeExportDay: row(
    'export-days',
    { points: 30, duration: 60 },
    'This account asked for too many files: wait a minute.',
  ),
  /** Reports sent by hand, by account. */
  takeReport: row(
    'reports',
    { points: 10, duration: 3600 },
    message('This account sent too many reports by hand: wait an hour, or let them come by themselves.'),
  ),
  /** Pictures of shared dashboards that are drawn anew as PNG, by address. */
  takePreview: row('previews', { points: 20, duration: 60 }, 'Too many pictures were requested: wait a minute.'),
  /** Pictures for other pages that are drawn anew as SVG, by address. The image proxy of a website is one address for all its readers. */
  takePicture: row('pictures', { points: 60, duration: 60 }, 'Too many pictures were requested: wait a minute.'),
  /** Reads of a feed or calendar, by its address. Programs read it every few minutes at most. */
  takeFeed: row('feeds', { points: 30, duration: 60 }, 'This address was read too often: wait a minute.'),
} satisfies Record<string, LimitRow>;

export type Limits = Record<keyof typeof LIMITS, Limit>;

export function openLimits(redis: Redis | undefined): Limits {
  const opened = Object.entries(LIMITS).map(([name, { says, ...options }]) => {
    const counted = counter(redis, options);
    const take: Limit = async (key) => {
      const { isOver, used } = await consume(counted, key);
      if (isOver) throw new Refusal('too_many_requests', say(says), { retryAfterSeconds: secondsOf(used) });
    };
    return [name, take] as const;
  });
  return Object.fromEntries(opened) as Limits;
}

/** Hosts whose icons one address may request per minute: enough for three long lists. */
const ICONS_A_MINUTE = 90;

export type IconLimit = (addressHash: string) => Promise<boolean>;

export function openIconLimit(redis: Redis | undefined): IconLimit {
  const perMinute = counter(redis, { keyPrefix: 'icons', points: ICONS_A_MINUTE, duration: 60 });
  return async (addressHash) => !(await consume(perMinute, addressHash)).isOver;
}

type CounterOptions = { keyPrefix: string; points: number; duration: number };

/** Counts up to `points` in `duration` seconds. With Redis all processes share the counter. */
export function counter(redis: Redis | undefined, options: CounterOptions): RateLimiterAbstract {
  const memory = new RateLimiterMemory(options);
  if (!redis) return memory;
  // While Redis is unavailable, each process counts on its own: the limit is less strict, and the API still works.
  return new RateLimiterRedis({
    ...options,
    storeClient: client(redis),
    useRedisPackage: true,
    insuranceLimiter: memory,
  });
}

/** `eval` is the only command that the limiter sends. It runs on our own connection, which never hangs. */
function client(redis: Redis) {
  const scripts = new Map<string, Script>();
  return {
    eval: (text: string, call: { keys: string[]; arguments: string[] }) => {
      const script = scripts.get(text) ?? luaScript(call.keys.length, text);
      scripts.set(text, script);
      return redis.run('live', script, [...call.keys, ...call.arguments]);
    },
  };
}
