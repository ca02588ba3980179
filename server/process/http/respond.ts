// Sends JSON and errors. This is the one place that turns a thrown error into a status and an error object.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Refusal, Unavailable } from '../../errors.ts';
import { t } from '../../vocabulary/habits/messages.ts';
import type { Log } from '../log.ts';
import { hasLongBody } from './body.ts';

/** How long clients are told to wait while a store is unavailable. */
const RETRY_SECONDS = 5;

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: OutgoingHttpHeaders = {},
): void {
  sendJsonText(response, status, JSON.stringify(body), headers);
}

export function sendJsonText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(text);
}

/** GET or HEAD. */
export const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

/** Throws method_not_allowed for a request that is neither GET nor HEAD. */
export function checkIsRead(request: IncomingMessage, response: ServerResponse): void {
  if (isRead(request)) return;
  response.setHeader('allow', 'GET, HEAD');
  throw new Refusal('method_not_allowed', 'The method must be GET or HEAD.');
}

/** Returns a signal that aborts once nobody waits for the answer: it has been sent, or the connection is closed. */
export function leavingOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  return controller.signal;
}

/** Answers requests that Node's HTTP parser refuses. No response object exists then, so the answer is written by hand. */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const text = JSON.stringify(
    new Refusal('bad_request', 'The request is not well-formed HTTP, or it arrived too slowly.').body,
  );
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${text}`,
  );
}

/**
 * Sends a Refusal as its error object, and Unavailable as 503 with Retry-After. Any other error is a bug of ours: it is logged, and sent as
 * a bare 500.
 */
export function sendError(response: ServerResponse, error: unknown, log: Log, headers: OutgoingHttpHeaders = {}): void {
  const refusal = toRefusal(error, log, response.getHeader('x-request-id')?.toString());
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const retry: OutgoingHttpHeaders =
    refusal.retryAfterSeconds === undefined ? {} : { 'retry-after': String(refusal.retryAfterSeconds) };
  // The body is unread. The connection closes only if it is long: its sender may still be writing, and could then miss the answer.
  const isUnread = refusal.code === 'payload_too_large' || refusal.code === 'unsupported_media_type';
  const close: OutgoingHttpHeaders = isUnread && hasLongBody(response.req.headers) ? { connection: 'close' } : {};
  sendJson(response, refusal.status, refusal.body, { ...headers, ...retry, ...close });
}

export function toRefusal(error: unknown, log: Log, requestId: string = randomUUID()): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof Unavailable) {
    if (mayLog(error.store)) log.warn({ error, store: error.store, request_id: requestId }, 'a store does not answer');
    return new Refusal('service_unavailable', t('Footfall cannot do this at the moment: try again in a few seconds.'), {
      retryAfterSeconds: RETRY_SECONDS,
    });
  }
  log.error({ error, request_id: requestId }, 'a request failed');
  return new Refusal('internal_server_error', t('Something went wrong on our side (request {id}).', { id: requestId }));
}

const loggedAt = new Map<Unavailable['store'], number>();
const LOG_EVERY_MS = 1_000;

/** An unavailable store fails thousands of requests a second for the same reason, so it is logged once a second. */
function mayLog(store: Unavailable['store']): boolean {
  const now = performance.now();
  if (now - (loggedAt.get(store) ?? -Infinity) < LOG_EVERY_MS) return false;
  loggedAt.set(store, now);
  return true;
}
