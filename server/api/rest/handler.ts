// /v1: each request passes the same checks in the same order (key, plan, rate limit, path and method, content, fields, existence).
// Then the function of its operation answers.
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { billingOf } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import { readJson } from '../../http/body.ts';
import { leavingOf, sendJson } from '../../http/respond.ts';
import { accountFor, siteFor, type Viewer } from '../../sites/access.ts';
import { accountOfKey } from '../../accounts/keys.ts';
import { hashToken } from '../../directory/ids.ts';
import { NO_SUCH_SITE, type Site } from '../../sites/sites.ts';
import type { Allowance } from '../rate-limits.ts';
import { openDocument } from '../openapi.ts';
import { holdsKey, rangeOf, readParams } from './params.ts';
import { etagOf, isKnownTag, openAnswers, openLookups } from './answer-cache.ts';
import { check, idempotencyKey } from './requests.ts';
import { type Call, type Operation, type Result, OPERATIONS } from './operations.ts';
import type { Services } from '../trpc.ts';
import type { Asking } from '../../store/pool.ts';
import { z } from 'zod';

export const OPENAPI_PATH = '/v1/openapi.json';
/** Lets clients cache numbers for a minute, as this server does. */
const STATS_HEADERS = { 'cache-control': 'private, max-age=60', vary: 'Authorization' };
const headers = z.strictObject({ 'Idempotency-Key': idempotencyKey });

type Key = { keyId: string; accountId: string };
type Route = { path: RegExp; operations: (typeof OPERATIONS)[string]; allow: string };

const ROUTES: Route[] = Object.entries(OPERATIONS).map(([path, operations]) => ({
  path: new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
  operations,
  allow: [...(operations.GET ? ['GET', 'HEAD'] : []), ...(operations.POST ? ['POST'] : []), 'OPTIONS'].join(', '),
}));

export function openRest(services: Services) {
  const { directory, limiter, config } = services;
  const keys = openLookups<Key>();
  const plans = openLookups<true>();
  const sites = openLookups<Site>();
  const answers = openAnswers(services.versionOf);
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
      // Node reads an unread body to its end before the next request. Closing the connection avoids that.
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
      ask(); // checks the question before looking up the site
      await answerStats((site, signal) => ask(signal)(site), call, operation, { request, response });
    } else sendJson(response, operation.status, await operation.run(call));
  }

  async function keyOf(request: IncomingMessage, url: URL, now: number): Promise<Key> {
    const [, key = ''] = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? [];
    const found = key === '' ? undefined : await keys(hashToken(key), now, () => accountOfKey(directory, key, now));
    if (found) return found;
    if (key !== '')
      await services.wrongTokens.count('key', {
        token: key,
        addressHash: () => services.addressHashOf(request),
      });
    throw new Refusal(
      'unauthorized',
      holdsKey(url) && key === ''
        ? 'An API key goes into the header `Authorization: Bearer KEY`, never into an address: revoke this one and make another.'
        : 'Send a valid API key in the header `Authorization: Bearer KEY`: keys are made in the dashboard, under Settings, API.',
    );
  }

  async function answerStats(
    work: (site: Site, signal: AbortSignal) => Promise<Result>,
    call: Call<Record<string, unknown>, unknown>,
    operation: Operation,
    { request, response }: { request: IncomingMessage; response: ServerResponse },
  ) {
    const site = await call.siteOf(String(call.query['site_id']));
    const question = {
      siteId: site.id,
      range: rangeOf(call.query as Parameters<typeof rangeOf>[0], call.now), // each question has a period
      text: JSON.stringify([operation.id, site.currency ?? site.proposed_currency, site.max_amount, call.query]),
    };
    const { text, etag } = await answers(question, call.now, {
      signal: leavingOf(response),
      work: async (signal) => {
        const text = JSON.stringify(await work(site, signal));
        return { text, etag: etagOf(text) };
      },
    });
    if (isKnownTag(request.headers['if-none-match'], etag)) {
      response.writeHead(304, { ...STATS_HEADERS, etag }).end();
      return;
    }
    response.writeHead(200, {
      ...STATS_HEADERS,
      etag,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  }
}

/** The same call, with its queries to the event store made on behalf of `asking`. */
function askedBy<C extends Pick<Call<unknown, unknown>, 'services'>>(call: C, asking: Asking): C {
  return { ...call, services: { ...call.services, stats: call.services.stats.askedBy(asking) } };
}

/** The operation and its path parameters. OPTIONS has no operation. Throws not_found and method_not_allowed. */
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

function hasLongBody(sent: IncomingHttpHeaders): boolean {
  return sent['transfer-encoding'] !== undefined || Number(sent['content-length'] ?? 0) > 64 * 1024;
}
