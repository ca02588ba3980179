// /v1: each request passes the same checks in the same order (key, plan, rate limit, path and method, content, fields, existence). Then the
// function of its operation answers.
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { billingOf } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import { hasLongBody, readJson } from '../../http/body.ts';
import { sendJson } from '../../http/respond.ts';
import { accountFor, siteFor, type Viewer } from '../../sites/access.ts';
import { NO_SUCH_SITE, type Site } from '../../sites/sites.ts';
import type { Allowance } from '../rate-limits.ts';
import { openDocument } from '../openapi.ts';
import { readParams } from './params.ts';
import { openLookups } from './answer-cache.ts';
import { openCallerKeys } from './caller-key.ts';
import { openStatsAnswers } from './stats-answers.ts';
import { check, idempotencyKey } from './requests.ts';
import { type Call, OPERATIONS } from './operations.ts';
import type { Services } from '../trpc.ts';
import type { Asking } from '../../store/pool.ts';
import { z } from 'zod';

export const OPENAPI_PATH = '/v1/openapi.json';
const headers = z.strictObject({ 'Idempotency-Key': idempotencyKey });

type Route = { path: RegExp; operations: (typeof OPERATIONS)[string]; allow: string };

const ROUTES: Route[] = Object.entries(OPERATIONS).map(([path, operations]) => ({
  path: new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
  operations,
  allow: [...(operations.GET ? ['GET', 'HEAD'] : []), ...(operations.POST ? ['POST'] : []), 'OPTIONS'].join(', '),
}));

export function openRest(services: Services) {
  const { directory, limiter, config } = services;
  const keyOf = openCallerKeys(services);
  const answerStats = openStatsAnswers(services);
  const plans = openLookups<true>();
  const sites = openLookups<Site>();
  const document = openDocument(config.BASE_URL ?? '/');
  const optionsAt = (now: number) => ({ now, billing: billingOf(config) });

  /** Sets the headers that every answer has, errors included. */
  const mark = (response: ServerResponse) => {
    response.setHeader('x-request-id', randomUUID());
    setAllowance(response, limiter.full);
  };

  const handle = async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    mark(response);
    if (url.pathname === OPENAPI_PATH) {
      document.send(request, response);
      return;
    }
    try {
      await answer(request, response, url);
    } catch (error) {
      if (error instanceof Refusal && error.code === 'unauthorized') response.setHeader('www-authenticate', 'Bearer');
      if (!request.readableEnded && hasLongBody(request.headers)) response.setHeader('connection', 'close');
      throw error;
    }
  };
  return { handle, mark };

  async function answer(request: IncomingMessage, response: ServerResponse, url: URL) {
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

    const { operation, path } = operationOf(request, response, url);
    if (!operation) {
      response.writeHead(204, { 'cache-control': 'no-store' }).end(); // OPTIONS
      return;
    }
    const body =
      operation.body && (await readJson(request, { maxBytes: operation.body.maxBytes, types: ['application/json'] }));
    const call: Call<Record<string, unknown>, unknown> = {
      services,
      accountId: key.accountId,
      now,
      query: { ...readParams(url, operation.query), ...path },
      body: operation.body && check(operation.body.schema, body),
      idempotencyKey: operation.body && check(headers, sentHeaders(request.headers))['Idempotency-Key'],
      readSite: async (siteId) => (await siteFor(directory, viewer, { siteId }, 'read', optionsAt(now))).site,
      siteOf: async (siteId) => {
        const site = await sites(`${key.accountId} ${siteId}`, now, () => call.readSite(siteId));
        if (!site) throw new Refusal('not_found', NO_SUCH_SITE);
        return site;
      },
    };
    if ('ask' in operation) {
      const ask = (signal?: AbortSignal) => operation.ask(askedBy(call, { lane: key.accountId, signal }));
      ask(); // checks the query before looking up the site
      Object.assign(call.query, await operation.about?.(call));
      await answerStats({ operation, call, work: (site, signal) => ask(signal)(site) }, { request, response });
    } else sendJson(response, operation.status, await operation.run(call));
  }
}

/** Returns the same call, with its queries to the event store made on behalf of `asking`. */
function askedBy<C extends Pick<Call<unknown, unknown>, 'services'>>(call: C, asking: Asking): C {
  return { ...call, services: { ...call.services, stats: call.services.stats.askedBy(asking) } };
}

/** Returns the operation and its path parameters. OPTIONS has no operation. Throws not_found and method_not_allowed. */
function operationOf(request: IncomingMessage, response: ServerResponse, url: URL) {
  for (const { path, operations, allow } of ROUTES) {
    const match = path.exec(url.pathname);
    if (!match) continue;
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const operation = method === 'GET' || method === 'POST' ? operations[method] : undefined;
    if (!operation) response.setHeader('allow', allow);
    if (!operation && method !== 'OPTIONS')
      throw new Refusal('method_not_allowed', `The method must be one of ${allow}.`);
    return { operation, path: decoded(match.groups ?? {}) };
  }
  throw new Refusal('not_found', 'There is nothing at this address: /docs lists the addresses of the API.');
}

/** Decodes path parameters. Text that is not UTF-8 stays encoded, and matches no id. */
function decoded(groups: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(groups).map(([name, text]) => {
      try {
        return [name, decodeURIComponent(text)];
      } catch {
        return [name, text];
      }
    }),
  );
}

function sentHeaders(sent: IncomingHttpHeaders) {
  const key = sent['idempotency-key'];
  return key === undefined ? {} : { 'Idempotency-Key': key };
}

function setAllowance(response: ServerResponse, { limit, remaining, resetSeconds }: Allowance): void {
  response.setHeader('ratelimit-limit', limit);
  response.setHeader('ratelimit-remaining', remaining);
  response.setHeader('ratelimit-reset', resetSeconds);
}
