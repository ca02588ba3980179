// /v1: each request passes the same checks in the same order (key, plan, rate limit, path and method, content, fields, existence). Then the
// function of its operation answers.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../../errors.ts';
import { hasLongBody, readJson } from '../../process/http/body.ts';
import { leavingOf, sendJsonText } from '../../process/http/respond.ts';
import { openDocument } from './openapi.ts';
import { readParams } from './params.ts';
import type { Calls } from './calls.ts';
import { sendStats } from './stats-answers.ts';
import { check, idempotencyKey } from './requests.ts';
import { sendFile } from './export-day.ts';
import { METHODS, OPERATIONS } from './operations.ts';
import type { Services } from '../trpc.ts';
import { z } from 'zod';

export const OPENAPI_PATH = '/v1/openapi.json';
const headers = z.strictObject({ 'Idempotency-Key': idempotencyKey });

type Route = { path: RegExp; operations: (typeof OPERATIONS)[string]; allow: string };

const ROUTES: Route[] = Object.entries(OPERATIONS).map(([path, operations]) => ({
  path: new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
  operations,
  allow: [
    ...METHODS.filter((one) => operations[one]).flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : one)),
    'OPTIONS',
  ].join(', '),
}));

export function openRest({ config }: Pick<Services, 'config'>, calls: Calls) {
  const document = openDocument(config.BASE_URL ?? '/');

  return withRefusals(async (request, response, url) => {
    calls.mark(response);
    if (url.pathname === OPENAPI_PATH) {
      document.send(request, response);
      return;
    }
    const caller = await calls.admit(request, response, url);
    const { operation, path } = operationOf(request, response, url);
    if (!operation) {
      response.writeHead(204, { 'cache-control': 'no-store' }).end(); // OPTIONS
      return;
    }
    const body =
      operation.body && (await readJson(request, { maxBytes: operation.body.maxBytes, types: ['application/json'] }));
    const sent = {
      query: { ...readParams(url, operation.query), ...path },
      body: operation.body && check(operation.body.schema, body),
      idempotencyKey: operation.body && check(headers, sentHeaders(request.headers))['Idempotency-Key'],
    };
    const given = await calls.answer(operation, sent, { caller, signal: leavingOf(response) });
    if ('file' in given) return sendFile(given.file, request, response);
    const { text, etag } = given;
    if (etag === undefined) sendJsonText(response, operation.status, text);
    else sendStats({ text, etag }, { request, response });
  });
}

type Answer = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>;

/** Adds the headers of a refused request. A long unread body closes the connection. */
export const withRefusals =
  (answer: Answer): Answer =>
  async (request, response, url) => {
    try {
      await answer(request, response, url);
    } catch (error) {
      if (error instanceof Refusal && error.code === 'unauthorized') response.setHeader('www-authenticate', 'Bearer');
      if (!request.readableEnded && hasLongBody(request.headers)) response.setHeader('connection', 'close');
      throw error;
    }
  };

/** Returns the operation and its path parameters. OPTIONS has no operation. Throws not_found and method_not_allowed. */
function operationOf(request: IncomingMessage, response: ServerResponse, url: URL) {
  for (const { path, operations, allow } of ROUTES) {
    const match = path.exec(url.pathname);
    if (!match) continue;
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const known = METHODS.find((one) => one === method);
    const operation = known && operations[known];
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
