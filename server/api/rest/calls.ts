// Runs operations for callers with an API key: checks the key, its plan and its rate limit, then calls the function of the operation.
// `/v1` and `/mcp` share it, so they share limits, caches and numbers.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { billingOf } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import { accountFor, siteFor, type Viewer } from '../../sites/access.ts';
import { NO_SUCH_SITE, type Site } from '../../sites/sites.ts';
import type { Asking } from '../../store/pool.ts';
import type { Allowance } from '../rate-limits.ts';
import type { Services } from '../trpc.ts';
import { openLookups } from './answer-cache.ts';
import { type Key, openCallerKeys } from './caller-key.ts';
import type { ExportedFile } from './export-day.ts';
import type { Call, Operation } from './operations.ts';
import { type GivenAnswer, openStatsAnswers } from './stats-answers.ts';

/** A caller who has passed all checks, and the moment of the request. */
export type Caller = Key & { now: number };

/** What the caller sends, checked by the operation's own schemas. */
type Sent = Pick<Call<Record<string, unknown>, unknown>, 'query' | 'body' | 'idempotencyKey'>;

/** JSON, or a file. */
type GivenCall = GivenAnswer | { file: ExportedFile };

export type Calls = {
  /** Sets the headers that every answer has, errors included. */
  mark(response: ServerResponse): void;
  /** Throws unauthorized, forbidden or too_many_requests. Sets the headers that say how much of the limit is left. */
  admit(request: IncomingMessage, response: ServerResponse, url: URL): Promise<Caller>;
  /** `signal` aborts once nobody waits for the answer. Numbers of sites come with an ETag, and may be a minute old. */
  answer(operation: Operation, sent: Sent, by: { caller: Caller; signal: AbortSignal }): Promise<GivenCall>;
};

export function openCalls(services: Services): Calls {
  const { directory, limiter, config } = services;
  const keyOf = openCallerKeys(services);
  const answerStats = openStatsAnswers(services);
  const plans = openLookups<true>();
  const sites = openLookups<Site>();
  const optionsAt = (now: number) => ({ now, billing: billingOf(config) });

  const admit: Calls['admit'] = async (request, response, url) => {
    const now = services.now();
    const key = await keyOf(request, url, now);
    const viewer: Viewer = { kind: 'key', accountId: key.accountId };
    await plans(key.accountId, now, async () => {
      await accountFor(directory, viewer, viewer, 'read', optionsAt(now));
      return true;
    });
    const allowance = await limiter.take(key.keyId);
    setAllowance(response, allowance);
    if (allowance.retryAfterSeconds !== undefined) {
      services.security.limited('api_rate');
      throw new Refusal('too_many_requests', 'This key has sent too many requests: wait, and send fewer.', {
        retryAfterSeconds: allowance.retryAfterSeconds,
      });
    }
    return { ...key, now };
  };

  return {
    mark: (response) => {
      response.setHeader('x-request-id', randomUUID());
      setAllowance(response, limiter.full);
    },
    admit,
    answer: async (operation, sent, { caller: { accountId, now }, signal }) => {
      const viewer: Viewer = { kind: 'key', accountId };
      const call: Call<Record<string, unknown>, unknown> = {
        ...sent,
        services,
        accountId,
        now,
        readSite: async (siteId) => (await siteFor(directory, viewer, { siteId }, 'read', optionsAt(now))).site,
        siteOf: async (siteId) => {
          const site = await sites(`${accountId} ${siteId}`, now, () => call.readSite(siteId));
          if (!site) throw new Refusal('not_found', NO_SUCH_SITE);
          return site;
        },
      };
      if ('file' in operation) return { file: await operation.file(call) };
      if (!('ask' in operation)) return { text: JSON.stringify(await operation.run(call)) };
      const ask = (signal?: AbortSignal) => operation.ask(askedBy(call, { lane: accountId, signal }));
      ask(); // checks the query before looking up the site
      Object.assign(call.query, await operation.about?.(call));
      return answerStats({ operation, call, work: (site, signal) => ask(signal)(site) }, signal);
    },
  };
}

/** Returns the same call, with its queries to the event store made on behalf of `asking`. */
function askedBy<C extends Pick<Call<unknown, unknown>, 'services'>>(call: C, asking: Asking): C {
  return { ...call, services: { ...call.services, stats: call.services.stats.askedBy(asking) } };
}

function setAllowance(response: ServerResponse, { limit, remaining, resetSeconds }: Allowance): void {
  response.setHeader('ratelimit-limit', limit);
  response.setHeader('ratelimit-remaining', remaining);
  response.setHeader('ratelimit-reset', resetSeconds);
}
