// Errors that callers see. A Refusal is the caller's mistake, with a code from a closed set. Unavailable means a store does not answer.
// Every other error is a bug of ours, and is answered as a bare 500.
import { t } from './vocabulary/habits/messages.ts';

/** The HTTP status and tRPC code of each refusal code. A refusal code is the HTTP reason phrase in snake case. */
export const REFUSALS = {
  bad_request: { status: 400, trpc: 'BAD_REQUEST' },
  unauthorized: { status: 401, trpc: 'UNAUTHORIZED' },
  forbidden: { status: 403, trpc: 'FORBIDDEN' },
  not_found: { status: 404, trpc: 'NOT_FOUND' },
  method_not_allowed: { status: 405, trpc: 'METHOD_NOT_SUPPORTED' },
  payload_too_large: { status: 413, trpc: 'PAYLOAD_TOO_LARGE' },
  unsupported_media_type: { status: 415, trpc: 'UNSUPPORTED_MEDIA_TYPE' },
  too_many_requests: { status: 429, trpc: 'TOO_MANY_REQUESTS' },
  internal_server_error: { status: 500, trpc: 'INTERNAL_SERVER_ERROR' },
  service_unavailable: { status: 503, trpc: 'SERVICE_UNAVAILABLE' },
} as const satisfies Record<string, { status: number; trpc: string }>;

export type RefusalCode = keyof typeof REFUSALS;

/** The error object of every answer. `status` repeats the HTTP status. */
type ErrorBody = { error: RefusalCode; message: string; status: number };

export class Refusal extends Error {
  readonly code: RefusalCode;
  /** Seconds after which a retry may succeed. Sent as Retry-After. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: RefusalCode, message: string, options: { retryAfterSeconds?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return REFUSALS[this.code].status;
  }

  get body(): ErrorBody {
    return { error: this.code, message: this.message, status: this.status };
  }
}

/** `store`: one whose schema this version does not know. */
export const madeByAnotherVersion = (store: string): Refusal =>
  new Refusal(
    'bad_request',
    t('{store} was made by a later version of Footfall, or by one before 1.0.0: use that version.', { store }),
  );

/** What to do with a store that an earlier version has used: migrate it, refuse it with NeedsUpgrade, or open it as it is. */
export type EarlierStore = 'migrate' | 'refuse' | 'keep';

/** A store was last used by an earlier version, and the caller did not want it to be migrated yet. */
export class NeedsUpgrade extends Refusal {
  constructor(store: string) {
    super(
      'bad_request',
      t('{store} was last used by an earlier version of Footfall: start the server, which upgrades it.', { store }),
    );
  }
}

/** A store does not answer at the moment. A retry may succeed, so this is answered as 503. */
export class Unavailable extends Error {
  readonly store: 'events' | 'directory' | 'queue' | 'live';

  constructor(store: Unavailable['store'], cause?: unknown) {
    super(`The ${store} store does not answer.`, { cause });
    this.store = store;
  }
}
