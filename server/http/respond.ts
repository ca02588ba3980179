// Answers: the error object, the headers that every answer carries, and the one place where whatever was thrown becomes a status.
import { randomUUID } from 'node:crypto';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Refusal, Unavailable } from '../errors.ts';
import type { Log } from '../log.ts';

/** Seconds after which a client may try again when a store is away. */
const RETRY_SECONDS = 5;

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: OutgoingHttpHeaders = {},
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(text);
}

/** Aborted once nobody waits for the answer any more: it is out, or the connection is gone. */
export function leavingOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  return controller.signal;
}

/** What Node's parser refuses never becomes a request; it is answered in the same shape all the same. */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const text = JSON.stringify(
    new Refusal('bad_request', 'The request is no well-formed HTTP, or came too slowly.').body,
  );
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${text}`,
  );
}

/** Refused: the error object. Unavailable: 503 with Retry-After. Anything else is ours: logged with its cause, answered as a bare 500. */
export function sendError(response: ServerResponse, error: unknown, log: Log, headers: OutgoingHttpHeaders = {}): void {
  const refusal = toRefusal(error, log, response.getHeader('x-request-id')?.toString());
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const retry: OutgoingHttpHeaders =
    refusal.retryAfterSeconds === undefined ? {} : { 'retry-after': String(refusal.retryAfterSeconds) };
  // What was not read of the body is not worth reading.
  const close: OutgoingHttpHeaders =
    refusal.code === 'payload_too_large' || refusal.code === 'unsupported_media_type' ? { connection: 'close' } : {};
  sendJson(response, refusal.status, refusal.body, { ...headers, ...retry, ...close });
}

export function toRefusal(error: unknown, log: Log, requestId: string = randomUUID()): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof Unavailable) {
    if (isWorthALine(error.store))
      log.warn({ error, store: error.store, request_id: requestId }, 'a store does not answer');
    return new Refusal('service_unavailable', 'This cannot be done at the moment: try again.', {
      retryAfterSeconds: RETRY_SECONDS,
    });
  }
  log.error({ error, request_id: requestId }, 'a request failed');
  return new Refusal('internal_server_error', `Something went wrong on our side (request ${requestId}).`);
}

const saidAt = new Map<Unavailable['store'], number>();
const SAY_EVERY_MS = 1_000;

/** A store that is away fails thousands of requests a second, each for the same reason: a line a second tells it. */
function isWorthALine(store: Unavailable['store']): boolean {
  const now = performance.now();
  if (now - (saidAt.get(store) ?? -Infinity) < SAY_EVERY_MS) return false;
  saidAt.set(store, now);
  return true;
}
